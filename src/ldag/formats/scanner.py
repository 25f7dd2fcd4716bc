"""Reading the text notation from left to right, with errors that say what was expected and what came."""

import re
from typing import NamedTuple

from ldag.errors import FormatError
from ldag.formats.spelling import WORD, read_bare_state, read_quoted
from ldag.model import State

_TOKEN = re.compile(
    r"(?P<space>\s+|\#.*)"
    r'|(?P<quoted>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<sign><->|->|<-|--|[{},;:=|*<])"
    rf"|(?P<word>{WORD})"
)


class Token(NamedTuple):
    """A word, a quoted string, a sign (whose kind is itself) or the end."""

    kind: str
    text: str


_END = Token("end", "")


class Scanner:
    """The tokens of one statement, and the pieces that statements are made of."""

    def __init__(self, text: str, path: str) -> None:
        self.path = path
        self._tokens = _tokens(text, path)
        self._position = 0
        self.starred: set[str] = set()

    @property
    def next(self) -> Token:
        """The token to come."""
        return self._tokens[self._position] if self._position < len(self._tokens) else _END

    @property
    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.next.kind == "end"

    def accept(self, kind: str) -> bool:
        """Step over the next token if it is of this kind."""
        if self.next.kind != kind:
            return False
        self._position += 1
        return True

    def expect(self, kind: str, expected: str) -> None:
        """Step over the next token, which must be of this kind."""
        if not self.accept(kind):
            raise self.unexpected(expected)

    def unexpected(self, expected: str) -> FormatError:
        """Return the error that the next token is not what was expected."""
        kind, text = self.next
        got = "nothing more" if kind == "end" else text if kind == "quoted" else repr(text)
        hint = "; a name or state with spaces needs double quotes" if kind == "word" else ""
        hint = '; a state such as "<3" needs double quotes' if kind == "<" else hint
        return FormatError(f"{self.path}: expected {expected}, got {got}{hint}")

    def name(self, expected: str = "a variable's name") -> str:
        """Read a variable's name, which is a string however it is spelled."""
        text = self.next.text
        if self.accept("word"):
            return text
        self.expect("quoted", expected)
        return read_quoted(text, self.path)

    def state(self) -> State:
        """Read a state: a bare word may be a number or a boolean."""
        text = self.next.text
        if self.accept("word"):
            return read_bare_state(text, self.path)
        self.expect("quoted", "a state")
        return read_quoted(text, self.path)

    def states(self) -> tuple[State, ...]:
        """Read states, separated by commas."""
        states = [self.state()]
        while self.accept(","):
            states.append(self.state())
        return tuple(states)

    def declared_states(self) -> tuple[tuple[State, ...], bool]:
        """Read states separated by commas, or by ``<``, which says that their order means something."""
        states = [self.state()]
        sign = "<" if self.next.kind == "<" else ","
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
    while not scanner.at_end:
        names.append(scanner.name())
        if not scanner.accept(",") and not scanner.at_end:
            raise scanner.unexpected("',' and another name, or the end of the line")
    return names


def read_assignments(text: str, path: str) -> list[tuple[str, State]]:
    """Read a context as people type it, ``a=1, b=>3``: quotes are needed only where the text form is ambiguous."""
    if '"' in text:
        scanner = Scanner(text, path)
        context = scanner.context()
        if not scanner.at_end:
            raise scanner.unexpected("',' and another name=state, or the end")
        return list(context.items())
    pairs: list[tuple[str, State]] = []
    for part in text.split(","):
        name, equals, state = (side.strip() for side in part.partition("="))
        if not (name and equals and state):
            raise FormatError(f"{path}: expected name=state, such as person=spy, got {part!r}")
        pairs.append((name, state))
    return pairs


def _tokens(text: str, path: str) -> list[Token]:
    """Cut a text into tokens, without spaces and comments."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise _unreadable(text[position], path)
        position = found.end()
        kind = found.lastgroup
        if kind != "space":
            tokens.append(Token(found[0] if kind == "sign" else str(kind), found[0]))
    return tokens


def _unreadable(character: str, path: str) -> FormatError:
    """Return the error for a character that begins no token."""
    if character == '"':
        return FormatError(f"{path}: expected a closing double quote, got nothing more")
    return FormatError(
        f"{path}: expected a name, a state or one of -> : | {{ }} , ; = *, got {character!r}; "
        "names and states with characters other than letters, digits, '_', '.' and '-' need double quotes"
    )
