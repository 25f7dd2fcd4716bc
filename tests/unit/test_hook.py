"""The hook to the room that shows values."""

import subprocess
import sys

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
