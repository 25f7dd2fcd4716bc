"""Reading C-like formats (BIF, NET, DNE, DSC) from left to right: words, strings, signs, and long runs of numbers.

Tokens are cut on demand, so that tables of a million numbers never become tokens.
"""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ldag.errors import FormatError
from ldag.formats.record_checks import shown

NumberRow = NDArray[np.float64]

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PERCENT_COMMENT = re.compile(r"%[^\n]*")


class Lexer:
    """The text, and how far it has been read."""

    def __init__(self, text: str, signs: str, *, percent: bool = False) -> None:
        self.text = text
        self.position = 0
        self._comment = _PERCENT_COMMENT if percent else _COMMENT
        signs = re.escape(signs)
        self._space = re.compile(rf"(?:\s+|{self._comment.pattern})*", re.DOTALL)
        start = "%" if percent else "//|/[*]"
        self._token = re.compile(rf'"(?:[^"\\]|\\.)*"|[{signs}]|(?:(?!{start})[^\s"{signs}])+', re.DOTALL)
        self._signs = frozenset(signs.replace("\\", ""))
        self._line = 1
        self._counted = 0

    @property
    def where(self) -> str:
        """The place of the next token, as errors begin with it."""
        self._skip()
        if self.position < self._counted:
            self._line, self._counted = 1, 0
        self._line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        return f"line {self._line}: "

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        self._skip()
        return self.position >= len(self.text)

    def peek(self) -> str:
        """Return the next token as it is written, without stepping over it; empty at the end."""
        self._skip()
        found = self._token.match(self.text, self.position)
        if found is None:
            if self.position < len(self.text):
                raise FormatError(f"{self.where}expected a closing double quote, got nothing more")
            return ""
        return found[0]

    def take(self) -> str:
        """Step over the next token and return it."""
        token = self.peek()
        self.position += len(token)
        return token

    def accept(self, token: str) -> bool:
        """Step over the next token if it is this one."""
        if self.peek() != token:
            return False
        self.position += len(token)
        return True

    def expect(self, token: str) -> None:
        """Step over the next token, which must be this one."""
        if not self.accept(token):
            raise self.unexpected(repr(token))

    def unexpected(self, expected: str) -> FormatError:
        """Return the error that the next token is not what was expected."""
        token = self.peek()
        return FormatError(f"{self.where}expected {expected}, got {shown(token) if token else 'the end of the file'}")

    def name(self, what: str) -> str:
        """Read a name: a word or a string."""
        token = self.peek()
        if not token or token in self._signs:
            raise self.unexpected(what)
        self.position += len(token)
        return _ESCAPED.sub(r"\1", token[1:-1]) if token.startswith('"') else token

    def names(self, what: str, end: str, separator: str = ",") -> tuple[str, ...]:
        """Read names up to a sign, which is stepped over; commas between them may be left out."""
        found: list[str] = []
        while not self.accept(end):
            found.append(self.name(what))
            if separator:
                self.accept(separator)
        return tuple(found)

    def numbers(self, end: str, dropped: str = ",") -> NumberRow:
        """Read numbers up to a sign, which is stepped over."""
        where = self.where
        stop = self.text.find(end, self.position)
        raw = self.text[self.position : stop]
        if "/" in raw or "%" in raw:
            stop = self._end_after_comments(end)
            raw = self._comment.sub(" ", self.text[self.position : stop])
        if stop < 0:
            raise FormatError(f"{where}expected numbers and {end!r}, got the end of the file")
        self.position = stop + len(end)
        for sign in dropped:
            raw = raw.replace(sign, " ")
        return read_numbers(raw.split(), where)

    def skip_until(self, end: str) -> None:
        """Step over everything up to a sign, and over that."""
        while not self.accept(end):
            if not self.take():
                raise self.unexpected(repr(end))

    def skip_block(self) -> None:
        """Step over a value: everything up to a semicolon, with what braces and brackets enclose."""
        depth = 0
        while True:
            token = self.take()
            if not token:
                raise self.unexpected("';'")
            depth += (token in "{(") - (token in "})")
            if depth < 0:
                raise self.unexpected("';' before a closing bracket")
            if token == ";" and depth == 0:
                return

    def _skip(self) -> None:
        found = self._space.match(self.text, self.position)
        if found is not None:
            self.position = found.end()

    def _end_after_comments(self, end: str) -> int:
        """Return where a sign stands that is not inside a comment."""
        pattern = re.compile(rf"{self._comment.pattern}|({re.escape(end)})", re.DOTALL)
        return next((m.start() for m in pattern.finditer(self.text, self.position) if m[1]), -1)


def read_numbers(words: Iterable[str], where: str) -> NumberRow:
    """Return words as numbers."""
    words = list(words)
    try:
        numbers = np.array([float(word) for word in words], dtype=np.float64)
        if not any("_" in word for word in words):
            return numbers
    except ValueError:
        pass
    bad = next(word for word in words if not _is_number(word))
    raise FormatError(f"{where}expected a number, got {shown(bad)}")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word
