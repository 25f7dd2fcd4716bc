"""Cut points that serve a model."""

from itertools import combinations, pairwise
from math import lgamma
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import _native
from ldag.data import model_cuts, read
from ldag.data.measurements import measure_bins
from ldag.data.model_cuts import Cutting, cut_by_model, divide, log_gamma
from tests.command import execute
from tests.oracle.model_cuts import best_score, cuts_score

RNG = np.random.default_rng(5)
SAMPLE_SIZE, MOST_BINS = 10.0, 12
GRAPHS: tuple[list[list[int]], ...] = ([[], [0], [0, 1]], [[1, 2], [], [1]], [[], [0, 2], [0]], [[], [], []])


def test_log_gamma_is_that_of_the_library_of_python() -> None:
    """Small numbers, large ones, and parts of one."""
    numbers = np.array([1e-6, 0.01, 0.5, 1.0, 3.25, 40.0, 1e6])
    np.testing.assert_allclose(log_gamma(numbers), [lgamma(x) for x in numbers], rtol=1e-12, atol=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 7), st.integers(2, 5), st.integers(0, 1000))
def test_the_best_division_is_found(n_cells: int, n_bins: int, seed: int) -> None:
    """Of all ways to put edges."""
    n_bins = min(n_bins, n_cells)
    scores = np.random.default_rng(seed).normal(size=(n_cells + 1, n_cells + 1))
    scores[np.tril_indices(n_cells + 1)] = -np.inf
    by_hand = max(
        sum(scores[low, high] for low, high in zip((0, *inner), (*inner, n_cells), strict=True))
        for inner in combinations(range(1, n_cells), n_bins - 1)
    )
    score, ends = divide(scores, n_bins)
    edges = [0, *(end + 1 for end in ends), n_cells]
    assert score == pytest.approx(by_hand)
    assert score == pytest.approx(sum(scores[a, b] for a, b in pairwise(edges)))


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10_000),
    st.sampled_from(GRAPHS),
    st.integers(2, 4),
    st.sampled_from(["none", "states", "kept"]),
    st.sampled_from([1.0, 0.75]),
    st.integers(0, 1),
    st.booleans(),
)
def test_a_column_is_cut_best_of_all_ways(
    seed: int, parents: list[list[int]], n_states: int, gaps: str, weight: float, place: int, is_large: bool
) -> None:
    """Two measurements and a column of states, in every role, with gaps and weights: the slow twin agrees."""
    rng = np.random.default_rng(seed)
    sizes = [6, 5, n_states]
    codes = np.array([rng.integers(0, n, 30) for n in sizes])
    codes[1] = np.where(rng.random(30) < 0.5, codes[0] * 4 // 5, codes[1])
    if gaps != "none":
        codes[rng.integers(0, 3), rng.integers(0, 30, 4)] = -1
    widths = {0: rng.uniform(0.1, 3, 6), 1: rng.uniform(0.1, 3, 5)}
    weights = weight * rng.integers(1, 4, 30).astype(np.float64)
    keeps = gaps == "kept"
    cutting = Cutting(codes, sizes, weights, widths, keeps)
    largest, few = (1, 0) if is_large else (model_cuts.LARGEST, model_cuts.FEW_CONFIGURATIONS)
    with mock.patch.multiple(model_cuts, LARGEST=largest, FEW_CONFIGURATIONS=few):  # large ones are done in parts
        ends = {**cutting.ends, place: cutting.find_ends(place, parents)}
    given = (codes.T.tolist(), weights.tolist(), sizes, {k: v.tolist() for k, v in widths.items()})
    reached = cuts_score(*given, ends, parents, SAMPLE_SIZE, keeps)
    best = best_score(place, *given, cutting.ends, parents, SAMPLE_SIZE, MOST_BINS, keeps_gaps=keeps)
    assert reached == pytest.approx(best, abs=1e-8)


def test_gaps_that_are_kept_cut_nothing() -> None:
    """Where a column is empty says where another is cut if gaps are states, and not if they are kept."""
    x = np.random.default_rng(2).uniform(0, 1, 1000)
    y = np.random.default_rng(3).choice(["u", "v"], 1000)
    some = np.array([None if low else state for low, state in zip(x < 0.2, y.tolist(), strict=True)], dtype=object)
    table = {"x": x, "y": some}
    as_state = read(table, bins="model", missing="state").variables[0].cuts
    assert min(abs(np.array(as_state, dtype=float) - 0.2)) < 0.02
    kept, alone = read(table, bins="model", missing="keep"), read({"x": x}, bins="model")
    assert kept.variables[0].cuts == alone.variables[0].cuts


def test_cuts_of_dependent_columns_are_better_than_quartiles() -> None:
    """With the graph that they are from, by the slow twin."""
    x = RNG.integers(0, 16, 400)
    codes = np.stack([x, np.where(RNG.random(400) < 0.2, RNG.integers(0, 16, 400), x), RNG.integers(0, 3, 400)])
    sizes, weights = [16, 16, 3], np.ones(400)
    widths = {0: np.ones(16), 1: np.linspace(1, 4, 16)}
    ends = cut_by_model(codes, sizes, weights, widths)
    quartiles = Cutting(codes, sizes, weights, widths).ends
    given = (codes.T.tolist(), weights.tolist(), sizes, {k: v.tolist() for k, v in widths.items()})
    parents = [[], [0], []]
    assert [len(own) for own in quartiles.values()] == [3, 3]
    assert cuts_score(*given, ends, parents, SAMPLE_SIZE) > cuts_score(*given, quartiles, parents, SAMPLE_SIZE) + 10


def test_a_threshold_is_found_that_no_quartile_is_near() -> None:
    """One column changes at a value of another; what is cut elsewhere says nothing more."""
    x = RNG.uniform(0, 1, 600)
    ill = np.where((x > 0.35) ^ (RNG.random(600) < 0.1), "yes", "no")
    data = read({"x": x, "ill": ill}, bins="model")
    (cut,) = data.variables[0].cuts
    assert isinstance(cut, float)
    assert abs(cut - 0.35) < 0.04
    assert data.notes[0] == f"x: 600 values, cut at {cut:g} (chosen with a graph)"


def test_values_that_depend_on_nothing_are_cut_once_if_they_are_even() -> None:
    """Bins that tell nothing do not pay; values that lie together do, also without any other column."""
    assert len(read({"x": RNG.uniform(0, 1, 500)}, bins="model").states("x")) == 2
    together = np.concatenate([RNG.uniform(0, 1, 250), RNG.uniform(100, 101, 250)])
    assert 3 <= len(read({"x": together}, bins="model").states("x")) <= 4


def test_there_are_twelve_bins_at_most() -> None:
    """Also where a column is nearly the same as another, and rows are many."""
    x = RNG.uniform(0, 1, 3000)
    data = read({"x": x, "y": x + RNG.uniform(0, 0.01, 3000)}, bins="model")
    assert [variable.n_states for variable in data.variables] == [12, 12]


def test_graphs_are_climbed_to_three_times_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once and twice more, fewer if nothing changes; each starts where the one before ended."""
    climb, starts, ends = Cutting.climb, list[object](), list[object]()

    def counted(self: Cutting, start: list[list[int]]) -> object:
        starts.append([list(above) for above in start])
        ends.append(climb(self, start))
        return ends[-1]

    monkeypatch.setattr(Cutting, "climb", counted)
    read({"x": RNG.uniform(0, 1, 300)}, bins="model")
    assert len(starts) == 2
    starts.clear()
    ends.clear()
    walk = np.cumsum(RNG.normal(size=(400, 6)), axis=1)
    read({f"x{place}": column for place, column in enumerate(walk.T)}, bins="model")
    assert len(starts) == 3
    assert starts[1:] == ends[:-1]


def test_an_interrupted_climb_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a graph is no reason to cut anywhere."""
    monkeypatch.setattr(_native, "search_climb", lambda *_: ([[]], 0.0, [], True, 0, 0))
    with pytest.raises(KeyboardInterrupt):
        read({"x": RNG.uniform(0, 1, 100)}, bins="model")


def test_a_heap_of_zeros_is_a_bin_of_its_own() -> None:
    """A bin of one value has the width of a usual step, and no infinite density."""
    x = np.where(RNG.random(500) < 0.4, 0.0, RNG.exponential(10, 500))
    states = read({"x": x}, bins="model").states("x")
    assert states[0] == "<= 0"
    assert len(states) <= MOST_BINS


@pytest.mark.parametrize(
    ("values", "cuts", "widths"),
    [
        ([1, 2, 3, 5], (2.0, 3.0), [2, 1, 2]),
        ([0, 0.5, 0.75, 2], (0.0, 1.0), [0.5, 1, 1]),
        (["2020-01-01", "2020-02-01", "2021-01-01"], ("2020-01-01",), [1, 2]),
    ],
)
def test_widths_of_bins(values: list[float], cuts: tuple[float, ...], widths: list[float]) -> None:
    """The least value has a width, too; dates count how many there are."""
    kind = object if isinstance(values[0], str) else np.float64
    assert measure_bins(np.array(values, dtype=kind), cuts).tolist() == widths


def _table(n: int = 300) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    age = np.round(rng.uniform(18, 90, n), 1)
    bmi = np.round(20 + age / 10 + rng.normal(0, 2, n), 2)
    return {"bmi": bmi, "age": age, "ill": np.where(age + rng.normal(0, 8, n) > 60, "yes", "no")}


def test_the_same_cuts_however_the_table_comes(tmp_path: Path) -> None:
    """Rows and columns in another order, as a frame, in a file, with counts, and twice."""
    table = pd.DataFrame(_table())
    expected = {variable.name: variable.cuts for variable in read(table, bins="model").variables}
    assert all(1 <= len(expected[name]) < MOST_BINS for name in ("age", "bmi"))
    table.to_csv(tmp_path / "table.csv", index=False)
    table.to_parquet(tmp_path / "table.parquet")
    shuffled = table.sample(frac=1, random_state=1)[["ill", "bmi", "age"]]
    for source in (shuffled, pl.DataFrame(_table()), tmp_path / "table.csv", tmp_path / "table.parquet"):
        assert {variable.name: variable.cuts for variable in read(source, bins="model").variables} == expected
    once = table.assign(n=1)
    assert read(once, counts="n", bins="model") == read(table, bins="model")


def test_gaps_dates_and_other_ways_beside() -> None:
    """A gap is a state; dates are cut at dates; only the columns that ask for it are cut by a model."""
    table = pd.DataFrame(_table()).assign(day=pd.date_range("2020-01-01", periods=300).strftime("%Y-%m-%d"))
    table.loc[::7, "bmi"] = None
    bins = {"bmi": "model", "day": "model", "age": "information:3"}
    data = read(table, bins=bins, missing="state")
    assert data.states("bmi")[-1] == "missing"
    assert len(data.states("age")) == 3
    assert all(str(cut).startswith("2020-") for cut in data.schema[data.schema.node("day")].cuts)
    assert read(table, bins=bins, missing="drop").total == 300 - 43
    with pytest.raises(ldag.LdagError, match="'bmi' has 43 missing cells"):
        read(table, bins="model")


def test_learned_cuts_take_raw_numbers_from_then_on(tmp_path: Path) -> None:
    """`learn` takes the option; the network keeps the cut points, also in its file, for questions and new rows."""
    frame = pd.DataFrame(_table())
    with pytest.warns(ldag.DataNote, match="chosen with a graph"):
        fit = ldag.learn(frame, bins="model", kappa=0.1)
    fit.network.save(tmp_path / "model.json")
    network = ldag.Network.load(tmp_path / "model.json")
    assert network.query("ill", given={"age": 80.5})["yes"] > 0.8
    assert network.query("ill", given={"age": 25})["yes"] < 0.2
    assert len(network.predict(frame.head(5).drop(columns="ill"), "ill")) == 5
    with pytest.raises(ldag.LdagError, match="must be auto, model, none, a number of bins"):
        read(frame, bins="models")


def test_the_command_takes_it(tmp_path: Path) -> None:
    """And says where it cut."""
    path = tmp_path / "table.csv"
    pd.DataFrame(_table()).to_csv(path, index=False)
    told = execute("learn", str(path), "--bins", "model", "--kappa", "0.1")
    assert told.returncode == 0
    assert "(chosen with a graph)" in told.stdout + told.stderr
    described = execute("describe", str(path), "--bins", "age=model")
    assert described.stderr.count("(chosen with a graph)") + described.stdout.count("(chosen with a graph)") >= 1
