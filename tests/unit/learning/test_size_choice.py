"""Sample sizes are chosen with tables, no longer than it takes, and labels are searched at the size chosen."""

from collections.abc import Callable

import numpy as np
import pytest

import ldag
from ldag import CrossValidation, datasets
from ldag.learning import plan as plans
from ldag.learning.cross_validation import Candidate
from ldag.learning.folds import FoldScore, FoldSearches, Task
from ldag.learning.plan import make_plan
from ldag.learning.searches import SearchControl
from ldag.learning.settings import Settings

HEART = datasets.load("heart")
NOISE = (1.0, -1.0, 1.0, -1.0, 0.0)
"""Of five folds: mean 0, standard deviation 1."""


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Candidate, int], float]], None]:
    """Replace searches on folds by a formula."""

    def install(score: Callable[[Candidate, int], float]) -> None:
        def run(self: FoldSearches, task: Task, _: SearchControl) -> FoldScore:
            scores = (score(task.candidate, task.fold),) * len(self.smoothings)
            return FoldScore(scores, None, is_final=True, score=0.0)

        monkeypatch.setattr(FoldSearches, "run", run)

    return install


@pytest.mark.parametrize(("ahead", "n_folds"), [(0.94, 8), (0.96, 5)])
def test_a_race_ends_when_other_folds_hardly_change_it(
    ahead: float, n_folds: int, scored: Callable[[Callable[[Candidate, int], float]], None]
) -> None:
    """After 5 of 10 folds that scatter by 1, a lead of 3 sqrt(5 / 50) = 0.949 standard deviations."""

    def score(one: Candidate, fold: int) -> float:
        return 0.0 if one.equivalent_sample_size == 30 else -ahead - NOISE[fold % 5]

    scored(score)
    compared = ldag.cross_validate(HEART, structure="table", method="climb", n_jobs=1)
    assert compared.best.equivalent_sample_size == 30
    assert len(compared.scores[compared.best]) == n_folds


@pytest.mark.parametrize(("ahead", "size"), [(0.22, 10.0), (0.23, 300.0)])
def test_sizes_that_predict_alike_give_way_to_ten(ahead: float, size: float) -> None:
    """Within half a standard error, which is 0.5 / sqrt(5) = 0.224 here."""
    scores = {
        Candidate(1.0, 300.0, "table"): (0.0,) * 5,
        Candidate(1.0, 10.0, "table"): tuple(-ahead - noise for noise in NOISE),
    }
    assert CrossValidation(scores, 10).best.equivalent_sample_size == size


def test_labels_have_the_size_that_tables_predict_best_with() -> None:
    """Tables at several sizes, labels at one of them; the file of the network keeps all of that."""
    cv = ldag.learn(HEART).cv
    assert cv is not None
    assert cv.kind == ("ldag", "labels") == cv.best.kind
    sizes = {
        kind: {one.equivalent_sample_size for one in cv.scores if one.structure == kind} for kind in ("table", "ldag")
    }
    assert sizes["ldag"] == {cv.best.equivalent_sample_size}
    assert len(sizes["table"]) > 2
    tables = ldag.cross_validate(HEART, structure="table")
    assert cv.best.equivalent_sample_size == tables.best.equivalent_sample_size
    assert CrossValidation.from_dict(cv.to_dict()) == cv
    assert "ldag has the sample size that tables, which are quick, predict best with" in str(cv)


@pytest.mark.parametrize(("n_rows", "is_priced"), [(59, True), (60, False)])
def test_of_few_rows_a_price_for_parameters_is_compared(n_rows: int, is_priced: bool) -> None:
    """With fewer than five for each of 12 variables, which are independent here: what looks like edges is chance."""
    rng = np.random.default_rng(1)
    fit = ldag.learn({f"v{i:02}": rng.integers(0, 2, n_rows) for i in range(12)}, method="climb")
    assert fit.cv is not None
    assert ("parameters" in {one.prior for one in fit.cv.scores}) == is_priced
    assert ("few rows for so many variables" in str(fit)) == (fit.prior == "parameters") == is_priced


def test_many_variables_have_fewer_sizes_and_a_price_for_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each order of magnitude, and no plain tables, which would take long."""
    monkeypatch.setattr(plans, "MANY_VARIABLES", 11)
    rng = np.random.default_rng(1)
    fit = ldag.learn({f"v{i:02}": rng.integers(0, 2, 40) for i in range(12)}, method="climb")
    assert fit.cv is not None
    assert {one.prior for one in fit.cv.scores} == {"parameters"}
    assert {one.equivalent_sample_size for one in fit.cv.scores} <= {1, 10, 100, 1000}


def test_where_restarts_with_labels_take_long_they_are_made_with_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless their number is given; labels are climbed from there, and end no lower than without any restart."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(12, rng=1), rng=1).sample(500, rng=1)
    asked = Settings.of(equivalent_sample_size=10, method="climb")
    assert make_plan(data, asked).tables_first() is None
    monkeypatch.setattr(plans, "MANY_COUNTS", 0)
    tables = make_plan(data, asked).tables_first()
    assert tables is not None
    assert tables.problem.families.structure == "table"
    assert tables.search == ldag.Climb(n_restarts=100)
    assert make_plan(data, asked.with_(n_restarts=3)).tables_first() is None
    assert make_plan(data, asked.with_(structure="table")).tables_first() is None
    fit = ldag.learn(data, equivalent_sample_size=10, method="climb")
    assert fit.structure == "ldag"
    assert fit.score.total >= ldag.learn(data, equivalent_sample_size=10, method="climb", n_restarts=0).score.total
