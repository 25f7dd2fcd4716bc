"""Filled gaps equal what listing all completions says is most probable, and draws are as frequent as they should be."""

from math import sqrt
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ldag import LDAG, Network
from tests.oracle.completions import GAP, posterior
from tests.strategies import graphs

SETTINGS = settings(deadline=None, max_examples=25)
Table = dict[str, list[Any]]


@st.composite
def networks(draw: st.DrawFn) -> tuple[Network, NDArray[np.uint8]]:
    """A labelled network of 2 to 4 states per variable, and rows with gaps in it."""
    graph: LDAG = draw(graphs(max_nodes=4, beyond_labels=draw(st.booleans())))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = graph.structure.n_states
    tables = [
        rng.dirichlet(np.ones(n), f.partition.n_classes) for n, f in zip(sizes, graph.structure.families, strict=True)
    ]
    net = Network.from_parameters(graph, {v.name: t.tolist() for v, t in zip(graph.variables, tables, strict=True)})
    rows = np.array([rng.integers(0, n, 6) for n in sizes], dtype=np.uint8).T.copy()
    rows[rng.random(rows.shape) < draw(st.sampled_from([0.0, 0.4, 1.0]))] = GAP
    return net, rows


def to_table(net: Network, rows: NDArray[np.uint8]) -> Table:
    """Rows of codes as columns of states."""
    return {
        v.name: [None if code == GAP else v.states[code] for code in rows[:, node]]
        for node, v in enumerate(net.variables)
    }


def to_rows(net: Network, table: Table) -> list[tuple[int, ...]]:
    """Columns of states as rows of codes."""
    columns = [[v.states.index(cell) for cell in table[v.name]] for v in net.variables]
    return list(zip(*columns, strict=True))


@given(networks())
@SETTINGS
def test_most_probable_rows_and_cells(case: tuple[Network, NDArray[np.uint8]]) -> None:
    """No completion of a row is more probable than the one that is taken, and no state of a cell."""
    net, rows = case
    by_row = to_rows(net, net.impute(to_table(net, rows)))
    by_cell = to_rows(net, net.impute(to_table(net, rows), by="cell"))
    for row, whole, single in zip(rows.tolist(), by_row, by_cell, strict=True):
        _, shares = posterior(net.ldag.structure, net.probabilities, row)
        assert shares[whole] >= max(shares.values()) * (1 - 1e-9)
        for node, code in enumerate(row):
            states = range(net.variables[node].n_states)
            of_state = [sum(p for full, p in shares.items() if full[node] == state) for state in states]
            assert of_state[single[node]] >= max(of_state) * (1 - 1e-9)
            assert code in (GAP, whole[node])


@given(networks())
@settings(deadline=None, max_examples=8)
def test_draws_are_as_frequent_as_they_are_probable(case: tuple[Network, NDArray[np.uint8]]) -> None:
    """Over many draws, each completion of a row has its share, within five standard errors."""
    net, rows = case
    n = 600
    drawn = [to_rows(net, table) for table in net.impute(to_table(net, rows), n, rng=3)]
    for number, row in enumerate(rows.tolist()):
        _, shares = posterior(net.ldag.structure, net.probabilities, row)
        seen = [one[number] for one in drawn]
        assert set(seen) <= set(shares)
        for full, p in shares.items():
            assert abs(seen.count(full) / n - p) <= 5 * sqrt(p * (1 - p) / n) + 2 / n


@given(networks(), st.randoms(use_true_random=False), st.booleans())
@SETTINGS
def test_order_of_rows_and_columns_makes_no_difference(
    case: tuple[Network, NDArray[np.uint8]], random: object, proper: bool
) -> None:
    """Shuffled rows and columns get the same draws, also where rows have equal cells and other columns differ."""
    net, rows = case
    if proper:
        net = Network.from_data(net.ldag, net.sample(50, rng=1))
    table: dict[str, list[Any]] = {**to_table(net, np.concatenate([rows, rows]))}
    table["id"] = list("abcdefghijkl")
    order = list(range(12))
    random.shuffle(order)  # type: ignore[attr-defined]
    shuffled = {name: [cells[row] for row in order] for name, cells in reversed(table.items())}
    for one, other in zip(
        net.impute(table, 2, rng=5, proper=proper), net.impute(shuffled, 2, rng=5, proper=proper), strict=True
    ):
        assert {name: [cells[row] for row in order] for name, cells in one.items()} == other
