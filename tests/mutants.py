"""Small changes of the code that some test has to notice: `make mutants`.

The modules below decide things: which searches go on, what is read how, which edges are shown, which engine answers.
One number, comparison, `and` or branch of theirs is changed at a time, in a copy of the tree, and the tests that mirror
the module are run. What survives is held by no test; `tests/mutants.txt` lists such changes with the reason.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from ldag import _native

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src") / "ldag"
REASONS = ROOT / "tests" / "mutants.txt"
FOLDERS = ("src", "tests", "docs", "benchmarks", "examples", "experiments")
LEAST_SHARE = 0.8
ROUNDING = 1e-10
"""Smaller numbers allow for errors of arithmetic, whatever they are."""

# What is changed, and the tests that concern it besides those of the same name.
TARGETS: dict[str, tuple[str, ...]] = {
    "learning/race.py": ("tests/unit/learning/test_cross_validation.py",),
    "learning/cross_validation.py": ("tests/unit/learning/test_candidates.py", "tests/unit/learning/test_race.py"),
    "learning/searches/contract.py": ("tests/unit/learning/test_searches.py", "tests/unit/learning/test_fit.py"),
    "learning/searches/exact.py": ("tests/unit/learning/test_search_exact.py", "tests/unit/learning/test_searches.py"),
    "learning/plan.py": ("tests/unit/learning/test_checkpoint.py",),
    "data/planning.py": (
        "tests/unit/data/test_bad_data.py",
        "tests/unit/data/test_identifiers.py",
        "tests/unit/data/test_remarks.py",
    ),
    "data/gaps.py": ("tests/unit/data/test_kept_gaps.py",),
    "data/settling.py": ("tests/unit/data/test_keeping.py", "tests/unit/data/test_bad_data.py"),
    "uncertainty/consensus.py": ("tests/unit/uncertainty/test_agreement.py",),
    "uncertainty/space.py": (),
    "presenting/*.py": ("tests/unit/presenting",),
    "inference/engine.py": ("tests/property/inference/test_engine.py",),
}

OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True)
class Mutant:
    """One change: of which node of a file, in the order of the walk, and how it reads."""

    path: str
    number: int
    line: int
    function: str
    change: str

    def __str__(self) -> str:
        return f"{self.path} {self.function}: {self.change}"


def _change(node: ast.AST) -> ast.AST | None:
    """Return what a node is changed to, if it is one that is changed."""
    match node:
        case ast.Constant(value=bool() | str()):
            return None
        case ast.Constant(value=int(n)):
            return ast.Constant(n + 1)
        case ast.Constant(value=float(x)):
            return ast.Constant(2 * x if x else 1.0) if not 0 < x < ROUNDING else None
        case ast.Compare(ops=[op]) if type(op) in OPPOSITES:
            return ast.Compare(node.left, [OPPOSITES[type(op)]()], node.comparators)
        case ast.BoolOp(op=ast.And()):
            return ast.BoolOp(ast.Or(), node.values)
        case ast.BoolOp(op=ast.Or()):
            return ast.BoolOp(ast.And(), node.values)
        case ast.If() | ast.IfExp():
            return type(node)(ast.Constant(False), node.body, node.orelse)  # type: ignore[arg-type]
    return None


def _spell(node: ast.AST, changed: ast.AST) -> str:
    """Say what was changed into what."""
    if isinstance(node, ast.If | ast.IfExp):
        return f"never: if {ast.unparse(node.test)}"
    return f"{ast.unparse(node)} -> {ast.unparse(changed)}"


def _walk(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Go through the code in order, with the function that each part is in; places, pictures and texts are left out."""
    for child in ast.iter_child_nodes(tree):
        name = f"{function}.{child.name}".strip(".") if isinstance(child, ast.FunctionDef | ast.ClassDef) else function
        is_type = isinstance(tree, ast.arg | ast.AnnAssign) and child is tree.annotation
        if not is_type and not isinstance(child, ast.JoinedStr | ast.Subscript):
            yield child, name
            yield from _walk(child, name)


def _mutants_of(path: Path) -> Iterator[Mutant]:
    """Every change of a file."""
    for number, (node, function) in enumerate(_walk(ast.parse((ROOT / PACKAGE / path).read_text()))):
        changed = _change(node)
        if changed is not None and "TYPE_CHECKING" not in ast.unparse(node):
            yield Mutant(str(path), number, getattr(node, "lineno", 0), function, _spell(node, changed)[:100])


def _apply(mutant: Mutant, tree: Path) -> str:
    """Change a file of a copy; return what it was."""
    file = tree / PACKAGE / mutant.path
    text = file.read_text()
    module = ast.parse(text)
    node = next(node for number, (node, _) in enumerate(_walk(module)) if number == mutant.number)
    changed = _change(node)
    assert changed is not None

    class Put(ast.NodeTransformer):
        def visit(self, other: ast.AST) -> ast.AST:
            return changed if changed and other is node else self.generic_visit(other)

    _write(file, ast.unparse(ast.fix_missing_locations(Put().visit(module))))
    return text


