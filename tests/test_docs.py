"""Examples in the README and in docstrings run, pictures are up to date, and a user's script is well typed."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import ldag
from docs import make_pictures

ROOT = Path(__file__).parents[1]
MODULES = sorted(module.name for module in pkgutil.walk_packages(ldag.__path__, "ldag."))
SCRIPT = """
import ldag

graph: ldag.LDAG = ldag.datasets.graph("guard")
data: ldag.Dataset = ldag.read("survey.csv", counts="n", states={"x": ["no", "yes"]})
verdict: ldag.Verdict = graph.implies("gender", "badge", given=[], context={"person": "spy"})
answer: bool = bool(verdict)
members: list[ldag.LDAG] = [member.maximal() for member in graph.equivalence_class()]
parents: tuple[str, ...] = graph.regular().parents("badge")
probabilities: dict[str, float] = {"worker": 0.7, "visitor": 0.2, "spy": 0.1}
net: ldag.Network = ldag.Network.from_parameters(graph, {"person": probabilities, "gender": [[0.5, 0.5], {"male": 1}]})
drawn: ldag.Dataset = net.update(data).sample(10, rng=1)
chance: float = net.classes("badge")[0].distribution["yes"] + net.log_likelihood(data)
text: str = graph.to_text() + verdict.explain() + str(graph.reduced_cpt("badge"))
"""


def _readme_code() -> str:
    return "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL))


def test_readme_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first thing a newcomer copies works, and finds what the page says."""
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(_readme_code(), "README.md", "exec"), {})
    assert "gender does not matter for admitted when department is B, C, D, E or F" in printed.getvalue()
    assert "gender ⊥ admitted | department=B holds." in printed.getvalue()
    assert {path.name for path in tmp_path.iterdir()} == {"ucb.svg", "ucb.html"}


def test_readme_commands_run(tmp_path: Path) -> None:
    """The lines for a shell work one after the other."""
    lines = re.findall(r"^ldag .*", (ROOT / "README.md").read_text(), flags=re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        arguments = shlex.split(line, comments=True)[1:]
        subprocess.run([Path(sys.executable).with_name("ldag"), *arguments], cwd=tmp_path, check=True)
    assert (tmp_path / "ucb.html").exists()


def test_readme_begins_with_the_two_commands() -> None:
    """`make demo` and `make test` are targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test", "lint", "bench", "docs", "sanitize", "clean"):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
    assert "make demo" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("_native")])
def test_docstring_examples(name: str) -> None:
    """Every example in a docstring gives what it shows."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_pictures_are_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The committed pictures are what the script draws today."""
    monkeypatch.setattr(make_pictures, "HERE", tmp_path)
    make_pictures.main()
    for drawn in tmp_path.iterdir():
        assert (ROOT / "docs" / drawn.name).read_text() == drawn.read_text()


def test_a_users_script_is_well_typed(tmp_path: Path) -> None:
    """Mypy --strict accepts the public interface as people use it."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / ".mypy_cache" / "script", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT / "src",
    )
    assert done.returncode == 0, done.stdout
