"""Tables, networks and posteriors as sources of formulas: what is read, what is refused, and how draws scatter."""

import numpy as np
import pytest

import ldag
from ldag.effects.estimating import evaluate_formula
from ldag.effects.formulas import Formula, Probability, add_up, multiply, slots
from ldag.effects.sources import DirichletSource, draw_strata, log_gammas, take_source
from ldag.errors import ArgumentError, DataError, DataNote, LdagError

GRAPH = ldag.LDAG.from_text("X {0, 1}\nY {0, 1, 2}\nZ {0, 1}\nZ -> X\nX -> Y\nZ -> Y")
X, Y, Z = GRAPH.schema.nodes(["X", "Y", "Z"])
ADJUSTED: Formula = add_up([Z], multiply([Probability(slots([Z])), Probability(slots([Y]), slots([X, Z]))]))


def survey(n: int, seed: int) -> dict[str, list[int]]:
    """Rows of a model in which Z confounds X and Y."""
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 2, n)
    x = (rng.random(n) < 0.2 + 0.5 * z).astype(int)
    y = (rng.random(n) < 0.2 + 0.3 * x).astype(int) + (rng.random(n) < 0.1 + 0.5 * z)
    return {"W": list(range(n)), "X": x.tolist(), "Y": y.tolist(), "Z": z.tolist()}


def test_a_table_is_read_as_far_as_it_is_needed() -> None:
    """Relative frequencies, counted by hand; a column that the formula does not read may be anything."""
    table: dict[str, list[object]] = {
        "Z": [0, 0, 0, 1],
        "X": [1, 1, 0, 1],
        "Y": [0, 2, 1, 2],
        "odd": [None, "?", 3.5, "x"],
        "n": [1, 2, 4, 3],
    }
    source = take_source(table, GRAPH, (X, Y, Z), reading={"counts": "n"})
    assert source.notes == ()
    expected = 0.7 * np.array([1 / 3, 0, 2 / 3]) + 0.3 * np.array([0, 0, 1.0])
    assert np.allclose(evaluate_formula(ADJUSTED, [Y], {X: 1}, source), [expected], atol=1e-15)
    only = take_source({"Y": [0, 0, 1, 2]}, GRAPH, (Y,))
    assert np.allclose(only.conditional((Y,), ()), [[0.5, 0.25, 0.25]])


def test_a_data_set_may_know_fewer_states() -> None:
    """States are those of the graph, in its order."""
    data = ldag.read({"X": [1, 0], "Y": [2, 1], "Z": [1, 0]})
    assert take_source(data, GRAPH, (X, Y, Z)).conditional((Y,), (X,))[0].tolist() == [[0, 0], [1, 0], [0, 1]]


def test_a_graph_without_states_has_those_of_the_data() -> None:
    """Also more than two, and those of variables that are not read stay as they are."""
    graph = ldag.LDAG.from_text("a -> b\nb -> c")
    source = take_source({"a": ["u", "v", "w"], "b": ["no", "no", "yes"]}, graph, (0, 1))
    assert source.n_states[:2] == (3, 2)
    assert source.schema[0].states == ("u", "v", "w")


def test_rows_with_gaps_are_left_out_and_told() -> None:
    """Only gaps in columns that are read count."""
    table: dict[str, list[int | None]] = {"X": [0, 1, None], "Y": [0, 1, 2], "Z": [None, None, 1]}
    with pytest.warns(DataNote, match="1 of 3 observations left out"):
        source = take_source(table, GRAPH, (X, Y))
    assert source.notes == ("1 of 3 observations left out, which have gaps",)
    assert source.conditional((X,), ())[0].tolist() == [0.5, 0.5]
    with pytest.raises(DataError, match="every row has a gap"):
        take_source(ldag.read({"X": [None, 1], "Y": [0, None]}, missing="keep"), GRAPH, (X, Y))


