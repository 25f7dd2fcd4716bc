"""Bounds of effects: by hand in contexts, exact where the table tells all, refused where they are not linear."""

import numpy as np
import pytest

import ldag
from ldag.effects.bounding import DistrictSplit, EffectBounds, bound_effect, find_needs
from ldag.effects.results import EffectQuestion
from ldag.effects.sources import take_source
from ldag.errors import ArgumentError, DataError
from tests.oracle.effects import random_parameters, table_after, true_effect

LABELLED = "latent L {0, 1}\nA {0, 1}\nX {0, 1}\nY {0, 1}\nL -> X\nA -> Y\nX -> Y\nL -> Y : A=1"
INSTRUMENT = "Z {0, 1}\nX {0, 1}\nY {0, 1}\nZ -> X\nX -> Y\nX <-> Y"
YES = np.array([False, True])


def ask(
    text: str,
    data: ldag.Dataset,
    do: dict[str, int],
    *,
    target: str = "Y",
    context: dict[str, int] | None = None,
    n_draws: int | None = None,
    against: dict[str, int] | None = None,
) -> EffectBounds:
    """Bound an effect by names."""
    graph = ldag.LDAG.from_text(text)
    code = graph.schema.context
    latent = frozenset(graph.schema.nodes(graph.latent))
    setting = code(do)
    question = EffectQuestion((graph.schema.node(target),), tuple(setting), (), code(context), setting)
    needs = sorted(find_needs(graph.structure, latent, question))
    source = take_source(data, graph, needs, n_draws=n_draws, rng=1)
    other = None if against is None else code(against)
    return bound_effect(graph.structure, latent, question, source, event=YES if other else None, against=other)


def table_of(text: str, seed: int, n: int = 10_000) -> tuple[ldag.Dataset, np.ndarray, np.ndarray]:
    """The observed table of a random model as weights, the table itself, and the effect of X=1 on Y."""
    graph = ldag.LDAG.from_text(text)
    parameters = random_parameters(graph.structure, np.random.default_rng(seed))
    nodes = [node for node, variable in enumerate(graph.schema) if not variable.latent]
    table = table_after(graph.structure, parameters).sum(axis=tuple(graph.schema.nodes(graph.latent)))
    cells = np.indices(table.shape).reshape(len(nodes), -1)
    columns = {graph.schema[node].name: row.tolist() for node, row in zip(nodes, cells, strict=True)}
    data = ldag.read({**columns, "n": (n * table.reshape(-1)).tolist()}, weights="n")
    x, y = graph.schema.nodes(["X", "Y"])
    return data, table, true_effect(graph.structure, parameters, [y], [x])[:, 1]


@pytest.mark.parametrize("seed", range(4))
def test_contexts_are_bounded_one_by_one(seed: int) -> None:
    """Where A=1 nothing is latent; where A=0 what is not seen may be anything: P(x, y) to P(x, y) + P(not x)."""
    data, table, truth = table_of(LABELLED, seed)
    of_a = table.sum(axis=(1, 2))
    given = table / of_a[:, None, None]  # a, x, y
    low = of_a[0] * given[0, 1] + of_a[1] * given[1, 1] / given[1, 1].sum()
    high = low + of_a[0] * given[0, 0].sum()
    bounds = ask(LABELLED, data, {"X": 1})
    assert np.allclose(bounds.low, [low], atol=1e-7)
    assert np.allclose(bounds.high, [high], atol=1e-7)
    assert (low - 1e-9 <= truth).all()
    assert (truth <= high + 1e-9).all()
    plain = ask(LABELLED.replace(" : A=1", ""), data, {"X": 1})
    assert (plain.low < bounds.low - 0.001).all()
    assert (plain.high > bounds.high + 0.001).all()
    inside = ask(LABELLED, data, {"X": 1}, context={"A": 0})
    assert np.allclose(inside.low, given[0, 1], atol=1e-7)
    assert np.allclose(inside.high, given[0, 1] + given[0, 0].sum(), atol=1e-7)


def test_what_the_table_tells_has_no_width() -> None:
    """Adjustment, the front door, no effect, and a label that leaves nothing latent: by hand or by enumeration."""
    for text in (
        "Z {0, 1, 2}\nX {0, 1}\nY {0, 1, 2}\nZ -> X\nX -> Y\nZ -> Y",
        "X {0, 1}\nM {0, 1}\nY {0, 1}\nX -> M\nM -> Y\nX <-> Y",
        "X {0, 1}\nY {0, 1}\nY -> X\nX <-> Y",
        "latent L {0, 1}\nX {0, 1}\nY {0, 1}\nX -> Y\nL -> X\nL -> Y : X=1",
    ):
        data, _, truth = table_of(text, 3)
        bounds = ask(text, data, {"X": 1})
        assert np.allclose(bounds.low, [truth], atol=1e-6)
        assert np.allclose(bounds.high, [truth], atol=1e-6)
        assert bounds.changes.tolist() == [0.0]


