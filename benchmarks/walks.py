"""How far a call walks: which files of the package it touches, how many functions it enters, and how often.

Run as ``python -m benchmarks.walks``; `tests/test_walks.py` holds the numbers that matter.
"""

import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import ldag
from ldag.cli.main import cli

SOURCE = str(Path(ldag.__file__).parent)


class Walk:
    """What was called while something ran: functions of the package by file and name, with how often."""

    def __init__(self, run: Callable[[], object]) -> None:
        self.calls: Counter[tuple[str, str]] = Counter()
        sys.setprofile(self._note)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                run()
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call of a function of the package; what runs on import or inside an expression is none."""
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCE) and not code.co_name.startswith("<"):
            self.calls[code.co_filename[len(SOURCE) + 1 :], code.co_qualname] += 1

    @property
    def files(self) -> set[str]:
        """The files of the package that were touched."""
        return {file for file, _ in self.calls}

    def times(self, name: str) -> int:
        """Return how often functions or methods of a name were called."""
        return sum(n for (_, function), n in self.calls.items() if function.split(".")[-1] == name)

    def __str__(self) -> str:
        return f"{len(self.files):3} files, {len(self.calls):4} functions, {self.calls.total():7} calls"


def command(*words: str) -> Callable[[], object]:
    """Return a run of the command line with these words."""
    return lambda: cli.main(list(words), prog_name="ldag", standalone_mode=False)


def take_walks(folder: Path) -> dict[str, Walk]:
    """Walk the ways that most calls go, each once before it is counted, so that nothing is loaded on the way."""
    table, model, page = folder / "survey.csv", folder / "model.json", folder / "page.html"
    table.write_bytes((Path(SOURCE) / "datasets" / "heart.csv").read_bytes())
    posterior: list[ldag.Posterior] = []
    runs = {
        "learn": command("learn", str(table), "--kappa", "0.1", "-o", str(model)),
        "read": lambda: ldag.read(table),
        "query": command("query", str(model), "smoking"),
        "posterior": lambda: posterior.append(ldag.posterior(ldag.datasets.load("heart"), kappa=0.1)),
        "print(posterior)": lambda: str(posterior.pop()),
        "report": command("report", str(model), "-o", str(page)),
    }
    walks = {}
    for name, run in runs.items():
        for _ in range(2):
            walks[name] = Walk(run)
    return walks


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for name, walk in take_walks(Path(place)).items():
            print(f"{name:18} {walk}")
