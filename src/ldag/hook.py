"""The hook on which the front door hangs the room that shows values, so that no room has to know one to its right."""

from collections.abc import Callable
from typing import Any

_loaders: list[Callable[[], object]] = []


def hang(load: Callable[[], object]) -> None:
    """Say how the room that shows values is loaded; that happens when something is first shown."""
    _loaders[:] = [load]


def take() -> Any:
    """Return the room that shows values."""
    return _loaders[0]()


class Printable:
    """A value whose text tells everything: its repr is the first line, and a notebook shows the text."""

    def __repr__(self) -> str:
        first = str(self).strip().partition("\n")[0].strip()
        return f"<{type(self).__name__}: {first}>"

    def _repr_html_(self) -> str:
        return str(take().write_cell(self))