def test_differences_are_bounded_as_a_whole() -> None:
    """Tighter than the difference of bounds, and around the truth."""
    data, _, truth = table_of(INSTRUMENT, 2)
    graph = ldag.LDAG.from_text(INSTRUMENT)
    parameters = random_parameters(graph.structure, np.random.default_rng(2))
    x, y = graph.schema.nodes(["X", "Y"])
    effect = true_effect(graph.structure, parameters, [y], [x])
    assert np.allclose(effect[:, 1], truth)
    difference = ask(INSTRUMENT, data, {"X": 1}, against={"X": 0})
    one, other = (ask(INSTRUMENT, data, {"X": state}) for state in (1, 0))
    assert difference.low.shape == (1, 1)
    assert difference.low[0, 0] - 1e-9 <= effect[1, 1] - effect[1, 0] <= difference.high[0, 0] + 1e-9
    assert difference.low[0, 0] >= one.low[0, 1] - other.high[0, 1] - 1e-9
    assert difference.high[0, 0] <= one.high[0, 1] - other.low[0, 1] + 1e-9


def test_a_table_that_contradicts_the_graph() -> None:
    """Pearl's instrumental inequality is broken by 0.8 for X=1; half of all rows have each Z."""
    rows = {"Z": [0, 0, 1, 1], "X": [0, 1, 0, 1], "Y": [0, 1, 1, 0], "n": [1, 9, 1, 9]}
    bounds = ask(INSTRUMENT, ldag.read(rows, counts="n"), {"X": 1})
    assert bounds.changes[0] == pytest.approx(0.8, abs=1e-6)
    (note,) = bounds.notes()
    assert "its cells must change by 0.8000 in all" in note
    assert np.all(bounds.low <= bounds.high)


def test_an_interval_of_bounds() -> None:
    """Wider with fewer rows, never inside the bounds of the table; draws that contradict are counted."""
    data, _, _ = table_of(INSTRUMENT, 5, 20_000)
    small, _, _ = table_of(INSTRUMENT, 5, 200)
    point = ask(INSTRUMENT, data, {"X": 1})
    ends = [ask(INSTRUMENT, one, {"X": 1}, n_draws=100).ends(0.95) for one in (data, small)]
    for low, high in ends:
        assert (low < point.low[0]).all()
        assert (high > point.high[0]).all()
    assert (ends[1][0] < ends[0][0]).all()
    assert (ends[1][1] > ends[0][1]).all()
    near = {"Z": [0, 0, 1, 1, 0, 1], "X": [1, 0, 1, 0, 1, 1], "Y": [1, 0, 0, 0, 0, 1], "n": [10, 10, 10, 10, 1, 1]}
    some = ask(INSTRUMENT, ldag.read(near, counts="n"), {"X": 1}, n_draws=100)
    assert 0.05 < some.share_changed < 0.95
    assert some.notes()[0].startswith(f"{100 * some.share_changed:.0f} % of the drawn tables contradict the graph")
    assert ask(INSTRUMENT, data, {"X": 1}, n_draws=20).notes() == ()


def test_strata_that_no_row_has_say_nothing() -> None:
    """Without a prior their equations are left out; but what weighs an answer must be known."""
    full, _, _ = table_of(LABELLED, 1)
    rows = {"A": [0, 0, 0, 0, 1, 1, 1], "X": [0, 0, 1, 1, 0, 0, 1], "Y": [0, 1, 0, 1, 0, 1, 0]}
    never = {name: [*column[:-1]] for name, column in rows.items()}
    assert ask(LABELLED, ldag.read(rows), {"X": 1}).changes[0] < 1e-6
    with pytest.raises(DataError, match="no row in a stratum"):
        ask(LABELLED, ldag.read(never), {"X": 1})
    assert ask(LABELLED, full, {"X": 1}).low.shape == (1, 2)


def test_only_what_is_needed_is_read() -> None:
    """The instrument is, as it tells about types; what lies below the target is not."""
    graph = ldag.LDAG.from_text(INSTRUMENT + "\nY -> W\nB -> W")
    latent = frozenset(graph.schema.nodes(graph.latent))
    x, y, z = graph.schema.nodes(["X", "Y", "Z"])
    assert find_needs(graph.structure, latent, EffectQuestion((y,), (x,), (), {}, {x: 1})) == {x, y, z}


