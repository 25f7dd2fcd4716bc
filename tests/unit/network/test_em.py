"""Networks from data with gaps: options, notes, what is kept in files, and what refuses gaps."""

import pickle
from typing import Any

import numpy as np
import pytest

from ldag import LDAG, Network, read
from ldag.data import Dataset
from ldag.errors import ArgumentError, DataError, DataNote, FormatError, UnknownVariable
from ldag.network import em as door
from ldag.network.em import EM
from tests.oracle.em import exact_means, pseudo_counts

STATES = {"rain": ["no", "yes"], "sprinkler": ["no", "yes"], "grass": ["dry", "damp", "wet"]}
GRAPH = LDAG.from_edges([("rain", "grass"), ("sprinkler", "grass")], states=STATES)
MIXED = LDAG.from_edges([("h", "a"), ("h", "b"), ("h", "c")], states={x: ["0", "1"] for x in "habc"}, latent=["h"])


def table(n_rows: int = 200, share: float = 0.2, seed: int = 0) -> dict[str, list[str | None]]:
    """Rows with cells taken out at random."""
    full = Network.from_parameters(
        GRAPH, {"rain": [0.7, 0.3], "sprinkler": [0.6, 0.4], "grass": [[0.8, 0.1, 0.1], *[[0.1, 0.3, 0.6]] * 3]}
    ).sample_columns(n_rows, rng=seed)
    rng = np.random.default_rng(seed)
    return {name: [None if rng.random() < share else str(x) for x in column] for name, column in full.items()}


def classes(n_rows: int = 150) -> dict[str, list[str]]:
    """Three columns that share a cause without a column."""
    rng = np.random.default_rng(4)
    h = rng.random(n_rows) < 0.4
    return {name: [str(int(x)) for x in np.where(rng.random(n_rows) < 0.8, h, ~h)] for name in "abc"}


def gaps(**more: Any) -> Dataset:
    """The same as data."""
    return read(table(**more), missing="keep", states=STATES)


def test_gaps_are_fitted_by_em() -> None:
    """Whether data were read or a table is read here; the counts that are kept are the expected ones."""
    net = Network.from_data(GRAPH, gaps())
    assert net.em is not None
    assert net.em.converged
    assert net.em.starts == (net.em.objective,)
    assert net.em.trace[-1] == net.em.objective
    assert (np.diff(net.em.trace) > -1e-9).all()
    with pytest.warns(DataNote, match="rows have gaps"):
        assert net == Network.from_data(GRAPH, table(), missing="keep")
    assert sum(sum(one.counts or ()) for one in net.classes("grass")) == pytest.approx(200)
    assert net.log_likelihood(gaps()) == pytest.approx(net.em.log_likelihood)
    with pytest.warns(DataNote, match="rows have gaps"):
        assert net.log_likelihood(table()) == pytest.approx(net.em.log_likelihood)
    assert net.log_likelihood(table(), by_row=True).sum() == pytest.approx(net.em.log_likelihood)


