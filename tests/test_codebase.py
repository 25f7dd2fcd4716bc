"""The shape of the code as tests: layers, sizes, banned imports, and what importing the package loads."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ldag
from ldag import _native

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "ldag"

# The house: every import points left in this tuple, and a room is entered by its door, its ``__init__.py``.
ROOMS = (
    "errors",
    "checks",
    "hook",
    "progress",
    "model",
    "formats",
    "drawing",
    "data",
    "reasoning",
    "graph",
    "inference",
    "scoring",
    "network",
    "constraints",
    "proving",
    "learning",
    "uncertainty",
    "dynamic",
    "effects",
    "datasets",
    "simulate",
    "comparing",
    "presenting",
    "cli",
)
HEAVY = {
    "duckdb",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "networkx",
    "matplotlib",
    "pydot",
    "fast_sugiyama",
    "rich",
    "sklearn",
}
PYTHON = sorted(path for path in SOURCE.rglob("*.py"))
ALL_CODE = sorted(
    path
    for folder in ("src", "tests", "cpp", "benchmarks", "examples", "experiments")
    for pattern in ("*.py", "*.cpp", "*.hpp")
    for path in (ROOT / folder).rglob(pattern)
)


@cache
def parsed(path: Path) -> ast.Module:
    """Return a file as Python reads it; many tests look at each."""
    return ast.parse(path.read_text())


def _imports(tree: ast.AST) -> Iterator[str]:
    """Every module that a file imports, wherever it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "ldag")


def _own_room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_the_root_holds_the_rooms_and_nothing_else() -> None:
    """A new module belongs in a room, and a new room in the tuple above."""
    entries = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix in ("", ".py")}
    assert entries - {"__init__", "__main__", "__pycache__"} <= set(ROOMS)


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_left(path: Path) -> None:
    """No module imports from a room to the right of its own, and other rooms are entered by their doors."""
    if path in (SOURCE / "__init__.py", SOURCE / "__main__.py"):  # the front door, and the one to the command line
        return
    own = _own_room(path)
    for module in _imports(parsed(path)):
        room, _, inside = module.removeprefix("ldag.").partition(".") if module.startswith("ldag.") else ("", "", "")
        if room in ROOMS and room != own:
            assert ROOMS.index(room) < ROOMS.index(own), f"{own} imports {module}, which stands to its right"
            assert not inside, f"{own} imports {module}: a room is entered by its door, ldag.{room}"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nobody_inside_comes_by_the_front_door(path: Path) -> None:
    """What the package offers its users stands to the right of every room: there, rooms and the loops are imported."""
    if path in (SOURCE / "__init__.py", SOURCE / "__main__.py"):
        return
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "ldag":
            assert {alias.name for alias in node.names} <= {*ROOMS, "_native"}, f"{path}: import it from its room"
        if isinstance(node, ast.Import) and _own_room(path) != "cli":  # which tells the version
            assert "ldag" not in (alias.name for alias in node.names), f"{path}: import it from its room"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_private_names_are_imported(path: Path) -> None:
    """What starts with an underscore stays in its module."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ldag"):
            private = [alias.name for alias in node.names if alias.name.startswith("_") and alias.name != "_native"]
            assert not private


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_heavy_packages_are_imported_where_used(path: Path) -> None:
    """Optional packages are imported inside functions, never at the top of a module that the package loads."""
    if path == SOURCE / "learning" / "classifier.py":  # a class of scikit-learn's; it is loaded when first asked for
        return
    for node in parsed(path).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not {name.split(".")[0] for name in names} & HEAVY


@pytest.mark.parametrize("path", ALL_CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_small(path: Path) -> None:
    """Under 500 lines each."""
    assert len(path.read_text().splitlines()) < 500


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_functions_stay_small(path: Path) -> None:
    """Under 50 lines of code each, docstrings aside."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if body:
                assert (body[-1].end_lineno or 0) - body[0].lineno < 50, node.name


