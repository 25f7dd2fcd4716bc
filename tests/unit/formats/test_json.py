"""The JSON form: its layout, and its schema."""

import json
from pathlib import Path

import jsonschema
import pytest

from ldag.errors import FormatError
from ldag.formats import ClassRecord, EdgeRecord, GraphRecord, VariableRecord
from ldag.formats.json import read_json, write_json


def read_graph(text: str) -> GraphRecord:
    """Read the JSON form of a graph."""
    record = read_json(text)
    assert isinstance(record, GraphRecord)
    return record


SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "ldag.schema.json").read_text(encoding="utf-8"))

RECORD = GraphRecord(
    (VariableRecord("smoking", ("no", "yes")), VariableRecord("protein", (1, 2.5, True)), VariableRecord("blood é")),
    (EdgeRecord("smoking", "blood é", ({"protein": 2.5}, {})), EdgeRecord("protein", "blood é")),
    (ClassRecord("blood é", ({"smoking": "no", "protein": True}, {"smoking": "yes"})),),
)

TEXT = """\
{
  "format": "ldag",
  "version": 1,
  "variables": [
    {
      "name": "x",
      "states": [
        0,
        "0"
      ]
    },
    {
      "name": "y"
    }
  ],
  "edges": [
    {
      "parent": "x",
      "child": "y",
      "label": [
        {
          "z": true
        }
      ]
    }
  ]
}
"""


def document(**changes: object) -> dict[str, object]:
    """Return a small valid document with some parts changed."""
    valid = {"format": "ldag", "version": 1, "variables": [{"name": "x"}, {"name": "y"}], "edges": []}
    return valid | changes


def test_layout() -> None:
    """The layout is fixed, and says nothing that is empty."""
    record = GraphRecord((VariableRecord("x", (0, "0")), VariableRecord("y")), (EdgeRecord("x", "y", ({"z": True},)),))
    assert write_json(record) == TEXT


def test_places() -> None:
    """Each part knows its path."""
    record = read_graph(write_json(RECORD))
    assert [variable.where for variable in record.variables] == [f"variables[{i}]: " for i in range(3)]
    assert [edge.where for edge in record.edges] == ["edges[0]: ", "edges[1]: "]
    assert record.classes[0].where == "classes[0]: "


def test_round_trip() -> None:
    """Types of states, the empty context and classes come back."""
    again = read_graph(write_json(RECORD))
    assert again.variables[1].states == (1, 2.5, True)
    assert again.variables[1].states[2] is True
    assert again.variables[2].states is None
    assert again.edges[0].label == ({"protein": 2.5}, {})
    assert again.classes[0].contexts == RECORD.classes[0].contexts


def test_schema_is_valid() -> None:
    """The published schema is itself a valid schema."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "text", [TEXT, write_json(RECORD), json.dumps(document(classes=[])), json.dumps(document(version=2))]
)
def test_schema_accepts(text: str) -> None:
    """The schema accepts what is written and read."""
    jsonschema.validate(json.loads(text), SCHEMA)
    read_graph(text)


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        {},
        document(format="bif"),
        document(version=4),
        document(version="1"),
        document(version=True),
        document(other=1),
        document(variables=[]),
        document(variables={}),
        document(variables=["x"]),
        document(variables=[{}]),
        document(variables=[{"name": 1}]),
        document(variables=[{"name": " "}]),
        document(variables=[{"name": "x", "states": []}]),
        document(variables=[{"name": "x", "states": None}]),
        document(variables=[{"name": "x", "states": [None]}]),
        document(variables=[{"name": "x", "states": [1, 1.0]}]),
        document(variables=[{"name": "x", "levels": [1, 2]}]),
        document(edges=None),
        document(edges=[["x", "y"]]),
        document(edges=[{"parent": "x"}]),
        document(edges=[{"parent": "x", "child": "y", "label": {}}]),
        document(edges=[{"parent": "x", "child": "y", "label": [["z", 1]]}]),
        document(edges=[{"parent": "x", "child": "y", "label": [{"z": None}]}]),
        document(edges=[{"parent": "x", "child": "y", "label": [{"": 1}]}]),
        document(classes=[{"node": "x"}]),
        document(classes=[{"node": "x", "contexts": []}]),
        document(classes=[{"node": "x", "contexts": [1]}]),
    ],
)
def test_schema_and_reader_refuse(wrong: object) -> None:
    """What the schema refuses, the reader refuses."""
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(wrong)
    with pytest.raises(FormatError):
        read_graph(json.dumps(wrong))
