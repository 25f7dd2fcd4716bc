"""The hook on which the front door hangs rooms that values ask for, so that no room has to know one to its right.

And how a room loads what few callers need when they first ask for it.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_loaders: dict[str, Callable[[], object]] = {}


def hang(room: str, load: Callable[[], object]) -> None:
    """Say how a room is loaded; that happens when a value first asks for it."""
    _loaders[room] = load


def take(room: str) -> Any:
    """Return a room: "presenting", which shows values, or "uncertainty", which learns several networks."""
    return _loaders[room]()


def load_late(room: str, files: Mapping[str, str]) -> Callable[[str], object]:
    """Return the `__getattr__` of a room, some files of which are loaded when a name in them is first asked for."""
    places = {name: file for file, names in files.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f"{room}.{places[name]}"), name)

    return load


class Printable:
    """A value whose text tells everything: its repr is the first line, and a notebook shows the text."""

    def __repr__(self) -> str:
        first = str(self).strip().partition("\n")[0].strip()
        return f"<{type(self).__name__}: {first}>"

    def _repr_html_(self) -> str:
        return str(take("presenting").write_cell(self))
