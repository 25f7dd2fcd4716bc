"""How names and states are spelled in the text notation: bare where that is unambiguous, quoted otherwise.

A bare word is made of letters and digits of any script, ``_`` and ``.``, and single ``-`` between them; a ``-``
may also begin a number. As a state, a bare word that reads as a number in the JSON manner (``0``, ``-3``, ``2.5``,
also ``.5``, ``1e-7``) is that number and ``True`` or ``False`` a boolean; so ``007`` and ``true`` are strings.
"""

import json
import re
from collections.abc import Iterable
from math import isfinite

from ldag.errors import FormatError
from ldag.formats.record import Context
from ldag.model import State

WORD = r"(?:-(?=[0-9.]))?[\w.]+(?:-[\w.]+)*"
"""Pattern of a bare word."""

_WORD = re.compile(WORD)
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(
    r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*(?:[eE]-?[0-9]+)?|[eE]-?[0-9]+)|\.[0-9]+(?:[eE]-?[0-9]+)?)", re.ASCII
)
_BOOL = {"True": True, "False": False}
_INVISIBLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_bare_state(word: str, path: str) -> State:
    """Return the state that a bare word stands for: a number, a boolean or a string."""
    if word in _BOOL:
        return _BOOL[word]
    if _INT.fullmatch(word):
        return read_int(word, path)
    if not _FLOAT.fullmatch(word):
        return word
    number = float(word)
    if not isfinite(number):
        raise FormatError(f"{path}: the number {word} is too large; put it in double quotes to make it a string")
    return number


def read_int(digits: str, path: str) -> int:
    """Return a whole number; Python refuses those of thousands of digits."""
    try:
        return int(digits)
    except ValueError:
        place = f"{path}: " if path else ""
        raise FormatError(f"{place}a whole number of {len(digits)} digits is too long") from None


def read_quoted(token: str, path: str) -> str:
    """Return the string inside double quotes, its escapes undone."""
    try:
        text = json.loads(token, strict=False)
    except ValueError:
        raise FormatError(
            f'{path}: the string {token} has an unknown escape; expected \\" \\\\ \\n \\t or \\uXXXX'
        ) from None
    assert isinstance(text, str)
    return text


def has_surrogate(text: str) -> bool:
    r"""Whether a string has half of a surrogate pair, such as ``\ud800``, which no file can hold."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def spell_quoted(text: str) -> str:
    """Put a string in double quotes, with escapes for quotes, backslashes and what cannot be seen."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _INVISIBLE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", quoted)


def spell_name(name: str) -> str:
    """Spell a variable's name, quoted only if it must be."""
    return name if _WORD.fullmatch(name) else spell_quoted(name)


def spell_state(state: State) -> str:
    """Spell a state so that it reads back as the same value of the same type."""
    if isinstance(state, bool):
        return str(state)
    if isinstance(state, int):
        return int.__repr__(state)
    if isinstance(state, float):
        return float.__repr__(state).replace("e+", "e")
    reads_as_other = state in _BOOL or _INT.fullmatch(state) or _FLOAT.fullmatch(state)
    return spell_quoted(state) if reads_as_other else spell_name(state)


def spell_states(states: Iterable[State], sign: str = ", ") -> str:
    """Spell states as ``no, yes``."""
    return sign.join(map(spell_state, states))


def spell_context(context: Context) -> str:
    """Spell a context as ``x=1, y=no``; one that names nothing is ``*``."""
    return ", ".join(f"{spell_name(name)}={spell_state(state)}" for name, state in context.items()) or "*"


def spell_contexts(contexts: Iterable[Context], separator: str = " ; ") -> str:
    """Spell contexts that are joined by OR."""
    return separator.join(map(spell_context, contexts))
