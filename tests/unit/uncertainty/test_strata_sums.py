"""Sums over chordal graphs, each once, and what is asked of the posterior over them."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.errors import LdagError
from ldag.uncertainty.strata_posterior import StratumChance
from ldag.uncertainty.strata_sums import StrataSums
from tests.command import run


@pytest.mark.parametrize(("n", "n_graphs"), [(1, 1), (2, 2), (3, 8), (4, 61), (5, 822), (6, 18154)])
def test_counts(n: int, n_graphs: int) -> None:
    """With weights of one, labelled chordal graphs are counted (OEIS A058862)."""
    assert StrataSums(n, lambda _clique, _first: np.ones(1, dtype=np.longdouble)).total[0] == n_graphs


def test_heart() -> None:
    """Sample sizes are summed over by their evidence; a fit hands on its own."""
    heart = ldag.datasets.load("heart")
    post = ldag.posterior(heart, decomposable=True, max_parents=2, equivalent_sample_size=[1, 10])
    assert sum(post.settings.values()) == pytest.approx(1)
    assert max(post.settings, key=post.settings.__getitem__) == (0.1, 10.0)
    assert "  1.000  mental - physical\n" in str(post)
    assert "kappa 0.1, equivalent sample size 10 (" in str(post)
    assert "equivalent sample size 1 (" not in str(post)
    assert post.edge("smoking", "pressure") > 0.9 > post.edge("family", "mental")
    fit = ldag.learn(heart, decomposable=True, kappa=0.3, equivalent_sample_size=1, max_parents=2)
    own = ldag.posterior(fit, decomposable=True)
    assert list(own.settings) == [(0.3, 1.0)]
    told = own.to_dict()
    assert told["log_evidence"] == own.log_evidence


@pytest.fixture(scope="module")
def ucb() -> ldag.StrataPosterior:
    """A posterior with probable strata."""
    return ldag.posterior(ldag.datasets.load("ucb"), decomposable=True, kappa=0.5, equivalent_sample_size=1)


def test_strata(ucb: ldag.StrataPosterior) -> None:
    """Strata are printed in words, asked for by name, and none where there are no labels."""
    assert "strata: probability, and given the edge\n  0.75  0.99  admitted - gender, independent when" in str(ucb)
    assert ucb.stratum("gender", "admitted", context={"department": "A"}) < 0.01
    with pytest.raises(LdagError, match=r"expected the state of one variable other than 'gender' and 'admitted', got"):
        ucb.stratum("gender", "admitted", context={"gender": "Male"})
    with pytest.raises(LdagError, match="no variable 'gendr'; did you mean 'gender'"):
        ucb.stratum("gendr", "admitted", context={"department": "A"})
    with pytest.raises(LdagError, match="'G'"):
        ucb.stratum("gender", "admitted", context={"department": "G"})
    table = ldag.posterior(ldag.datasets.load("ucb"), decomposable=True, structure="table", equivalent_sample_size=1)
    assert table.strata == ()
    assert "strata" not in str(table)


def test_consensus(ucb: ldag.StrataPosterior) -> None:
    """What is more probable than a threshold; here it is the most probable graph, which a search finds."""
    fit = ldag.learn(ldag.datasets.load("ucb"), decomposable=True, kappa=0.5, equivalent_sample_size=1)
    assert ucb.consensus() == fit.ldag.to_undirected()
    assert ucb.consensus(0.9).edges == (("admitted", "department"), ("gender", "department"))


def test_consensus_is_chordal_and_its_strata_fit() -> None:
    """The least probable edges are left out until no cycle is without an edge across, and strata that do not fit."""
    variables = tuple(ldag.Variable(name, (0, 1)) for name in "abcd")
    edges = dict.fromkeys(combinations("abcd", 2), 0.1)
    edges |= {("a", "b"): 0.9, ("b", "c"): 0.8, ("c", "d"): 0.7, ("a", "d"): 0.6}

    def stratum(first: str, second: str, other: str, given: float, state: int = 1) -> StratumChance:
        return StratumChance(first, second, {other: state}, given * edges[first, second], given)

    cycle = ldag.StrataPosterior(variables, edges, (), 0.0, {(0.1, 1.0): 1.0}, 10)
    assert cycle.consensus().edges == (("a", "b"), ("b", "c"), ("c", "d"))
    edges |= {("a", "c"): 0.95}
    strata = (
        stratum("a", "c", "b", 0.9),
        stratum("a", "c", "d", 0.8),
        stratum("a", "b", "c", 0.7),
        stratum("a", "b", "c", 0.6, state=0),
        stratum("b", "c", "a", 0.55),
    )
    both = ldag.StrataPosterior(variables, edges, strata, 0.0, {(0.1, 1.0): 1.0}, 10).consensus()
    assert both.to_text() == BOTH


BOTH = """\
a {0, 1}
b {0, 1}
c {0, 1}
d {0, 1}
a - b : c=1
a - c without d : b=1
a - d
b - c
c - d
"""


def test_files(ucb: ldag.StrataPosterior, tmp_path: Path) -> None:
    """What is saved is read again, and shown and drawn by the command line; other readers refuse it."""
    path = tmp_path / "post.json"
    ucb.save(path)
    assert ldag.StrataPosterior.load(path) == ucb
    assert run("show", str(path)) == f"{ucb}\n"
    assert run("show", str(path), "--undirected") == f"{ucb.consensus()}\n"
    assert json.loads(run("show", str(path), "--json"))["strata"][0]["context"] == {"department": "D"}
    run("plot", str(path), "-o", str(tmp_path / "post.svg"))
    picture = (tmp_path / "post.svg").read_text()
    assert "independent if department is B, C, D, E or F" in picture
    assert "marker-end" not in picture
    for command in ("query", "report", "explore", "compare", "plot"):
        more = {"query": ["gender"], "compare": [str(path)], "plot": ["--bars", "-o", str(tmp_path / "x.svg")]}
        told = run(command, str(path), *more.get(command, ["-o", str(tmp_path / "x.html")]), code=2)
        assert "without arrows" in told or "strata posterior" in told or "graphs without" in told
    with pytest.raises(LdagError, match="expected a posterior that ldag wrote, got a strata posterior"):
        ldag.Posterior.load(path)
    path.write_text(path.read_text().replace("between", "among"))
    with pytest.raises(LdagError, match="the strata posterior is damaged"):
        ldag.StrataPosterior.load(path)


def test_command_line(tmp_path: Path) -> None:
    """The command has what the function has."""
    out = tmp_path / "post.json"
    options = ["--decomposable", "--kappa", "0.5", "--equivalent-sample-size", "1"]
    told = run("posterior", "ucb", *options, "-o", str(out))
    assert "admitted - gender, independent when department is D" in told
    assert ldag.StrataPosterior.load(out).consensus().strata
    refused = {
        ("--effects", "gender"): "--effects is about arrows, and with --decomposable there are none",
        ("--time-limit", "3"): "--time-limit does not apply to --decomposable",
        ("--method", "chain"): "--decomposable is for methods 'exact' and 'auto', got 'chain'",
        ("--prior", "normalised"): "--decomposable is for prior 'labels'",
        ("--require", "gender -> admitted"): "--decomposable is for graphs without arrows, and required is about",
    }
    for more, message in refused.items():
        assert message in run("posterior", "ucb", "--decomposable", *more, code=2)


def test_no_edge_that_is_forbidden() -> None:
    """An edge that is forbidden both ways has no probability."""
    apart = ldag.Constraints(forbidden=[("smoking", "pressure"), ("pressure", "smoking")])
    heart = ldag.datasets.load("heart")
    post = ldag.posterior(heart, decomposable=True, constraints=apart, equivalent_sample_size=1, structure="table")
    assert post.edge("smoking", "pressure") == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_iter": 5}, "n_iter does not apply to decomposable=True"),
        ({"method": "chain"}, "for methods 'exact' and 'auto', got 'chain'"),
        ({"prior": "normalised"}, "for prior 'labels': under 'normalised', orientations"),
        ({"constraints": ldag.Constraints(tiers=[["smoking"], ["mental"]])}, "tiers is about arrows"),
        ({"constraints": ldag.Constraints(forbidden=[("smoking", "mental")])}, "give mental -> smoking as well"),
        ({"kappa": "evidence"}, "needs prior 'normalised'"),
    ],
)
def test_bad_requests(options: dict[str, object], message: str) -> None:
    """Each is one error with what to do."""
    with pytest.raises(LdagError, match=message):
        ldag.posterior(ldag.datasets.load("heart"), decomposable=True, **options)  # type: ignore[call-overload]


def test_many_variables() -> None:
    """More than eight are refused."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(9, rng=1), rng=1).sample(50, rng=1)
    with pytest.raises(LdagError, match="up to 8 variables, got 9"):
        ldag.posterior(data, decomposable=True)


def test_unknown_names() -> None:
    """An edge is asked for by two names."""
    post = ldag.posterior(ldag.datasets.load("ucb"), decomposable=True, equivalent_sample_size=1)
    with pytest.raises(LdagError, match="no variable 'x'"):
        post.edge("x", post.names[0])
    with pytest.raises(LdagError, match="expected two different variables"):
        post.edge(post.names[0], post.names[0])
