"""The errors of this library: what was expected, what came, where, and what to do about it.

Messages and notes that name an option do so by `option` or `argument`, which spell it for the door by which the user
came: as an argument in Python, as it is typed in a shell.
"""

import difflib
import inspect
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

_DOORS = ["python"]
"""The doors that were entered; the last is the one that is spoken to."""


@contextmanager
def speak_to_shell() -> Iterator[None]:
    """Spell options as they are typed in a shell, in all messages that are made meanwhile."""
    _DOORS.append("shell")
    try:
        yield
    finally:
        _DOORS.pop()


def by_door(python: str, shell: str) -> str:
    """Return the one of two texts that the user's door understands."""
    return python if _DOORS[-1] == "python" else shell


def argument(name: str) -> str:
    """Name an argument as the beginning of a message does.

    Examples
    --------
    >>> argument("max_parents")
    'max_parents'
    >>> with speak_to_shell():
    ...     argument("max_parents"), argument("n_jobs"), argument("n")
    ('--max-parents', '--jobs', '-n')
    """
    return by_door(name, f"-{name}" if len(name) == 1 else f"--{name.removeprefix('n_').replace('_', '-')}")


def option(name: str, value: object = None) -> str:
    """Name an option that is to be given, with a value or without; a list has one item, a mapping one column.

    Examples
    --------
    >>> option("max_states"), option("missing", "drop"), option("keep", ["id"]), option("bins", {"age": 3})
    ('max_states=', "missing='drop'", "keep=['id']", "bins={'age': 3}")
    >>> with speak_to_shell():
    ...     option("max_states"), option("missing", "drop"), option("keep", ["id"]), option("bins", {"age": 3})
    ('--max-states', '--missing drop', '--keep id', '--bins age=3')
    """
    flag = argument(name)
    if value is None:
        return by_door(f"{name}=", flag)
    return by_door(f"{name}={value!r}", f"{flag} {_quote(value)}")


def say_decomposable() -> str:
    """Name the option that leaves arrows out; in a shell it is a flag."""
    return by_door("decomposable=True", "--decomposable")


def _quote(value: object) -> str:
    """Spell a value for a shell, in quotes if it would be split."""
    if isinstance(value, Mapping):
        return _quote("=".join(map(str, next(iter(value.items())))))
    text = str(value[0] if isinstance(value, list) else value)
    is_plain = text and all(sign.isalnum() or sign in "_-.,=+:/%" for sign in text)
    return text if is_plain else '"' + text.replace('"', '\\"') + '"'


class LdagError(Exception):
    """Anything this library refuses to do, with a message a person can act on."""

    def __reduce__(self) -> tuple[object, ...]:
        """Be sent between processes as the message: what it was made of may be gone there."""
        return _restore, (type(self), self.args), self.__dict__


class UnknownVariable(LdagError):
    """A name that no variable of the graph or the data has."""

    def __init__(self, name: object, known: Iterable[str], where: str = "", hint: str = "") -> None:
        super().__init__(f"{where}no variable {name!r}{suggest(name, known)}{hint}")


class UnknownState(LdagError):
    """A state that the variable does not have."""

    def __init__(self, state: object, variable: str, known: Iterable[object], where: str = "") -> None:
        super().__init__(f"{where}variable {variable!r} has no state {state!r}{suggest(state, known)}")


class GraphError(LdagError):
    """Edges, labels or classes that do not make a labelled DAG."""


class DataError(LdagError):
    """A table that cannot be read as categorical data."""


class FormatError(LdagError):
    """A text or a file that does not follow its format."""


class ArgumentError(LdagError):
    """An argument outside what a function accepts."""


class TooLarge(LdagError):
    """Work whose table would not fit the stated limit."""


class NotDecided(LdagError):
    """A verdict that was not decided was used as if it had been."""


class ImpossibleEvidence(LdagError):
    """Evidence whose probability is zero: nothing can be concluded from it."""


class MissingDependency(LdagError):
    """An optional package that is needed here and is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package!r}; install it with: pip install 'ldag[{extra}]'")


def _restore(kind: type[LdagError], args: tuple[object, ...]) -> LdagError:
    """Return an error as it was, without making its message again."""
    return kind.__new__(kind, *args)


class DataNote(UserWarning):
    """What reading did with a table that was given in place of a data set, which would tell it in its notes."""


class GraphWarning(UserWarning):
    """An answer about what is set from outside takes for granted what the data do not determine of the graph."""


def suggest(given: object, known: Iterable[object]) -> str:
    """Return the hint that ends an "unknown name" message: a near miss, or what there is."""
    names = [str(item) for item in known]
    close = difflib.get_close_matches(str(given), names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    if not names:
        return "; there are none"
    shown = ", ".join(repr(name) for name in names[:8])
    one_of = "one of " if len(names) > 1 else ""
    return f"; expected {one_of}{shown}" + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def list_names(names: Sequence[str], most: int = 5) -> str:
    """Return the first names, and how many more there are.

    Examples
    --------
    >>> list_names(["a", "b"]), list_names("abcdefg")
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def counted(number: float, noun: str, several: str | None = None) -> str:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "edge"), counted(1841, "observation")
    ('1 edge', '1,841 observations')
    """
    digits = f"{number:,.10g}" if isinstance(number, float) else f"{number:,}"
    return f"{digits} {noun if number == 1 else several or noun + 's'}"


def spell_bytes(n_bytes: float) -> str:
    """Return an amount that is not less, such as "2.4 GB"."""
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if n_bytes < 1024 or unit == "TB":
            break
        n_bytes /= 1024
    if unit == "bytes":
        return f"{n_bytes:.0f} bytes"
    return f"{n_bytes:,.0f} {unit}" if n_bytes >= 100 or n_bytes == int(n_bytes) else f"{n_bytes + 0.05:.1f} {unit}"


def tell(notes: Sequence[str], kind: type[Warning] = DataNote) -> None:
    """Warn of what reading did, where no data set is handed out that could tell it itself, or of something else."""
    if notes:
        warnings.warn("; ".join(notes), kind, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Return how far up the first line is that is not this library's: a warning is about what the user wrote."""
    frame = inspect.currentframe()
    level = 0
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "ldag":
        frame = frame.f_back
        level += 1
    return level
