"""Every format gives back what it was given, and no input makes a reader fail in any way but its own."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.errors import FormatError
from ldag.formats import (
    ClassRecord,
    Context,
    EdgeRecord,
    GraphRecord,
    VariableRecord,
    from_networkx,
    to_networkx,
    write_json,
)
from ldag.formats.arcs import find_stateless_arcs, name_arc
from ldag.formats.dot import read_dot, write_dot
from ldag.formats.json import read_json
from ldag.formats.text import read_text, write_text
from ldag.formats.words import spell_quoted
from ldag.model import State, state_key


def read_graph(text: str) -> GraphRecord:
    """Read the JSON form of a graph."""
    record = read_json(text)
    assert isinstance(record, GraphRecord)
    return record


SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).parents[3] / "docs" / "ldag.schema.json").read_text(encoding="utf-8"))
)

TRICKY = ["1", "-1", "1.0", "1e5", "True", "true", "007", "a-b", "-a", "a->b", "*", "#", ":", '"', "\\", "a\\", "a b"]
TRICKY += ["\n", "\r", "\t", "\x00", "\x85", "\u2028", "é", "変数", "e\u0301", "node", "graph", "a:b", "<b>", "{x}"]
TRICKY += [
    "latent",
    "cut",
    "\\n",
    '\\"',
    "x;y",
    "x,y",
    "x|y",
    "x=y",
    "//",
    "/*",
    "\\N",
    "'",
    "a.b",
    ".",
    "-.5",
    "\\\n",
    "\ufeff",
    "😀",
]

strings = st.sampled_from(TRICKY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
names = strings.filter(lambda name: bool(name.strip()))
states: st.SearchStrategy[State] = (
    strings
    | st.integers()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([True, False, 0, 1, 0.0, 1.0, -0.0, "", "0", "1"])
)
contexts: st.SearchStrategy[tuple[Context, ...]] = st.lists(st.dictionaries(names, states, max_size=3), max_size=3).map(
    tuple
)


@st.composite
def records(draw: st.DrawFn) -> GraphRecord:
    """Draw a record that every format can hold, with arcs among the variables, and classes in their order."""
    known = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    arcs = draw(st.lists(st.tuples(st.sampled_from(known), st.sampled_from(known)), max_size=3, unique=True))
    arcs = [pair for pair in arcs if pair[0] != pair[1] and name_arc(*pair) not in known]
    declared = st.none() | st.lists(states, min_size=1, max_size=4, unique_by=state_key).map(tuple)
    variables = tuple(VariableRecord(name, draw(declared), latent=draw(st.booleans())) for name in known)
    pairs = st.tuples(st.sampled_from(known), st.sampled_from(known))
    edges = tuple(EdgeRecord(*pair, draw(contexts)) for pair in draw(st.lists(pairs, max_size=5, unique=True)))
    nodes = sorted(draw(st.lists(st.sampled_from(known), max_size=3)), key=known.index)
    classes = tuple(ClassRecord(node, draw(contexts.filter(bool))) for node in nodes)
    for pair in arcs:
        place = draw(st.just(len(variables)) | st.integers(0, len(variables)))
        arc = VariableRecord(name_arc(*pair), latent=True)
        variables = (*variables[:place], arc, *variables[place:])
        edges += tuple(EdgeRecord(arc.name, end) for end in pair)
    return GraphRecord(variables, edges, classes)


Plain = tuple[object, ...]


def exact(value: State) -> tuple[str, str]:
    """Return a state so that 1, 1.0 and True differ, and 0.0 and -0.0."""
    return type(value).__name__, repr(value)


def plain(record: GraphRecord, *, sort_edges: bool = False) -> Plain:
    """Return all that a record says, types of states included, without where it said so."""

    def context(items: Sequence[Context]) -> Plain:
        return tuple(tuple((name, exact(state)) for name, state in item.items()) for item in items)

    edges = [(edge.parent, edge.child, context(edge.label)) for edge in record.edges]
    return (
        [(v.name, v.latent, None if v.states is None else [exact(s) for s in v.states]) for v in record.variables],
        sorted(edges, key=lambda edge: edge[:2]) if sort_edges else edges,
        [(c.node, context(c.contexts)) for c in record.classes],
    )


@settings(deadline=None, max_examples=300)
@given(records())
def test_text_round_trip(record: GraphRecord) -> None:
    """The text form gives the record back, its arcs after other edges; formatting it again changes no byte."""
    text = write_text(record)
    again = read_text(text)
    assert plain(again, sort_edges=True) == plain(record, sort_edges=True)
    assert write_text(again) == text


@settings(deadline=None, max_examples=100)
@given(records())
def test_arcs_are_written_as_such(record: GraphRecord) -> None:
    """Where the order of variables allows it, what `<->` says all about has one line and no other."""
    names = [variable.name for variable in record.variables]
    arcs = find_stateless_arcs(record)
    lines = write_text(record).splitlines()
    if all(names.index(name) > max(map(names.index, ends)) for name, ends in arcs.items()):
        assert [line for line in lines if line in arcs] == [*arcs]
        assert not [line for line in lines if any(spell_quoted(name) in line for name in arcs)]


@settings(deadline=None, max_examples=200)
@given(records())
def test_json_round_trip(record: GraphRecord) -> None:
    """The JSON form gives the record back and follows the published schema."""
    text = write_json(record)
    SCHEMA.validate(json.loads(text))
    again = read_graph(text)
    assert plain(again) == plain(record)
    assert write_json(again) == text


@settings(deadline=None, max_examples=100)
@given(records())
def test_dot_round_trip(record: GraphRecord) -> None:
    """DOT gives the record back through pydot, its arcs after other edges."""
    text = write_dot(record)
    again = read_dot(text)
    assert plain(again, sort_edges=True) == plain(record, sort_edges=True)
    assert write_dot(again) == text


@settings(deadline=None, max_examples=100)
@given(records())
def test_networkx_round_trip(record: GraphRecord) -> None:
    """A networkx graph gives the record back, its edges by parent."""
    again = from_networkx(to_networkx(record))
    assert plain(again, sort_edges=True) == plain(record, sort_edges=True)


Reader = Callable[[str], GraphRecord]
Writer = Callable[[GraphRecord], str]
READERS = [read_text, read_graph]
PAIRS = [(read_text, write_text), (read_graph, write_json)]

fragments = st.sampled_from([*TRICKY, "->", "<->", "--", "{", "}", "[", "]", ",", ";", "=", "|", " ", "null", "NaN"])


def reads_or_refuses(read: Reader, text: str) -> None:
    """Read; the one permitted failure is the library's own."""
    with suppress(FormatError):
        assert read(text).variables


