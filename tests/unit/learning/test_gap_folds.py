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
    (right,) = predict_gaps(families, data, smoothings, None)
    assert right == pytest.approx(7 * np.log(0.5))
    monkeypatch.setattr(gap_folds, "PREDICTING_BYTES", 0)
    assert predict_gaps(families, data, smoothings, None) == pytest.approx((2 * right,))
    assert predict_gaps(families, data, smoothings, 0) == pytest.approx((6 * np.log(0.5),))
