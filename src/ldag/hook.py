"""The hook on which the front door hangs the room that shows values, so that no room has to know one to its right."""

from collections.abc import Callable

_loaders: list[Callable[[], object]] = []


def hang(load: Callable[[], object]) -> None:
    """Say how the room that shows values is loaded; that happens when something is first shown."""
    _loaders[:] = [load]


def take() -> object:
    """Return the room that shows values."""
    return _loaders[0]()
