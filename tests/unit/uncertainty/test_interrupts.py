"""Ctrl-C and time limits in bootstraps, averages and posteriors."""

import time
import warnings
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ldag
from ldag import progress
from ldag.errors import ArgumentError, TooLarge
from ldag.uncertainty import members
from tests.interrupts import interrupted


def table(n: int, n_rows: int = 500) -> ldag.Dataset:
    """Columns of 2 to 4 states that depend on each other."""
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 2 + i % 3, n_rows) for i in range(n)]
    for i in range(2, n):
        same = rng.random(n_rows) < 0.6
        columns[i] = np.where(same, (columns[i - 1] + columns[i - 2]) % (2 + i % 3), columns[i])
    return ldag.read({f"v{i:02}": column.astype(str) for i, column in enumerate(columns)})


SMALL, LARGE = table(8), table(16)

Work = Callable[[], ldag.Bootstrap | ldag.Mixture]


@pytest.mark.parametrize("after", [0.15, 0.3])
@pytest.mark.parametrize(
    "work",
    [
        lambda: ldag.bootstrap(SMALL, 10**6, kappa=0.1, max_parents=3, equivalent_sample_size=1),
        lambda: ldag.bootstrap(SMALL, 10**6, kappa=0.1, method="climb", equivalent_sample_size=1),
        lambda: ldag.average(SMALL, 10**6, kappa=0.1, equivalent_sample_size=1),
    ],
)
def test_members_that_were_learned_are_returned(work: Work, after: float) -> None:
    """At once, with a warning, and the rest is told; of nothing learned nothing comes."""
    with warnings.catch_warnings(record=True) as told, interrupted(after) as sent:
        warnings.simplefilter("always")
        try:
            result = work()
        except KeyboardInterrupt:
            pytest.skip("nothing was learned so early")
        assert time.monotonic() - sent[0] < 10
    assert "was interrupted; this is what it had learned" in str(told[0].message)
    assert "of 1,000,000 searches came to their end when it was interrupted; the others are left out" in result.notes[0]


@pytest.mark.parametrize("after", [0.1, 0.4])
@pytest.mark.parametrize("options", [{"method": "exact", "max_parents": 6}, {"method": "chain", "n_iter": 10**7}])
def test_a_posterior_ends_at_once(options: dict[str, object], after: float) -> None:
    """With the samples that chains have, or with nothing."""
    with interrupted(after) as sent:
        try:
            post = ldag.posterior(LARGE, kappa=0.3, **options)  # type: ignore[call-overload]
        except KeyboardInterrupt:
            pass
        else:
            assert post.diagnostics is not None
            assert post.diagnostics.stopped
        assert time.monotonic() - sent[0] < 10


def test_chains_return_the_samples_that_they_have() -> None:
    """When they are interrupted after the rounds that do not count; they do not claim to have converged."""

    def interrupt(report: Mapping[str, float]) -> None:
        if report["total"] == 4 * 10_000 and report["done"] > 0.7 * report["total"]:  # that of the chains
            raise KeyboardInterrupt

    post = ldag.posterior(
        table(5), kappa=0.3, max_parents=2, method="chain", n_iter=8_000, n_jobs=4, progress=interrupt
    )
    assert post.diagnostics is not None
    assert "NOT converged, stopped early" in str(post)
    assert post.diagnostics.n_samples < 8_000 // 6
    assert len(post.sample(100)) == 100


def test_chains_end_in_time() -> None:
    """With what they have, or with a message if that is too little."""
    began = time.monotonic()
    with pytest.raises(TooLarge, match="samples of the chains were not there within the time limit"):
        ldag.posterior(table(10), kappa=0.3, max_parents=2, method="chain", n_iter=10**7, time_limit=1)
    assert time.monotonic() - began < 10


def test_an_exact_posterior_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no half of it; the message says what to do."""
    began, late = time.time(), [0.0]

    def linger(_: Mapping[str, float]) -> None:
        late[0] = 1000.0  # the first report comes long before the work can be done, on any machine

    monkeypatch.setattr(progress, "time", SimpleNamespace(time=lambda: began + late[0], monotonic=time.monotonic))
    limits: dict[str, Any] = {"max_parents": 4, "structure": "ldag", "equivalent_sample_size": 1}
    with pytest.raises(
        TooLarge, match=r"the exact posterior was not there within the time limit; give a longer time_limit"
    ):
        ldag.posterior(LARGE, kappa=0.3, method="exact", time_limit=500, progress=linger, **limits)
    monkeypatch.undo()
    with pytest.raises(TooLarge, match=r"takes about .* seconds of CPU, and time_limit is 1; use method 'chain'"):
        ldag.posterior(table(20), kappa=0.3, method="exact", time_limit=1)
    with pytest.raises(ArgumentError, match="time_limit must be a number of seconds above 0"):
        ldag.posterior(SMALL, kappa=0.3, time_limit=0)


def test_reading_takes_its_part_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock runs from the call on, not from when the table is there."""

    def read_slowly(given: ldag.Dataset, **_: object) -> ldag.Dataset:
        time.sleep(0.4)
        return given

    monkeypatch.setattr(members, "check_data", read_slowly)
    with pytest.raises(TooLarge, match="came to its end before the time was over"):
        ldag.bootstrap(SMALL, 100, kappa=0.1, time_limit=0.3, equivalent_sample_size=1)
