"""Resuming long work: a file of what a run depends on, and of the parts of it that are done."""

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ldag._native import BadState, FamilyScorer
from ldag.data import Dataset
from ldag.errors import ArgumentError, FormatError
from ldag.formats import read_utf8, write_atomically
from ldag.learning.searches import Search, SearchControl, SearchProblem, SearchResult
from ldag.learning.settings import upgrade_plain

if TYPE_CHECKING:
    from ldag._native import FoundGraph

FORMAT = "ldag checkpoint"
VERSION = 1
SAVE_EVERY = 1.0
"""Seconds between two saves of parts that come one after the other."""

Run = Mapping[str, object]
"""What the answer depends on, as plain values."""

OPAQUE = {"data": "the data are others", "constraints": "the constraints are others", "start": "the start is another"}
"""What is compared by digest, and said so."""


@dataclass
class Checkpoint:
    """The parts of a run that are done, by name, and the file they are kept in."""

    path: Path
    run: Run
    parts: dict[str, object] = field(default_factory=dict)
    _saved: float = 0.0

    @classmethod
    def open(cls, path: str | os.PathLike[str], run: Run) -> "Checkpoint":
        """Resume from the file of the same run, or begin one where there is none."""
        if not isinstance(path, str | os.PathLike):
            raise ArgumentError(f"checkpoint must be the path of a file, got {path!r}")
        checkpoint = cls(Path(path), cast("Run", json.loads(json.dumps(run))))
        if checkpoint.path.exists():
            checkpoint.parts = _read_parts(checkpoint.path, checkpoint.run)
        else:
            checkpoint.save()
        return checkpoint

    def put(self, name: str, part: object) -> None:
        """Add a part that is done; it is saved now, or soon with others."""
        self.parts[name] = part
        if time.monotonic() - self._saved >= SAVE_EVERY:
            self.save()

    def save(self) -> None:
        """Write the file, whole or not at all."""
        content = {"format": FORMAT, "version": VERSION, "checksum": _checksum(self.run, self.parts)}
        write_atomically(self.path, json.dumps({**content, "run": self.run, "parts": self.parts}).encode())
        self._saved = time.monotonic()

    def damaged(self) -> FormatError:
        """Return the error for parts that make no sense."""
        return _tell_damage(self.path)


def fingerprint(data: Dataset) -> str:
    """Return what tells data from other data, in whatever order their rows came."""
    hashed = hashlib.sha256(repr([(v.name, v.states) for v in data.variables]).encode())
    hashed.update(data.codes.tobytes())
    if data.weights is not None:
        hashed.update(data.weights.dtype.str.encode() + data.weights.tobytes())
    if data.groups is not None:
        hashed.update(b"groups" + data.groups.codes.tobytes())
    if data.times is not None:
        hashed.update(b"times" + data.times.positions.tobytes())
    return hashed.hexdigest()


def digest(value: object) -> str:
    """Return a short text that tells a value from others."""
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


def resume_search(
    checkpoint: Checkpoint,
    name: str,
    search: Search,
    scorer: FamilyScorer,
    problem: SearchProblem,
    control: SearchControl,
) -> SearchResult:
    """Search from where a checkpoint says, and leave there how far it came or what the result is."""
    if name in checkpoint.parts:
        return SearchResult.of(cast("FoundGraph", checkpoint.parts[name]))
    unfinished = f"{name}, on the way"

    def keep(state: object) -> None:
        checkpoint.parts[unfinished] = state
        checkpoint.save()

    try:
        result = search.run(scorer, problem, replace(control, state=checkpoint.parts.get(unfinished), keep=keep))
    except BadState:
        raise checkpoint.damaged() from None
    if not result.stopped:
        checkpoint.parts[name] = result.plain()
        checkpoint.parts.pop(unfinished, None)
        checkpoint.save()
    return result


def _read_parts(path: Path, run: Run) -> dict[str, object]:
    """Return the parts in a file, if it is one of the same run."""
    try:
        content = json.loads(read_utf8(path))
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FormatError(f"{path}: expected a checkpoint of ldag, got something else; it is left as it is")
    if content.get("version") != VERSION:
        raise FormatError(f"{path}: expected a checkpoint of version {VERSION}, got version {content.get('version')!r}")
    before, parts = content.get("run"), content.get("parts")
    if not isinstance(before, dict) or not isinstance(parts, dict):
        raise _tell_damage(path)
    if content.get("checksum") != _checksum(before, parts):
        raise _tell_damage(path)
    before = upgrade_plain(before)
    differences = [_difference(name, before.get(name), run.get(name)) for name in {**before, **run}]
    described = "; ".join(difference for difference in differences if difference)
    if described:
        raise ArgumentError(
            f"{path} is the checkpoint of another run: {described}; give another file, or delete this one"
        )
    return parts


def _difference(name: str, before: object, now: object) -> str:
    """Return what is different, if anything is."""
    if before == now:
        return ""
    return OPAQUE.get(name) or f"{name} was {before!r} and is {now!r}"


def _tell_damage(path: Path) -> FormatError:
    return FormatError(f"{path}: the checkpoint is damaged; delete it to start afresh")


def _checksum(run: Run, parts: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps([run, parts], sort_keys=True).encode()).hexdigest()
