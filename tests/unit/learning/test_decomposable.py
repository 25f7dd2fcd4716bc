"""Learning with ``decomposable=True``: against published enumeration, in every function that learns, and refusals."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.errors import LdagError
from ldag.formats import read_undirected_text, write_undirected_json
from ldag.learning.searches import climb
from tests.command import run

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "files" / "heart_decomposable.json").read_text())


@pytest.mark.parametrize("method", ["exact", "climb"])
@pytest.mark.parametrize("known", GOLDEN["results"], ids=lambda known: str(known["kappa"]))
def test_heart(known: dict[str, Any], method: str) -> None:
    """The best scores of an enumeration with exact labels."""
    options: dict[str, Any] = {"structure": "table"} if known["kappa"] == 0 else {"kappa": known["kappa"]}
    fit = ldag.learn(
        ldag.datasets.load("heart"),
        decomposable=True,
        method=method,  # type: ignore[arg-type]
        max_parents=3,
        label_search="exact",
        equivalent_sample_size=1,
        **options,
    )
    assert fit.score.total == pytest.approx(known["best_decomposable_score"], abs=1e-4)
    u = fit.ldag.to_undirected()
    assert u.to_ldag().equivalent_to(fit.ldag)
    again = ldag.score(u.to_ldag(), ldag.datasets.load("heart"), kappa=known["kappa"] or 1)
    assert again.log_marginal_likelihood == pytest.approx(fit.score.log_marginal_likelihood)


def test_what_is_printed() -> None:
    """Edges without arrows, strata, cliques and separators, and what the search promises."""
    text = str(ldag.learn(ldag.datasets.load("heart"), decomposable=True, equivalent_sample_size=1))
    assert "->" not in text
    assert "  smoking - pressure, independent when protein is >3" in text
    assert "cliques: {" in text
    assert "separators: {" in text
    assert "no decomposable graph with any number of parents scores better" in text
    assert "independent when protein is >3 (gains 2.11)" in text


def test_cross_validation_bootstrap_and_average() -> None:
    """All graphs are decomposable, and no arrow follows an order."""
    heart = ldag.datasets.load("heart")
    compared = ldag.cross_validate(heart, decomposable=True, kappas=[0.1, 0.5], equivalent_sample_size=1, n_folds=3)
    assert set(compared.mean) == {0.1, 0.5}
    boot = ldag.bootstrap(heart, n=5, decomposable=True, kappa=0.1, equivalent_sample_size=1)
    assert all(graph.to_undirected() for graph, _ in boot.graphs)
    average = ldag.average(heart, n=3, by="bootstrap", decomposable=True, kappa=0.1, equivalent_sample_size=1)
    assert 0 < average.query("smoking")["yes"] < 1
    fit = ldag.learn(heart, decomposable=True, kappa=0.1, equivalent_sample_size=1)
    assert 0 < fit.average(2).query("smoking")["yes"] < 1
    with pytest.raises(LdagError, match=r"no arrows that could follow an order; .* by='bootstrap'"):
        ldag.average(heart, n=3, by="order", decomposable=True, kappa=0.1, equivalent_sample_size=1)


def test_many_variables() -> None:
    """More than fourteen are climbed by auto, and refused by exact; a start is gone on from."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(15, rng=2), rng=2).sample(300, rng=2)
    fit = ldag.learn(data, decomposable=True, equivalent_sample_size=1, kappa=0.1)
    assert fit.method == "climb"
    assert fit.ldag.to_undirected().dimension == fit.ldag.dimension
    better = ldag.learn(data, decomposable=True, equivalent_sample_size=1, kappa=0.1, method=ldag.Climb(start=fit.ldag))
    assert better.score.total >= fit.score.total - 1e-9
    with pytest.raises(LdagError, match="of 15 variables is not possible; at most 14 are; use method 'climb'"):
        ldag.learn(data, decomposable=True, method="exact")


