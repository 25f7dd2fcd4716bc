"""`ldag reproduce`: the experiments of the paper, which lie in a clone of the repository and not in the package."""

import sys
from importlib import import_module
from pathlib import Path

import click

import ldag
from ldag.errors import ArgumentError

CLONE = Path(ldag.__file__).resolve().parents[2]
"""Where the repository is, if the package is used from a clone (`make demo` and `pip install --editable` do so)."""


def _load() -> click.Command:
    """Return the command that the experiments bring along, or one that says where they are."""
    if not (CLONE / "experiments" / "paper").is_dir():
        return _elsewhere
    sys.path.append(str(CLONE))
    command = import_module("experiments.paper.command").reproduce
    assert isinstance(command, click.Command)
    return command


@click.command("reproduce", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def _elsewhere(arguments: tuple[str, ...]) -> None:
    """Run the experiments of the paper: in a clone of the repository, which has them in its folder experiments."""
    del arguments
    raise ArgumentError(
        "the experiments of the paper are not in the installed package: clone the repository of ldag, run"
        " `make demo` there, and then .venv/bin/ldag reproduce"
    )


reproduce = _load()