def test_every_test_has_a_docstring() -> None:
    """A test says what it shows."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert ast.get_docstring(node), f"{path.name}: {node.name}"


def test_import_loads_nothing_heavy() -> None:
    """`import ldag` loads numpy and nothing that is optional, whatever is installed."""
    code = "import sys, ldag; print(' '.join(sorted({m.split('.')[0] for m in sys.modules})))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not set(loaded) & (HEAVY | {"click"})


def test_import_is_innocent() -> None:
    """Importing prints nothing and touches no logging set-up."""
    code = "import logging, ldag; assert not logging.root.handlers"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


# Number rooms work on codes and arrays: they know nothing of the values that people hold in their hands.
NUMBER_ROOMS = ("model", "reasoning", "drawing", "inference", "proving")
DOORS = ("data", "graph", "network", "learning")
CPP_ROOMS = (
    "support",
    "reading",
    "counting",
    "families",
    "scoring",
    "searching",
    "growing",
    "uncertainty",
    "inference",
    "bindings",
    "tests",
)
CPP = sorted(path for pattern in ("*.cpp", "*.hpp") for path in (ROOT / "cpp").rglob(pattern))


def _own_rooms() -> list[str]:
    """The rooms that there are, in the order of the house."""
    there = {path.name.removesuffix(".py") for path in SOURCE.iterdir()}
    return [room for room in ROOMS if room in there]


@pytest.mark.parametrize("room", _own_rooms())
def test_no_cycle_inside_a_room(room: str) -> None:
    """The modules of a room can be read one after the other."""
    modules = {_module(path): path for path in PYTHON if _own_room(path) == room}
    above = {
        name: {other for other in _modules_imported(path, set(modules)) if other != name}
        for name, path in modules.items()
    }
    while above:
        free = {name for name, needed in above.items() if not needed & above.keys()}
        assert free, f"these modules import each other in a ring, or through one: {sorted(above)}"
        above = {name: needed for name, needed in above.items() if name not in free}


def _modules_imported(path: Path, modules: set[str]) -> Iterator[str]:
    """Which of some modules a file imports; of a package's modules, these themselves."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module in modules:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules else node.module for name in inside)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)


