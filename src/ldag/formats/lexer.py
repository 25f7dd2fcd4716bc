"""Reading texts from left to right, token by token: the C-like formats of other programs, and the text notation.

Tokens are cut on demand, so that tables of a million numbers never become tokens.
"""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ldag.errors import FormatError
from ldag.formats.record_checks import shorten
from ldag.formats.words import WORD, read_bare_state, read_quoted
from ldag.model import State

NumberRow = NDArray[np.float64]

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_PERCENT_COMMENT = re.compile(r"%[^\n]*")
_NOTATION_SPACE = re.compile(r"(?:\s+|#.*)*")
_BARE = re.compile(WORD)
_QUOTES = ('"', "'")
_NOTATION = re.compile(rf'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|<->|->|<-|--|[{{}},;:=|*<?]|{WORD}|-')


class Tokens:
    """A text, and how far it has been read; a token is what it looks like, a string with its quotes."""

    def __init__(self, text: str, space: re.Pattern[str], token: re.Pattern[str]) -> None:
        self.text = text
        self.position = 0
        self._space = space
        self._token = token

    @property
    def where(self) -> str:
        """The place of the next token, as errors begin with it."""
        raise NotImplementedError

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is left."""
        self._skip()
        return self.position >= len(self.text)

    def peek(self) -> str:
        """Return the next token, without stepping over it; empty at the end."""
        self._skip()
        token = self._token.match(self.text, self.position)
        if token is None and self.position < len(self.text):
            raise self.unreadable(self.text[self.position])
        return "" if token is None else token[0]

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

    def expect(self, token: str, expected: str = "") -> None:
        """Step over the next token, which must be this one."""
        if not self.accept(token):
            raise self.unexpected(expected or repr(token))

    def expect_end(self, expected: str) -> None:
        """Check that nothing is left."""
        if not self.is_at_end:
            raise self.unexpected(expected)

    def unexpected(self, expected: str) -> FormatError:
        """Return the error that the next token is not what was expected."""
        token = self.peek()
        return FormatError(f"{self.where}expected {expected}, got {shorten(token) if token else 'the end of the file'}")

    def unreadable(self, _sign: str) -> FormatError:
        """Return the error for a sign that begins no token."""
        return FormatError(f"{self.where}expected a closing double quote, got nothing more")

    def _skip(self) -> None:
        space = self._space.match(self.text, self.position)
        if space is not None:
            self.position = space.end()


class Lexer(Tokens):
    """Tokens of C-like formats (BIF, NET, DNE, DSC): words, strings, signs, and long runs of numbers."""

    def __init__(self, text: str, signs: str, *, percent: bool = False) -> None:
        self._comment = _PERCENT_COMMENT if percent else _COMMENT
        signs = re.escape(signs)
        start = "%" if percent else "//|/[*]"
        super().__init__(
            text,
            re.compile(rf"(?:\s+|{self._comment.pattern})*", re.DOTALL),
            re.compile(rf'"(?:[^"\\]|\\.)*"|[{signs}]|(?:(?!{start})[^\s"{signs}])+', re.DOTALL),
        )
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

    def name(self, what: str) -> str:
        """Read a name: a word or a string."""
        token = self.peek()
        if not token or token in self._signs:
            raise self.unexpected(what)
        self.position += len(token)
        return _ESCAPED.sub(r"\1", token[1:-1]) if token.startswith('"') else token

    def names(self, what: str, end: str) -> tuple[str, ...]:
        """Read names up to a sign, which is stepped over; commas between them may be left out."""
        names: list[str] = []
        while not self.accept(end):
            names.append(self.name(what))
            self.accept(",")
        return tuple(names)

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

    def _end_after_comments(self, end: str) -> int:
        """Return where a sign stands that is not inside a comment."""
        pattern = re.compile(rf"{self._comment.pattern}|({re.escape(end)})", re.DOTALL)
        return next((m.start() for m in pattern.finditer(self.text, self.position) if m[1]), -1)


class Scanner(Tokens):
    """Tokens of one statement of the text notation, and the pieces that statements are made of."""

    def __init__(self, text: str, path: str) -> None:
        super().__init__(text, _NOTATION_SPACE, _NOTATION)
        self.path = path
        self.starred: set[str] = set()

    @property
    def where(self) -> str:
        """The statement's place, as errors begin with it."""
        return f"{self.path}: "

    def unexpected(self, expected: str) -> FormatError:
        """Return the error that the next token is not what was expected."""
        token = self.peek()
        is_quoted, is_word = token.startswith(_QUOTES), _is_word(token)
        hint = "; a name or state with spaces needs double quotes" if is_word else ""
        hint = '; a state such as "<3" needs double quotes' if token == "<" else hint
        got = "nothing more" if not token else token if is_quoted else repr(token)
        return FormatError(f"{self.where}expected {expected}, got {got}{hint}")

    def unreadable(self, sign: str) -> FormatError:
        """Return the error for a sign that begins no token."""
        if sign == "'":
            return FormatError(f"{self.where}expected a closing single quote, got nothing more")
        if sign == '"':
            return super().unreadable(sign)
        return FormatError(
            f"{self.where}expected a name, a state or one of -> : | {{ }} , ; = *, got {sign!r}; "
            "names and states with characters other than letters, digits, '_', '.' and '-' need double quotes"
        )

    def name(self, expected: str = "a variable's name") -> str:
        """Read a variable's name, which is a string however it is spelled."""
        token = self._take_text(expected)
        return read_quoted(token, self.path) if token.startswith(_QUOTES) else token

    @property
    def is_name(self) -> bool:
        """Whether a name comes next."""
        token = self.peek()
        return token.startswith(_QUOTES) or _is_word(token)

    def state(self) -> State:
        """Read a state: a bare word may be a number or a boolean."""
        token = self._take_text("a state")
        return read_quoted(token, self.path) if token.startswith(_QUOTES) else read_bare_state(token, self.path)

    def _take_text(self, expected: str) -> str:
        """Step over a word or a string in quotes."""
        if not self.is_name:
            raise self.unexpected(expected)
        return self.take()

    def states(self) -> tuple[State, ...]:
        """Read states, separated by commas."""
        states = [self.state()]
        while self.accept(","):
            states.append(self.state())
        return tuple(states)

    def declared_states(self) -> tuple[tuple[State, ...], bool]:
        """Read states separated by commas, or by ``<``, which says that their order means something."""
        states = [self.state()]
        sign = "<" if self.peek() == "<" else ","
        while self.accept(sign):
            states.append(self.state())
        return tuple(states), sign == "<"

    def context(self) -> dict[str, State]:
        """Read a context such as ``x=1, y=no``; a star stands for any state, alone for any context."""
        if self.accept("*"):
            return {}
        starred: set[str] = set()
        context: dict[str, State] = {}
        while True:
            name = self.name("a context such as x=1")
            if name in context or name in starred:
                raise FormatError(f"{self.path}: the context names {name!r} twice; use ';' for alternatives")
            self.expect("=", f"'=' and a state after {name!r}")
            if self.accept("*"):
                starred.add(name)
                self.starred.add(name)
            else:
                context[name] = self.state()
            if not self.accept(","):
                return context

    def contexts(self) -> tuple[dict[str, State], ...]:
        """Read contexts, separated by semicolons."""
        contexts = [self.context()]
        while self.accept(";"):
            contexts.append(self.context())
        return tuple(contexts)


