"""Growth from rows with gaps: what fills them, what counts, and how near that comes to the truth."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.data import GAP, Dataset
from ldag.errors import LdagError
from ldag.learning import Candidate, Filler, GapControl, GapSearch, Plan, Settings, filled_rows, learn_filler, make_plan
from ldag.learning.filled_rows import DrawnGaps, Trees, _log_states
from ldag.learning.predictions import predict_fold
from ldag.learning.structures import CountedFamily
from ldag.model import Smoothing, class_counts, estimate_means

SIZES: dict[str, Any] = {"equivalent_sample_size": 10, "prior": "parameters", "kappa": 0.3}


def heart(n: int = 400, share: float = 0.2) -> tuple[ldag.Network, Dataset, Dataset]:
    """Return a known network, rows of it, and the same with gaps."""
    truth = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
    rows = truth.sample(n, rng=1)
    return truth, rows, ldag.simulate.gaps(rows, share=share, how="mar", rng=1)


def fill(data: Dataset, **settings: Any) -> Filler:
    """Return what fills the gaps of a table."""
    plan = make_plan(data, Settings.of(method="grow", **SIZES, **settings))
    return learn_filler(plan, plan.data, GapControl())


def test_without_gaps_it_is_as_before() -> None:
    """A table that may have gaps, and has none, gives the same bit for bit."""
    rows = ldag.datasets.load("heart").to_frame()
    kept = ldag.read(rows, counts="count", missing="keep")
    one, other = (ldag.learn(data, method="grow", **SIZES) for data in (kept, ldag.read(rows, counts="count")))
    assert one.score == other.score
    assert one.ldag == other.ldag
    assert all((a == b).all() for a, b in zip(one.counts, other.counts, strict=True))


def test_it_comes_near_to_the_truth() -> None:
    """Much nearer than rows without gaps do where these depend on other columns, and not far from the whole table."""
    truth, rows, survey = heart(1000)
    tables = rows, survey, survey.complete_rows()
    whole, gaps, dropped = (ldag.kl_divergence(truth, ldag.learn(one, method="grow").network) for one in tables)
    assert gaps < 0.25 * dropped
    assert gaps < whole + 0.04


def test_averages_come_near_to_the_truth() -> None:
    """Each of their networks has a completed table of its own."""
    truth, rows, survey = heart(1000)
    new = truth.sample(2000, rng=7)

    def predict(data: Dataset, **how: Any) -> float:
        return ldag.average(data, 5, method="grow", **how).log_likelihood(new) / 2000

    whole = predict(rows)
    for how in ("order", "both", "imputation"):
        assert predict(survey, by=how) > whole - 0.02
    assert predict(survey.complete_rows()) < whole - 0.1


def test_bootstrap() -> None:
    """Rows of completed tables are drawn again; groups, which these do not have, are refused."""
    _, _, survey = heart()
    boot = ldag.bootstrap(survey, 5, method="grow", **SIZES)
    assert boot.strength("physical", "mental") == 1
    table: dict[str, list[Any]] = {"g": [1, 1, 2, 2, 3, 3], "x": [0, 1, 0, 1, 0, None], "y": [0, 1, 1, 1, 0, 0]}
    grouped = ldag.read(table, groups="g", missing="keep")
    with pytest.raises(LdagError, match="groups with gaps cannot be drawn again for method='grow'"):
        ldag.bootstrap(grouped, 2, method="grow", **SIZES)


@pytest.mark.parametrize("variety", ["learn", "average"])
def test_what_makes_no_difference(variety: str) -> None:
    """Threads, the order of columns and that of rows."""
    _, rows, survey = heart()
    frame: Any = survey.to_frame()
    shuffled = frame.sample(frac=1, random_state=2)[list(reversed(frame.columns))]
    again = ldag.read(shuffled, counts="count", missing="keep", states={v.name: v.states for v in rows.variables})
    answers = set()
    for data, jobs in ((survey, 1), (survey, 2), (again, 2)):
        if variety == "learn":
            answers.add(round(ldag.learn(data, method="grow", n_jobs=jobs).network.log_likelihood(rows), 7))
        else:
            answers.add(round(ldag.average(data, 3, method="grow", n_jobs=jobs).log_likelihood(rows), 7))
    assert len(answers) == 1


def test_seeds_differ() -> None:
    """Another seed fills other states in."""
    _, _, survey = heart()
    scores = {ldag.learn(survey, method="grow", rng=seed, **SIZES).score.total for seed in (0, 0, 1)}
    assert len(scores) == 2


def test_what_is_said() -> None:
    """How many cells were filled, and by what."""
    _, _, survey = heart()
    fit = ldag.learn(survey, method="grow", **SIZES)
    n_cells = int((survey.codes == GAP).sum(axis=0) @ survey.whole_weights)
    said = f"gaps: {n_cells} missing cells in {survey.n_with_gaps} observations filled by draws, first from tables of"
    assert said in str(fit)
    assert "then given the rest of the row from trees grown on that" in str(fit)
    assert fit.em is None


def test_without_time_nothing_is_grown_to_fill() -> None:
    """Tables there are in any case, and it is told."""
    _, _, survey = heart()
    plan = make_plan(survey, Settings.of(method="grow", **SIZES))
    cut = learn_filler(plan, plan.data, GapControl(stop=lambda: True))
    assert cut.stopped
    assert cut.trees == ()
    assert not cut.rows.has_gaps
    assert "cut short by the time limit" in cut.in_words()
    assert not ldag.learn(survey, method="grow", time_limit=1e-6).data.total < 400


def test_checkpoint(tmp_path: Path) -> None:
    """What fills the gaps is learned again, and the rest resumed: the answer is the same."""
    _, _, survey = heart()
    path = tmp_path / "run.ckpt"
    plain, first, again = (ldag.learn(survey, method="grow", kappa=0.3, checkpoint=kept) for kept in (None, path, path))
    assert plain.score == first.score == again.score
    assert plain.ldag == first.ldag == again.ldag


def test_required_edges_are_in_the_graph() -> None:
    """Whatever the tables that fill the gaps have."""
    _, _, survey = heart()
    names = list(survey.names)
    required = [(name, names[-1]) for name in names[:-1]]
    fit = ldag.learn(survey, method="grow", constraints=ldag.Constraints(required=required), **SIZES)
    assert set(required) <= set(fit.ldag.edges)


def test_what_is_learned_to_fill() -> None:
    """Tables of two parents at most, then trees, twice; gaps are drawn five times, and others not at all."""
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 2, (3, 600))
    table = {"a": a, "b": b, "c": c, "d": a + b + c}
    gapped = {name: [None if rng.random() < 0.1 else int(x) for x in column] for name, column in table.items()}
    data = ldag.read(gapped, missing="keep")
    filler = fill(data)
    assert max(map(len, filler.tables.parents)) == 2
    assert len(filler.trees) == 2
    assert not filler.stopped
    filled = filler.fill_test(data, None)
    has_gaps = (data.codes == GAP).any(axis=0)
    weights = data.whole_weights
    copies = np.where(has_gaps, np.clip(weights, 5, 50), 1)
    assert filled.rows.n_rows == copies.sum()
    assert filled.rows.total == pytest.approx(600)
    assert not filled.rows.has_gaps
    assert filled.rows.weights is not None
    seen = filled.seen @ filled.rows.weights
    assert seen == pytest.approx(((data.codes != GAP) * weights).sum(axis=1))


def test_a_row_for_many_observations_has_many_draws() -> None:
    """One for each, fifty at most; a table that is completed once has whole numbers."""
    _, _, survey = heart()
    heavy = survey.reweighed(survey.whole_weights * 120)
    filler = fill(heavy)
    n_gaps = int((heavy.codes == GAP).any(axis=0).sum())
    assert filler.fill_test(heavy, None).rows.n_rows == heavy.n_rows + 49 * n_gaps
    once = filler.complete(3)
    assert once.weights is not None
    assert once.weights.dtype == np.int64
    assert once.total == heavy.total
    assert (filler.complete(3).codes == once.codes).all()
    other = filler.complete(4)
    assert other.weights is not None
    assert other.weights.tolist() != once.weights.tolist()


def test_what_is_predicted_is_not_looked_at() -> None:
    """The target of held-out rows makes no difference to what the others are filled with, and stays as it was."""
    _, _, survey = heart()
    filler = fill(survey)
    target = 0
    data = filler.data
    codes = data.codes.copy()
    known = codes[target] != GAP
    codes[target, known] = 1 - codes[target, known]
    one, other = (
        filler.fill_test(Dataset(data.schema, own, data.weights), target).rows.codes for own in (data.codes, codes)
    )
    has_gaps = (data.codes == GAP).any(axis=0)
    first = int((~has_gaps).sum())
    assert (np.delete(one, target, 0)[:, first:] == np.delete(other, target, 0)[:, first:]).all()
    assert (one[target] != other[target]).any()


def test_cells_that_were_filled_do_not_count() -> None:
    """What is predicted of held-out rows is the sum over cells that were seen."""
    _, _, survey = heart()
    filler = fill(survey)
    test = filler.fill_test(filler.data, None)
    trees, smoothing = filler.trees[-1], Smoothing(4.0, "nested")
    families = [
        CountedFamily(family, np.ones((family.partition.n_classes, n), dtype=np.float64))
        for family, n in zip(trees.structure.families, filler.data.schema.n_states, strict=True)
    ]
    expected = 0.0
    weights = test.rows.weights
    assert weights is not None
    for node, one in enumerate(families):
        partition = one.family.partition
        means = estimate_means(partition, smoothing, class_counts(one.counts, partition))
        classes = partition.classes_of_rows(test.rows.codes[list(one.family.parents)])
        logs = np.log(means[classes, test.rows.codes[node]])
        expected += float(logs[test.seen[node]] @ weights[test.seen[node]])
    assert predict_fold(families, test.rows, [smoothing], test.seen) == pytest.approx((expected,))


def grown() -> tuple[ldag.Network, Trees]:
    """Return a grown network of three variables, and the same to draw from."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 500)
    b = np.where(rng.random(500) < 0.8, a, rng.integers(0, 3, 500))
    c = np.where(rng.random(500) < 0.7, (a + b) % 2, rng.integers(0, 2, 500))
    net = ldag.learn({"a": a, "b": b, "c": c}, method="grow", **SIZES).network
    assert len(net.ldag.edges) >= 2
    return net, Trees(net.ldag.structure, net.probabilities)


