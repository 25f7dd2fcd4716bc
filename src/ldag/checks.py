"""What the doors check arguments with: whole numbers, choices, seeds, threads, lists and paths."""

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from ldag.errors import ArgumentError, argument, suggest

K = TypeVar("K")
V = TypeVar("V")

Rng = int | np.random.Generator | None
"""A seed, a generator to draw one from, or None, which is 0."""


def check_whole(value: int, what: str, least: int = 1, most: int | None = None) -> int:
    """Check a whole number; numpy's count too, booleans do not."""
    if not is_whole(value) or value < least or (most is not None and value > most):
        upper = " or more" if most is None else f" to {most:,}"
        raise ArgumentError(f"{_name(what)} must be a whole number, {least}{upper}, got {value!r}")
    return int(value)


def _name(what: str) -> str:
    """Name an argument for the user's door; what has blanks says itself what it is."""
    return argument(what) if what.isidentifier() else what


def is_whole(value: object) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether a value is a number."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def check_share(value: float, what: str, *, inside: bool = False) -> float:
    """Check a number from 0 to 1, or strictly between them."""
    if not is_number(value) or not 0 <= value <= 1 or (inside and value in (0, 1)):
        raise ArgumentError(
            f"{_name(what)} must be a number {'between 0 and 1' if inside else 'from 0 to 1'}, got {value!r}"
        )
    return float(value)


def check_choice(value: str, known: Sequence[str], option: str) -> None:
    """Refuse what is not among the choices of an option."""
    if value not in known:
        raise ArgumentError(f"no {option} {value!r}{suggest(value, known)}")


def check_seed(rng: Rng) -> int:
    """Return a seed for the native core; None is 0."""
    if rng is None:
        return 0
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if not is_whole(rng) or rng < 0:
        raise ArgumentError(
            f"{argument('rng')} must be a whole number, 0 or more, a numpy Generator or None, got {rng!r}"
        )
    if rng >= 2**63:
        raise ArgumentError(f"{argument('rng')} must be below 2^63 = {2**63:,}, got {rng!r}")
    return int(rng)


def check_generator(rng: Rng) -> np.random.Generator:
    """Return a generator, seeded by what is given."""
    return rng if isinstance(rng, np.random.Generator) else np.random.default_rng(check_seed(rng))


def check_jobs(n_jobs: int) -> int:
    """Return a number of threads; -1 is all cores."""
    if not is_whole(n_jobs) or (n_jobs < 1 and n_jobs != -1):
        raise ArgumentError(
            f"{argument('n_jobs')} must be a whole number, 1 or more, or -1 for all cores, got {n_jobs!r}"
        )
    return int(n_jobs) if n_jobs > 0 else os.cpu_count() or 1


def check_mapping(value: Mapping[K, V], name: str) -> Mapping[K, V]:
    """Return a mapping, or say that it is none."""
    if not isinstance(value, Mapping):
        raise ArgumentError(f"{name} must be a mapping, got {value!r}")
    return value


def check_sequence(value: Iterable[V], what: str) -> tuple[V, ...]:
    """Return several things as a tuple; a string is not several things."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise ArgumentError(f"{what} must be a list, got {value!r}")
    return tuple(value)


def check_names(value: str | Iterable[str], what: str = "names") -> tuple[str, ...]:
    """Return one name or several as a tuple."""
    return (value,) if isinstance(value, str) else check_sequence(value, what)


def check_text(value: str) -> str:
    """Return a text, or say that it is none."""
    if not isinstance(value, str):
        raise ArgumentError(f"expected text, got {value!r}")
    return value


def check_path(value: str | os.PathLike[str]) -> str:
    """Return a path as text, or say that it is none."""
    try:
        path = os.fspath(value)
    except TypeError:
        raise ArgumentError(f"expected a path, got {value!r}") from None
    if not isinstance(path, str):
        raise ArgumentError(f"expected a path as text, got {value!r}")
    return path


def tell_renamed(old: str, new: str) -> None:
    """Warn that a name is kept for one release only; to be called by what has the old name."""
    warnings.warn(f"{old} is now {new}; the old name goes with the next release", DeprecationWarning, stacklevel=3)