def _write(file: Path, text: str) -> None:
    """Write a module, and forget what it was compiled to: that is told by size and second only."""
    file.write_text(text)
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        compiled.unlink()


def _tests_of(path: str) -> list[str]:
    """Return the tests that mirror a module, and those named beside it."""
    room, stem = path.split("/", maxsplit=1)[0], Path(path).stem
    mirrored = [
        str(test.relative_to(ROOT))
        for kind in ("unit", "property")
        for test in sorted((ROOT / "tests" / kind / room).glob(f"test_{stem}*.py"))
    ]
    return list(dict.fromkeys([*mirrored, *TARGETS[_target_of(path)]]))


def _target_of(path: str) -> str:
    """Return the target that a module is of."""
    return next(pattern for pattern in TARGETS if Path(path).match(pattern))


BOOT = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
sys.path.insert(0, "src")
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


def _passes(tree: Path, tests: list[str], seconds: float) -> bool:
    """Run tests on a copy until one fails; too long is a failure."""
    words = [sys.executable, "-c", BOOT, "-x", "-q", "-p", "no:cacheprovider", "-k", "not interrupt", *tests]
    plain = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # half of the time is that of loading
    try:
        done = subprocess.run(words, cwd=tree, capture_output=True, timeout=seconds, env=plain, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _copy(place: Path) -> Path:
    """Copy what tests need, with the native module beside the package."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, place / folder, ignore=shutil.ignore_patterns("__pycache__", "results"))
    for file in ROOT.iterdir():
        if file.is_file() and not file.name.startswith("."):
            shutil.copy(file, place)
    shutil.copy(str(_native.__file__), place / PACKAGE)
    return place


def _sample(per_file: int, seed: int, only: str) -> list[Mutant]:
    """Choose changes of every target, the same for the same seed; more of them begin with the same."""
    chosen: list[Mutant] = []
    for pattern in TARGETS:
        for file in sorted((ROOT / PACKAGE).glob(pattern)):
            mutants = list(_mutants_of(file.relative_to(ROOT / PACKAGE)))
            random.Random(f"{seed} {file.name}").shuffle(mutants)
            if only in str(file):
                chosen += mutants[:per_file]
    return chosen


def _reasons() -> dict[str, str]:
    """Return the survivors that are known, each with its reason."""
    lines = [line for line in REASONS.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split(" | ", 1) for line in lines)


def main() -> int:
    """Run the changes on two copies, and tell which of them no test noticed."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("only", nargs="?", default="", help="part of the path of the modules to change")
    words.add_argument("--per-file", type=int, default=4)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--jobs", type=int, default=2)
    asked = words.parse_args()
    reasons, begun = _reasons(), time.monotonic()
    mutants = _sample(asked.per_file, asked.seed, asked.only)
    fates: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(asked.jobs) as pool:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(asked.jobs):
            trees.put(_copy(Path(place) / str(number)))

        def limit_of(target: str) -> float:
            tree, start = trees.get(), time.monotonic()
            tests = {test: None for path in paths if _target_of(path) == target for test in _tests_of(path)}
            assert _passes(tree, list(tests), 600.0), f"the tests of {target} fail as it is"
            trees.put(tree)
            return 10.0 + 4.0 * (time.monotonic() - start)

        paths = dict.fromkeys(mutant.path for mutant in mutants)
        targets = dict.fromkeys(map(_target_of, paths))
        limits = dict(zip(targets, pool.map(limit_of, targets), strict=True))

        def survives(mutant: Mutant) -> bool:
            tree = trees.get()
            text = _apply(mutant, tree)
            try:
                return _passes(tree, _tests_of(mutant.path), limits[_target_of(mutant.path)])
            finally:
                _write(tree / PACKAGE / mutant.path, text)
                trees.put(tree)

        for mutant, is_alive in zip(mutants, pool.map(survives, mutants), strict=True):
            reason = reasons.get(str(mutant))
            fate = "killed" if not is_alive else "unnoticed" if reason is None else "explained"
            fates.setdefault(mutant.path, Counter())[fate] += 1
            why = f" ({reason})" if fate == "explained" else ""
            print(f"{mutant.path}:{mutant.line} {mutant.function}: {mutant.change}: {fate}{why}", flush=True)
    return _sum_up(fates, time.monotonic() - begun)


def _sum_up(fates: Mapping[str, Counter[str]], seconds: float) -> int:
    """Print a line for every module and one for all; fail if too few changes were noticed."""
    total = sum(fates.values(), Counter[str]())
    print(f"\n{'':32}{'killed':>9}{'explained':>11}{'unnoticed':>11}")
    for name, own in {**fates, "all": total}.items():
        print(f"{name:32}{own['killed']:>4}/{own.total():<4}{own['explained']:>11}{own['unnoticed']:>11}")
    share = total["killed"] / max(1, total.total())
    print(f"{share:.0%} killed in {seconds:.0f} s")
    return 0 if share >= LEAST_SHARE else 1


if __name__ == "__main__":
    sys.exit(main())
