"""Warnings of what reading did, where the user wrote the call."""

import inspect
import warnings
from collections.abc import Sequence

from ldag.errors import DataNote


def tell(notes: Sequence[str], kind: type[Warning] = DataNote) -> None:
    """Warn of what reading did, where no data set is handed out that could tell it itself, or of something else."""
    if notes:
        warnings.warn("; ".join(notes), kind, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Return how far up the first line is that is not this library's: a warning is about what the user wrote."""
    frame = inspect.currentframe()
    level = 0
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "ldag":
        frame = frame.f_back
        level += 1
    return level