def test_what_is_refused() -> None:
    """Each with its reason."""
    with pytest.raises(DataError, match="no column 'X', which the effect is worked out from"):
        take_source({"Y": [0, 1], "Z": [0, 1]}, GRAPH, (X, Y))
    with pytest.raises(LdagError, match="not among the declared states"):
        take_source({"X": [0, 7], "Y": [0, 1]}, GRAPH, (X, Y))
    with pytest.raises(LdagError, match="has no state 7"):
        take_source(ldag.read({"X": [0, 7], "Y": [0, 1]}), GRAPH, (X, Y))
    other = ldag.Network.from_data(ldag.LDAG.from_text("X {0, 1, 2}\nX -> Y"), {"X": [0, 1, 2], "Y": [0, 1, 1]})
    with pytest.raises(ArgumentError, match="'X' has the states 0, 1, 2 in the network and 0, 1 in the graph"):
        take_source(other, GRAPH, (X,))
    with pytest.raises(ArgumentError, match="no variable 'Z'"):
        take_source(other, GRAPH, (Z,))
    with pytest.raises(ArgumentError, match="counts= is for tables"):
        take_source(other, GRAPH, (Y,), reading={"counts": "n"})
    with pytest.raises(ArgumentError, match="equivalent_sample_size= is for tables, and this is a Network"):
        take_source(other, GRAPH, (Y,), n_draws=5, equivalent_sample_size=2)
    with pytest.raises(ArgumentError, match="equivalent_sample_size= is for intervals"):
        take_source({"X": [0, 1]}, GRAPH, (X,), equivalent_sample_size=2)
    with pytest.raises(ArgumentError, match="n_draws"):
        take_source(other, GRAPH, (Y,), n_draws=0)


def test_a_stratum_that_matters_must_have_been_visited() -> None:
    """Without a prior; the states are named. One that no row weighs may be empty."""
    table = {"X": [0, 1, 1, 0], "Y": [0, 1, 0, 1], "Z": [0, 0, 0, 1]}
    source = take_source(table, GRAPH, (X, Y, Z))
    with pytest.raises(DataError, match=r"given X=1, Z=1, and no row has that.*estimate"):
        evaluate_formula(ADJUSTED, [Y], {X: 1}, source)
    rows = {"X": [0, 1, 1], "Y": [0, 1, 0], "Z": [0, 0, 0]}
    assert evaluate_formula(ADJUSTED, [Y], {X: 1}, take_source(rows, GRAPH, (X, Y, Z))).tolist() == [[0.5, 0.5, 0.0]]


def test_draws_are_those_of_a_dirichlet_posterior() -> None:
    """Means and variances of cells against their formulas, one observation spread over the twelve cells."""
    data = survey(40, 1)
    source = take_source(data, GRAPH, (X, Y, Z), n_draws=20_000, rng=3)
    drawn = source.conditional((X, Y, Z), ())
    counts = np.zeros((2, 3, 2))
    np.add.at(counts, (data["X"], data["Y"], data["Z"]), 1)
    shapes = counts + 1 / 12
    mean = shapes / shapes.sum()
    assert np.abs(drawn.mean(axis=0) - mean).max() < 0.002
    assert np.allclose(drawn.var(axis=0), mean * (1 - mean) / (shapes.sum() + 1), rtol=0.15, atol=2e-5)
    assert np.allclose(source.conditional((X,), (Z,)).sum(axis=1), 1)
    joint = source.conditional((Y,), (X, Z)) * source.conditional((X,), (Z,))[:, None]
    assert np.allclose(joint * source.conditional((Z,), ())[:, None, None], drawn.transpose(0, 2, 1, 3))


