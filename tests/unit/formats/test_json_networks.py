"""The JSON form of a network: its schema, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from ldag import LDAG, LdagError, Network, datasets
from ldag.errors import FormatError

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "ldag.schema.json").read_text(encoding="utf-8"))
HEART = Network.from_data(datasets.graph("heart"), datasets.load("heart"))
GIVEN = HEART.sample_parameters(1, rng=1)[0]
BY_CLASS = Network.from_data(datasets.graph("heart"), datasets.load("heart"), spread="classes")
Document = dict[str, object]


def changed(net: Network, change: Callable[[Document], object]) -> str:
    """Return the JSON of a network after a change of the parsed document."""
    document = json.loads(net.to_json())
    change(document)
    return json.dumps(document)


def table(place: int, **parts: object) -> Callable[[Document], object]:
    """Change a table."""

    def change(document: Document) -> None:
        tables = document["parameters"]
        assert isinstance(tables, list)
        tables[place] |= parts

    return change


def test_how_the_prior_is_spread_is_kept() -> None:
    """Every class has the same prior again; nothing is written where it is the usual one."""
    again = Network.from_json(BY_CLASS.to_json())
    assert again == BY_CLASS != HEART
    assert (again.spread, HEART.spread, GIVEN.spread) == ("classes", "configurations", None)
    assert "spread" not in HEART.to_json()
    with pytest.raises(FormatError, match="spread: expected 'configurations' or 'classes' or 'nested', got 'cells'"):
        Network.from_json(changed(BY_CLASS, lambda d: d.update(spread="cells")))


@pytest.mark.parametrize("net", [HEART, GIVEN, BY_CLASS])
def test_schema_describes_what_is_written(net: Network) -> None:
    """Counts or probabilities; a mixture is not described."""
    jsonschema.validate(json.loads(net.to_json()), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(changed(net, lambda d: d.pop("parameters"))), SCHEMA)
    other = "counts" if net is GIVEN else "probabilities"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(changed(net, table(1, **{other: [[1]]}))), SCHEMA)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"^line 1, column 2: not valid JSON"),
        (HEART.ldag.to_json(), r"^this is a graph without parameters; Network.from_data\(LDAG.load\(...\), data\)"),
        (
            changed(HEART, lambda d: d.update(version=4)),
            r"^version: expected at most 3, got 4; a newer ldag can read it",
        ),
        (changed(HEART, lambda d: d.update(format="bif")), r"^format: expected 'ldag-network', got 'bif'"),
        (changed(HEART, lambda d: d.pop("estimate")), r"^the key 'estimate' is missing"),
        (changed(HEART, lambda d: d.pop("graph")), r"^the key 'graph' is missing"),
        (changed(HEART, lambda d: d.update(graph=3)), r'^graph: expected an object with "format": "ldag", got 3'),
        (
            changed(HEART, lambda d: d.update(estimate="mode")),
            r"^estimate: expected 'mean' or 'likelihood' or 'averaged', got 'mode'",
        ),
        (changed(HEART, lambda d: d.update(equivalent_sample_size=0)), r"^equivalent_sample_size: .* above 0, got 0"),
        (changed(HEART, lambda d: d.update(equivalent_sample_size="1")), r"^equivalent_sample_size: expected a number"),
        (changed(HEART, lambda d: d.update(parameters=[])), r"^parameters: the table of 'smoking' is missing"),
        (
            changed(HEART, table(1, node="smoking")),
            r"^parameters\[1\]: the table of 'smoking' is given twice, first at p",
        ),
        (changed(HEART, table(1, node="x")), r"^parameters\[1\]: no variable 'x'"),
        (changed(HEART, table(1, probabilities=[])), r"^parameters\[1\]: unknown key 'probabilities'"),
        (changed(HEART, table(1, counts=[[1]])), r"^parameters\[1\]: expected 1 rows .* of 2 numbers .* got 1 of 1"),
        (changed(HEART, table(1, counts=[])), r"^parameters\[1\]: expected 1 rows .*, got 0 of none"),
        (changed(HEART, table(1, counts=[[1, -2]])), r"^parameters\[1\].counts\[0\]\[1\]: .* 0 or more, got -2"),
        (
            changed(HEART, table(1, counts=[[1, True]])),
            r"^parameters\[1\].counts\[0\]\[1\]: expected a number, got True",
        ),
        (
            changed(HEART, table(1, counts=[[1, 10**400]])),
            r"^parameters\[1\].counts\[0\]\[1\]: expected a finite number",
        ),
        (changed(GIVEN, table(1, probabilities=[[0.5, 0.4]])), r"^parameters\[1\].probabilities\[0\]: .* sum to 0.9"),
        (changed(GIVEN, lambda d: d.update(estimate="mean")), r"^the key 'equivalent_sample_size' is missing"),
    ],
)
def test_damaged_files(text: str, message: str, tmp_path: Path) -> None:
    """One error that names the place, and the file if there is one."""
    with pytest.raises(LdagError, match=message):
        Network.from_json(text)
    path = tmp_path / "net.json"
    path.write_text(text)
    with pytest.raises(LdagError) as error:
        Network.load(path)
    assert str(error.value).startswith(f"{path}: ")


def test_files(tmp_path: Path) -> None:
    """What is saved comes back, as a network or as its graph; other endings are refused."""
    path = tmp_path / "net.json"
    HEART.save(path)
    assert Network.load(path) == HEART
    assert LDAG.load(path) == HEART.ldag
    with pytest.raises(FormatError, match=r"a network is kept in a file that ends in .json, .* got the ending '.ldag'"):
        HEART.save(tmp_path / "net.ldag")
    with pytest.raises(FormatError, match="no such file"):
        Network.load(tmp_path / "none.json")


def test_graph_of_a_newer_network() -> None:
    """The header of the network is checked before its graph is taken."""
    with pytest.raises(FormatError, match="version: expected at most 3, got 9"):
        LDAG.from_json(changed(HEART, lambda d: d.update(version=9)))
