"""The shape of the code as tests: layers, sizes, banned imports, and what importing the package loads."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "ldag"

# The house: every import points left in this tuple, and a room is entered by its door, its ``__init__.py``.
ROOMS = (
    "errors",
    "checks",
    "model",
    "formats",
    "data",
    "reasoning",
    "drawing",
    "reporting",
    "graph",
    "scoring",
    "inference",
    "network",
    "learning",
    "uncertainty",
    "datasets",
    "simulate",
    "comparing",
    "cli",
)
HEAVY = {"pandas", "polars", "pyarrow", "scipy", "networkx", "matplotlib", "pydot", "fast_sugiyama", "rich", "sklearn"}
PYTHON = sorted(path for path in SOURCE.rglob("*.py"))
ALL_CODE = sorted(
    path
    for folder in ("src", "tests", "cpp", "benchmarks", "examples")
    for pattern in ("*.py", "*.cpp", "*.hpp")
    for path in (ROOT / folder).rglob(pattern)
)


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
    assert entries - {"__init__", "__pycache__"} <= set(ROOMS)


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_left(path: Path) -> None:
    """No module imports from a room to the right of its own, and other rooms are entered by their doors."""
    if path == SOURCE / "__init__.py":
        return
    own = _own_room(path)
    for module in _imports(ast.parse(path.read_text())):
        room, _, inside = module.removeprefix("ldag.").partition(".") if module.startswith("ldag.") else ("", "", "")
        if room in ROOMS and room != own:
            assert ROOMS.index(room) < ROOMS.index(own), f"{own} imports {module}, which stands to its right"
            assert not inside, f"{own} imports {module}: a room is entered by its door, ldag.{room}"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_private_names_are_imported(path: Path) -> None:
    """What starts with an underscore stays in its module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ldag"):
            private = [alias.name for alias in node.names if alias.name.startswith("_") and alias.name != "_native"]
            assert not private


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_heavy_packages_are_imported_where_used(path: Path) -> None:
    """Optional packages are imported inside functions, never at the top of a module that the package loads."""
    if path == SOURCE / "learning" / "classifier.py":  # a class of scikit-learn's; it is loaded when first asked for
        return
    for node in ast.parse(path.read_text()).body:
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
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if body:
                assert (body[-1].end_lineno or 0) - body[0].lineno < 50, node.name


def test_every_test_has_a_docstring() -> None:
    """A test says what it shows."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
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
