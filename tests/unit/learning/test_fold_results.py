"""What an average gains over one network, measured on folds, and how `learn` tells it."""

from dataclasses import replace
from itertools import islice
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.constraints.space import random_order
from ldag.learning import AverageGain, Candidate, Settings, make_plan
from ldag.learning.content_order import order_by_content
from ldag.learning.fold_results import GAIN_MEMBERS, count_gain_folds, measure_average, members_like
from ldag.learning.folds import cut_folds
from ldag.model import Smoothing


@pytest.fixture(scope="module")
def data() -> ldag.Dataset:
    """Two, three and four states, some of which depend on each other."""
    rng = np.random.default_rng(1)
    a, b, c = rng.integers(0, 2, 300), rng.integers(0, 3, 300), rng.integers(0, 4, 300)
    d = np.where(rng.random(300) < 0.7, (a + b) % 3, rng.integers(0, 3, 300))
    e = np.where(rng.random(300) < 0.6, c, rng.integers(0, 4, 300))
    return ldag.read({"a": a, "b": b, "c": c, "d": d, "e": e, "f": (d + (rng.random(300) < 0.2)) % 3})


def test_the_gain_is_that_of_networks_learned_one_by_one(data: ldag.Dataset) -> None:
    """Orders as constraints, probabilities of rows by inference."""
    plan = make_plan(data, Settings.of(kappa=0.3, equivalent_sample_size=2, smoothing=1, rng=3, method="exact"))
    one = Candidate(0.3, 2.0, "ldag", Smoothing(1.0, "configurations"))
    measured = measure_average(plan, one, members_like(plan, one), 2)
    work = order_by_content(plan.data)
    space = plan.over(work).problem.space
    orders = [
        random_order(space.candidates, space.required, np.random.default_rng([3, k])) for k in range(GAIN_MEMBERS)
    ]
    gains: list[float] = []
    for fold in islice(cut_folds(work, 10, 3), 2):
        single = ldag.learn(fold.train, kappa=0.3, equivalent_sample_size=2, smoothing=1).network
        members = [
            ldag.learn(
                fold.train,
                structure="table",
                equivalent_sample_size=2,
                smoothing=1,
                constraints=ldag.Constraints(order=[work.names[node] for node in order]),
            ).network
            for order in orders
        ]
        for row, count in zip(fold.test.codes.T.tolist(), fold.test.whole_weights.tolist(), strict=True):
            states = {v.name: v.states[code] for v, code in zip(work.variables, row, strict=True)}
            many = np.mean([member.probability(states) for member in members])
            gains += [log(many) - log(single.probability(states))] * count
    assert measured.n_rows == len(gains) == 60
    assert measured.gain == pytest.approx(np.mean(gains), abs=1e-9)
    assert measured.error == pytest.approx(np.std(gains, ddof=1) / np.sqrt(len(gains)), abs=1e-9)
    empty = {0: ((),) * 6, 1: ((),) * 6}
    better = measure_average(plan, one, members_like(plan, one), 2, empty)
    assert better.gain > measured.gain  # than a graph without edges, if that is said to be the one


def test_enough_folds_are_searched_and_no_more(data: ldag.Dataset) -> None:
    """Those with 500 rows together, as far as four seconds go; none if one takes longer."""
    plan = make_plan(data, Settings.of(kappa=0.1))
    assert count_gain_folds(plan, "ldag", 4.0) == 10
    thousands = replace(plan, data=data.reweighed(data.whole_weights * 5))
    assert count_gain_folds(thousands, "ldag", 4.0) == 4
    climb = 1.1e-9 * data.n_rows * 36
    assert count_gain_folds(plan, "ldag", 3.01 * 18 * climb) == 3
    assert count_gain_folds(plan, "table", 3.01 * 11 * climb) == 3
    assert count_gain_folds(plan, "ldag", 0.99 * 18 * climb) == 0


def test_a_fit_tells_what_an_average_gains(data: ldag.Dataset) -> None:
    """If sizes were chosen on folds; otherwise the average measures it itself, of the same networks."""
    fit = ldag.learn(data, kappa=0.1, equivalent_sample_size="cv", smoothing="cv")
    assert fit.average_gain is not None
    assert fit.average_gain.n_rows == 300
    call = ": fit.average()" if fit.average_gain.is_better else ""
    assert f"an average of 10 networks predicts {fit.average_gain.in_words()}{call}\n" in str(fit)
    many = fit.average(4)
    assert many.gain == fit.average_gain
    assert f"10 of them against one network, on 300 held-out rows: {many.gain.in_words()}" in str(many)
    given = ldag.learn(data, kappa=0.1, equivalent_sample_size=fit.equivalent_sample_size, smoothing=fit.smoothing)
    assert given.average_gain is None
    assert "several networks often predict better than one: fit.average() learns them" in str(given)
    measured = given.average(4).gain
    assert measured.n_rows == 300
    assert measured == given.average(2).gain
    assert fit.average(4, n_jobs=1).gain == fit.average_gain
    assert fit.average(4, kappa=0.9).gain != fit.average_gain
    limited = ldag.learn(data, kappa=0.1, equivalent_sample_size="cv", time_limit=60)
    assert limited.average_gain is None


def test_what_is_not_sure_is_not_promised() -> None:
    """Two standard errors, and digits that the error allows."""
    clear, unclear = AverageGain(0.021, 0.01, 10, 500), AverageGain(-0.019, 0.01, 10, 500)
    assert clear.in_words() == "better by about 0.021 ± 0.010 nats per row"
    assert unclear.in_words() == "about as well (no clear difference: -0.019 ± 0.010 nats per row)"
    assert AverageGain(0.8531, 0.0384, 10, 900).in_words() == "better by about 0.853 ± 0.038 nats per row"
    assert AverageGain(-0.5, 0.21, 10, 900).in_words() == "worse by about 0.5 ± 0.2 nats per row"
    assert AverageGain(0.0, 0.0, 10, 900).in_words() == "the same"
    better = [clear, AverageGain(0.019, 0.01, 10, 500), AverageGain(1e-5, 0.0, 10, 500), unclear]
    assert [gain.is_better for gain in better] == [True, False, False, False]


def test_one_variable_has_nothing_to_average() -> None:
    """A fit says nothing about it."""
    assert "average" not in str(ldag.learn({"a": [0, 1] * 20}))


def test_a_checkpoint_keeps_the_gain(data: ldag.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not measured again."""
    first = ldag.learn(data, checkpoint=tmp_path / "kept.json")
    monkeypatch.setattr("ldag.learning.pipeline.measure_average", None)
    assert ldag.learn(data, checkpoint=tmp_path / "kept.json").average_gain == first.average_gain


def test_rows_drawn_again_that_predict_worse_are_told() -> None:
    """Where every row is different and nothing depends on anything, what is drawn twice is learned by heart."""
    rng = np.random.default_rng(2)
    data = ldag.read({f"x{i}": rng.integers(0, 4, 300) for i in range(8)})
    settings: dict[str, Any] = {"equivalent_sample_size": 12, "smoothing": 1, "n_jobs": 2}
    bad = ldag.average(data, 4, by="bootstrap", **settings)
    assert bad.gain is not None
    assert bad.gain.is_worse
    assert bad.notes[-1] == "one network predicts better than these do, where rows are drawn again; use by='order'"
    good = ldag.average(data, 4, **settings)
    assert good.gain is not None
    assert good.gain.gain > bad.gain.gain
    assert not any("predicts better" in note for note in good.notes)