def test_time_limit_and_checkpoint(tmp_path: Path) -> None:
    """A climb that is cut short has a decomposable graph; one with a checkpoint gives the answer of one without."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(16, rng=3), rng=3).sample(300, rng=3)
    options: dict[str, Any] = {"decomposable": True, "equivalent_sample_size": 1, "kappa": 0.1, "n_restarts": 30}
    options["method"] = "climb"
    cut = ldag.learn(data, time_limit=0.01, **options)
    assert cut.ldag.to_undirected()
    kept = ldag.learn(data, checkpoint=tmp_path / "kept", **options)
    assert kept.ldag == ldag.learn(data, **options).ldag
    assert ldag.learn(data, checkpoint=tmp_path / "kept", **options).ldag == kept.ldag


def test_gaps() -> None:
    """Tables with gaps are learned from, too."""
    codes = np.random.default_rng(1).integers(0, 2, (200, 3)).tolist()
    rows = {
        "a": [None if number % 7 == 0 else row[0] for number, row in enumerate(codes)],
        "b": [row[0] if row[2] else row[1] for row in codes],
        "c": [row[1] for row in codes],
    }
    data = ldag.read(rows, missing="keep")
    fit = ldag.learn(data, decomposable=True, kappa=0.1, equivalent_sample_size=1)
    assert fit.em is not None
    assert fit.ldag.to_undirected()


def test_constraints_without_arrows() -> None:
    """What is said both ways is about an edge, and holds."""
    both = [("smoking", "physical"), ("physical", "smoking")]
    apart = ldag.learn(
        ldag.datasets.load("heart"), decomposable=True, constraints=ldag.Constraints(forbidden=both), kappa=0.1
    )
    assert not {frozenset(edge) for edge in apart.ldag.edges} & {frozenset(both[0])}
    few = ldag.learn(ldag.datasets.load("heart"), decomposable=True, max_parents=1, kappa=0.1)
    assert max(map(len, few.ldag.to_undirected().cliques)) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decomposable": 1}, "decomposable must be True or False, got 1"),
        ({"method": "chain"}, "for methods exact, climb and auto, not for 'chain'"),
        ({"method": "grow"}, "for methods exact, climb and auto, not for 'grow'"),
        ({"structure": "tree"}, "for structures 'ldag' and 'table', whose classes strata can tell, not for 'tree'"),
        ({"structure": "cv"}, "not for 'cv'"),
        ({"constraints": ldag.Constraints(tiers=[["smoking"], ["mental"]])}, "tiers is about arrows; leave one"),
        ({"constraints": ldag.Constraints(required=[("smoking", "mental")])}, "required is about arrows"),
        ({"constraints": ldag.Constraints(order=["smoking", "mental"])}, "order is about arrows"),
        ({"constraints": ldag.Constraints(allowed_parents={"smoking": []})}, "allowed_parents is about arrows"),
        ({"constraints": ldag.Constraints(max_parents={"smoking": 1})}, "max_parents of single variables is about"),
        ({"constraints": ldag.Constraints(forbidden=[("smoking", "mental")])}, "give mental -> smoking as well"),
        ({"constraints": ldag.Constraints(unlabelled=[("smoking", "mental")])}, "unlabelled: smoking -> mental is an"),
        ({"method": ldag.Climb(max_candidates=3)}, "max_candidates does not apply to decomposable=True"),
        ({"method": ldag.Climb(start=ldag.datasets.graph("heart"))}, "start is not decomposable: "),
    ],
)
def test_bad_requests(options: dict[str, Any], message: str) -> None:
    """Each is one error with what to do."""
    with pytest.raises(LdagError, match=message):
        ldag.learn(ldag.datasets.load("heart"), **{"decomposable": True, "kappa": 0.1, **options})


def test_restarts() -> None:
    """How often a climb begins anew, with which it reached the best of 20 problems of eight variables."""
    assert climb.CHORDAL_PAIRS == 100_000


def test_time_has_arrows(tmp_path: Path) -> None:
    """Lags and graphs without arrows are refused together, in every command that knows both; rows of groups are not."""
    rng = np.random.default_rng(1)
    rows = {"person": np.repeat(range(5), 4), "wave": np.tile(range(4), 5), "a": rng.integers(0, 2, 20)}
    rows["b"] = (rows["a"] + (rng.random(20) < 0.2)) % 2
    panel = {name: values.tolist() for name, values in rows.items()}
    data = ldag.read(panel, groups="person", time="wave")
    message = "is for arrows from one step to the next, and with"
    with pytest.raises(LdagError, match=f"lags {message} decomposable=True there are none; leave one of the two out"):
        ldag.learn(data, lags=1, decomposable=True)
    path = tmp_path / "panel.csv"
    path.write_text(
        "\n".join([",".join(panel), *(",".join(map(str, row)) for row in zip(*panel.values(), strict=True))])
    )
    given = [str(path), "--groups", "person", "--time", "wave", "--lags", "1", "--decomposable"]
    for command in ("learn", "posterior", "bootstrap"):
        out = ["-o", str(tmp_path / "out.json")]
        assert f"--lags {message} --decomposable there are none" in run(command, *given, *out, code=2)
    post = ldag.posterior(data, decomposable=True)
    assert any("taken as independent" in note for note in post.notes), post.notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "grow"], "--decomposable is for methods exact, climb and auto, not for 'grow'"),
        (["--method", "chain"], "--decomposable is for methods exact, climb and auto, not for 'chain'"),
        (["--structure", "tree"], "--decomposable is for structures 'ldag' and 'table'"),
        (["--require", "smoking -> mental"], "required is about arrows; leave one of the two out"),
        (["--forbid", "smoking -> mental"], "give mental -> smoking as well"),
    ],
)
def test_bad_requests_of_the_command(options: list[str], message: str) -> None:
    """The command line refuses what the function refuses, in its own words."""
    assert message in run("learn", "heart", "--decomposable", *options, code=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a - b - c - d\na - d", "the graph is not chordal: "),
        ("a - b : c=1\na - c", "the stratum of a - b cannot be: no variable is a neighbour of both"),
        ("a - b - c\na - c : d=1\nc - d", "names 'd', which is not a neighbour of both; expected: b"),
        ("a {0, 1}\nb {0, 1}\nc {0, 1}\na - b\nb - c\na - c : b=0; b=1", "independent in every context"),
        ("a - b : c=1\nb - c : a=1\na - c : b=1", "do not fit together"),
        ("a -> b", "expected '-', got '->'; a stratified graph has no arrows"),
        ("a - b\na - b", "the edge 'a' - 'b' is given twice"),
    ],
)
def test_bad_graphs(text: str, message: str, tmp_path: Path) -> None:
    """Graphs that cannot be are refused in Python and from a file on the command line, with what to do."""
    with pytest.raises(LdagError, match=re.escape(message)):
        ldag.StratifiedGraph.from_text(text)
    if "given twice" not in message and "->" not in text:  # which is not read at all
        path = tmp_path / "graph.json"
        path.write_text(write_undirected_json(read_undirected_text(text)))
        assert message in run("show", str(path), code=2)
