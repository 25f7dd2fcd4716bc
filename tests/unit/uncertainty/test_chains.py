"""When chains that disagree go on, and that they mix where layers alone do not."""

import numpy as np
import pytest

import ldag
from ldag.uncertainty import chains
from ldag.uncertainty.chains import ChainRuns, ChainSettings, Diagnostics
from ldag.uncertainty.choices import check_method
from ldag.uncertainty.exact import OutOfTime


class Weights:
    """What weighs no families."""

    def log_weights(self, sets: object) -> tuple[()]:
        """Return nothing."""
        del sets
        return ()


def make_runs(n_iter: int, n_samples: int, r_hat: float) -> ChainRuns:
    """Runs of so many samples with this R-hat."""
    none = np.zeros((2, n_samples, 0), dtype=np.uint32)
    runs = ChainRuns((), None, [], np.ones(0), {}, none, none[:, :, 0:1], (), n_iter, False)  # type: ignore[arg-type]
    nothing = np.zeros((0, 0))
    runs.__dict__["diagnostics"] = Diagnostics(2, n_samples, nothing, nothing, nothing, nothing, (), False, r_hat)
    return runs


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rounds were run; of 4,000 the R-hat is 1.06, of more 1.04, and of 40,000 nothing is there in time."""
    n_iter: list[int] = []

    def run(_: object, _weights: object, _candidates: object, _sets: object, settings: ChainSettings) -> ChainRuns:
        n_iter.append(settings.n_iter)
        if settings.n_iter >= 40_000:
            raise OutOfTime
        return make_runs(settings.n_iter, settings.n_iter // 6, 1.06 if settings.n_iter <= 10_000 else 1.04)

    monkeypatch.setattr(chains, "_run_once", run)
    return n_iter


def run_chains(settings: ChainSettings) -> ChainRuns:
    """Run chains of nothing."""
    return chains.run_chains(Weights(), (), None, settings)  # type: ignore[arg-type]


def test_runs_that_disagree_begin_anew_unless_it_was_said_how_many_rounds(asked: list[int]) -> None:
    """Four times as many, once."""
    runs = run_chains(check_method("chain", None, 0, is_timed=False)[1])
    assert (asked, runs.n_iter, runs.is_short) == ([4_000, 16_000], 16_000, False)
    runs = run_chains(check_method("chain", 4_000, 0, is_timed=False)[1])
    assert (asked[2:], runs.n_iter) == ([4_000], 4_000)


def test_runs_that_agree_are_enough(asked: list[int]) -> None:
    """Nothing is run twice then."""
    assert run_chains(ChainSettings(n_iter=12_000, may_lengthen=True)).n_iter == 12_000
    assert asked == [12_000]


def test_without_time_for_more_what_is_there_counts(asked: list[int]) -> None:
    """As runs that were stopped early."""
    runs = run_chains(ChainSettings(n_iter=10_000, may_lengthen=True))
    assert (asked, runs.n_iter, runs.is_short) == ([10_000, 40_000], 10_000, True)


def test_chains_pass_between_graphs_that_turn_many_edges_at_once() -> None:
    """Runs along a chain of strongly dependent variables agree after few rounds, as the DAGs of layers change as well.

    Without changes of DAGs the largest R-hat was 1.46.
    """
    rng = np.random.default_rng(1)
    columns = {"x00": rng.integers(3, size=400)}
    for i in range(1, 12):
        same = rng.random(400) < 0.9
        columns[f"x{i:02}"] = np.where(same, columns[f"x{i - 1:02}"], rng.integers(3, size=400))
    post = ldag.posterior(
        columns, structure="table", equivalent_sample_size=1, max_parents=2, method="chain", n_iter=300, progress=False
    )
    assert post.diagnostics is not None
    assert post.diagnostics.max_r_hat < 1.1
