"""What doors check arguments with."""

import numpy as np
import pytest

from ldag.checks import check_jobs, check_seed, check_share, check_whole
from ldag.errors import ArgumentError


def test_seeds() -> None:
    """Whole numbers below 2^63, a generator, or nothing; what is refused says why."""
    assert check_seed(None) == 0
    assert check_seed(2**63 - 1) == 2**63 - 1
    assert check_seed(np.uint32(7)) == 7  # type: ignore[arg-type]  # numpy's numbers count too
    with pytest.raises(
        ArgumentError, match=r"rng must be below 2\^63 = 9,223,372,036,854,775,808, got 922337203685477"
    ):
        check_seed(2**63)
    for wrong in (-1, 1.5, "1", True):
        with pytest.raises(ArgumentError, match="a whole number, 0 or more, a numpy Generator or None, got"):
            check_seed(wrong)  # type: ignore[arg-type]  # what is refused


def test_whole_numbers() -> None:
    """Numpy's count, booleans do not."""
    assert check_whole(np.int64(3), "max_parents") == 3  # type: ignore[arg-type]  # numpy's numbers count too
    assert check_jobs(np.int32(2)) == 2  # type: ignore[arg-type]  # here as well
    for wrong in (0, 2.0, True, "2"):
        with pytest.raises(ArgumentError, match="max_parents must be a whole number, 1 or more, got"):
            check_whole(wrong, "max_parents")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ArgumentError, match="1 to 1,000, got 1001"):
        check_whole(1001, "n", most=1000)


def test_shares() -> None:
    """From 0 to 1, or strictly between."""
    assert check_share(1, "level") == 1.0
    with pytest.raises(ArgumentError, match="level must be a number between 0 and 1, got 1"):
        check_share(1, "level", inside=True)
