"""Telling how far long work is, on standard error and only on a terminal, and when to stop it."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, isfinite

from ldag.checks import is_number
from ldag.errors import ArgumentError

Report = Mapping[str, float]
"""How far work is: parts done, parts in total, those of them that changed the graph (chains), and the best score.

The best score is not a number as long as there is none: in cross-validation, and before the end of an exact search.
"""

Progress = bool | Callable[[Report], object] | None
"""True or False to show it or not, a function to be told, or None: shown if standard error is a terminal."""


@dataclass
class Watch:
    """Passes reports on, and says when the time is up."""

    tell: Callable[[Report], object] | None
    time_limit: float | None
    is_late: bool = False

    def __post_init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, report: Report) -> bool:
        """Pass a report on; tell whether to stop."""
        if self.tell is not None:
            self.tell(report)
        if self.time_limit is not None and time.monotonic() - self._started > self.time_limit:
            self.is_late = True
        return self.is_late


class ProgressLine:
    """One line on the terminal, written over and over.

    Time left is told from what happened since the first report, as work may go on from a checkpoint.
    """

    def __init__(self, title: str) -> None:
        self._title = title
        self._first: tuple[float, float] | None = None

    def __call__(self, report: Report) -> None:
        """Show a report."""
        now = time.monotonic()
        done, total, best = report["done"], report["total"], report["best"]
        if self._first is None:
            self._first = now, done
        began, done_before = self._first
        parts = [self._title]
        if total:
            parts.append(f"{100 * done / total:.0f} %")
        if total and done > done_before:
            parts.append(f"{_duration((now - began) * (total - done) / (done - done_before))} left")
        if isfinite(best):
            parts.append(f"best score {best:.2f}")
        if report["accepted"] and done:
            parts.append(f"{100 * report['accepted'] / done:.0f} % accepted")
        sys.stderr.write("\r\x1b[K" + ", ".join(parts))
        sys.stderr.flush()

    @staticmethod
    def clear() -> None:
        """Take the line away."""
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def _duration(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> [_duration(seconds) for seconds in (0.2, 99, 3600, 8000)]
    ['1 s', '99 s', '60 min', '2.2 h']
    """
    if seconds < 100:
        return f"{ceil(seconds)} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def choose_listener(progress: Progress, title: str) -> Callable[[Report], object] | None:
    """Return what reports go to, if anything."""
    if progress is None:
        progress = sys.stderr.isatty()
    if isinstance(progress, bool):
        return ProgressLine(title) if progress else None
    if not callable(progress):
        raise ArgumentError(f"progress must be True, False, None or a function, got {progress!r}")
    return progress


def check_time_limit(limit: float | None) -> float | None:
    """Check a number of seconds."""
    if limit is None:
        return None
    if not is_number(limit) or not 0 < limit < float("inf"):
        raise ArgumentError(f"time_limit must be a number of seconds above 0, got {limit!r}")
    return float(limit)
