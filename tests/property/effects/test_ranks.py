"""Random labelled graphs with latents: ranks beside exact ones of whole tables, twins looked at from outside."""

from collections.abc import Iterator

import numpy as np
import pytest

from ldag.effects.ranks import RankTest, attempt_rank_proof
from ldag.effects.results import Budget, EffectQuestion
from ldag.effects.twins import find_twins
from ldag.model import Structure
from tests.oracle.effects import random_structure
from tests.oracle.ranks import check_twins, exact_ranks

Case = tuple[Structure, frozenset[int], EffectQuestion]


def random_cases(rng: np.random.Generator, n: int, n_observed: int, max_states: int) -> Iterator[Case]:
    """Graphs with one or two latents and labels anywhere, questions with and without conditions."""
    for i in range(n):
        structure, latent = random_structure(rng, n_observed, 1 + i % 2, max_states, 0.6, label_rate=0.25)
        nodes = [int(v) for v in rng.permutation(n_observed)]
        last = nodes.pop()
        nodes.sort(key=lambda v: v not in structure.ancestors([last]))  # a cause first, if there is one
        do, target, context = (nodes[0],), (last,), nodes[1 : 1 + int(rng.integers(2))]
        states = {v: int(rng.integers(structure.n_states[v])) for v in range(n_observed)}
        fixed = {v: states[v] for v in context}
        yield structure, latent, EffectQuestion(target, do, (), fixed, {v: states[v] for v in do})


@pytest.mark.parametrize("max_states", [2, 3])
def test_ranks_agree_with_whole_tables_in_fractions(max_states: int) -> None:
    """The verdict block by block is the one of the whole table, and so is the rank that a proof tells."""
    rng = np.random.default_rng(max_states)
    n_proofs = 0
    for structure, latent, question in random_cases(rng, 40 if max_states == 2 else 6, 3, max_states):
        rank, more = exact_ranks(structure, latent, question, rng)
        proof = RankTest(structure, latent, question).run(rng)
        assert (proof is not None) == (more > rank)
        if proof is not None:
            n_proofs += 1
            assert proof.rank == rank
    assert n_proofs > 0


@pytest.mark.parametrize("max_states", [2, 3])
def test_every_proof_has_twins(max_states: int) -> None:
    """Whatever ranks refute, two models refute as well, and nothing of ours is used to look at them."""
    rng = np.random.default_rng(max_states)
    n_proofs = 0
    for structure, latent, question in random_cases(rng, 80, 4, max_states):
        proof = attempt_rank_proof(structure, latent, question, Budget(n_parameters=200)).proof
        if proof is not None:
            n_proofs += 1
            twins = find_twins(structure, latent, question, proof.latent_states, cut=proof.cut)
            assert twins is not None
            assert check_twins(twins, structure, latent, question) >= 0.001
    assert n_proofs > 10
