"""``-`` for the standard input and output, wherever a command reads or writes a file."""

import contextlib
import re
import sys
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from ldag.errors import ArgumentError

PIPE = "-"

_OPENINGS = {
    b"{": ".json",
    b"<": ".xml",
    b"strict digraph": ".dot",
    b"digraph": ".dot",
    b"network": ".bif",
    b"net": ".net",
    b"// ~->[DNET": ".dne",
    b"belief network": ".dsc",
    b"BAYES": ".uai",
}
"""How a text begins that has no file's ending to tell its format; all others are in the text form."""

_SCRATCH: list[object] = []
"""Folders that live as long as the process, if their command does not close them."""


class File(click.ParamType):  # type: ignore[type-arg]  # generic in some versions only
    """What all of these are; a shell completes names of files."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete."""
        del ctx, param
        return [CompletionItem(incomplete, type="file")]


class ModelSource(File):
    """A file of a graph, a network or the like; what comes through a pipe is kept in a file for the command."""

    def __init__(self, ending: str | None = None) -> None:
        """Take the ending that the content of a pipe would have as a file; by default its opening tells."""
        self._ending = ending

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path of the file."""
        if value != PIPE or ctx is None:
            return value
        claim_input(param, ctx)
        content = sys.stdin.buffer.read()
        path = _make_folder(ctx) / f"standard input{self._ending or ending_of(content)}"
        path.write_bytes(content)
        return str(path)


class TableSource(File):
    """A table, which is read from a pipe where it is needed; only one argument can come from there."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path, or the pipe."""
        if value == PIPE and ctx is not None:
            claim_input(param, ctx)
        return value


class Target(File):
    """A file to write; ``-`` is the standard output, and what a command says then goes to standard error."""

    def __init__(self, ending: str) -> None:
        """Take the ending that stands for the format of what is written into a pipe."""
        self._ending = ending

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path to write to."""
        del param
        if value != PIPE or ctx is None:
            return value
        path = _make_folder(ctx) / f"standard output{self._ending}"
        out = sys.stdout

        def hand_on() -> None:
            if path.exists():  # not after an error
                out.flush()
                out.buffer.write(path.read_bytes())
                out.flush()

        ctx.call_on_close(hand_on)
        ctx.with_resource(contextlib.redirect_stdout(sys.stderr))
        return str(path)


class TableTarget(File):
    """A file for a table; ``-`` is the standard output, where it goes without a file, too."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str | None:
        """Return the path to write to, if there is one."""
        del param, ctx
        return None if value == PIPE else value


MODEL = ModelSource()
TABLE = TableSource()
TEXT = ModelSource(".txt")
ROWS_OUT = TableTarget()
rows_option = click.option(
    "--output", "-o", type=ROWS_OUT, metavar="FILE", help="Write there (.csv, .tsv, also .gz, or .parquet)."
)


def claim_input(param: click.Parameter | None, ctx: click.Context) -> None:
    """Note that an argument is the standard input; a second one cannot be."""
    name = param.human_readable_name.strip("-").upper() if param is not None else "an argument"
    other = ctx.meta.setdefault(__name__, name)
    if other != name:
        raise ArgumentError(
            f"{other} and {name} are both '-'; the standard input can be read once, give a file for one"
        )


def ending_of(content: bytes) -> str:
    """Return the ending of the file that a text could be in, by how it begins."""
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:20]
    if b"<smile" in content[:500]:
        return ".xdsl"
    return next((ending for opening, ending in _OPENINGS.items() if start.startswith(opening)), ".ldag")


def is_model_piped() -> bool:
    """Tell whether the standard input begins as a model does, and not as a table; nothing is taken from it."""
    peek = getattr(sys.stdin.buffer, "peek", None)
    return peek is not None and ending_of(peek(20)) == ".json"


def without_folder(message: str) -> str:
    """Return a message that speaks of the standard input, and not of the file it was kept in."""
    return re.sub(r"\S*/ldag-\w+/(standard (in|out)put)\.\w+", r"\1", message)


def _make_folder(ctx: click.Context) -> Path:
    """Return a folder that is gone when the command ends."""
    from ldag.data import Scratch

    scratch = Scratch()
    ctx.call_on_close(scratch.close)
    _SCRATCH.append(scratch)  # a command whose arguments are wrong is never closed
    return scratch.folder
