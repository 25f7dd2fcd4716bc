"""XML from strangers: no entities, no endless nesting, and every element knows its line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote
from xml.parsers import expat

from ldag.errors import FormatError

MAX_DEPTH = 64
"""Elements inside each other; files of networks need a handful."""

_ENCODED = re.compile("[%=&<>\"'\r\n]|--")


def escape(text: str) -> str:
    """Return a text as it stands between tags."""
    from xml.sax import saxutils  # it loads what it would take to ask the web, so not at the top

    return saxutils.escape(text)


def quoteattr(text: str) -> str:
    """Return a text as the value of an attribute, with its quotes."""
    from xml.sax import saxutils

    return saxutils.quoteattr(text)


@dataclass
class Element:
    """An element: its tag in small letters, attributes, children and text."""

    tag: str
    attributes: dict[str, str]
    where: str
    children: list["Element"] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text directly inside."""
        return "".join(self.parts).strip()

    def all(self, tag: str) -> Iterator["Element"]:
        """Return the children with a tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> "Element | None":
        """Return the first child with a tag."""
        return next(self.all(tag), None)

    def need(self, tag: str) -> "Element":
        """Return the first child with a tag, which must be there."""
        child = self.first(tag)
        if child is None:
            raise FormatError(f"{self.where}expected <{tag}> in <{self.tag}>, got none")
        return child


def parse_xml(text: str, root: str) -> tuple[Element, list[tuple[str, str]]]:
    """Return the root element, and the comments with their places."""
    parser = expat.ParserCreate()
    stack = [Element("", {}, "")]
    comments: list[tuple[str, str]] = []

    def where() -> str:
        return f"line {parser.CurrentLineNumber}: "

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(stack) > MAX_DEPTH:
            raise FormatError(f"{where()}the XML is nested too deeply")
        child = Element(tag.lower(), {key.lower(): value for key, value in attributes.items()}, where())
        stack[-1].children.append(child)
        stack.append(child)

    def refuse(*_: object) -> None:
        raise FormatError(f"{where()}the XML declares entities, which are refused")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = lambda data: stack[-1].parts.append(data)  # noqa: PLW0108 - the stack moves
    parser.CommentHandler = lambda data: comments.append((where(), data.strip()))
    parser.EntityDeclHandler = refuse
    parser.buffer_text = True
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise FormatError(f"line {error.lineno}: not valid XML: {expat.ErrorString(error.code)}") from None
    except (ValueError, LookupError) as error:  # an encoding that the parser does not know
        raise FormatError(f"not valid XML: {error}") from None
    element = stack[0].first(root)
    if element is None:
        got = stack[0].children[0].tag if stack[0].children else "nothing"
        raise FormatError(f"expected <{root}>, got <{got}>")
    return element, comments


def encode_note(text: str) -> str:
    """Return a note without signs that XML or its readers stumble over."""
    return _ENCODED.sub(lambda sign: "".join(f"%{ord(c):02X}" for c in sign[0]), text)


def decode_note(text: str) -> str:
    """Return what `encode_note` encoded."""
    return unquote(text)