def test_the_same_seed_draws_the_same_in_any_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Same seed same draws; parts that fit little memory have as many draws, of the same posterior."""
    data = ldag.read(survey(100, 2), columns=["X", "Y", "Z"])
    whole, again, other = (
        evaluate_formula(ADJUSTED, [Y], {X: 1}, take_source(data, GRAPH, (X, Y, Z), n_draws=3000, rng=seed))
        for seed in (1, 1, 2)
    )
    assert np.array_equal(whole, again)
    assert not np.array_equal(whole, other)
    monkeypatch.setattr("ldag.effects.sources.CELLS_AT_ONCE", 1 << 12)
    parts = evaluate_formula(ADJUSTED, [Y], {X: 1}, take_source(data, GRAPH, (X, Y, Z), n_draws=3000, rng=1))
    assert parts.shape == whole.shape
    assert (
        np.abs(np.quantile(parts, [0.025, 0.5, 0.975], axis=0) - np.quantile(whole, [0.025, 0.5, 0.975], axis=0)).max()
        < 0.02
    )


def test_a_large_table_is_drawn_leaf_by_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval of an adjustment is the same, as strata and what is in them are independent."""
    data = ldag.read(survey(300, 4), columns=["X", "Y", "Z"])
    whole = evaluate_formula(ADJUSTED, [Y], {X: 1}, take_source(data, GRAPH, (X, Y, Z), n_draws=4000, rng=1))
    monkeypatch.setattr("ldag.effects.sources.JOINT_CELLS", 4)
    leaves = evaluate_formula(ADJUSTED, [Y], {X: 1}, take_source(data, GRAPH, (X, Y, Z), n_draws=4000, rng=1))
    assert not np.array_equal(whole, leaves)
    ends = [np.quantile(one, [0.025, 0.975], axis=0) for one in (whole, leaves)]
    assert np.abs(ends[0] - ends[1]).max() < 0.01
    assert np.abs(np.diff(ends[0], axis=0) / np.diff(ends[1], axis=0) - 1).max() < 0.1


