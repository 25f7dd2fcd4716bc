"""Finished pieces of an experiment on disk, so that a run that was stopped resumes where it was."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from ldag.formats import write_atomically

Value = str | int | float | bool | None
Row = dict[str, Value]
"""One line of a table of results."""

Job = Callable[[], list[Row]]


class FinishedCells:
    """A folder with one file for each finished cell, written whole or not at all.

    A file also says what made it (the settings and the version of the library); a cell made otherwise is run again.
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self.folder = folder
        self.fresh = fresh
        self._done: set[str] = set()

    def rows(self, name: str, made_by: Mapping[str, object], job: Job) -> list[Row]:
        """Return the rows of a cell: those on disk, or those that the job makes now."""
        path = self.folder / f"{name}.json"
        wanted = json.loads(json.dumps(made_by))
        kept = None if self.fresh and name not in self._done else _read(path, wanted)
        if kept is None:
            kept = job()
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, json.dumps({"made_by": wanted, "rows": kept}, indent=1).encode())
        self._done.add(name)
        return kept

    def has(self, name: str, made_by: Mapping[str, object]) -> bool:
        """Whether a cell is finished."""
        known = _read(self.folder / f"{name}.json", json.loads(json.dumps(made_by))) is not None
        return known and not (self.fresh and name not in self._done)


def _read(path: Path, wanted: object) -> list[Row] | None:
    """Return the rows in a file if it is whole and was made as wanted."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict) or content.get("made_by") != wanted or not isinstance(content.get("rows"), list):
        return None
    return [dict(row) for row in content["rows"]]