def test_what_is_refused() -> None:
    """Two open districts, conditions after the treatment, latent treatments, settings of other variables."""
    two = "A {0, 1}\nX {0, 1}\nM {0, 1}\nY {0, 1}\nX -> M\nX <-> M\nA -> Y\nM -> Y\nA <-> Y"
    data = ldag.read({name: [0, 1, 0, 1] for name in "AXMYZ"})
    with pytest.raises(ArgumentError, match="2 groups of variables that share latent causes are open at once"):
        ask(two, data, {"X": 1, "A": 1})
    with pytest.raises(ArgumentError, match="conditions that lie after the treatment"):
        ask(two, data, {"X": 1}, context={"M": 1})
    with pytest.raises(ArgumentError, match="latent variable"):
        ask(LABELLED, data, {"L": 1})
    with pytest.raises(ArgumentError, match="two settings of the same variables"):
        ask(INSTRUMENT, data, {"X": 1}, against={"Z": 0})


def test_covariates_are_bounded_stratum_by_stratum() -> None:
    """Nine strata would have 2 to the 27 types together; by hand each leaves open what the others did not take."""
    text = "A {0, 1, 2}\nB {0, 1, 2}\nX {0, 1}\nY {0, 1}\nA -> X\nB -> X\nA -> Y\nB -> Y\nX -> Y\nX <-> Y"
    data, table, truth = table_of(text, 1)
    bounds = ask(text, data, {"X": 1})
    low = table[:, :, 1].sum(axis=(0, 1))
    assert np.allclose(bounds.low, [low], atol=1e-6)
    assert np.allclose(bounds.high, [low + table[:, :, 0].sum()], atol=1e-6)
    assert (low <= truth).all()
    inside = ask(text, data, {"X": 1}, context={"A": 2})
    of_a = table[2].sum()
    assert np.allclose(inside.low, [table[2, :, 1].sum(axis=0) / of_a], atol=1e-6)
    assert np.allclose(inside.high, [(table[2, :, 1].sum(axis=0) + table[2, :, 0].sum()) / of_a], atol=1e-6)


def test_strata_are_together_as_long_as_there_are_few_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one they may leave more open, as the instrument's types need not be the same in both; never less."""
    text = INSTRUMENT + "\nA {0, 1}\nA -> Y"
    wider = 0.0
    for seed in (7, 8):
        data, _, truth = table_of(text, seed)
        together = ask(text, data, {"X": 1})
        with monkeypatch.context() as patch:
            patch.setattr("ldag.effects.bounding.MOST_TOGETHER", 1)
            apart = ask(text, data, {"X": 1})
        assert (apart.low <= together.low + 1e-6).all()
        assert (apart.high >= together.high - 1e-6).all()
        assert (apart.low[0] <= truth).all()
        wider = max(wider, float((together.low - apart.low).max()), float((apart.high - together.high).max()))
    assert wider > 0.003


def test_a_district_that_a_label_closes_is_a_number() -> None:
    """M is confounded where X=0 only, so that of two open districts one is left under X=1; not in a difference."""
    text = (
        "latent L {0, 1}\nX {0, 1}\nM {0, 1}\nA {0, 1}\nY {0, 1}\nX -> M\nL -> X\nL -> M : X=1\nM -> Y\nA -> Y\nA <-> Y"
    )
    data, table, _ = table_of(text, 6)
    bounds = ask(text, data, {"X": 1, "A": 1})
    of_m = table[1].sum(axis=(1, 2)) / table[1].sum()
    given = table.sum(axis=0) / table.sum(axis=(0, 2, 3))[:, None, None]  # a, y for every m
    low = of_m @ given[:, 1]
    assert np.allclose(bounds.low, [low], atol=1e-6)
    assert np.allclose(bounds.high, [low + of_m @ given[:, 0].sum(axis=1)], atol=1e-6)
    with pytest.raises(ArgumentError, match="2 groups"):
        ask(text, data, {"X": 1, "A": 1}, against={"X": 0, "A": 1})


def test_how_many_types_are_taken_together() -> None:
    """Six states of A make 2 to the 13 types with those of X; seven, 2 to the 15, are too many, and go one by one."""
    for n, expected in ((6, 1), (7, 7)):
        states = ", ".join(map(str, range(n)))
        graph = ldag.LDAG.from_text(f"A {{{states}}}\nX {{0, 1}}\nY {{0, 1}}\nA -> Y\nX -> Y\nX <-> Y")
        x, y = graph.schema.nodes(["X", "Y"])
        latent = frozenset(graph.schema.nodes(graph.latent))
        question = EffectQuestion((y,), (x,), (), {}, {x: 1})
        assert len(DistrictSplit(graph.structure, latent, question).strata) == expected
