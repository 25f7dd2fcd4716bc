"""Telling how far long work is, on a terminal, in a notebook or in a file of messages, and when its time is up."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from math import ceil, inf, isfinite
from typing import Any

from ldag.checks import is_number
from ldag.errors import ArgumentError, argument

ProgressReport = Mapping[str, float]
"""How far work is: parts done, parts in total, those of them that changed the graph (chains), and the best score.

A proof also has its gap: how much better a graph could be at most.

The best score is not a number as long as there is none: in cross-validation, and before the end of an exact search.
"""

Listener = Callable[[ProgressReport], object]

Progress = bool | Listener | None
"""True or False to show it or not, a function to be told, or None: shown in a notebook and on a terminal, and elsewhere
as a line on standard error every half minute."""


@dataclass(frozen=True)
class Deadline:
    """A moment at which work has to end, or none; on the clock of the machine, so that processes can share it."""

    at: float | None = None

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """Return the moment after so many seconds from now, or none."""
        return cls(None if seconds is None else time.time() + seconds)

    @property
    def is_set(self) -> bool:
        """Whether there is one."""
        return self.at is not None

    @property
    def left(self) -> float | None:
        """Seconds that are left, 0 or more; None if there is no end."""
        return None if self.at is None else max(self.at - time.time(), 0.0)

    @property
    def is_over(self) -> bool:
        """Whether it has passed."""
        return self.left == 0.0

    def share(self, part: float) -> "Deadline":
        """Return the end of a part of the time that is left."""
        left = self.left
        return self if left is None else Deadline.after(min(part, 1.0) * left)

    def within(self, seconds: float | None) -> "Deadline":
        """Return this deadline, or so many seconds from now if that is earlier."""
        left = self.left
        return self if seconds is None or (left is not None and left < seconds) else Deadline.after(seconds)

    def at_least(self, seconds: float) -> "Deadline":
        """Return this deadline, or so many seconds from now if that is later."""
        left = self.left
        return self if left is None or left >= seconds else Deadline.after(seconds)


NO_DEADLINE = Deadline()

LINE_EVERY = 30.0
"""Seconds between two lines where there is no terminal."""


class ProgressDisplay:
    """One row on the terminal or in a notebook, written over and over.

    Time left is told from what happened since the first report, as work may resume from a checkpoint, and is never more
    than the deadline leaves.
    """

    def __init__(self, title: str, deadline: Deadline) -> None:
        self._title = title
        self._deadline = deadline
        self._first: tuple[float, float] | None = None

    def __call__(self, report: ProgressReport) -> None:
        """Show a report."""
        now = time.monotonic()
        done, total, best = report["done"], report["total"], report["best"]
        if self._first is None:
            self._first = now, done
        began, done_before = self._first
        parts = [self._title]
        share, left = self._time(now - began, done - done_before, total - done if total else inf)
        share = max(done / total, share) if total else share
        if total:
            parts.append(f"{100 * share:.0f} %")
        if isfinite(left):
            parts.append(f"{_duration(left)} left")
        if isfinite(best):
            parts.append(f"best score {best:.2f}")
        if "gap" in report:
            parts.append(f"gap {report['gap']:.2f}")
        if report["accepted"] and done:
            parts.append(f"{100 * report['accepted'] / done:.0f} % accepted")
        self.show(share, ", ".join(parts))

    def show(self, share: float, text: str) -> None:
        """Write over the row."""
        del share
        sys.stderr.write("\r\x1b[K" + text)
        sys.stderr.flush()

    def _time(self, spent: float, done: float, missing: float) -> tuple[float, float]:
        """Return the share of a limited time that is spent, if that is what will end the work, and the time left."""
        estimate = spent * missing / done if done > 0 else inf
        limit = self._deadline.left
        if limit is None or estimate < limit:
            return 0.0, estimate
        return spent / (spent + limit) if spent else 0.0, limit

    def clear(self) -> None:
        """Take the row away."""
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class LineDisplay(ProgressDisplay):
    """The same in a file of messages: a line every half minute, so that whoever looks sees that it goes on."""

    def __init__(self, title: str, deadline: Deadline) -> None:
        super().__init__(title, deadline)
        self._last = time.monotonic()

    def show(self, share: float, text: str) -> None:
        """Write a line if the last one is old."""
        del share
        if time.monotonic() - self._last < LINE_EVERY:
            return
        self._last = time.monotonic()
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def clear(self) -> None:
        """Leave the lines."""


class NotebookDisplay(ProgressDisplay):
    """The same as a bar and a line of text below a notebook's cell; it needs no widgets, and leaves nothing behind."""

    def __init__(self, title: str, deadline: Deadline) -> None:
        super().__init__(title, deadline)
        self._handle: Any = None
        self._last = -inf

    def show(self, share: float, text: str) -> None:
        """Replace what is shown, ten times a second at most."""
        if time.monotonic() - self._last < 0.1:
            return
        self._last = time.monotonic()
        bar = f'<progress value="{share:.3f}" max="1" style="vertical-align:middle"></progress>'
        self._put(f"<div>{bar} {escape(text)}</div>", text)

    def clear(self) -> None:
        """Take it away."""
        if self._handle is not None:
            self._put("", "")

    def _put(self, html: str, text: str) -> None:
        display = sys.modules["IPython"].display.display
        content = {"text/html": html, "text/plain": text}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def is_notebook() -> bool:
    """Whether this runs in a notebook's kernel; IPython is asked if it is there, and not loaded."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


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


def check_progress(progress: Progress) -> Progress:
    """Check who is to be told."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise ArgumentError(f"progress must be True, False, None or a function, got {progress!r}")
    return progress


@contextmanager
def listen(progress: Progress, title: str, deadline: Deadline) -> Iterator[Listener | None]:
    """Give whoever reports go to, if anybody; what is shown is taken away at the end."""
    if progress is not None and not isinstance(progress, bool):
        yield progress
        return
    if progress is False:
        yield None
        return
    display = _display(progress)(title, deadline)
    try:
        yield display
    finally:
        display.clear()


def _display(progress: bool | None) -> type[ProgressDisplay]:
    """Return where progress is shown; unless it is asked for, as a line now and then where nobody watches."""
    if is_notebook():
        return NotebookDisplay
    return ProgressDisplay if progress or sys.stderr.isatty() else LineDisplay


def check_time_limit(limit: float | None) -> float | None:
    """Check a number of seconds."""
    if limit is None:
        return None
    if not is_number(limit) or not 0 < limit < float("inf"):
        raise ArgumentError(f"{argument('time_limit')} must be a number of seconds above 0, got {limit!r}")
    return float(limit)