def test_a_cell_given_all_others() -> None:
    """Against exact queries, for every configuration."""
    net, trees = grown()
    variables = net.ldag.variables
    for codes in product(*(range(len(v.states)) for v in variables)):
        for node, variable in enumerate(variables):
            children = [k for k, family in enumerate(trees.structure.families) if node in family.parents]
            logs = _log_states(trees, node, children, np.array(codes, dtype=np.uint8)[:, None])[:, 0]
            others = {v.name: v.states[code] for v, code in zip(variables, codes, strict=True) if v is not variable}
            answer = net.query(variable.name, given=others)
            shares = np.exp(logs) / np.exp(logs).sum()
            assert shares == pytest.approx([answer[state] for state in variable.states])


def test_gaps_are_drawn_by_their_distribution() -> None:
    """After some rounds it is that of the network, wherever they began: here where all states are alike."""
    net, trees = grown()
    schema = net.ldag.schema
    codes = np.full((3, 4000), GAP, dtype=np.uint8)
    codes[1] = 2
    data = Dataset(schema, codes, None)
    filler = fill(ldag.read({"a": [0, 1, None], "b": [0, 1, 2], "c": [0, 1, None]}, missing="keep"))
    drawn = DrawnGaps(data, None, filler.tables, 1, 5, 1)
    for seed in range(10):
        drawn.redraw(trees, seed)
    rows = drawn.rows
    weights = rows.weights
    assert weights is not None
    for a, c in product(range(2), range(2)):
        given = {"b": schema[1].states[2]}
        first = net.query("a", given=given)[schema[0].states[a]]
        share = first * net.query("c", given={**given, "a": schema[0].states[a]})[schema[2].states[c]]
        found = weights[(rows.codes[0] == a) & (rows.codes[2] == c)].sum() / 4000
        assert found == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 4000))