def read_name_list(text: str, path: str) -> list[str]:
    """Read names separated by commas as people type them: quotes are needed only where the text form is ambiguous."""
    if '"' not in text:
        parts = [part.strip() for part in text.partition("#")[0].split(",")]
        return parts if any(parts) else []
    scanner = Scanner(text, path)
    names: list[str] = []
    while not scanner.is_at_end:
        names.append(scanner.name())
        if not scanner.accept(",") and not scanner.is_at_end:
            raise scanner.unexpected("',' and another name, or the end of the line")
    return names


def read_assignments(text: str, path: str) -> list[tuple[str, State]]:
    """Read a context as people type it, ``a=1, b=>3``: quotes are needed only where the text form is ambiguous."""
    if '"' in text:
        scanner = Scanner(text, path)
        context = scanner.context()
        scanner.expect_end("',' and another name=state, or the end")
        return list(context.items())
    pairs: list[tuple[str, State]] = []
    for part in text.split(","):
        name, equals, state = (side.strip() for side in part.partition("="))
        if not (name and equals and state):
            raise FormatError(f"{path}: expected name=state, such as person=spy, got {part!r}")
        pairs.append((name, state))
    return pairs


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
    raise FormatError(f"{where}expected a number, got {shorten(bad)}")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


def _is_word(token: str) -> bool:
    return _BARE.fullmatch(token) is not None
