"""Folds of data with gaps: what predicts the cells that are there."""

import numpy as np
import pytest

import ldag
from ldag.learning import gap_folds
from ldag.learning.gap_folds import predict_gaps
from ldag.learning.structures import CountedFamily
from ldag.model import CodedFamily, Grid, Partition, Smoothing


def test_a_graph_nobody_can_compute_with_never_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor where all states are equally probable, as here, and guessing is as good as anything."""
    grid = Grid(())
    partition = Partition.of(grid, np.zeros(1, dtype=np.int64))
    counts = np.array([[5.0, 5.0]])
    families = [CountedFamily(CodedFamily.from_partition((), partition), counts)] * 2
    data = ldag.read({"a": ["0", "1", None, "1"], "b": ["0", "0", "1", "1"]}, missing="keep")
    smoothings = [Smoothing(1.0, "configurations")]
    weights = data.whole_weights
    (logs,) = predict_gaps(families, data, smoothings, None)
    right = logs @ weights
    assert right == pytest.approx(7 * np.log(0.5))
    monkeypatch.setattr(gap_folds, "PREDICTING_BYTES", 0)
    (guessed,), (of_target,) = (predict_gaps(families, data, smoothings, target) for target in (None, 0))
    assert guessed @ weights == pytest.approx(2 * right)
    assert of_target @ weights == pytest.approx(6 * np.log(0.5))