def test_without_gaps_nothing_changes_and_the_options_are_errors() -> None:
    """Counted as ever, to the last bit."""
    full = table(share=0.0)
    net = Network.from_data(GRAPH, full)
    kept = Network.from_data(GRAPH, full, missing="keep")
    assert net.em is None
    assert (kept.em, kept) == (None, net)
    assert kept.to_json() == net.to_json()
    for name, value in {"n_iter": 5, "rng": 1, "start": net, "tolerance": 0.1, "n_restarts": 3}.items():
        with pytest.raises(ArgumentError, match=f"{name} is for data with gaps, and these have none; leave it out"):
            Network.from_data(GRAPH, full, **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_iter": 0}, "n_iter must be a whole number, 1 or more, got 0"),
        ({"tolerance": -1.0}, "tolerance must be a number of nats, 0 or more, got -1.0"),
        ({"n_restarts": 0}, "n_restarts must be a whole number, 1 or more, got 0"),
        ({"time_limit": 0}, "time_limit must be a number of seconds above 0, got 0"),
        ({"start": GRAPH}, "start must be a Network of the same graph, got LDAG"),
        ({"n_jobs": 0}, "n_jobs must be a whole number, 1 or more, or -1"),
        ({"progress": 3}, "progress must be True, False, None or a function, got 3"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    """Each says what it must be."""
    with pytest.raises(ArgumentError, match=message):
        Network.from_data(GRAPH, gaps(), **options)


def test_a_start_is_of_the_same_graph_and_makes_no_row_impossible() -> None:
    """Another graph is refused; a row that it rules out is named with its cells."""
    other = Network.from_data(LDAG.from_edges([("rain", "grass")], states=STATES), table(share=0.0))
    with pytest.raises(ArgumentError, match="start is a network of another graph; it must have the same variables"):
        Network.from_data(GRAPH, gaps(), start=other)
    sure = Network.from_parameters(GRAPH, {"rain": [1, 0], "sprinkler": [0.5, 0.5], "grass": [[0.5, 0.5, 0]] * 4})
    data = read(
        {"rain": ["no", "yes"], "sprinkler": ["no", None], "grass": ["dry", "wet"]}, missing="keep", states=STATES
    )
    message = (
        "start: row 2 of 2 different rows is impossible under this network: rain is yes, sprinkler is missing, grass"
    )
    with pytest.raises(ArgumentError, match=message):
        Network.from_data(GRAPH, data, start=sure)
    with pytest.raises(ArgumentError, match="start is one start, and n_restarts draws several; give one"):
        Network.from_data(GRAPH, gaps(), start=Network.from_data(GRAPH, gaps()), n_restarts=3)


def test_it_is_told_when_em_did_not_come_to_its_end() -> None:
    """By steps or by time; a tolerance of 0 asks for it."""
    with pytest.warns(DataNote, match="EM ended after 4 steps by n_iter, before it came to its end .the last step"):
        net = Network.from_data(GRAPH, gaps(), n_iter=4)
    assert net.em is not None
    assert not net.em.converged
    assert len(net.em.trace) == 5
    with pytest.warns(DataNote, match="by time_limit"):
        Network.from_data(MIXED, classes(), time_limit=1e-9)
    net = Network.from_data(GRAPH, gaps(), n_iter=4, tolerance=0)
    assert net.em is not None
    assert net.em.n_iter == 4


def test_pairs_that_are_never_seen_together_are_told() -> None:
    """What the data say nothing about is not passed over."""
    data = table()
    data["rain"][:100] = [None] * 100
    data["sprinkler"][100:] = [None] * 100
    with pytest.warns(DataNote, match="^rain and sprinkler: never seen in the same row, so how they depend on each"):
        Network.from_data(GRAPH, read(data, missing="keep", states=STATES))


def test_latent_variables_have_random_starts() -> None:
    """No column is needed; ten starts, or as many as are asked for; equal seeds, equal digits on any threads."""
    net = Network.from_data(MIXED, classes(), rng=1)
    assert net.em is not None
    assert len(net.em.starts) == 10 == door.N_RESTARTS
    assert net.em.objective == max(net.em.starts)
    assert net == Network.from_data(MIXED, classes(), rng=1, n_jobs=1)
    assert net.parameters("h")[0][0] != pytest.approx(0.5, abs=1e-3)
    again = Network.from_data(MIXED, classes(), rng=2, n_restarts=3)
    assert again.em is not None
    assert len(again.em.starts) == 3
    one = Network.from_data(MIXED, classes(), start=net)
    assert one.em is not None
    assert len(one.em.starts) == 1
    several = Network.from_data(GRAPH, gaps(), n_restarts=3, rng=1)
    assert several.em is not None
    assert several.em.starts[0] == Network.from_data(GRAPH, gaps()).em.starts[0]  # type: ignore[union-attr]


def test_variables_without_a_column_must_be_latent_and_have_states() -> None:
    """Both errors say what to do."""
    with pytest.raises(UnknownVariable, match="if nobody observed it, declare it latent"):
        Network.from_data(GRAPH, {"rain": ["no"], "grass": ["dry"]}, missing="keep")
    unknown = LDAG.from_text("a {0, 1}\nlatent h\nh -> a")
    with pytest.raises(DataError, match="h"):
        Network.from_data(unknown, {"a": ["0", "1"]})


def test_the_prints() -> None:
    """Two lines, and a third about starts."""
    em = EM(-10.0, -12.5, (), True, 7, (-12.5,))
    numbers = "log-likelihood of the observed cells -10.0000, objective -12.5000"
    assert str(em) == f"came to its end after 7 steps\n  {numbers}"
    assert repr(em) == "<EM: came to its end after 7 steps>"
    several = EM(-10.0, -12.5, (), False, 1, (-12.5, -14.0))
    ends = "best of 2 starts, which ended between -14.0000 and -12.5000"
    assert str(several) == f"did not come to its end in 1 step\n  {numbers}\n  {ends}"


def test_files_keep_em_but_for_the_trace() -> None:
    """And read as ever without it; bad numbers are errors with their place."""
    net = Network.from_data(MIXED, classes(), rng=1)
    back = Network.from_json(net.to_json())
    assert back == net
    assert back.em is not None
    assert net.em is not None
    assert (back.em.objective, back.em.starts, back.em.n_iter) == (net.em.objective, net.em.starts, net.em.n_iter)
    assert back.em.trace == ()
    text = net.to_json()
    for old, new, message in (
        ('"converged": true', '"converged": 1', "em.converged: expected true or false, got 1"),
        (f'"n_iter": {net.em.n_iter}', '"n_iter": 0', "em.n_iter: expected a whole number, 1 or more, got 0"),
        (f'"objective": {net.em.objective!r}', '"objective": "x"', "em.objective: expected a number, got 'x'"),
    ):
        assert old in text
        with pytest.raises(FormatError, match=message):
            Network.from_json(text.replace(old, new))


def test_gaps_are_refused_where_counts_are_needed() -> None:
    """With what to do instead; a network from gaps can learn from more rows, and says what that means."""
    net = Network.from_data(GRAPH, gaps())
    with pytest.raises(DataError, match=r"update needs every cell, and these data have gaps; Network.from_data\(graph"):
        net.update(gaps())
    with pytest.raises(DataError, match=r"integrate=True needs every cell, and these data have gaps; log_likelihood"):
        net.log_likelihood(gaps(), integrate=True)
    with pytest.warns(DataNote, match="the earlier data had gaps, and their expected counts stay as they are"):
        more = net.update(table(share=0.0))
    assert more.em is None
    assert sum(sum(one.counts or ()) for one in more.classes("grass")) == pytest.approx(400)


def test_proper_draws_of_parameters_know_of_the_gaps() -> None:
    """Their means and variances are those of the sum over all completions; an interval without them says so."""
    graph = LDAG.from_edges([("a", "b")], states={"a": ["0", "1"], "b": ["0", "1", "2"]})
    cells = {"a": ["0", None, "1", None, "0", "1", None, "0"], "b": ["0", "1", None, "1", None, "2", "1", "0"]}
    data = read(cells, missing="keep", states={"a": ["0", "1"], "b": ["0", "1", "2"]})
    net = Network.from_data(graph, data, equivalent_sample_size=3)
    rows = np.repeat(data.codes.T, data.whole_weights, axis=0).tolist()
    means, variances = exact_means(graph.structure, rows, pseudo_counts(graph.structure, 3.0, "configurations"))
    drawn = net.sample_parameters(4000, rng=1, proper=True)
    assert drawn[5] == net.sample_parameters(6, rng=1, proper=True)[5]
    for node, name in enumerate(graph.schema.names):
        tables = np.array([one.parameters(name) for one in drawn])
        np.testing.assert_allclose(tables.mean(axis=0), means[node], atol=0.02)
        np.testing.assert_allclose(tables.var(axis=0), variances[node], rtol=0.15)
    with pytest.warns(
        DataNote, match="the interval takes expected counts for counts, which is too narrow; proper=True"
    ):
        narrow = net.query("a", interval=0.9, rng=1)["0"]
    wide = net.query("a", interval=0.9, rng=1, proper=True)["0"]
    assert wide.high - wide.low > 1.1 * (narrow.high - narrow.low)
    assert "The data had gaps: rows are expected ones" in str(net.describe("a"))
    with pytest.raises(ArgumentError, match="proper=True needs the data, which files do not keep"):
        Network.from_json(net.to_json()).query("a", interval=0.9, proper=True)
    with pytest.raises(ArgumentError, match="proper=True is for networks estimated from data with gaps; leave it out"):
        Network.from_data(GRAPH, table(share=0.0)).query("rain", interval=0.9, proper=True)
    assert pickle.loads(pickle.dumps(net)).em == net.em


def test_progress_is_told() -> None:
    """Steps and the objective."""
    heard: list[float] = []
    Network.from_data(GRAPH, gaps(), progress=lambda report: heard.append(report["best"]))
    assert heard == sorted(heard)
    assert len(heard) >= 3
