"""Published examples with labels: formulas on the observed tables of stored models give the stored effects."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldag import LDAG
from ldag.effects.context_identification import identify_with_labels
from ldag.effects.formulas import evaluate
from ldag.effects.results import Budget, EffectQuestion
from ldag.effects.spelling import spell
from ldag.model import Schema, Structure
from tests.oracle.effects import Array

CASES: dict[str, Any] = json.loads((Path(__file__).parent / "files" / "identification.json").read_text())
WRITTEN = {
    "fig1e": "P(A=0) P(Y | X=1, A=0) + P(A=1) P(Y | A=1)",
    "fig6a": "P(Y | W=1, X=1)",
    "fig6b": "P(Y)",
    "fig6c": "P(Z=0) P(Y | X=1, Z=0) + P(Z=1) P(Y | Z=1)",
    "fig6e": "sum_{Z} P(Z | A=0) P(Y | A=0, Z, X=1)",
    "nested": "P(Y)",
}
"""Formulas of the paper, at X=1."""


def read_case(case: Mapping[str, Any]) -> tuple[Schema, Structure, frozenset[int], EffectQuestion]:
    """The graph of a case, and its question at X=1."""
    graph = LDAG.from_text(case["graph"])
    number = graph.schema.names.index
    treatment = number(case["query"]["do"])
    question = EffectQuestion((number(case["query"]["y"]),), (treatment,), setting={treatment: 1})
    return graph.schema, graph.structure, frozenset(map(number, case["latent"])), question


def stored_tables(
    case: Mapping[str, Any], names: Sequence[str], parameters: Mapping[str, Sequence[float]]
) -> list[Array]:
    """P(node | parents) of every node, with an axis for each node: rows are numbered in the order of the edges."""
    edges = [line.split(":")[0].split("->") for line in case["graph"].splitlines()]
    graph = LDAG.from_text(case["graph"])
    tables = []
    for name in names:
        parents = [a.strip() for a, b in edges if b.strip() == name]
        partition = graph.partition(name)
        shape = [case["cards"][parent] for parent in parents]
        cells = list(np.ndindex(*shape))
        keys = []
        for cell in cells:
            state = dict(zip(parents, cell, strict=True))
            index = 0
            for parent in partition.parents:
                index = index * case["cards"][parent] + state[parent]
            keys.append(partition.classes[index])
        order = list(dict.fromkeys(keys))
        rows = np.array([parameters[f"{name}|class{order.index(key)}"] for key in keys])
        axes = [names.index(parent) for parent in parents] + [names.index(name)]
        table = rows.reshape([*shape, case["cards"][name]]).transpose(np.argsort(axes))
        tables.append(table.reshape([case["cards"][v] if i in axes else 1 for i, v in enumerate(names)]))
    return tables


class StoredTable:
    """The observed table of a stored model."""

    def __init__(
        self, case: Mapping[str, Any], names: Sequence[str], parameters: Mapping[str, Sequence[float]]
    ) -> None:
        self.n_states = tuple(case["cards"][name] for name in names)
        table = np.ones(self.n_states)
        for factor in stored_tables(case, names, parameters):
            table = table * factor
        self.table = table

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> Array:
        """P(of | given), one draw."""
        kept = (*of, *given)
        joint = self.table.sum(axis=tuple(i for i in range(self.table.ndim) if i not in kept))
        places = sorted(kept)
        joint = joint.transpose([places.index(node) for node in kept])
        return np.asarray(joint / joint.sum(axis=tuple(range(len(of))), keepdims=True))[None]


@pytest.mark.parametrize("name", CASES)
def test_formulas_give_the_stored_effects(name: str) -> None:
    """Cases with a published formula are identified and exact; the others have no formula."""
    case = CASES[name]
    schema, structure, latent, question = read_case(case)
    for sample in case["samples"]:
        at = EffectQuestion(question.target, question.do, setting={question.do[0]: sample["x"]})
        reason = identify_with_labels(structure, latent, at, Budget())
        assert (reason is not None) == (case["formula"] is not None)
        if reason is not None:
            source = StoredTable(case, schema.names, sample["parameters"])
            effect = evaluate(reason.formula, source).over(at.target, source.n_states)[0]
            assert np.abs(effect - sample["effect"]).max() < 1e-9


@pytest.mark.parametrize("name", WRITTEN)
def test_formulas_are_written_as_in_the_paper(name: str) -> None:
    """The simplest formula is the one that people know."""
    schema, structure, latent, question = read_case(CASES[name])
    reason = identify_with_labels(structure, latent, question, Budget())
    assert reason is not None
    assert spell(schema, reason.formula) == WRITTEN[name]
