"""Premises: the augmented graph, latents of any size, and what is remembered."""

import numpy as np
import pytest

from ldag import LDAG
from ldag.effects.premises import (
    IDLE,
    SET,
    Premises,
    add_intervention,
    free_latents,
    resize_free_latents,
    with_latent_states,
)
from ldag.effects.results import Budget
from ldag.model import Structure
from tests.oracle.effects import random_parameters, random_structure, table_after, true_effect


def structure_from(text: str) -> tuple[Structure, dict[str, int]]:
    """A structure and its numbers by name."""
    graph = LDAG.from_text(text)
    return graph.structure.regular(), {name: i for i, name in enumerate(graph.schema.names)}


ONE_E = "X -> Y : A=1\nL -> X : A=0\nL -> Y\nA -> X\nA -> Y"


def test_set_treatments_are_free_roots() -> None:
    """Where the intervention is set, the parents of a treatment make no difference; idle, all is as before."""
    structure, n = structure_from(ONE_E)
    augmented = add_intervention(structure, [n["X"]])
    family = augmented.families[n["X"]]
    assert family.parents == (*structure.parents(n["X"]), len(structure))
    classes = family.partition.to_array().reshape(-1, 2)
    assert len(set(classes[:, SET])) == 1
    assert not set(classes[:, SET]) & set(classes[:, IDLE])
    assert family.partition.restricted({len(family.parents) - 1: IDLE}) == structure.families[n["X"]].partition


def test_premises_of_a_published_figure() -> None:
    """Fig. 1(e) of Tikka, Hyttinen and Karvanen (2019): direct at A=0, no effect at A=1, neither without A."""
    structure, n = structure_from(ONE_E)
    premises = Premises(structure, frozenset({n["L"]}), frozenset({n["X"]}))
    x, y, a, i = n["X"], n["Y"], n["A"], premises.node
    assert premises.holds([y], [i], context={a: 0, x: 1})
    assert not premises.holds([y], [i], context={a: 1, x: 1})
    assert premises.holds([y], [i], context={a: 1})
    assert premises.holds([y], [x], context={a: 1, i: SET})
    assert not premises.holds([y], [x], context={a: 0, i: SET})
    assert premises.holds([a], [i])
    assert premises.holds([a], [x], context={i: SET})
    assert not premises.is_cut


def test_what_is_known_is_not_asked_again() -> None:
    """A question counts once, and beyond the budget nothing holds, which is told."""
    structure, n = structure_from(ONE_E)
    premises = Premises(structure, frozenset({n["L"]}), frozenset({n["X"]}), Budget(n_premises=1))
    assert premises.holds([n["A"]], [premises.node])
    assert premises.holds([n["A"]], [premises.node])
    assert not premises.is_cut
    assert premises.holds([n["A"]], [n["X"]], context={premises.node: SET}) is None
    assert premises.is_cut


def test_latents_in_contexts_keep_their_states() -> None:
    """A latent that a label's context names is not free; one at the tail of a labelled edge is."""
    structure, n = structure_from("L -> Y : A=1\nA -> Y\nA -> X\nM -> X\nM -> Y\nX -> Y : M=1")
    assert free_latents(structure, {n["L"], n["M"]}) == {n["L"]}
    structure, n = structure_from("L -> Y : A=1\nA -> Y : M=0\nM -> Y")
    assert free_latents(structure, {n["L"], n["M"]}) == {n["L"]}
    structure, n = structure_from("L -> Y : A=1\nA -> Y : L=0")  # one class joins where L makes a difference and not
    assert free_latents(structure, {n["L"]}) == frozenset()


def test_more_states_of_a_latent_keep_the_labels() -> None:
    """With four states the latent's edge still vanishes where its label says, and elsewhere has a class per state."""
    structure, n = structure_from("L -> Y : A=1\nA -> Y\nL -> X")
    larger = with_latent_states(structure, {n["L"]: 4})
    family = larger.families[n["Y"]]
    assert family.partition.grid.n_states[family.parents.index(n["L"])] == 4
    assert family.partition.n_classes == 4 + 1
    assert larger.families[n["X"]].partition.n_classes == 4


@pytest.mark.parametrize("seed", range(12))
def test_independence_for_every_size_of_latents(seed: int) -> None:
    """What holds with the sizes that are taken holds with five states, too, and what does not, does not."""
    rng = np.random.default_rng([seed, 3])
    structure, latent = random_structure(rng, 4, 2, label_rate=0.4)
    free = free_latents(structure, latent)
    small = resize_free_latents(structure, latent)
    large = with_latent_states(structure, dict.fromkeys(free, 5))
    x, y, s, t = (int(v) for v in rng.permutation(4))
    premises = Premises(small, latent, frozenset({x}))
    model = random_parameters(large, rng)
    for context in ({}, {s: 0}, {s: 1, t: 0}):
        given = [v for v in (s, t) if v not in context]
        does_hold = all(
            premises.holds([y], [premises.node], given, {**context, x: state}) is not None
            for state in range(structure.n_states[x])
        )
        effect = true_effect(large, model, [y], [x], given, context)
        observed = table_after(large, model)
        kept = observed.sum(axis=tuple(v for v in range(observed.ndim) if v not in (x, y, s, t)))
        places = sorted((x, y, *given, *context))
        kept = kept.transpose([places.index(v) for v in (y, x, *given, *context)])[(..., *context.values())]
        conditional = kept / kept.sum(axis=0)
        assert does_hold == bool(np.allclose(conditional, effect, atol=1e-10))