def _module(path: Path) -> str:
    return ".".join(("ldag", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_number_rooms_import_no_door(path: Path) -> None:
    """What people hold in their hands (`Dataset`, `LDAG`, `Network`, `Fit`) stays outside; plain arrays may pass."""
    if _own_room(path) in NUMBER_ROOMS:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").removeprefix("ldag.") in DOORS:
                assert not {alias.name for alias in node.names} & set(ldag.__all__)


def test_no_room_is_named_like_a_public_function() -> None:
    """`ldag.score` is a function; a room of that name would hide it. Shelves are both."""
    functions = {name for name in dir(ldag) if inspect.isfunction(getattr(ldag, name))}
    assert not set(_own_rooms()) & functions


def test_partitions_are_asked_not_opened() -> None:
    """Outside its module nobody takes a partition's array apart, so that it can be kept in another way later."""
    for path in (path for path in PYTHON if path != SOURCE / "model" / "partition.py"):
        for node in ast.walk(parsed(path)):
            is_opened = (
                isinstance(node, ast.Attribute) and node.attr == "_classes" and ast.unparse(node.value) != "self"
            )
            assert not is_opened, (
                f"{path.name}: ask the partition (classes_of_rows, expand, add_up, first, sizes,"
                " members, to_array) instead of opening it"
            )


@pytest.mark.parametrize("path", CPP, ids=lambda path: str(path.relative_to(ROOT)))
def test_includes_point_left(path: Path) -> None:
    """The same rule for C++: rooms include headers of rooms to their left, by room and name."""
    own = CPP_ROOMS.index(path.relative_to(ROOT / "cpp").parts[0])
    for header in re.findall(r'#include "(.+)"', path.read_text()):
        room, slash, _ = header.partition("/")
        if slash:
            assert CPP_ROOMS.index(room) <= own, f"{header} stands to the right"
            assert (ROOT / "cpp" / header).exists()
        else:
            assert CPP_ROOMS[own] in ("bindings", "tests"), f"write the room of {header}"


def test_tests_of_loops_mirror_the_rooms() -> None:
    """A test in C++ lies in the folder of its room, and is named for a file of it."""
    for path in (path for path in CPP if path.name.startswith("test_")):
        room = path.parent.name
        assert path.parent.parent == ROOT / "cpp" / "tests", f"{path}: put it into the folder of its room"
        topic = path.stem.removeprefix("test_")
        assert any((ROOT / "cpp" / room / f"{topic}{ending}").exists() for ending in (".hpp", ".cpp")), path


def test_structures_are_asked_not_compared() -> None:
    """A structure is its row in families/structures.hpp: elsewhere one is chosen by name, and its traits are asked."""
    named = r"structure_named\([^()]*\)"
    compares = re.compile(rf"[!=]= *&?(ldag::)?{named}|{named} *[!=]=|structure\w*(\.|->)name *[!=]=")
    for path in CPP:
        if "tests" not in path.parts and path.name != "structures.hpp":
            assert not compares.search(path.read_text()), f"{path}: ask a trait of the structure"


def test_the_package_calls_what_the_native_module_offers() -> None:
    """What tests alone call is in `_native.testing`."""
    used = {
        node.attr if isinstance(node, ast.Attribute) else alias
        for path in PYTHON
        for node in ast.walk(parsed(path))
        for alias in ([a.name for a in node.names] if isinstance(node, ast.ImportFrom) else [""])
    }
    offered = {name for name in dir(_native) if not name.startswith("_")} - {"testing"}
    assert not offered - used


def test_only_the_bindings_know_python() -> None:
    """The loops run, and are tested, without an interpreter."""
    for path in CPP:
        if path.parent.name != "bindings":
            assert not re.search(r"#include <(Python\.h|nanobind)", path.read_text()), path.name


# Files of tests that are named for what they show, as it lies across the modules of their room.
ACROSS = {
    "data": {
        "bad_data",
        "csv_fuzz",
        "encodings",
        "files",
        "identifiers",
        "keeping",
        "kept_gaps",
        "remarks",
        "scratch",
        "sources",
    },
    "formats": {"bad_formats", "cuts", "fuzz", "json_networks", "other_programs"},
    "graph": {"bad_graphs", "latent"},
    "inference": {"costs"},
    "learning": {
        "bad_growth",
        "available",
        "candidates",
        "constants",
        "decomposable",
        "exact",
        "fixed_labels",
        "grouped_classifier",
        "growing",
        "interrupts",
        "look_around",
        "ordered",
        "scorer",
        "search_orders",
        "search_perfect",
        "search_states",
        "size_choice",
    },
    "scoring": {"gains"},
    "uncertainty": {"calibration", "family_posterior", "files", "group_draws", "interrupts", "posterior"},
}


def _topics(room: str) -> set[str]:
    """What files of tests of a room may be named for: the room, its modules and folders, or what lies across them."""
    inside = [path for path in (SOURCE / room).rglob("*") if path.suffix in ("", ".py")]
    names = {path.stem for path in inside}
    searches = {f"search_{path.stem}" for path in inside if path.parent.name == "searches"}
    return {room, room.removesuffix("s"), f"{room}s", *names, *searches, *ACROSS.get(room, ())}


@pytest.mark.parametrize("kind", ["unit", "property"])
def test_tests_mirror_the_rooms(kind: str) -> None:
    """A folder of tests is a room, and a file of tests is named for a module of it, for its kernel, or for the room."""
    for path in sorted((ROOT / "tests" / kind).rglob("test_*.py")):
        room = path.relative_to(ROOT / "tests" / kind).parts[0]
        topic = path.stem.removeprefix("test_").removesuffix("_native")
        if room.endswith(".py"):
            assert topic in (*ROOMS, "ldag"), path
        else:
            assert room in _own_rooms(), f"{path}: there is no such room"
            assert topic in _topics(room), f"{path}: name it for a module of {room}, or for what it shows in ACROSS"


def test_contributing_shows_the_house() -> None:
    """The tree in CONTRIBUTING is the one on disk, in the order of the house."""
    tree = re.search(r"```\nsrc/ldag/\n(.+?)\n```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    assert tree is not None
    shown = re.findall(r"^  (\w+)(?:/|\.py) ", tree[1], re.MULTILINE)
    assert shown == _own_rooms()
    assert "`" + " · ".join(_own_rooms()) + "`" in (ROOT / "CONTRIBUTING.md").read_text()


def test_contributing_names_files_that_exist() -> None:
    """Five files to read first, and those of the recipes."""
    for name in re.findall(r"`((?:src|cpp|tests|docs)/[\w/.]+\.\w+)`", (ROOT / "CONTRIBUTING.md").read_text()):
        assert (ROOT / name).exists(), name
