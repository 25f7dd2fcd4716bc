"""Ranks: what they prove, what they must not prove, and how sure they are."""

from math import log2, prod

import numpy as np
import pytest

from ldag import LDAG
from ldag.effects import ranks
from ldag.effects.ranks import (
    RankTest,
    attempt_rank_proof,
    compare_ranks,
    cut_edges,
    draw_prime,
    latent_blocks,
)
from ldag.effects.results import Budget, EffectQuestion
from ldag.model import Structure
from tests.oracle.effects import read_graph

Case = tuple[Structure, frozenset[int], EffectQuestion]


def ask(text: str, target: str, do: dict[str, int], context: dict[str, int] | None = None) -> Case:
    """A graph in text with its latents, and a question, by number."""
    graph = LDAG.from_text(text)
    names = [variable.name for variable in graph.variables]
    number = names.index
    question = EffectQuestion(
        tuple(map(number, target.split())),
        tuple(map(number, do)),
        (),
        {number(name): state for name, state in (context or {}).items()},
        {number(name): state for name, state in do.items()},
    )
    return graph.structure.regular(), frozenset(map(number, graph.latent)), question


IDENTIFIED = [
    ("X -> Y\nZ -> X\nZ -> Y", {}),
    ("latent L {0, 1}\nX -> M\nM -> Y\nL -> X\nL -> Y", {}),
    ("latent L {0, 1}\nX -> M\nM -> Y\nL -> X\nL -> Y\nZ -> X\nZ -> M\nZ -> Y", {"Z": 0}),
    ("latent L {0, 1}\nZ {0, 1, 2}\nX {0, 1, 2}\nL -> Z\nL -> Y\nZ -> X\nX -> Y", {}),
    ("latent L {0, 1}\nL -> X : X2=1\nL -> Y\nX2 -> X\nX -> Y", {}),
]


@pytest.mark.parametrize(("text", "context"), IDENTIFIED)
def test_what_has_a_formula_is_never_refuted(text: str, context: dict[str, int]) -> None:
    """Back-door, front-door, conditional front-door, three states, a trial with a label: for many sizes of latents."""
    structure, latent, question = ask(text, "Y", {"X": 1}, context)
    attempt = attempt_rank_proof(structure, latent, question, Budget())
    assert attempt.proof is None
    assert len(attempt.tried) == 1


def test_the_setting_matters() -> None:
    """Confounded where X=0 only: the effect of X=1 has a formula, that of X=0 has none."""
    text = "latent L {0, 1}\nL -> X\nL -> Y : X=1\nX -> Y"
    assert attempt_rank_proof(*ask(text, "Y", {"X": 0}), Budget()).proof is not None
    assert attempt_rank_proof(*ask(text, "Y", {"X": 1}), Budget()).proof is None


def test_the_context_matters() -> None:
    """Confounded where A=0 only: given A=1 the effect has a formula, given A=0 it has none."""
    text = "latent L {0, 1}\nA -> X\nL -> X : A=1\nL -> Y\nX -> Y"
    assert (
        attempt_rank_proof(*ask(text.replace("A -> X", "A -> X\nA -> Y"), "Y", {"X": 0}, {"A": 0}), Budget()).proof
        is not None
    )
    assert (
        attempt_rank_proof(*ask(text.replace("A -> X", "A -> X\nA -> Y"), "Y", {"X": 0}, {"A": 1}), Budget()).proof
        is None
    )


def test_a_latent_treatment_may_have_an_effect_that_is_none() -> None:
    """Of a latent variable nothing is known but where it has no effect."""
    assert attempt_rank_proof(*ask("latent X {0, 1}\nX -> Y", "Y", {"X": 0}), Budget()).proof is not None
    assert attempt_rank_proof(*ask("latent X {0, 1}\nX -> Z\nZ -> W\nY -> Z", "Y", {"X": 0}), Budget()).proof is None