def test_strata_are_drawn_as_dirichlet_variables_are() -> None:
    """Means and variances in strata with many rows, few and none, under a weak prior and a strong one."""
    counts = np.array([[30.0, 1.0, 0.0], [10.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    for size in (0.02, 1.0, 12.0):
        drawn = draw_strata(counts, size, 20_000, np.random.default_rng(3))
        assert np.allclose(drawn.sum(axis=1), 1)
        shapes = counts + size / 12
        mean = shapes / shapes.sum(axis=0)
        assert np.abs(drawn.mean(axis=0) - mean).max() < 0.01
        expected = mean * (1 - mean) / (shapes.sum(axis=0) + 1)
        assert np.allclose(drawn.var(axis=0), expected, rtol=0.06, atol=2e-4)


def test_a_large_table_costs_what_is_visited() -> None:
    """Fifteen covariates have more cells than could be drawn one by one; 300 rows are enough to say little."""
    names = [f"s{i}" for i in range(15)]
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 2, 300) for name in [*names, "X", "Y"]}
    graph = ldag.LDAG.from_edges([("X", "Y")], states={name: [0, 1] for name in columns})
    needs = tuple(range(len(columns)))
    source = take_source(ldag.read(columns), graph, needs, n_draws=16, rng=1)
    covariates, (x, y) = needs[:15], needs[15:]
    formula = add_up(
        covariates, multiply([Probability(slots(covariates)), Probability(slots([y]), slots([x, *covariates]))])
    )
    drawn = evaluate_formula(formula, [y], {x: 1}, source)
    assert drawn.shape == (16, 2)
    assert np.allclose(drawn.sum(axis=1), 1)
    assert 0.2 < drawn[:, 1].mean() < 0.8


def test_tiny_shapes_do_not_underflow() -> None:
    """Of shape 1e-6 nearly all gamma variables are 0 as numbers; their logarithms are not, and shares are no NaN."""
    logs = log_gammas(np.array([1e-6, 1e-6, 3.0]), 2000, np.random.default_rng(1))
    assert np.isfinite(logs).all()
    assert np.isclose(logs[:, 2].mean(), 0.9228, atol=0.05)  # digamma of 3
    assert np.isclose((logs[:, 0] * 1e-6).mean(), -1.0, atol=0.1)
    assert abs((logs[:, 0] > logs[:, 1]).mean() - 0.5) < 0.05
    data = ldag.read({"X": [0, 0], "Y": [1, 1], "Z": [0, 0]})
    source = take_source(data, GRAPH, (X, Y, Z), n_draws=500, equivalent_sample_size=1e-5)
    assert isinstance(source, DirichletSource)
    drawn = source.conditional((Y,), (X, Z))
    assert np.isfinite(drawn).all()
    assert np.abs(drawn[:, :, 1, 1].mean(axis=0) - 1 / 3).max() < 0.1  # never visited: the prior, which is wide
    assert drawn[:, 0, 1, 1].std() > 0.4


def test_a_network_answers_as_its_own_interval_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without latents: the same mean, and quantiles that differ by chance; none where it is asked draw by draw."""
    graph = ldag.LDAG.from_text("Z -> X\nX -> Y : Z=1\nZ -> Y")
    net = ldag.Network.from_data(graph, ldag.read(survey(500, 5), columns=["X", "Y", "Z"]))
    nodes = net.ldag.schema.nodes(["X", "Y", "Z"])
    x, y, z = nodes
    formula = add_up([z], multiply([Probability(slots([z])), Probability(slots([y]), slots([x, z]))]))

    def draw(n_draws: int) -> list[list[float]]:
        drawn = evaluate_formula(formula, [y], {x: 1}, take_source(net, net.ldag, nodes, n_draws=n_draws, rng=7))
        return [[float(end) for end in row] for row in np.quantile(drawn, [0.05, 0.95], axis=0)]

    answer = net.query("Y", do={"X": 1}, interval=0.9, n_draws=1500, rng=7)
    ends = [[value[i] for value in answer.values()] for i in (1, 2)]
    widths = np.diff(np.array(ends), axis=0)
    assert (np.abs(np.array(draw(1500)) - ends) < 0.1 * widths).all()
    exact = evaluate_formula(formula, [y], {x: 1}, take_source(net, net.ldag, nodes))
    assert np.allclose(exact[0], [value.mean for value in answer.values()], atol=1e-12)
    monkeypatch.setattr("ldag.effects.sources.SIDE_BY_SIDE", 1)
    assert np.allclose(draw(1500), ends, atol=1e-12)


def test_a_network_without_a_posterior_has_no_draws() -> None:
    """It was given by its probabilities."""
    net = ldag.Network.from_data(GRAPH, ldag.read(survey(50, 5), columns=["X", "Y", "Z"]))
    bare = ldag.Network(net.ldag, net.probabilities)
    with pytest.raises(ArgumentError, match="needs a posterior"):
        take_source(bare, GRAPH, (X, Y), n_draws=10).conditional((Y,), (X,))


def test_a_network_that_is_asked_leaf_by_leaf_draws_the_same_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of leaves are of the same draws as one table over everything, so formulas are as sure as they were."""
    net = ldag.Network.from_data(GRAPH, ldag.read(survey(200, 5), columns=["X", "Y", "Z"]))
    whole = evaluate_formula(ADJUSTED, [Y], {X: 1}, take_source(net, GRAPH, (X, Y, Z), n_draws=50, rng=7))
    monkeypatch.setattr("ldag.effects.sources.JOINT_ANSWER", 1)
    leaves = evaluate_formula(ADJUSTED, [Y], {X: 1}, take_source(net, GRAPH, (X, Y, Z), n_draws=50, rng=7))
    assert np.allclose(whole, leaves, atol=1e-12)
    assert not np.allclose(whole[0], whole[1])


def test_states_in_another_order_are_matched_by_name() -> None:
    """A network may list them the other way round."""
    turned = ldag.LDAG.from_text("X {1, 0}\nY {2, 0, 1}\nX -> Y")
    net = ldag.Network(turned, ldag.Network.from_data(turned, {"X": [1, 1, 0, 0], "Y": [2, 2, 0, 1]}).probabilities)
    table = take_source(net, GRAPH, (X, Y)).conditional((Y,), (X,))[0]
    assert table[:, 0].argmin() == 2
    assert table[:, 1].argmax() == 2
    assert np.allclose(table[2, 1], net.query("Y", {"X": 1})[2])


def test_a_posterior_draws_graphs() -> None:
    """One table is what it answers; its draws scatter as its interval says."""
    data = ldag.read(survey(300, 6), columns=["X", "Y", "Z"])
    post = ldag.posterior(data, equivalent_sample_size=1, structure="table")
    once = take_source(post, GRAPH, (X, Y, Z)).conditional((Y,), (X,))[0, :, 1]
    assert np.allclose(once, list(post.query("Y", given={"X": 1}, n_draws=2000).values()), atol=0.01)
    drawn = take_source(post, GRAPH, (X, Y, Z), n_draws=1000, rng=2).conditional((Y,), (X,))[:, :, 1]
    answer = post.query("Y", given={"X": 1}, interval=0.9, rng=3)
    ends = np.array([value[1:] for value in answer.values()]).T
    assert np.abs(np.quantile(drawn, [0.05, 0.95], axis=0) - ends).max() < 0.02