@pytest.mark.parametrize("read", READERS)
@settings(deadline=None, max_examples=200)
@given(text=st.text() | st.lists(fragments, max_size=12).map("".join))
def test_arbitrary_text(read: Reader, text: str) -> None:
    """Any text, lone surrogates included, is read or refused."""
    reads_or_refuses(read, text)


@pytest.mark.parametrize("read", READERS)
@settings(deadline=None, max_examples=100)
@given(content=st.binary(max_size=200), encoding=st.sampled_from(["latin-1", "utf-8", "utf-16"]))
def test_random_bytes(read: Reader, content: bytes, encoding: str) -> None:
    """Bytes decoded in any manner are read or refused."""
    reads_or_refuses(read, content.decode(encoding, errors="surrogateescape" if encoding == "utf-8" else "replace"))


@pytest.mark.parametrize(("read", "write"), PAIRS)
@settings(deadline=None, max_examples=150)
@given(record=records(), place=st.floats(0, 1), removed=st.integers(0, 6), inserted=st.text(max_size=3) | fragments)
def test_mutated_files(
    read: Reader, write: Writer, record: GraphRecord, place: float, removed: int, inserted: str
) -> None:
    """A valid file with a piece cut out and something put in is read or refused."""
    text = write(record)
    start = round(place * len(text))
    reads_or_refuses(read, text[:start] + inserted + text[start + removed :])


@settings(deadline=None, max_examples=80)
@given(record=records(), place=st.floats(0, 1), removed=st.integers(0, 6), inserted=st.text(max_size=3) | fragments)
def test_mutated_dot(record: GraphRecord, place: float, removed: int, inserted: str) -> None:
    """A DOT file with a piece cut out and something put in is read or refused."""
    text = write_dot(record)
    start = round(place * len(text))
    reads_or_refuses(read_dot, text[:start] + inserted + text[start + removed :])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def altered_documents(draw: st.DrawFn) -> dict[str, object]:
    """Draw a valid document with one part, at any depth, replaced or added."""
    document: dict[str, object] = json.loads(write_json(draw(records())))
    part: object = document
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part))) if isinstance(part, list) else []
        key = draw(st.sampled_from([*keys, "other"]))
        inner = part[key] if isinstance(part, dict | list) and key in keys else None
        if not isinstance(inner, dict | list) or not inner or draw(st.booleans()):
            break
        part = inner
    if isinstance(part, dict) or (isinstance(part, list) and isinstance(key, int)):
        part[key] = draw(json_values)
    return document


@settings(deadline=None, max_examples=250)
@given(altered_documents())
def test_schema_invalid_is_refused(document: dict[str, object]) -> None:
    """What the schema refuses, the reader refuses."""
    text = json.dumps(document)
    if not SCHEMA.is_valid(document):
        with pytest.raises(FormatError):
            read_graph(text)
    else:
        reads_or_refuses(read_graph, text)
