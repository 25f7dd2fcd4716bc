"""What the JSON forms share: parsing, the header, objects and lists; a mistake is reported with its place."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from ldag.errors import FormatError, suggest
from ldag.formats.record_checks import shown
from ldag.formats.spelling import read_int


class JsonObject(dict[str, object]):
    """A JSON object that remembers whether a key stood in it twice."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs) if len(self) < len(pairs) else {}
        self.twice = next((key for key, count in counts.items() if count > 1), None)


def parse_json(text: str) -> object:
    """Parse JSON; everything that can go wrong there is one error."""
    try:
        return json.loads(text, object_pairs_hook=JsonObject, parse_int=lambda digits: read_int(digits, ""))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"line {error.lineno}, column {error.colno}: not valid JSON: {error.msg[0].lower()}{error.msg[1:]}"
        ) from None
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None


def check_header(document: object, name: str, newest: int, path: str = "") -> JsonObject:
    """Check format and version first: another format or a newer version explains every other difference."""
    if not isinstance(document, JsonObject):
        place = f"{path}: " if path else ""
        raise FormatError(f'{place}expected an object with "format": "{name}", got {shown(document)}')
    inside = f"{path}." if path else ""
    if document.get("format", name) != name:
        raise FormatError(f"{inside}format: expected {name!r}, got {shown(document['format'])}")
    version = document.get("version", newest)
    if type(version) is not int or version < 1:
        raise FormatError(f"{inside}version: expected the whole number {newest}, got {shown(version)}")
    if version > newest:
        raise FormatError(f"{inside}version: expected at most {newest}, got {shown(version)}; a newer ldag can read it")
    return document


def check_fields(item: object, path: str, required: Iterable[str], optional: Iterable[str]) -> Mapping[str, object]:
    """Return an object that has all the required keys and none that is unknown."""
    place = f"{path}: " if path else ""
    known = [*required, *optional]
    if not isinstance(item, JsonObject):
        raise FormatError(f"{place}expected an object with {', '.join(map(repr, known))}, got {shown(item)}")
    if item.twice is not None:
        raise FormatError(f"{place}the key {item.twice!r} is given twice")
    for key in item:
        if key not in known:
            raise FormatError(f"{place}unknown key {key!r}{suggest(key, known)}")
    for key in required:
        if key not in item:
            raise FormatError(f"{place}the key {key!r} is missing")
    return item


def check_items(value: object, path: str) -> Iterable[tuple[str, object]]:
    """Return the items of a list, each with its path."""
    if not isinstance(value, list):
        raise FormatError(f"{path}: expected a list, got {shown(value)}")
    return ((f"{path}[{i}]", item) for i, item in enumerate(value))
