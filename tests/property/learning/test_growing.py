"""Trees grown from rows against what there was before: families of given parents, dense graphs, and single splits."""

from math import lgamma

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ldag
from ldag.data import Dataset
from ldag.graph import NamedPartition
from tests.property.learning.test_growing_native import related_rows


@st.composite
def tables(draw: st.DrawFn, most_variables: int = 5) -> Dataset:
    """Three to five related columns of 2 to 4 states, rows that come several times or never, or weigh real numbers."""
    n_states = draw(st.lists(st.integers(2, 4), min_size=3, max_size=most_variables))
    seed = draw(st.integers(0, 10**6))
    rows = related_rows(n_states, draw(st.sampled_from([120, 40, 8])), draw(st.sampled_from([0.1, 0.4])), seed)
    rng = np.random.default_rng(seed)
    states = {f"v{node}": [str(state) for state in range(n)] for node, n in enumerate(n_states)}
    columns = {name: [str(row[node]) for row in rows] for node, name in enumerate(states)}
    data = ldag.read(columns, states=states)
    kind = draw(st.sampled_from(["rows", "whole", "real"]))
    if kind == "rows":
        return data
    weights = rng.integers(0, 4, data.n_rows) if kind == "whole" else rng.random(data.n_rows) * 3
    assume(weights.sum() > 0)
    return Dataset.from_codes(data.schema, data.codes, weights)


SIZES = st.sampled_from([0.5, 1.0, 10.0])
KAPPAS = st.sampled_from([0.05, 0.3, 0.9])


@settings(max_examples=60, deadline=None)
@given(tables(), SIZES, KAPPAS, st.sampled_from(["parameters", "leaves"]))
def test_growth_is_what_the_grid_has(data: Dataset, size: float, kappa: float, prior: str) -> None:
    """Given the parents that growth found, the search over their table makes the same steps to the same classes."""
    how = {"structure": "tree", "kappa": kappa, "equivalent_sample_size": size, "prior": prior}
    node = data.names[0]
    grown = ldag.learn_family(data, node, candidates="all", splits="complete", **how)  # type: ignore[arg-type]
    on_grid = ldag.learn_family(data, node, parents=grown.parents, **how)  # type: ignore[arg-type]
    assert [step.gain for step in grown.gains] == pytest.approx([step.gain for step in on_grid.gains], abs=1e-9)
    assert grown.score == pytest.approx(on_grid.score, abs=1e-9 * (1 + abs(grown.score)))
    assert grown.partition == on_grid.partition
    assert grown.labels == on_grid.labels


@settings(max_examples=40, deadline=None)
@given(tables(), SIZES, KAPPAS, st.booleans())
def test_scores_are_those_of_the_dense_twin(data: Dataset, size: float, kappa: float, levels: bool) -> None:
    """The same classes given one by one score the same under every prior that both have."""
    grow = ldag.Grow(levels=levels, choice_price=0.0)
    fit = ldag.learn(data, method=grow, equivalent_sample_size=size, kappa=kappa)
    graph = fit.ldag
    states = {variable.name: variable for variable in graph.variables}
    dense = {
        name: NamedPartition(graph.partition(name).parents, graph.partition(name).classes)
        for name in graph.schema.names
    }
    twin = ldag.LDAG.from_partitions(dense, states=states)
    near = 1e-9 * (1 + abs(fit.score.total))
    for prior in ("parameters", "leaves", "uniform"):
        of_prior = {"kappa": None if prior == "uniform" else kappa, "equivalent_sample_size": size, "prior": prior}
        scores = [ldag.score(one, data, **of_prior).total for one in (graph, twin)]  # type: ignore[arg-type]
        assert scores[0] == pytest.approx(scores[1], abs=near)
        if prior == "parameters":
            assert fit.score.total == pytest.approx(scores[0], abs=near)
    assert graph == twin


@settings(max_examples=25, deadline=None)
@given(tables(most_variables=4), SIZES, KAPPAS)
def test_no_split_of_a_grown_graph_gains(data: Dataset, size: float, kappa: float) -> None:
    """Every question that a leaf could ask further, without a cycle, makes the score no better."""
    how = {"equivalent_sample_size": size, "kappa": kappa, "prior": "parameters"}
    fit = ldag.learn(data, method=ldag.Grow(levels=False, choice_price=0.0), **how)  # type: ignore[arg-type]
    graph = fit.ldag
    above = {name: set(graph.ancestors(name)) for name in graph.schema.names}
    varied = [v for place, v in enumerate(data.names) if place not in data.constant_nodes]
    for name in varied:
        node = graph.schema.node(name)
        others = [v for v in varied if v != name and name not in above[v]]
        columns = {v: data.codes[data.schema.node(v)] for v in graph.schema.names}
        family = graph.structure.families[node]
        classes = family.partition.classes_of_rows(data.codes[list(family.parents)])
        weights = np.ones(data.n_rows) if data.weights is None else data.weights
        shares = family.partition.shares(size)
        for number in range(family.partition.n_classes):
            box = _box(graph, name, number)
            for asked in others:
                left = box.get(asked, tuple(range(graph.schema[graph.schema.node(asked)].n_states)))
                for state in left if len(left) > 1 else ():
                    here, inside = classes == number, columns[asked] == state
                    parts = [(here & inside, 1 / len(left)), (here & ~inside, 1 - 1 / len(left))]
                    r = graph.variables[node].n_states
                    split = sum(_score(columns[name], weights, rows, shares[number] * own, r) for rows, own in parts)
                    gain = split - _score(columns[name], weights, here, shares[number], r)
                    assert gain + (r - 1) * np.log(kappa) <= 1e-8 * (1 + abs(split))


def _box(graph: ldag.LDAG, name: str, number: int) -> dict[str, tuple[int, ...]]:
    """Return the states of each parent that lead to a leaf."""
    family = graph.structure.families[graph.schema.node(name)]
    tree = family.partition.as_tree()
    if tree is None:
        return {}
    place = int(tree.leaves[np.flatnonzero(tree.classes == number)[0]])
    own = next(box for leaf, box in tree.boxes() if leaf == place)
    return {
        graph.schema[family.parents[axis]].name: tuple(s for s in range(tree.n_states[axis]) if states >> s & 1)
        for axis, states in own.items()
    }


def _score(codes: np.ndarray, weights: np.ndarray, rows: np.ndarray, size: float, r: int) -> float:
    """Return the log marginal likelihood of some rows of a column, from its definition."""
    counts = [float(weights[rows & (codes == state)].sum()) for state in range(r)]
    value = lgamma(size) - lgamma(size + sum(counts))
    return value + sum(lgamma(n + size / r) - lgamma(size / r) for n in counts)