def test_what_it_may_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """One round for small tables, a kilobyte for every column, trees of a size of 100, and half of the time."""
    _, _, survey = heart()
    controls: list[GapControl] = []
    sizes: list[object] = []

    class Watched(GapSearch):
        def __init__(self, plan: Plan, data: Dataset, control: GapControl) -> None:
            controls.append(control)
            super().__init__(plan, data, control)

    def watch(plan: Plan, candidate: Candidate) -> Plan:
        sizes.append((candidate.equivalent_sample_size, candidate.kappa, candidate.prior, candidate.levels))
        return choose(plan, candidate)

    choose = Plan.choose
    monkeypatch.setattr(filled_rows, "GapSearch", Watched)
    monkeypatch.setattr(Plan, "choose", watch)
    fit = ldag.learn(survey, method="grow", time_limit=1000, **SIZES)
    assert not fit.stopped
    (control,) = controls
    assert (control.most_rounds, control.tolerance, control.most_bytes) == (1, 0.3, 6000)
    assert control.deadline.left is not None
    assert 300 < control.deadline.left < 500
    assert sizes == [(10.0, 1.0, "labels", None), *[(100.0, 1.0, "parameters", True)] * 2]
    assert filled_rows.SMOOTHED_TO_FILL == (8, "nested")
    monkeypatch.setattr(filled_rows, "MANY_DRAWN", 2 * int((survey.codes == GAP).any(axis=0).sum()))
    filler = fill(survey)
    n_gaps = int((survey.codes == GAP).any(axis=0).sum())
    assert filler.fill_test(filler.data, None).rows.n_rows == survey.n_rows + n_gaps


def test_so_many_rows_are_drawn_at_most() -> None:
    """A million."""
    assert filled_rows.MANY_DRAWN == 1_000_000


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is grown there is nothing to return."""
    monkeypatch.setattr(filled_rows, "_grow", lambda *_: None)
    for call in (ldag.learn, ldag.average):
        with pytest.raises(KeyboardInterrupt):
            call(heart()[2], method="grow", **SIZES)
