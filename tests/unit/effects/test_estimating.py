"""Estimates of formulas: intervals that cover, thin strata that are told, and answers by name."""

from collections.abc import Callable

import numpy as np
import pytest

import ldag
from ldag.data import Dataset
from ldag.effects.estimating import (
    evaluate_formula,
    find_thin_strata,
    note_thin_strata,
)
from ldag.effects.formulas import Cases, Formula, Probability, Slot, add_up, multiply, slots
from ldag.effects.sources import take_source
from ldag.errors import DataError
from tests.oracle.effects import Array, random_parameters, table_after, true_effect

LABELS = ldag.LDAG.from_text("latent L {0, 1}\nL -> X : A=0\nL -> Y\nA -> X\nA -> Y\nX -> Y : A=1")
ONE_CONTEXT = ldag.LDAG.from_text("latent L {0, 1}\nL -> X : A=1\nL -> Y\nA -> X\nX -> Y")
FRONT_DOOR = ldag.LDAG.from_text("latent L {0, 1}\nL -> X\nL -> Y\nX -> M\nM -> Y")


def by_cases(graph: ldag.LDAG) -> Formula:
    """P(A=0) P(Y | X, A=0) + P(A=1) P(Y | A=1)."""
    a, x, y = graph.schema.nodes(["A", "X", "Y"])
    first = multiply([Probability((Slot(a, 0, 0),)), Probability(slots([y]), (Slot(x), Slot(a, 0, 0)))])
    second = multiply([Probability((Slot(a, 0, 1),)), Probability(slots([y]), (Slot(a, 0, 1),))])
    return Cases((first, second))


def in_one_context(graph: ldag.LDAG) -> Formula:
    """P(Y | X, A=1)."""
    a, x, y = graph.schema.nodes(["A", "X", "Y"])
    return Probability(slots([y]), (Slot(x), Slot(a, 0, 1)))


def through_the_front_door(graph: ldag.LDAG) -> Formula:
    """sum_m P(m | X) sum_x' P(x') P(Y | x', m)."""
    m, x, y = graph.schema.nodes(["M", "X", "Y"])
    inside = add_up([x], multiply([Probability(slots([x])), Probability(slots([y]), slots([x, m]))]))
    return add_up([m], multiply([Probability(slots([m]), slots([x])), inside]))


CASES: list[tuple[ldag.LDAG, Callable[[ldag.LDAG], Formula], list[str]]] = [
    (LABELS, by_cases, ["A", "X", "Y"]),
    (ONE_CONTEXT, in_one_context, ["A", "X", "Y"]),
    (FRONT_DOOR, through_the_front_door, ["M", "X", "Y"]),
]


def draw_data(graph: ldag.LDAG, table: Array, names: list[str], n: int, rng: np.random.Generator) -> Dataset:
    """Draw rows of the observed variables of a model."""
    nodes = graph.schema.nodes(names)
    joint = table.sum(axis=tuple(i for i in range(table.ndim) if i not in nodes))
    order = sorted(nodes)
    counts = rng.multinomial(n, joint.reshape(-1) / joint.sum())
    cells = np.array(np.unravel_index(np.flatnonzero(counts), joint.shape), dtype=np.uint8)
    schema = graph.schema.reordered(order)
    return Dataset.from_codes(schema, cells, counts[counts > 0].astype(np.int64))


@pytest.mark.parametrize(("graph", "write", "names"), CASES, ids=["labels", "one context", "front door"])
def test_intervals_cover_the_truth(graph: ldag.LDAG, write: Callable[[ldag.LDAG], Formula], names: list[str]) -> None:
    """Of 150 random models with 600 rows each, 95 % intervals have the true effect in them in about 95 %."""
    structure, needs = graph.structure, graph.schema.nodes(names)
    x, y = graph.schema.nodes(["X", "Y"])
    formula, rng, covered, errors = write(graph), np.random.default_rng(11), 0, []
    for trial in range(150):
        parameters = random_parameters(structure, rng)
        truth = true_effect(structure, parameters, [y], [x])[1, 1]
        data = draw_data(graph, table_after(structure, parameters), names, 600, rng)
        drawn = evaluate_formula(formula, [y], {x: 1}, take_source(data, graph, needs, n_draws=400, rng=trial))[:, 1]
        low, high = np.quantile(drawn, [0.025, 0.975])
        covered += int(low <= truth <= high)
        errors.append((drawn.mean() - truth) / (high - low))
    assert 0.89 <= covered / 150 <= 0.995
    assert abs(np.mean(errors)) < 0.1