def test_a_latent_that_a_label_names_keeps_its_states() -> None:
    """U decides by its states where X matters: two states stay two, and what they cannot show is not shown."""
    text = "latent U {0, 1}\nU -> Y\nX -> Y : U=1\nU -> A\nU -> B\nU -> C"
    attempt = attempt_rank_proof(*ask(text, "Y", {"X": 0}), Budget())
    assert attempt.proof is None
    assert "their states, which labels or the question name" in attempt.tried[0]


def test_edges_are_cut_where_a_latent_could_be_recovered() -> None:
    """Three proxies tell what U is, whose states a label names; in models where they do not listen nobody knows."""
    text = "latent U {0, 1}\nU -> X\nU -> Y\nX -> Y : U=1\nU -> A\nU -> B\nU -> C"
    structure, latent, question = ask(text, "Y", {"X": 0})
    assert RankTest(structure, latent, question).run(np.random.default_rng(0)) is None
    proof = attempt_rank_proof(structure, latent, question, Budget()).proof
    assert proof is not None
    assert set(proof.latent_states.values()) == {2}
    assert len(proof.cut) == 3


def test_edges_are_cut_before_latents_get_many_states() -> None:
    """A latent with six children would need more than three states: two do where only two children listen."""
    text = "latent L {0, 1}\nL -> X\nL -> Y\nX -> Y\n" + "\n".join(f"L -> {name}" for name in "ABCD")
    proof = attempt_rank_proof(*ask(text, "Y", {"X": 0}), Budget()).proof
    assert proof is not None
    assert set(proof.latent_states.values()) == {2}
    assert len(proof.cut) == 4


def test_some_edges_are_cut_at_random() -> None:
    """Neither all edges nor two of one latent show that this effect has no formula, but four of two latents do."""
    text = "latent U {0, 1}\nlatent V {0, 1}\nX -> Y : U=0\nU -> Y\nU -> X : V=1\nV -> X : U=0"
    case = ask(f"{text}\nB -> A\nU -> A\nV -> A : B=1", "Y", {"X": 0})
    proof = attempt_rank_proof(*case, Budget()).proof
    assert proof is not None
    kept = {edge for edge in case[0].edges if edge[0] in case[1]} - set(proof.cut)
    assert len({parent for parent, _ in kept}) == 2


def test_cut_edges_make_no_difference_and_labels_stay() -> None:
    """By hand: A -> Y : B=0 without B is a family of nothing, without A it is one of B and C."""
    structure, *_ = ask("A -> Y : B=0\nB -> Y : A=0\nC -> Y\nA -> C", "Y", {"A": 0})
    number = {name: i for i, name in enumerate("AYBC")}
    assert structure.n_states == (2, 2, 2, 2)
    y, c = number["Y"], number["C"]
    without_c = cut_edges(structure, [(c, y)])
    assert without_c.parents(y) == (number["A"], number["B"])
    assert without_c.families[y].partition.to_array().tolist() == [0, 0, 0, 1]
    assert without_c.parents(c) == (number["A"],)
    assert cut_edges(structure, [(number["B"], y)]).parents(y) == (c,)
    assert cut_edges(structure, structure.edges).edges == ()


def test_a_small_latent_can_be_recovered_and_a_larger_one_not() -> None:
    """Three proxies of two states tell what a latent of two states is (generically), and not one of more states."""
    text = "latent L {0, 1}\nL -> A\nL -> B\nL -> X\nL -> Y\nX -> Y"
    structure, latent, question = ask(text, "Y", {"X": 0})
    assert RankTest(structure, latent, question).run(np.random.default_rng(0)) is None
    proof = attempt_rank_proof(structure, latent, question, Budget()).proof
    assert proof is not None
    assert set(proof.latent_states.values()) == {3}


