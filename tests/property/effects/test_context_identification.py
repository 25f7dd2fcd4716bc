"""Random labelled graphs with latents: every formula, and every step to it, is what interventions really do."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ldag.effects.context_identification import LabelIdentification
from ldag.effects.formulas import evaluate, free_axes
from ldag.effects.premises import free_latents, with_latent_states
from ldag.effects.ranks import attempt_rank_proof
from ldag.effects.results import Budget, EffectQuestion, Reason
from ldag.model import Structure
from tests.oracle.effects import observed_source, random_parameters, true_effect
from tests.oracle.labelled_effects import random_labelled_graph, random_question


def all_steps(reason: Reason) -> Iterator[Reason]:
    """A reason and everything below it."""
    yield reason
    for step in reason.steps:
        yield from all_steps(step)


def largest_error(structure: Structure, latent: frozenset[int], reason: Reason, rng: np.random.Generator) -> float:
    """How far formulas of a derivation are from true effects in random models, with latents of 2, 3 and 4 states."""
    error = 0.0
    for size in (2, 3, 4):
        larger = with_latent_states(structure, dict.fromkeys(free_latents(structure, latent), size))
        model = random_parameters(larger, rng)
        source = observed_source(larger, latent, model)
        for step in all_steps(reason):
            q = step.question
            free = [node for node in q.do if node not in q.setting]
            assert free_axes(step.formula) <= {(node, 0) for node in (*q.target, *free, *q.given)}
            values = evaluate(step.formula, source).over([*q.target, *free, *q.given], larger.n_states)[0]
            effect = true_effect(larger, model, q.target, q.do, q.given, q.context)
            at = (*(slice(None) for _ in q.target), *(q.setting.get(node, slice(None)) for node in q.do))
            error = max(error, float(np.abs(values - effect[at]).max()))
    return error


def draw(seed: int, is_latent_named: bool) -> tuple[Structure, frozenset[int], EffectQuestion, np.random.Generator]:
    """A graph of three to five observed variables, and a question about it."""
    rng = np.random.default_rng([seed, 7])
    n_observed, n_latent = int(rng.integers(3, 6)), int(rng.integers(1, 3))
    max_states = 3 if rng.random() < 0.3 else 2
    structure, latent = random_labelled_graph(rng, n_observed, n_latent, max_states, is_latent_named)
    return structure, latent, random_question(rng, structure, n_observed), rng


@pytest.mark.parametrize("is_latent_named", [False, True])
@pytest.mark.parametrize("first", range(0, 500, 50))
def test_formulas_are_true_effects(first: int, is_latent_named: bool) -> None:
    """Wherever there is a formula, it gives the true effect of models that it knows by their observed tables only."""
    n_identified = 0
    for seed in range(first, first + 50):
        structure, latent, question, rng = draw(seed, is_latent_named)
        reason = LabelIdentification.of(structure, latent, Budget(), question.do).solve(question)
        if reason is not None:
            n_identified += 1
            assert largest_error(structure, latent, reason, rng) < 1e-9, seed
    assert n_identified > 10


@pytest.mark.parametrize("seed", range(2000, 2040))
def test_nothing_stays_open(seed: int) -> None:
    """With labels on observed contexts, every case of a question has a formula or a proof that there is none."""
    structure, latent, question, rng = draw(seed, is_latent_named=False)
    search = LabelIdentification.of(structure, latent, Budget(), question.do)
    for states in product(*(range(structure.n_states[node]) for node in question.given)):
        given = dict(zip(question.given, states, strict=True))
        case = replace(question, given=(), context={**question.context, **given})
        reason = search.solve(case)
        proof = attempt_rank_proof(structure, latent, case, Budget()).proof
        assert (reason is None) != (proof is None)
        if reason is not None:
            assert largest_error(structure, latent, reason, rng) < 1e-9
    assert not search.is_cut