def test_intervals_are_as_wide_as_those_of_direct_draws() -> None:
    """The front door by loops over numpy's own Dirichlet draws."""
    rng = np.random.default_rng(5)
    parameters = random_parameters(FRONT_DOOR.structure, rng)
    names = ["M", "X", "Y"]
    data = draw_data(FRONT_DOOR, table_after(FRONT_DOOR.structure, parameters), names, 600, rng)
    needs = FRONT_DOOR.schema.nodes(names)
    x, y = FRONT_DOOR.schema.nodes(["X", "Y"])
    source = take_source(data, FRONT_DOOR, needs, n_draws=2000, rng=1)
    ours = evaluate_formula(through_the_front_door(FRONT_DOOR), [y], {x: 1}, source)[:, 1]
    counts = data.select(names).counts("Y", ["M", "X"]).reshape(-1) + 1 / 8
    theirs = []
    for cells in rng.dirichlet(counts, 2000):
        t = cells.reshape(2, 2, 2)  # m, x, y
        of_x = t.sum(axis=(0, 2))
        total = 0.0
        for m in range(2):
            inside = sum(of_x[u] * t[m, u, 1] / t[m, u].sum() for u in range(2))
            total += t[m, 1].sum() / of_x[1] * inside
        theirs.append(total)
    widths = [np.diff(np.quantile(one, [0.025, 0.975]))[0] for one in (ours, theirs)]
    assert 2 / 3 < widths[0] / widths[1] < 3 / 2
    assert abs(ours.mean() - np.mean(theirs)) < 0.1 * widths[1]


def test_thin_strata_are_told_and_widen_the_interval() -> None:
    """A stratum of weight 0.2 with X=1 never seen: named with its weight, and the interval is wider by about that."""
    graph = ldag.LDAG.from_text("X {0, 1}\nY {0, 1}\nZ {young, old}\nZ -> X\nX -> Y\nZ -> Y")
    x, y, z = graph.schema.nodes(["X", "Y", "Z"])
    formula = add_up([z], multiply([Probability(slots([z])), Probability(slots([y]), slots([x, z]))]))
    columns: dict[str, list[int] | list[str]] = {
        "X": [0, 0, 1, 1] * 2,
        "Y": [0, 1] * 4,
        "Z": [*["young"] * 4, *["old"] * 4],
    }
    last = {"full": [50] * 4, "empty": [100, 100, 0, 0], "few": [98, 98, 2, 2], "enough": [97, 98, 3, 2]}
    tables = [{**columns, "n": [*[200] * 4, *four]} for four in last.values()]
    sources = [take_source(ldag.read(one, counts="n"), graph, (x, y, z), n_draws=1000) for one in tables]
    widths = [np.diff(np.quantile(evaluate_formula(formula, [y], {x: 1}, s)[:, 1], [0.025, 0.975]))[0] for s in sources]
    assert widths[1] > widths[0] + 0.15
    assert widths[2] > widths[0] + 0.05
    thin = [find_thin_strata(formula, [y], {x: 1}, source) for source in sources]
    assert [len(one) for one in thin] == [0, 1, 1, 0]
    ((where, n_rows, weight, _),) = thin[1]
    assert (where, n_rows) == ({x: 1, z: 1}, 0.0)
    assert weight == pytest.approx(0.2, abs=1e-3)
    (note,) = note_thin_strata(thin[1], graph.schema)
    assert "X=1, Z=old (no row, weight 0.200)" in note
    assert "(4 rows, weight 0.200)" in note_thin_strata(thin[2], graph.schema)[0]
    assert find_thin_strata(formula, [y], {x: 0}, sources[1]) == ()  # where the setting was seen, nothing is thin
    assert note_thin_strata(thin[1] * 7, graph.schema)[0].endswith("2 more (weight 0.401 together)")


