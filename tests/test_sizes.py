"""The size of the house as tests: lines, files, rooms, bases, parameters, and how far common calls walk.

The numbers are ceilings: what is reached is written down here, and what comes next stays below.
"""

import inspect
import sys
from collections import Counter

import pytest

import ldag
from benchmarks.walks import Walk, take_walks
from tests.test_codebase import PYTHON, SOURCE

MOST_LINES = 61_400
MOST_FILES = 301
MOST_FILES_PER_ROOM = 32
LARGE_ROOMS = {"formats", "cli"}  # a file per format and per command
MOST_BASES = 4
MOST_PARAMETERS_OF_LEARN = 17
MOST_FILES_OF_WALKS = {"learn": 63, "read": 16, "query": 28}


def test_lines_and_files() -> None:
    """Python under src."""
    assert sum(len(path.read_text().splitlines()) for path in PYTHON) <= MOST_LINES
    assert len(PYTHON) <= MOST_FILES


def test_rooms_are_not_crowded() -> None:
    """Files of each room, folders inside counted in."""
    rooms = Counter(path.relative_to(SOURCE).parts[0] for path in PYTHON)
    crowded = {room: n for room, n in rooms.items() if n > MOST_FILES_PER_ROOM and room not in LARGE_ROOMS}
    assert not crowded


def test_classes_have_few_bases() -> None:
    """Bases of the package's own above `object`."""
    modules = [module for name, module in sys.modules.items() if name.startswith("ldag.")]
    classes = {one for module in modules for one in vars(module).values() if inspect.isclass(one)}
    bases = {
        one.__name__: len([base for base in one.__mro__[1:] if base.__module__.startswith("ldag")]) for one in classes
    }
    assert {name: n for name, n in bases.items() if n > MOST_BASES} == {}


def test_learn_names_few_parameters() -> None:
    """Data and what every search takes; options of one search come as keywords, which its type lists."""
    parameters = inspect.signature(ldag.learn).parameters.values()
    assert sum(one.kind is not one.VAR_KEYWORD for one in parameters) <= MOST_PARAMETERS_OF_LEARN


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Walk]:
    """The ways that most calls go."""
    return take_walks(tmp_path_factory.mktemp("walks"))


@pytest.mark.parametrize("name", MOST_FILES_OF_WALKS)
def test_walks_are_short(walks: dict[str, Walk], name: str) -> None:
    """Files of the package that a call touches."""
    assert len(walks[name].files) <= MOST_FILES_OF_WALKS[name], sorted(walks[name].files)


def test_printing_a_posterior_counts_nothing(walks: dict[str, Walk]) -> None:
    """What was computed is handed on to what prints it."""
    assert walks["print(posterior)"].times("count_family") == 0
