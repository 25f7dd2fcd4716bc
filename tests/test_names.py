"""The rules for names as tests: one word per thing, plain verbs, predicates that ask."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from ldag.learning import StructureKind
from tests.test_codebase import CPP, PYTHON, SOURCE, parsed

VERBS = {"embed", "feed", "need", "seed"}
PARTICIPLES = {
    *("bought", "built", "chosen", "done", "drawn", "driven", "found", "given", "gone", "grown", "held", "kept"),
    *("known", "laid", "made", "meant", "said", "seen", "sent", "shown", "taken", "thrown", "told", "written"),
}
# Names that the mathematics or the users of the package know.
KNOWN_NAMES = {"adjusted_rand", "adjusted_rand_index", "counted", "layered_ldag", "ordered"}
KNOWN_PREDICATES = {
    "agree",
    "converged",
    "csi_separated",
    "d_separated",
    "decided",
    "equivalent_to",
    "m_separated",
    "markov_equivalent",
    "markov_equivalent_to",
}
# What does something, and tells whether it could.
ACTIONS = {"accept", "on_progress", "tell", "_direct", "_run"}


def _definitions(path: Path) -> Iterator[str]:
    """Classes, aliases and public functions at the top of a module."""
    for node in parsed(path).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, ast.ClassDef) or (isinstance(node, ast.FunctionDef) and not node.name.startswith("_")):
            yield node.name
        elif isinstance(target, ast.Name) and target.id.strip("_")[:1].isupper() and not target.id.isupper():
            yield target.id


def test_a_name_exists_once() -> None:
    """One word per thing: classes, aliases and public functions; a command is named like what it runs."""
    places: dict[str, list[str]] = {}
    for path in (path for path in PYTHON if path.relative_to(SOURCE).parts[0] != "cli"):
        for name in set(_definitions(path)):
            is_contract = path.parent.name == "searches" and name == "prepare"  # every search has one
            if len(name) > 1 and not is_contract:
                places.setdefault(name, []).append(str(path.relative_to(SOURCE)))
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert not twice


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_functions_are_plain_verbs(path: Path) -> None:
    """A participle is a method that returns a changed copy, never a function."""
    inside = {node for of in ast.walk(parsed(path)) if isinstance(of, ast.ClassDef) for node in of.body}
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef) and node not in inside and node.name not in KNOWN_NAMES:
            first = node.name.strip("_").split("_")[0]
            is_participle = first in PARTICIPLES or (first.endswith("ed") and first not in VERBS)
            assert not is_participle, f"{node.name}: say what it does"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_is_just_found(path: Path) -> None:
    """A variable is named for the thing, or is the result."""
    for node in ast.walk(parsed(path)):
        stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id
        assert "found" not in (stored, getattr(node, "arg", None)), f"line {getattr(node, 'lineno', 0)}"


def test_nothing_is_just_found_in_loops() -> None:
    """The same in C++, comments and texts aside."""
    for path in CPP:
        code = re.sub(r"//.*|\"(?:[^\"\\]|\\.)*\"", "", path.read_text())
        assert not re.search(r"(?<!\.)\bfound\b", code), path


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_predicates_ask(path: Path) -> None:
    """What answers yes or no is named for the question: is_, has_, can_, or what the thing does, as in `allows`."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef) and node.returns is not None and ast.unparse(node.returns) == "bool":
            first = node.name.lstrip("_").split("_")[0]
            asks = first in ("are", "can", "may", "must", "was") or first.endswith("s")
            assert asks or node.name in KNOWN_PREDICATES | ACTIONS or node.name.startswith("__"), f"{node.name}: ask"


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: str(path.relative_to(SOURCE)))
def test_structures_are_not_compared_by_name(path: Path) -> None:
    """Rows of `STRUCTURES` are asked."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Compare) and ast.unparse(node.left).endswith("structure"):
            named = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
            assert not named & set(get_args(StructureKind)), ast.unparse(node)
