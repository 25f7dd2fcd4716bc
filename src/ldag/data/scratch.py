"""Folders for what comes through a pipe or does not fit in memory; they go with their owner.

What a process that was killed left behind goes when the next one needs a folder: a folder is in use as long as its
owner holds the lock of a file in it, which the system takes from the dead.
"""

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows what was left behind stays
    fcntl = None  # type: ignore[assignment]  # Windows has no such module

PREFIX = "ldag-"
_LOCK = "in use"


class Scratch:
    """A folder that is there as long as this is."""

    def __init__(self) -> None:
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR)
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        (self.folder / "lock").rename(self.folder / _LOCK)
        self.close = weakref.finalize(self, _remove, self.folder, lock, os.getpid())


def _remove(folder: Path, lock: int, owner: int) -> None:
    os.close(lock)
    if os.getpid() == owner:  # and not a child that has a copy of it
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Remove folders that nobody holds any more."""
    if fcntl is None:
        return
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{_LOCK}"):
        with suppress(OSError):  # somebody else's, or in use
            lock = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.parent, ignore_errors=True)
            finally:
                os.close(lock)
