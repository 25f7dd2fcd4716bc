"""Twin models, checked from outside: edges, labels, equal tables, different effects."""

import numpy as np
import pytest

from ldag.effects import twins
from ldag.effects.ranks import RankTest, attempt_rank_proof
from ldag.effects.results import Budget
from ldag.effects.twins import find_twins
from tests.oracle.ranks import check_twins
from tests.unit.effects.test_ranks import ask

REFUTED = [
    ("latent L {0, 1}\nX -> Y\nL -> X\nL -> Y", "Y", {"X": 1}, {}),
    ("latent L {0, 1}\nZ -> X\nX -> Y\nL -> X\nL -> Y", "Y", {"X": 0}, {"Z": 1}),
    ("latent L {0, 1}\nA {0, 1, 2}\nY {0, 1, 2}\nA -> Y\nX -> Y\nL -> X\nL -> Y : A=1", "Y", {"X": 0}, {"A": 2}),
    ("latent L {0, 1}\nX {0, 1, 2}\nL -> X\nL -> Y : X=1\nX -> Y", "Y", {"X": 2}, {}),
    ("latent L {0, 1}\nL -> A\nL -> B\nL -> X\nL -> Y\nX -> Y", "Y", {"X": 0}, {}),
    ("latent U {0, 1}\nU -> X\nU -> Y\nX -> Y : U=1", "Y", {"X": 0}, {}),
    ("latent X {0, 1}\nX -> Y\nZ -> X", "Y", {"X": 0}, {}),
    ("latent L {0, 1}\nlatent M {0, 1}\nZ -> M\nM -> L\nM -> W\nL -> X\nL -> Y\nX -> Y", "Y", {"X": 0}, {"W": 1}),
    ("latent L {0, 1}\nX -> Y\nX -> Z\nL -> X\nL -> Y\nL -> Z", "Y Z", {"X": 1}, {}),
    ("latent L {0, 1}\nX -> Y\nW -> Y\nL -> X\nL -> Y\nL -> W", "Y", {"X": 1, "W": 0}, {}),
]


@pytest.mark.parametrize(("text", "target", "do", "context"), REFUTED)
def test_twins_share_the_table_and_differ_in_the_effect(
    text: str, target: str, do: dict[str, int], context: dict[str, int]
) -> None:
    """Conditions, labels, three states, latents that labels name, are treatments, or have parents; two outcomes."""
    structure, latent, question = ask(text, target, do, context)
    proof = attempt_rank_proof(structure, latent, question, Budget()).proof
    assert proof is not None
    pair = find_twins(structure, latent, question, proof.latent_states)
    assert pair is not None
    assert {v: pair.models[0].structure.n_states[v] for v in latent} == proof.latent_states
    assert (pair.setting, pair.given) == (question.setting, question.context)
    assert check_twins(pair, structure, latent, question) >= twins.CLEAR_DIFFERENCE
    assert min(table.min() for model in pair.models for table in model.probabilities) >= twins.SMALLEST_PROBABILITY


def test_without_a_proof_numbers_of_states_are_tried() -> None:
    """A latent that two states do not hide gets three."""
    text, target, do, context = REFUTED[4]
    structure, latent, question = ask(text, target, do, context)
    pair = find_twins(structure, latent, question)
    assert pair is not None
    assert [pair.models[0].structure.n_states[v] for v in latent] == [3]
    again = find_twins(structure, latent, question)
    assert again is not None
    assert again.effects == pair.effects


def test_an_effect_at_the_end_of_a_long_way_is_seen() -> None:
    """Ten steps of the chain, all tied by one latent: tables of 2 ** 11 cells, and still two clear effects."""
    chain = "\n".join(f"V{i} -> V{i + 1}\nL -> V{i}" for i in range(10))
    structure, latent, question = ask(f"latent L {{0, 1}}\n{chain}\nL -> V10", "V10", {"V0": 1})
    pair = find_twins(structure, latent, question)
    assert pair is not None
    assert check_twins(pair, structure, latent, question) >= twins.CLEAR_DIFFERENCE


def test_large_blocks_are_simplified_before_a_walk() -> None:
    """Ten arcs in a row tie everything: with all edges a joint table has 2 ** 19 cells, and few are needed."""
    arcs = "\n".join(f"latent L{i} {{0, 1}}\nL{i} -> V{i}\nL{i} -> V{i + 1}" for i in range(9))
    chain = "\n".join(f"V{i} -> V{i + 1}" for i in range(9))
    structure, latent, question = ask(f"{arcs}\n{chain}", "V9", {"V8": 1})
    pair = find_twins(structure, latent, question, dict.fromkeys(latent, 3))
    assert pair is not None
    simple = [np.ptp(rows, axis=0).max() == 0 for rows in pair.models[0].probabilities]
    assert sum(simple) > 5
    assert abs(pair.effects[0] - pair.effects[1]) >= twins.CLEAR_DIFFERENCE


def test_what_has_a_formula_has_no_twins() -> None:
    """Front door: whatever the latent is, every walk stays where it is."""
    structure, latent, question = ask("latent L {0, 1}\nX -> M\nM -> Y\nL -> X\nL -> Y", "Y", {"X": 0})
    assert find_twins(structure, latent, question) is None
    for size in (2, 4):
        assert find_twins(structure, latent, question, dict.fromkeys(latent, size)) is None


def test_twins_must_differ_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair whose effects are nearer than a reader can see is no witness."""
    structure, latent, question = ask(*REFUTED[0])
    monkeypatch.setattr(twins, "SMALLEST_DIFFERENCE", 1.0)
    assert find_twins(structure, latent, question) is None


def test_large_tables_are_not_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where derivatives do not fit into memory there is a proof and no witness."""
    structure, latent, question = ask(*REFUTED[0])
    monkeypatch.setattr(twins, "MAX_ENTRIES", 55)  # 4 cells, 14 parameters
    assert find_twins(structure, latent, question, dict.fromkeys(latent, 2)) is None
    monkeypatch.setattr(twins, "MAX_ENTRIES", 56)
    assert find_twins(structure, latent, question, dict.fromkeys(latent, 2)) is not None


def test_derivatives_along_a_fibre_are_differences() -> None:
    """Of the table and of the effect, in logarithms of parameters, for a block with a label and three states."""
    text, target, do, context = REFUTED[2]
    structure, latent, question = ask(text, target, do, context)
    rng = np.random.default_rng(0)
    given = [
        rng.dirichlet(np.ones(n), size=family.partition.n_classes)
        for n, family in zip(structure.n_states, structure.families, strict=True)
    ]
    test = RankTest(structure, latent, question)
    (block,) = test.affecting
    fibre = twins.Fibre(test, block, given)
    np.testing.assert_allclose(fibre.derivatives(fibre.start).sum(), 0, atol=1e-12)
    for place in range(len(fibre.start)):
        step = np.zeros(len(fibre.start))
        step[place] = 1e-5
        up, down = fibre.start + step, fibre.start - step
        by_table = (fibre.table(up) - fibre.table(down)) / 2e-5
        by_effect = (fibre.effect(up)[0] - fibre.effect(down)[0]) / 2e-5
        np.testing.assert_allclose(fibre.derivatives(fibre.start)[:, place], by_table, atol=1e-8)
        np.testing.assert_allclose(fibre.effect(fibre.start)[1][:, place], by_effect, atol=1e-8)
