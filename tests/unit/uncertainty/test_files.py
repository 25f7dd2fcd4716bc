"""Files of posteriors, bootstraps and mixtures: whatever program wrote them last, they are what their format says."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.errors import FormatError
from tests.command import run

OLD = Path(__file__).parents[2] / "golden" / "files"
KINDS: dict[str, type[ldag.Posterior | ldag.Bootstrap | ldag.Mixture]] = {
    "posterior": ldag.Posterior,
    "bootstrap": ldag.Bootstrap,
    "mixture": ldag.Mixture,
}
REWRITTEN: dict[str, Callable[[dict[str, object]], str]] = {
    "indented": lambda content: json.dumps(content, indent=4),
    "turned": lambda content: json.dumps(dict(reversed(content.items()))),
    "sorted": lambda content: "\n\n " + json.dumps(content, sort_keys=True, ensure_ascii=True),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of document."""
    return str(request.param)


@pytest.fixture(params=REWRITTEN)
def path(request: pytest.FixtureRequest, kind: str, tmp_path: Path) -> Path:
    """A document as another program would write it."""
    content = json.loads((OLD / f"heart3-{kind}-v1.json").read_text())
    target = tmp_path / "document.json"
    target.write_text(REWRITTEN[request.param](content))
    return target


def test_other_programs_may_write_them_again(path: Path, kind: str) -> None:
    """Indented, or with keys in another order, they say the same."""
    assert str(KINDS[kind].load(path)) == str(KINDS[kind].load(OLD / f"heart3-{kind}-v1.json"))


def test_commands_know_them(path: Path, kind: str, tmp_path: Path) -> None:
    """What a command can do with each it does, and of the rest it says what the file is."""
    assert run("show", str(path)).strip() == str(KINDS[kind].load(path))
    assert "edges" in json.loads(run("show", str(path), "--json"))
    picture = tmp_path / "picture.svg"
    run("plot", str(path), "-o", str(picture))
    run("plot", str(path), "-o", str(picture), "--bars")
    assert picture.read_text().startswith("<svg")
    said = f"document.json: expected a graph or a network, got a {kind}; {kind.capitalize()}.load reads it"
    assert said in run("convert", str(path), str(tmp_path / "graph.dot"), code=2)
    for command in ("report", "explore"):
        page = (command, str(path), "-o", str(tmp_path / "page.html"))
        if kind == "mixture":
            run(*page)
        else:
            assert said in run(*page, code=2)
    assert said in run("implies", str(path), "smoking", "pressure", code=2)
    if kind == "bootstrap":
        assert "is a bootstrap, whose graphs have no parameters" in run("query", str(path), "pressure", code=2)
    else:
        answer = json.loads(run("query", str(path), "pressure", "--given", "smoking=yes", "--json"))
        assert sum(row["probability"] for row in answer["distribution"]) == pytest.approx(1)


def test_another_kind_is_refused_by_its_name(kind: str, tmp_path: Path) -> None:
    """Also a network, a graph, and what is none of all these."""
    for other in {*KINDS} - {kind}:
        with pytest.raises(FormatError, match=f"expected a {kind} that ldag wrote, got a {other}"):
            KINDS[kind].load(OLD / f"heart3-{other}-v1.json")
    with pytest.raises(FormatError, match=f"expected a {kind} that ldag wrote, got a network"):
        KINDS[kind].load(OLD / "heart-network-v1.json")
    with pytest.raises(FormatError, match=f"expected a {kind} that ldag wrote, got a graph"):
        KINDS[kind].load(OLD / "odd-graph-v1.json")
    (tmp_path / "other.json").write_text('{"format": "bif"}')
    with pytest.raises(FormatError, match=f"other.json: expected a {kind} that ldag wrote, got something else"):
        KINDS[kind].load(tmp_path / "other.json")
    for load in (ldag.LDAG.load, ldag.Network.load):
        with pytest.raises(FormatError, match=f"expected a graph or a network, got a {kind}"):
            load(OLD / f"heart3-{kind}-v1.json")


def test_files_keep_order_and_cut_points(tmp_path: Path) -> None:
    """Measurements stay measurements."""
    columns = {"x": np.arange(90.0) % 30, "y": np.arange(90) % 2}
    data = ldag.read(columns, bins={"x": 3}, states={"y": ldag.ordered([0, 1])})
    post = ldag.posterior(data, kappa=0.3)
    path = tmp_path / "post.json"
    post.save(path)
    loaded = ldag.Posterior.load(path)
    assert [(v.name, v.ordered, v.cuts) for v in loaded.variables] == [
        (v.name, v.ordered, v.cuts) for v in post.variables
    ]
