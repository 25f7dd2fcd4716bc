"""Slow twins of the rank test: derivatives of whole tables in fractions, and a look at witnesses from outside."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.effects.results import EffectQuestion, Twins
from ldag.model import Structure
from tests.oracle.effects import table_after, true_effect

Tables = list[list[list[Fraction]]]
Row = list[Fraction]


def draw_fractions(structure: Structure, rng: np.random.Generator) -> Tables:
    """For every node a distribution per class, in fractions."""
    tables = []
    for n, family in zip(structure.n_states, structure.families, strict=True):
        weights = [[int(w) for w in rng.integers(1, 100, size=n)] for _ in range(family.partition.n_classes)]
        tables.append([[Fraction(w, sum(row)) for w in row] for row in weights])
    return tables


def exact_ranks(
    structure: Structure, latent: frozenset[int], question: EffectQuestion, rng: np.random.Generator
) -> tuple[int, int]:
    """The rank of the derivatives of the observed table at a random point, and with those of the effect."""
    tables = draw_fractions(structure, rng)
    observed = [node for node in range(len(structure)) if node not in latent]
    rows: dict[tuple[int, ...], Row] = {}
    tops: dict[tuple[int, ...], tuple[Fraction, Row]] = {}
    fixed = {**question.context, **question.setting}
    for states in product(*map(range, structure.n_states)):
        cell = tuple(states[node] for node in observed)
        rows[cell] = _add(rows.get(cell), _gradient(structure, tables, states, ())[1])
        if all(states[node] == state for node, state in fixed.items()):
            goal = tuple(states[node] for node in question.target)
            value, slopes = _gradient(structure, tables, states, question.do)
            old_value, old = tops.get(goal, (Fraction(0), None))
            tops[goal] = old_value + value, _add(old, slopes)
    total = sum((value for value, _ in tops.values()), Fraction(0))
    below = [sum(column, Fraction(0)) for column in zip(*(slopes for _, slopes in tops.values()), strict=True)]
    effect = [[total * a - value * b for a, b in zip(s, below, strict=True)] for value, s in tops.values()]
    return _rank(list(rows.values())), _rank([*rows.values(), *effect])


def _gradient(
    structure: Structure, tables: Tables, states: tuple[int, ...], do: tuple[int, ...]
) -> tuple[Fraction, Row]:
    """The probability of one state of everything, and its derivatives by all free parameters."""
    nodes = [node for node in range(len(structure)) if node not in do]
    places = {}
    for node in nodes:
        family = structure.families[node]
        index = family.partition.grid.index(tuple(states[parent] for parent in family.parents))
        places[node] = int(family.partition.to_array()[index])
    factors = {node: tables[node][places[node]][states[node]] for node in nodes}
    slopes: Row = []
    for node in range(len(structure)):
        others = prod((factors[other] for other in nodes if other != node), start=Fraction(1))
        last = structure.n_states[node] - 1
        for number in range(structure.families[node].partition.n_classes):
            for state in range(last):
                sign = (states[node] == state) - (states[node] == last)
                slopes.append(others * sign if places.get(node) == number else Fraction(0))
    return prod(factors.values(), start=Fraction(1)), slopes


def _add(a: Row | None, b: Row) -> Row:
    return b if a is None else [x + y for x, y in zip(a, b, strict=True)]


def _rank(rows: list[Row]) -> int:
    """Rank by elimination."""
    left, rank = [list(row) for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((row for row in left if row[column]), None)
        if pivot is not None:
            left = [row for row in left if row is not pivot]
            for row in left:
                if row[column]:
                    scale = row[column] / pivot[column]
                    row[:] = [x - scale * y for x, y in zip(row, pivot, strict=True)]
            rank += 1
    return rank


def check_twins(twins: Twins, structure: Structure, latent: frozenset[int], question: EffectQuestion) -> float:
    """Look at both models from outside: edges, labels, equal tables, no empty cell. Return how far the effects are."""
    effects = []
    tables: list[NDArray[np.float64]] = []
    for model, told in zip(twins.models, twins.effects, strict=True):
        sized = model.structure
        assert all(sized.n_states[v] == n for v, n in enumerate(structure.n_states) if v not in latent)
        for node, family in enumerate(structure.families):
            _check_family(sized, node, family.parents, model.probabilities[node], structure)
        joint = table_after(sized, model.probabilities)
        assert joint.min() > 0
        tables.append(joint.sum(axis=tuple(latent)))
        effect = true_effect(sized, model.probabilities, question.target, question.do, (), question.context)
        at = (*(twins.target[v] for v in question.target), *(question.setting[v] for v in question.do))
        effects.append(float(effect[at]))
        assert abs(effects[-1] - told) < 1e-9
    np.testing.assert_allclose(tables[0], tables[1], rtol=0, atol=1e-12)
    assert abs(tables[0].sum() - 1) < 1e-9
    return abs(effects[0] - effects[1])


def _check_family(
    sized: Structure, node: int, parents: tuple[int, ...], rows: NDArray[np.float64], structure: Structure
) -> None:
    """The parents are the same, rows are distributions, and where a label holds the parent makes no difference."""
    assert sized.parents(node) == parents
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    table = rows[sized.families[node].partition.to_array()].reshape(*(sized.n_states[p] for p in parents), -1)
    for axis, mask in enumerate(structure.families[node].partition.labels):
        others = [parent for parent in parents if parent != parents[axis]]
        cube = mask.reshape([structure.n_states[parent] for parent in others])
        lines = np.moveaxis(table, axis, -2)
        for states in np.ndindex(*(sized.n_states[parent] for parent in others)):
            known = tuple(
                state if state < structure.n_states[parent] else 0 for state, parent in zip(states, others, strict=True)
            )
            if cube[known]:
                assert np.ptp(lines[states], axis=0).max() == 0
