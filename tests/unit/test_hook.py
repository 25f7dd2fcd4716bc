"""The hook to the room that shows values."""

import subprocess
import sys
from importlib import import_module

import pytest

CODE = """
import sys
from ldag.graph import LDAG
graph = LDAG.from_text("a -> b")
repr(graph), str(graph.reduced_cpt("b")), graph.to_text()
assert "ldag.presenting" not in sys.modules
assert graph.to_svg().startswith("<svg")
assert "ldag.presenting" in sys.modules
"""


def test_the_room_that_shows_values_is_loaded_when_something_is_shown() -> None:
    """Not before, and also where a room was entered without the front door's names."""
    subprocess.run([sys.executable, "-c", CODE], check=True)


@pytest.mark.parametrize(
    ("room", "name"), [("data", "read_table"), ("drawing", "draw_picture"), ("drawing", "Drawing")]
)
def test_what_few_callers_need_is_in_its_room(room: str, name: str) -> None:
    """It has the name that its file gives it; what is nowhere is what Python says of any module."""
    there = import_module(f"ldag.{room}")
    assert getattr(there, name).__name__ == name
    with pytest.raises(AttributeError, match=f"^module 'ldag.{room}' has no attribute 'nothing'$"):
        there.nothing  # noqa: B018 - asked for, not used
