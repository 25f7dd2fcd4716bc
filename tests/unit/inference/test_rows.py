"""Predicting a variable in the rows of a table: what may come in, in which order, and what is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import ldag
from ldag import LDAG, Network
from ldag.errors import ArgumentError, DataError, ImpossibleEvidence, UnknownState, UnknownVariable
from ldag.inference import Engine, Predictor, sample_rows
from ldag.inference import rows as room
from ldag.model import Model
from tests.oracle.networks import BifNetwork

Columns = dict[str, list[str | None]]

ROWS: Columns = {
    "person": ["spy", "worker", None, "worker", None, "visitor"],
    "gender": ["male", None, "female", "female", None, "male"],
}


@pytest.fixture
def guard() -> Network:
    """The guard at the entrance, where a spy always wears a badge."""
    return Network.from_parameters(
        ldag.datasets.graph("guard"),
        {
            "person": [0.7, 0.2, 0.1],
            "gender": [[0.5, 0.5], [0.25, 0.75], [0.5, 0.5]],
            "badge": [[0.1, 0.9], [0.4, 0.6], [0.125, 0.875], [0, 1]],
        },
    )


def expected(network: Network, target: str = "badge") -> NDArray[np.float64]:
    """What `query` answers for each of the rows."""
    rows = [dict(zip(ROWS, cells, strict=True)) for cells in zip(*ROWS.values(), strict=True)]
    answers = [network.query(target, given={n: s for n, s in row.items() if s is not None}) for row in rows]
    return np.array([list(answer.values()) for answer in answers])


def test_every_kind_of_table(guard: Network, tmp_path: Path) -> None:
    """Mappings, dataframes, files and arrays give the same, in the order of the rows."""
    wanted = expected(guard)
    pd.DataFrame(ROWS).to_csv(tmp_path / "rows.csv", index=False)
    pl.DataFrame(ROWS).write_parquet(tmp_path / "rows.parquet")
    array = np.array(list(ROWS.values()), dtype=object).T
    with_target = np.column_stack([array, np.full(6, "no", dtype=object)])
    for data in (
        ROWS,
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).astype("category"),
        pl.DataFrame(ROWS),
        pl.LazyFrame(ROWS),
        pa.table(ROWS),
        tmp_path / "rows.csv",
        str(tmp_path / "rows.parquet"),
        array,
        with_target,
    ):
        np.testing.assert_allclose(guard.predict_proba(data, "badge"), wanted, atol=1e-12)
    np.testing.assert_array_equal(guard.predict(ROWS, "badge"), ["yes"] * 6)


def test_rows_are_few_or_many(guard: Network) -> None:
    """Few rows of a frame are taken cell by cell, others column by column; the answers are the same."""
    rows: dict[str, list[object]] = {name: [*cells] * 12 for name, cells in ROWS.items()}
    many = [pd.DataFrame(rows), pd.DataFrame(rows).astype("category"), pl.DataFrame(rows), pa.table(rows)]
    for frame in many:
        found = guard.predict_proba(frame, "badge")
        np.testing.assert_allclose(found, np.tile(expected(guard), (12, 1)), atol=1e-12)
        few = frame.slice(30) if isinstance(frame, pa.Table) else frame[30:]
        np.testing.assert_array_equal(guard.predict_proba(few, "badge"), found[30:])


def test_a_data_set_gives_its_different_rows(guard: Network) -> None:
    """One prediction per stored row, whatever the weights and the order of its columns and states."""
    data = ldag.read({"gender": ["male", "female", "male"], "person": ["spy", "spy", "spy"]})
    assert data.n_rows == 2
    found = guard.predict_proba(data, "badge")
    np.testing.assert_allclose(found, [[0, 1], [0, 1]])


def test_the_target_is_not_looked_at(guard: Network) -> None:
    """A test table may have the column of the target, with any values."""
    rows = {**ROWS, "badge": ["yes", "no", None, "?", "no", "no"]}
    np.testing.assert_allclose(guard.predict_proba(rows, "badge"), expected(guard), atol=1e-12)
    np.testing.assert_allclose(guard.predict_proba({"badge": [None, "?"]}, "badge"), [expected(guard)[4]] * 2)


def test_predicted_states_have_their_own_type() -> None:
    """Whole numbers, texts and booleans come back as they are; the first of equally probable states is predicted."""
    for states, kind in (
        ([3, 1, 2], np.dtype(np.int64)),
        (["b", "a"], np.dtype(object)),
        ([True, False], np.dtype(bool)),
    ):
        graph = LDAG.from_edges([("x", "y")], states={"x": [0, 1], "y": states})
        net = Network.from_parameters(graph, {"x": [0.5, 0.5], "y": [[1 / len(states)] * len(states)] * 2})
        found = net.predict({"x": [0, 1.0, None]}, "y")
        assert found.dtype == kind
        assert found.tolist() == states[:1] * 3


def test_unseen_states(guard: Network) -> None:
    """Refused with column, row and a suggestion, or taken as missing."""
    rows: Columns = {"person": ["spy", None, "visitr"], "gender": ["male", "male", "male"]}
    with pytest.raises(UnknownState, match=r"column 'person', row 3: .* no state 'visitr'; did you mean 'visitor'"):
        guard.predict(rows, "badge")
    found = guard.predict_proba(rows, "badge", unseen="ignore")
    np.testing.assert_array_equal(found[1], found[2])
    with pytest.raises(ArgumentError, match="no unseen 'drop'; expected one of 'error', 'ignore'"):
        guard.predict(rows, "badge", unseen="drop")  # type: ignore[arg-type]


def test_impossible_rows_are_named() -> None:
    """Also if what is impossible has nothing to do with the target, observed or not in between."""
    states = {name: ["no", "yes"] for name in "abct"}
    graph = LDAG.from_edges([("a", "b"), ("b", "c")], states=states)
    copy = [[1, 0], [0, 1]]
    net = Network.from_parameters(graph, {"a": [0.5, 0.5], "b": copy, "c": copy, "t": [0.3, 0.7]})
    for b in ("no", None):
        rows: Columns = {"a": ["no", "no", "no"], "b": ["no", b, b], "c": ["no", "yes", "yes"]}
        with pytest.raises(ImpossibleEvidence, match=r"row 2 has probability zero .* \(and 1 other row too\)"):
            net.predict_proba(rows, "t")
    np.testing.assert_allclose(net.predict_proba({"a": ["no"], "c": ["no"]}, "t"), [[0.3, 0.7]])


def test_wrong_tables(guard: Network) -> None:
    """Columns that are no variables, arrays of the wrong width, no rows, and wrong targets."""
    with pytest.raises(
        UnknownVariable, match="no column that the network knows: no variable 'gendr'; did you mean 'gender'"
    ):
        guard.predict({"gendr": ["male"]}, "badge")
    with pytest.raises(DataError, match="has a column for each of the 3 variables in order, or for each but 'badge'"):
        guard.predict(np.zeros((2, 5)), "badge")
    with pytest.raises(DataError, match="two dimensions"):
        guard.predict(np.zeros(5), "badge")
    with pytest.raises(DataError, match="no rows"):
        guard.predict({"gender": []}, "badge")
    with pytest.raises(UnknownVariable, match="target: no variable 'bagde'; did you mean 'badge'"):
        guard.predict(ROWS, "bagde")


def test_long_products_do_not_vanish() -> None:
    """A thousand observed children, each improbable, still tell the states apart."""
    children = [f"c{i}" for i in range(1000)]
    graph = LDAG.from_edges([("t", child) for child in children], states={name: [0, 1] for name in ["t", *children]})
    tables: dict[str, list[list[float]]] = {child: [[0.999, 0.001], [0.998, 0.002]] for child in children}
    net = Network.from_parameters(graph, {**tables, "t": [[0.5, 0.5]]})
    found = net.predict_proba({child: [1] for child in children[:400]} | {c: [0] for c in children[400:]}, "t")
    assert found[0, 1] == pytest.approx(1)
    few = net.predict_proba({children[0]: [1], children[1]: [0]}, "t")
    assert few[0, 1] == pytest.approx(0.002 * 0.998 / (0.002 * 0.998 + 0.001 * 0.999))


def test_many_states_and_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A target of a hundred states, in pieces of a few rows each."""
    states = list(range(100))
    rng = np.random.default_rng(1)
    graph = LDAG.from_edges([("t", "a"), ("b", "a")], states={"t": states, "a": [0, 1, 2], "b": [0, 1]})
    prior, table, other = rng.dirichlet(np.ones(100)), rng.dirichlet(np.ones(3), (100, 2)), np.array([0.3, 0.7])
    parents = graph.parents("a")
    given = table if parents == ("t", "b") else table.transpose(1, 0, 2)
    parameters = {"t": [prior.tolist()], "b": [other.tolist()], "a": given.reshape(-1, 3).tolist()}
    net = Network.from_parameters(graph, parameters)
    monkeypatch.setattr(room, "CELLS", 450)
    found = net.predict_proba({"a": [0, 1, 2, 0, 1], "b": [0, 1, None, 1, 1]}, "t")
    wanted = np.array([prior * table[:, b, a] for a, b in ((0, 0), (1, 1), (2, 0), (0, 1), (1, 1))])
    wanted[2] = prior * (table[:, :, 2] @ other)
    np.testing.assert_allclose(found, wanted / wanted.sum(axis=1, keepdims=True))


