"""Published examples with and without labels: a proof and twin models for every effect without a formula, no others."""

import json
from pathlib import Path
from typing import Any

import pytest

from ldag import LDAG
from ldag.effects.ranks import attempt_rank_proof
from ldag.effects.results import Budget, EffectQuestion
from ldag.effects.twins import CLEAR_DIFFERENCE, find_twins
from tests.oracle.ranks import check_twins

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "files" / "identification.json").read_text())


@pytest.mark.parametrize("setting", [0, 1])
@pytest.mark.parametrize("name", CASES)
def test_ranks_are_the_published_ones(name: str, setting: int) -> None:
    """Where there is a formula nothing is proved, whatever the latents; elsewhere ranks agree and twins differ."""
    case = CASES[name]
    states = "\n".join(f"{v} {{{', '.join(map(str, range(n)))}}}" for v, n in case["cards"].items())
    graph = LDAG.from_text(f"{states}\n{case['graph']}")
    number = [variable.name for variable in graph.variables].index
    treatment = number(case["query"]["do"])
    question = EffectQuestion((number(case["query"]["y"]),), (treatment,), (), {}, {treatment: setting})
    structure, latent = graph.structure.regular(), frozenset(map(number, case["latent"]))
    proof = attempt_rank_proof(structure, latent, question, Budget()).proof
    assert (proof is None) == (case["formula"] is not None)
    if proof is not None:
        published = case["rank_test"]
        assert (proof.rank, proof.n_parameters) == (published["rank_observed"], published["parameters"])
        twins = find_twins(structure, latent, question, proof.latent_states)
        assert twins is not None
        assert check_twins(twins, structure, latent, question) >= CLEAR_DIFFERENCE