def test_thin_strata_of_a_front_door_weigh_what_they_decide() -> None:
    """P(y | x', m) weighs P(m | x) P(x'), counted by hand; P(m | x) all of it."""
    graph = ldag.LDAG.from_text("X {0, 1}\nM {0, 1}\nY {0, 1}\nX -> M\nM -> Y\nX -> Y")
    m, x, y = graph.schema.nodes(["M", "X", "Y"])
    rows = {"X": [0, 0, 1, 1, 0], "M": [0, 0, 1, 1, 1], "Y": [0, 1, 0, 1, 1], "n": [250, 250, 250, 246, 4]}
    source = take_source(rows, graph, (m, x, y), n_draws=10, reading={"counts": "n"})
    thin = find_thin_strata(through_the_front_door(graph), [y], {x: 1}, source)
    assert [(one.states, one.n_rows) for one in thin] == [({x: 0, m: 1}, 4.0)]
    assert thin[0].weight == pytest.approx(0.504, abs=2e-3)  # P(M=1 | X=1) is 1, P(X=0) is 0.504


def test_strata_of_little_weight_are_not_told() -> None:
    """Half a thousandth is not; two thousandths are."""
    graph = ldag.LDAG.from_text("X {0, 1}\nY {0, 1}\nZ {a, b, c}\nZ -> X\nX -> Y\nZ -> Y")
    x, y, z = graph.schema.nodes(["X", "Y", "Z"])
    formula = add_up([z], multiply([Probability(slots([z])), Probability(slots([y]), slots([x, z]))]))
    rows: dict[str, list[int] | list[str]] = {
        "X": [0, 1, 0, 1, 0, 0],
        "Y": [0, 1, 1, 0, 0, 1],
        "Z": ["a", "a", "a", "a", "b", "c"],
    }
    data = ldag.read({**rows, "n": [2500, 2500, 2500, 2475, 5, 20]}, counts="n")
    thin = find_thin_strata(formula, [y], {x: 1}, take_source(data, graph, (x, y, z), n_draws=1))
    assert [(one.states, round(one.weight, 4)) for one in thin] == [({x: 1, z: 2}, 0.002)]


def test_many_thin_strata_are_told_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the one that a table does not answer for is named among many."""
    graph = ldag.LDAG.from_text("X {0, 1}\nY {0, 1}\nZ {0, 1, 2, 3}\nW {0, 1, 2, 3}\nZ -> Y\nX -> Y\nW -> Y\nZ -> X")
    x, y, z, w = graph.schema.nodes(["X", "Y", "Z", "W"])
    formula = add_up([z, w], multiply([Probability(slots([z, w])), Probability(slots([y]), slots([x, z, w]))]))
    rows = {"X": [1, 0, 1], "Y": [0, 1, 1], "Z": [0, 2, 3], "W": [0, 1, 3], "n": [60, 20, 20]}
    data = ldag.read(rows, counts="n")
    source = take_source(data, graph, (x, y, z, w), n_draws=5, equivalent_sample_size=0.01)
    monkeypatch.setattr("ldag.effects.estimating.MOST_STRATA", 13)
    (every,) = find_thin_strata(formula, [y], {x: 1}, source)
    assert (every.n_strata, every.states, every.n_rows) == (14, {}, 0.0)
    assert every.weight == pytest.approx(0.2, abs=1e-3)
    assert "14 strata (no row, weight 0.200)" in note_thin_strata([every], graph.schema)[0]
    with pytest.raises(DataError, match="given X=1, Z=2, W=1, and no row has that"):
        evaluate_formula(formula, [y], {x: 1}, take_source(data, graph, (x, y, z, w)))
