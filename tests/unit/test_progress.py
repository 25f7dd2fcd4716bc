"""Deadlines, and the time left as it is shown."""

import re
import sys
import time
from types import SimpleNamespace

import pytest

from ldag.progress import LINE_EVERY, NO_DEADLINE, Deadline, ProgressDisplay, is_notebook, listen


def test_no_deadline_is_never_over() -> None:
    """Nor is a part of it."""
    never = Deadline.after(None)
    assert never.left is None
    assert not never.share(0.5).is_set
    assert not never.is_over
    assert never.within(None) is never


def test_deadlines_are_shared_and_cut() -> None:
    """The earlier of two, a part of what is left, and a moment at least."""
    deadline = Deadline.after(10.0)
    assert deadline.share(0.5).left == pytest.approx(5, abs=0.5)
    assert deadline.within(2.0).left == pytest.approx(2, abs=0.5)
    assert deadline.within(20.0) is deadline
    past = Deadline.after(0.0)
    assert past.is_over
    assert past.at_least(1.0).left == pytest.approx(1, abs=0.5)
    assert deadline.at_least(1.0) is deadline


def test_the_time_left_respects_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    """Work that would take hours ends in three seconds."""
    display = ProgressDisplay("climb", Deadline.after(3.0))
    for done in (1, 2):
        display({"done": done, "total": 10**9, "accepted": 0, "best": -1.0})
        time.sleep(0.01)
    shown = capsys.readouterr().err.split("\r\x1b[K")[-1]
    assert re.fullmatch(r"climb, \d %, [123] s left, best score -1\.00", shown)


def test_a_limit_that_ends_the_work_is_what_it_is_measured_by(capsys: pytest.CaptureFixture[str]) -> None:
    """Half of the time is half of the work where there is more to do than time."""
    display = ProgressDisplay("climb", Deadline.after(1.0))
    display({"done": 1, "total": 10**9, "accepted": 0, "best": -1.0})
    time.sleep(0.5)
    display({"done": 2, "total": 10**9, "accepted": 0, "best": -1.0})
    shown = re.search(r"(\d+) %, 1 s left", capsys.readouterr().err.split("\r\x1b[K")[-1])
    assert shown is not None
    assert 40 <= int(shown[1]) <= 100


def test_work_without_a_known_end_has_no_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    """A total of 0: nobody knows how many steps there will be."""
    display = ProgressDisplay("EM", NO_DEADLINE)
    for done in (1, 2):
        display({"done": done, "total": 0, "accepted": 0, "best": -1.0})
        time.sleep(0.01)
    assert capsys.readouterr().err.split("\r\x1b[K")[-1] == "EM, best score -1.00"


class Kernel:
    """Stands in for a notebook: keeps what is displayed, in one place that is updated."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []
        self.display = SimpleNamespace(display=self._display)

    def get_ipython(self) -> SimpleNamespace:
        """Return a shell that has a kernel, as notebooks have and terminals have not."""
        return SimpleNamespace(kernel=object())

    def _display(self, content: dict[str, str], raw: bool, display_id: bool) -> SimpleNamespace:
        assert raw
        assert display_id
        self.shown.append(content)
        return SimpleNamespace(update=self._update)

    def _update(self, content: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown.append(content)


def test_notebooks_get_a_bar_that_goes_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Escaped, and nothing is written to the standard streams."""
    assert not is_notebook()
    kernel = Kernel()
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    with listen(None, "climb <b>", NO_DEADLINE) as listener:
        assert listener is not None
        listener({"done": 1, "total": 4, "accepted": 0, "best": -1.0})
        listener({"done": 2, "total": 4, "accepted": 0, "best": -1.0})
    first, last = kernel.shown
    assert 'value="0.250"' in first["text/html"]
    assert "climb &lt;b&gt;, 25 %" in first["text/html"]
    assert last == {"text/html": "", "text/plain": ""}
    assert capsys.readouterr() == ("", "")


def test_where_nobody_watches_a_line_comes_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every half minute on standard error, whole lines, and none if it was asked for silence."""
    report = {"done": 1, "total": 4, "accepted": 0, "best": -1.0}
    now = [100.0]
    monkeypatch.setattr("ldag.progress.time.monotonic", lambda: now[0])
    with listen(None, "climb", NO_DEADLINE) as listener:
        assert listener is not None
        for seconds in (1, 28, 2, 10, 21):
            now[0] += seconds
            listener(report)
    assert LINE_EVERY == 30
    assert capsys.readouterr().err.splitlines() == ["climb, 25 %, best score -1.00"] * 2
    with listen(False, "climb", NO_DEADLINE) as nobody:
        assert nobody is None