def test_a_proof_tells_ranks_and_the_case() -> None:
    """The bow: a table of three free numbers, seven parameters; two more states of an unrelated pair count as well."""
    structure, latent, question = ask("latent L {0, 1}\nX -> Y\nL -> X\nL -> Y\nA -> B", "Y", {"X": 1}, {"B": 0})
    proof = attempt_rank_proof(structure, latent, question, Budget()).proof
    assert proof is not None
    assert (proof.rank, proof.n_parameters) == (3 + 3, 7 + 3)
    assert proof.case == {**question.setting, **question.context}
    assert proof.n_draws == 3


def test_budgets_end_the_growth_and_say_so() -> None:
    """Too many parameters, or too large a table: what was done is told, with the reason."""
    case = ask(IDENTIFIED[1][0], "Y", {"X": 0})
    few, small, large = (
        attempt_rank_proof(*case, budget).tried[0]
        for budget in (Budget(n_parameters=18), Budget(cells=12), Budget(n_parameters=10_000))
    )
    assert "up to 4 states (with more there are more than 18 parameters)" in few
    assert "up to 3 states (with more a table has more than 12 cells)" in small
    assert "up to 32 states (more were not tried)" in large
    none = attempt_rank_proof(*case, Budget(cells=1))
    assert none.tried == ("ranks 0 times with edges cut, not with all edges, as a table has more than 1 cells",)
    assert none.is_cut


def test_one_case_at_a_time() -> None:
    """A treatment without a state and given variables are the caller's business."""
    structure, latent, _ = ask("X -> Y\nZ -> Y", "Y", {"X": 0})
    with pytest.raises(ValueError, match="one case"):
        attempt_rank_proof(structure, latent, EffectQuestion((1,), (0,)), Budget())
    with pytest.raises(ValueError, match="one case"):
        attempt_rank_proof(structure, latent, EffectQuestion((1,), (0,), (2,), {}, {0: 0}), Budget())


def test_blocks_are_what_latents_tie() -> None:
    """Two confounded pairs are two blocks; a chain of latents is one; a latent that nobody hears of is in none."""
    graph = read_graph("A <-> B, B -> C, C <-> D, D -> E, E -> U_barren, U1 -> U2, U1 -> F, U2 -> G")
    blocks = [{graph.names[node] for node in block} for block in latent_blocks(graph.structure, graph.latent)]
    assert blocks == [{"A", "B", "U_A_B"}, {"C", "D", "U_C_D"}, {"U1", "U2", "F", "G"}]


def test_draws_keep_the_error_below_the_promised_one() -> None:
    """The bound of the docstring, worked out again for the bow: not one draw less will do."""
    structure, latent, question = ask("latent L {0, 1}\nX -> Y\nL -> X\nL -> Y", "Y", {"X": 1})
    (block,) = RankTest(structure, latent, question).blocks
    assert block.max_rank == 4
    joint_states = prod(structure.n_states)
    by_prime = 4 * log2(2 * 4 * joint_states**2) / 30 / ranks.N_PRIMES
    by_point = 4 * (3 + 2) / 2**30
    assert (by_prime + by_point) ** block.n_draws < 2**-60 <= (by_prime + by_point) ** (block.n_draws - 1)


def test_a_prime_is_one() -> None:
    """By trial division; and squares of primes and other near misses are none."""
    small = [n for n in range(3, 46341, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2))]
    rng = np.random.default_rng(0)
    for _ in range(20):
        prime = draw_prime(rng)
        assert 2**30 < prime < 2**31
        assert all(prime % d for d in small)


def test_ranks_modulo_a_prime_are_those_of_products() -> None:
    """A product of random matrices of 7 columns has rank 7; one more row from elsewhere makes 8."""
    prime, rng = 2**31 - 1, np.random.default_rng(0)
    low = rng.integers(1000, size=(15, 7)) @ rng.integers(1000, size=(7, 20)) % prime
    outside = rng.integers(prime, size=(2, 20))
    assert compare_ranks(low, low[:0], prime) == (7, 7)
    assert compare_ranks(low, low[3:5], prime)[0] == 7
    assert compare_ranks(low, outside[:1], prime) == (7, 8)
    assert compare_ranks(outside, outside[:1], prime) == (2, 2)