def test_enumeration_and_circuits_agree_on_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways give the same on the alarm network, with many cells missing; so do circuits for single rows."""
    bif = BifNetwork("alarm")
    names = list(bif.states)
    graph = LDAG.from_edges([(p, c) for c in names for p in bif.parents[c]], states=bif.states)
    columns = {n: np.array(bif.states[n], dtype=object)[codes] for n, codes in bif.sample(2000, 1).items()}
    net = Network.from_data(graph, ldag.read(columns, states=bif.states))
    model = Model(net.ldag.structure, net.probabilities)
    rows = np.ascontiguousarray(sample_rows(net.ldag.structure, net.probabilities, 300, seed=2).T)
    rows[np.random.default_rng(3).random(rows.shape) < 0.3] = 255
    target = names.index("CATECHOL")
    rows[:, target] = 255
    monkeypatch.setattr(room, "ENUMERATED", 1 << 14)
    monkeypatch.setattr(room, "ALIKE", 0)
    enumerated = Predictor(Engine(model)).posteriors(target, rows)
    monkeypatch.setattr(room, "ENUMERATED", 0.5)
    engine = Engine(model)
    np.testing.assert_allclose(Predictor(engine).posteriors(target, rows), enumerated, atol=1e-12)

    engine.compile()
    np.testing.assert_allclose(Predictor(engine).posteriors(target, rows), enumerated, atol=1e-12)
