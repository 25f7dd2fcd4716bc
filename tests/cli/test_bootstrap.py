"""`ldag bootstrap` as it is called from a shell."""

import json
from pathlib import Path

from click.testing import CliRunner

import ldag
from ldag.cli.main import cli


def test_strengths_are_printed_and_kept(tmp_path: Path) -> None:
    """In words, as JSON, as a file that can be loaded, and as a picture."""
    target, picture = tmp_path / "boot.json", tmp_path / "boot.svg"
    arguments = ["bootstrap", "heart", "-n", "10", "--kappa", "0.3", "--equivalent-sample-size", "1", "--rng", "1"]
    result = CliRunner().invoke(cli, [*arguments, "-o", str(target), "--picture", str(picture)])
    assert result.exit_code == 0, result.output
    kept = ldag.Bootstrap.load(target)
    assert result.output.strip() == str(kept)
    assert picture.read_text().startswith("<svg")
    again = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).output)
    assert again["n"] == 10
    first = kept.edges[0]
    assert again["edges"][0] == {
        "parent": first.parent,
        "child": first.child,
        "strength": first.strength,
        "direction": first.direction,
        "determined": kept.determined(first.parent, first.child),
    }
