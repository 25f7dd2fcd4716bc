"""JSON files of this room: a document says what it is and its version, and is written whole or not at all."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ldag.checks import check_path
from ldag.errors import FormatError, LdagError
from ldag.formats import read_utf8, write_atomically
from ldag.model import Schema, Variable

T = TypeVar("T")
VERSION = 1


def json_path(path: str | os.PathLike[str], what: str) -> Path:
    """Check the ending of a file for a document, such as a "posterior"."""
    target = Path(check_path(path))
    if target.suffix.lower() != ".json":
        raise FormatError(f"{target}: a {what} is kept in a file that ends in .json")
    return target


def is_document_of(path: str | os.PathLike[str], what: str) -> bool:
    """Whether a file is one that a posterior, a bootstrap or a mixture was saved in."""
    target = Path(path)
    if target.suffix.lower() != ".json" or not target.is_file():
        return False
    with target.open("rb") as file:
        return file.read(64).lstrip().startswith(f'{{"format": "ldag {what}"'.encode())


def write_document(path: str | os.PathLike[str], what: str, content: Mapping[str, object]) -> None:
    """Write a document."""
    write_atomically(json_path(path, what), json.dumps(content, ensure_ascii=False).encode())


def read_document(path: str | os.PathLike[str], what: str, make: Callable[[Mapping[str, Any]], T]) -> T:
    """Read a document and make of it what it is."""
    source = json_path(path, what)
    try:
        content = json.loads(read_utf8(source))
    except ValueError:
        content = None
    if not isinstance(content, dict) or content.get("format") != f"ldag {what}":
        raise FormatError(f"{source}: expected a {what} that ldag wrote, got something else")
    if content.get("version") != VERSION:
        raise FormatError(f"{source}: expected version {VERSION} of a {what}, got {content.get('version')!r}")
    try:
        return make(content)
    except (KeyError, TypeError, ValueError, IndexError, LdagError):
        raise FormatError(f"{source}: the {what} is damaged") from None


def variables_to_list(schema: Schema) -> list[dict[str, object]]:
    """Return variables as plain values, with what is known of their order and their cut points."""
    return [_variable_to_dict(variable) for variable in schema]


def _variable_to_dict(variable: Variable) -> dict[str, object]:
    fields: dict[str, object] = {"name": variable.name, "states": list(variable.states)}
    if variable.cuts:
        return fields | {"cuts": list(variable.cuts)}
    return fields | {"ordered": True} if variable.ordered else fields


def schema_from_list(variables: Iterable[Mapping[str, Any]]) -> Schema:
    """Read what `variables_to_list` returns."""
    return Schema(
        tuple(
            Variable(v["name"], tuple(v["states"]), v.get("ordered", False), tuple(v.get("cuts", ())))
            for v in variables
        )
    )
