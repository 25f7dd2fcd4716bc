"""Every example on the documentation pages is run and gives what the page shows.

A page is worked through from top to bottom in an empty directory: ``pycon`` blocks as doctests that share their
variables, ``console`` blocks as commands whose output must be exactly what follows, and code blocks with a file's
name as caption are files to be written.
"""

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import jsonschema
import pytest

import ldag
from ldag import LdagError, errors
from tests.command import PROGRAM, execute_bytes

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("api/*.md")])

RUN = {"pycon", "console", "{code-block}"}
NOT_RUN = {
    "sh",
    "text",
    "{eval-rst}",
    "{image}",
    "{toctree}",
    "{csv-table}",
}  # sh installs things, text shows what is not code

_FENCED = re.compile(r"^```(\S+)[^\n]*\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: the word after the fence, the lines inside, and the line before them."""

    kind: str
    text: str
    line: int

    @property
    def caption(self) -> str | None:
        """The name of the file that the block shows."""
        found = re.match(r":caption: (\S+)\n", self.text)
        return found[1] if found else None

    @property
    def body(self) -> str:
        """The lines without the caption."""
        return re.sub(r"\A:caption: .*\n", "", self.text)


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [Block(found[1], found[2], text.count("\n", 0, found.start(2))) for found in _FENCED.finditer(text)]


def run_python(block: Block, page: Path, variables: dict[str, object]) -> None:
    """Run a block as a doctest that sees and leaves variables."""
    test = doctest.DocTestParser().get_doctest(block.text, {}, page.name, str(page), block.line)
    test.globs = variables
    said = io.StringIO()
    result = doctest.DocTestRunner().run(test, out=said.write, clear_globs=False)
    assert result.attempted, f"{page.name}, line {block.line}: no examples"
    assert not result.failed, said.getvalue()


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield each command of a block and the output that is shown for it."""
    start, *parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not start, f"line {block.line}: a console block begins with '$ '"
    for part in parts:
        command, _, output = part.partition("\n")
        yield command, output


def run_shell(block: Block, directory: Path) -> None:
    """Run the commands of a block and compare what they print, on either stream."""
    for command, output in commands(block):
        assert command.startswith("ldag "), command
        assert said_by(command, directory) == output, command


def said_by(command: str, directory: Path) -> str:
    """Return what a command prints; where it needs a shell, for pipes and the like, one runs it."""
    unquoted = re.sub(r"""'[^']*'|"[^"$`\\]*\"""", "", command)
    if not re.search(r"[^\w\s.,:=/-]", unquoted):
        return execute_bytes(*shlex.split(command)[1:], together=True).stdout.decode()
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        shell=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
        cwd=directory,
        env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", "PATH": path},
    ).stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path) -> None:
    """A reader who types in the page from top to bottom sees what it shows."""
    variables: dict[str, object] = {"__name__": "__main__"}
    with contextlib.chdir(tmp_path):
        for block in blocks(page):
            if block.caption:
                Path(block.caption).write_text(block.body, encoding="utf-8")
            elif block.kind == "pycon":
                run_python(block, page, variables)
            elif block.kind == "console":
                run_shell(block, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_are_of_known_kinds(page: Path) -> None:
    """No example escapes the test above: Python is pycon, a shell is console, a file has a caption."""
    for block in blocks(page):
        assert block.kind in RUN | NOT_RUN, f"{page.name}, line {block.line}"
        assert (block.caption is not None) == (block.kind == "{code-block}"), f"{page.name}, line {block.line}"
    fences = re.findall(r"^\s*```", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page)), "a fence that is indented, has no kind or is not closed"


def test_json_on_the_pages_follows_the_schema() -> None:
    """What the pages show as the JSON form is described by the schema they link to."""
    schema = json.loads((DOCS / "ldag.schema.json").read_text(encoding="utf-8"))
    shown = [block for page in PAGES for block in blocks(page) if (block.caption or "").endswith(".json")]
    assert shown
    for block in shown:
        jsonschema.validate(json.loads(block.body), schema)


def test_every_public_name_is_in_the_interface() -> None:
    """The reference has every name of the package and every error."""
    reference = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    listed = set(re.findall(r"\w+", reference))
    kinds = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, LdagError)}
    assert set(ldag.__all__) | kinds <= listed


def test_calls_in_the_tables_for_newcomers_exist() -> None:
    """What the page for users of other programs names is there under that name."""
    text = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    ours = "\n".join(re.findall(r"^\|.*\|([^|\n]*)\|$", text, flags=re.MULTILINE))
    calls = re.findall(r"\b(net|graph|ldag|over_time)\.([\w.]+)\(", ours)
    assert len(calls) > 60
    roots = {"net": ldag.Network, "graph": ldag.LDAG, "ldag": ldag, "over_time": ldag.DynamicNetwork}
    for root, path in calls:
        attrgetter(path)(roots[root])
