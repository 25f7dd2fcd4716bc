"""Pens by the endings of files: a new one is a function and a line."""

from pathlib import Path

import pytest

import ldag
from ldag.drawing import PENS, Drawing
from ldag.drawing.marks import flatten
from tests.command import run


def list_marks(drawing: Drawing) -> str:
    """Write what is drawn, a line for each mark: a pen."""
    return "\n".join(str(mark) for mark in flatten(drawing.marks))


def test_a_new_pen_is_a_function_and_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then graphs, sheets, charts and the command line draw with it, and refusals name it."""
    monkeypatch.setitem(PENS, ".txt", list_marks)
    net = ldag.simulate.guard()
    for number, thing in enumerate([net, net.ldag, net.ldag.as_multinet("person"), net.classes("badge")]):
        thing.save(tmp_path / f"{number}.txt")
        assert "text='badge" in (tmp_path / f"{number}.txt").read_text()
    run("plot", "guard", "-o", str(tmp_path / "guard.txt"))
    assert "text='not if person is visitor or spy'" in (tmp_path / "guard.txt").read_text()
    with pytest.raises(ldag.LdagError, match=r"ends in \.svg, \.png, \.pdf, \.txt, got the ending '\.gif'"):
        net.save_picture(tmp_path / "x.gif")
