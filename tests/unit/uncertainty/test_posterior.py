"""The posterior as people use it: chains, files, drawing, messages."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.errors import ArgumentError, DataNote, FormatError, TooLarge, UnknownState, UnknownVariable

HEART = ldag.datasets.load("heart")


@pytest.fixture(scope="module")
def post() -> ldag.Posterior:
    """An exact posterior."""
    return ldag.posterior(HEART, kappa=0.3, max_parents=3)


def test_chains_agree_with_the_exact_posterior(post: ldag.Posterior) -> None:
    """From random starts, every edge and path is within its stated error, and any number of threads gives the same."""
    chains = ldag.posterior(HEART, kappa=0.3, max_parents=3, method="chain", n_iter=3000, rng=3, n_jobs=2)
    assert chains.diagnostics is not None
    assert chains.diagnostics.converged
    assert chains.log_evidence is None
    for edge in post.edges:
        found = chains.edge(edge.parent, edge.child)
        assert abs(found - edge.probability) <= 4 * found.mc_error + 0.01
        path = chains.ancestor(edge.parent, edge.child)
        assert abs(path - post.ancestor(edge.parent, edge.child)) <= 4 * path.mc_error + 0.01
    exact, about = (p.label("smoking", "pressure", context={"protein": ">3"}) for p in (post, chains))
    assert abs(exact - about) < 0.05
    again = ldag.posterior(HEART, kappa=0.3, max_parents=3, method="chain", n_iter=3000, rng=3, n_jobs=1)
    assert again.edges == chains.edges


def test_chains_that_are_too_short_do_not_claim_to_have_converged() -> None:
    """On strong data from random starts a few rounds are not enough, and that is said."""
    rng = np.random.default_rng(0)
    columns = {"x0": rng.integers(2, size=3000)}
    for i in range(1, 9):
        columns[f"x{i}"] = np.where(rng.random(3000) < 0.95, columns[f"x{i - 1}"], rng.integers(2, size=3000))
    short = ldag.posterior(ldag.read(columns), kappa=0.3, max_parents=2, method="chain", n_iter=100)
    assert short.diagnostics is not None
    assert not short.diagnostics.converged
    assert "NOT converged" in str(short)


def test_a_file_gives_the_same_answers(post: ldag.Posterior, tmp_path: Path) -> None:
    """Edges, paths, parent sets and labels are read back; draws are those that were kept."""
    post.save(tmp_path / "post.json")
    read = ldag.Posterior.load(tmp_path / "post.json")
    assert read.edges == post.edges
    assert read.ancestor("physical", "pressure") == post.ancestor("physical", "pressure")
    assert read.labels(0.0) == post.labels(0.0)
    assert str(read) == str(post)
    assert read.log_evidence == post.log_evidence
    assert len(read.sample(500, rng=1)) == 500
    assert read.csi_separated("mental", "pressure", n_draws=500) == pytest.approx(
        post.csi_separated("mental", "pressure"), abs=0.1
    )
    with pytest.raises(ArgumentError, match=r"holds 1,000 drawn graphs of a setting, and .* are asked for"):
        read.sample(5000)
    with pytest.raises(ArgumentError, match="needs the data"):
        read.log_likelihood(HEART)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(FormatError, match=r"other.json: expected a posterior"):
        ldag.Posterior.load(tmp_path / "other.json")


def test_labels_that_are_fixed_come_back_from_a_file(tmp_path: Path) -> None:
    """An edge without labels has none in the file either; three and four states, several kappas."""
    rng = np.random.default_rng(2)
    columns = {"a": rng.integers(0, 3, 200), "b": rng.integers(0, 4, 200), "c": rng.integers(0, 2, 200)}
    columns["d"] = np.where(rng.random(200) < 0.7, (columns["a"] * (columns["b"] > 1) + columns["c"]) % 3, columns["a"])
    data = ldag.read({name: column.astype(str) for name, column in columns.items()})
    for rules in (None, ldag.Constraints(unlabelled=[("a", "d")])):
        post = ldag.posterior(data, constraints=rules)
        post.save(tmp_path / "post.json")
        read = ldag.Posterior.load(tmp_path / "post.json")
        assert read.edges == post.edges
        assert read.labels(0.0) == post.labels(0.0)
        for parents in post.parents("d"):
            for parent in parents if len(parents) > 1 else ():
                others = {name: "1" for name in parents if name != parent}
                chances = [one.label(parent, "d", context=others, parents=parents) for one in (post, read)]
                assert chances[0] == chances[1]
    assert post.label("a", "d", context={"b": "1"}) == 0.0


def test_a_fit_hands_on_data_and_settings() -> None:
    """Kappa, constraints and limits of the fit hold."""
    rules = ldag.Constraints(forbidden=[("smoking", "pressure")])
    fit = ldag.learn(HEART, kappa=0.3, max_parents=2, constraints=rules, equivalent_sample_size=1)
    post = ldag.posterior(fit)
    assert list(post.kappas) == [0.3]
    assert float(post.edge("smoking", "pressure")) == 0.0
    assert max(map(len, post.parents("pressure"))) <= 2
    table = ldag.posterior(ldag.learn(HEART, structure="table", max_parents=2, kappa="cv", equivalent_sample_size=1))
    assert table.prior == "table"


def test_mixture_and_query(post: ldag.Posterior) -> None:
    """Means lie inside intervals, and the mixture predicts what its members do together."""
    answer = post.query("pressure", do={"smoking": "yes"}, interval=0.9, rng=1)
    assert isinstance(answer, dict)
    found = answer[">140"]
    assert isinstance(found, tuple)
    assert found.low < found.mean < found.high
    mixture = post.mixture(50, rng=1)
    assert sum(mixture.weights or ()) == pytest.approx(1)
    rows: dict[str, list[object]] = {"smoking": ["yes", None], "protein": [">3", "<3"]}
    expected = [
        mixture.query("pressure", given={"smoking": "yes", "protein": ">3"})[">140"],
        mixture.query("pressure", given={"protein": "<3"})[">140"],
    ]
    assert mixture.predict_proba(rows, "pressure")[:, 1] == pytest.approx(expected)
    assert mixture.marginals()["pressure"] == pytest.approx(mixture.query("pressure"))
    best = max(member.log_likelihood(HEART) for member in mixture.members)
    assert mixture.log_likelihood(HEART) < best + 10
    other = ldag.Network.from_data(ldag.datasets.graph("heart"), HEART)
    fewer = ldag.learn(HEART.select(["smoking", "pressure"]), kappa=0.3, equivalent_sample_size=1).network
    with pytest.raises(ArgumentError, match="same variables"):
        ldag.Mixture([other, fewer])
    with pytest.raises(ArgumentError, match="2 numbers, 0 or more, one per member"):
        ldag.Mixture([other, other], [1.0])


def test_consensus_is_acyclic_and_has_the_probable_labels(post: ldag.Posterior) -> None:
    """Edges above one half that make no cycle, each with its probable labels."""
    graph = post.consensus()
    assert ("smoking", "pressure") in graph.edges
    assert graph.label("smoking", "pressure") == frozenset({(">3",)})
    assert post.consensus(threshold=0.2).edges


def test_the_evidence_of_new_data_is_a_ratio(post: ldag.Posterior) -> None:
    """Two rows after another are predicted as both at once."""
    first = ldag.read(
        {v.name: [v.states[0]] for v in HEART.variables}, states={v.name: v.states for v in HEART.variables}
    )
    together = ldag.read(
        {v.name: [v.states[0]] * 2 for v in HEART.variables}, states={v.name: v.states for v in HEART.variables}
    )
    assert post.log_likelihood(together) < 2 * post.log_likelihood(first) + 0.1
    assert post.log_likelihood(first) < 0


def test_a_checkpoint_resumes(post: ldag.Posterior, tmp_path: Path) -> None:
    """The same call reads the sums of families from the file; another call is refused."""
    path = tmp_path / "run.json"
    first = ldag.posterior(HEART, kappa=0.3, max_parents=3, checkpoint=path)
    assert any(name.startswith("weights of") for name in json.loads(path.read_text())["parts"])
    again = ldag.posterior(HEART, kappa=0.3, max_parents=3, checkpoint=path)
    assert first.edges == again.edges == post.edges
    with pytest.raises(ArgumentError, match="another run"):
        ldag.posterior(HEART, kappa=0.1, max_parents=3, checkpoint=path)


def test_messages(post: ldag.Posterior) -> None:
    """What was expected, what came, and what to do."""
    with pytest.raises(ArgumentError, match="structure 'table' has no labels"):
        ldag.posterior(HEART, structure="table", kappa=0.1)
    with pytest.raises(ArgumentError, match="needs prior 'normalised'"):
        ldag.posterior(HEART, prior="labels", kappa="evidence")
    with pytest.raises(ArgumentError, match="kappa must be a number above 0"):
        ldag.posterior(HEART, kappa=2)
    with pytest.raises(ArgumentError, match="n_iter applies to method 'chain'"):
        ldag.posterior(HEART, kappa=0.3, n_iter=1000)
    with pytest.raises(ArgumentError, match="equivalent_sample_size must be a finite number above 0, got 0"):
        ldag.posterior(HEART, equivalent_sample_size=[10, 0])
    with pytest.raises(ArgumentError, match="equivalent_sample_size must be a number or several, got none"):
        ldag.posterior(HEART, equivalent_sample_size=[])
    with pytest.raises(UnknownVariable, match="did you mean 'smoking'"):
        post.edge("smokng", "pressure")
    with pytest.raises(UnknownState, match="no state 'x'"):
        post.label("smoking", "pressure", context={"protein": "x"})
    with pytest.raises(ArgumentError, match="is an end of the edge"):
        post.label("smoking", "pressure", context={"pressure": "<140"})
    with pytest.raises(ArgumentError, match="two different variables"):
        post.edge("smoking", "smoking")
    wide = ldag.read({f"x{i}": [0, 1] for i in range(30)})
    with pytest.raises(TooLarge, match=r"30 variables needs .* GB and about .* hours"):
        ldag.posterior(wide, kappa=0.3, max_parents=2, method="exact")


def test_the_words_that_were_used_before(post: ldag.Posterior) -> None:
    """For one release the old ones are taken, with a warning that says the new ones."""
    few = HEART.select(["smoking", "protein", "pressure"])
    with pytest.warns(DeprecationWarning, match="method 'chains' is now 'chain'"):
        old = ldag.posterior(few, kappa=0.3, method="chains", n_iter=200)  # type: ignore[call-overload]
    assert old.edges == ldag.posterior(few, kappa=0.3, method=ldag.Chain(n_iter=200)).edges
    assert old.method == "chain"
    with pytest.warns(DeprecationWarning, match="prior 'table' is now structure 'table'"):
        table = ldag.posterior(few, prior="table")  # type: ignore[call-overload]
    assert table.edges == ldag.posterior(few, structure="table").edges
    with pytest.warns(DeprecationWarning, match="Posterior.log_predictive is now Posterior.log_likelihood"):
        assert post.log_predictive(HEART) == post.log_likelihood(HEART)
    with pytest.warns(DeprecationWarning, match="Posterior.priors is now"):
        assert post.priors.prior == "normalised"


def test_methods_may_be_values() -> None:
    """As in `learn`: `Chain` says how many runs there are, and how long; what does not apply is refused."""
    few = HEART.select(["smoking", "protein", "pressure"])
    chains = ldag.posterior(few, kappa=0.3, method=ldag.Chain(n_chains=6, n_iter=120))
    assert chains.diagnostics is not None
    assert (chains.diagnostics.n_runs, chains.diagnostics.n_samples) == (6, 120 // 6)
    assert ldag.posterior(few, kappa=0.3, method=ldag.Exact()).method == "exact"
    with pytest.raises(ArgumentError, match="start does not apply here"):
        ldag.posterior(few, kappa=0.3, method=ldag.Chain(start=ldag.datasets.graph("heart")))
    with pytest.raises(ArgumentError, match="no method 'climb'"):
        ldag.posterior(few, kappa=0.3, method=ldag.Climb())  # type: ignore[call-overload]
    with pytest.raises(ArgumentError, match="no structure 'tree'"):
        ldag.posterior(few, structure="tree")  # type: ignore[call-overload]


def test_any_table_will_do() -> None:
    """A dictionary, as in `learn`, with the options of reading."""
    columns: dict[str, Sequence[object]] = {
        "a": ["x", "y", "y", None] * 10,
        "b": ["u", "v", "u", "u"] * 5 + list("uvvu") * 5,
    }
    with pytest.warns(DataNote, match="10 of 40 rows left out"):
        post = ldag.posterior(columns, missing="drop")
    assert post.n_observations == 30
    assert post.joined("a", "b") > 0.5


def test_chains_visit_settings_as_they_are_probable(tmp_path: Path) -> None:
    """Sizes, kappas and tables as in the exact sum; draws, mixtures and files carry the size of each."""
    exact = ldag.posterior(HEART, max_parents=2, equivalent_sample_size=[1, 10, 30])
    chains = ldag.posterior(
        HEART, max_parents=2, equivalent_sample_size=[30, 10, 1], method="chain", n_iter=3000, rng=2
    )
    assert chains.diagnostics is not None
    assert chains.diagnostics.converged
    for own, other in ((exact.sizes, chains.sizes), (exact.kappas, chains.kappas)):
        assert list(own) == list(other)
        assert list(own.values()) == pytest.approx(list(other.values()), abs=0.04)
    assert exact.structures["table"] == pytest.approx(chains.structures["table"], abs=0.04)
    for edge in exact.edges:
        found = chains.edge(edge.parent, edge.child)
        assert abs(found - edge.probability) <= 4 * found.mc_error + 0.015
    for post in (exact, chains):
        post.save(tmp_path / "post.json")
        read = ldag.Posterior.load(tmp_path / "post.json")
        assert (read.sizes, read.kappas, read.structures) == (post.sizes, post.kappas, post.structures)
        assert str(read) == str(post)
        mixture = post.mixture(400)
        shares = zip(mixture.members, mixture.weights or (), strict=True)
        share = sum(weight for net, weight in shares if net.learned is not None and net.learned.smoothing.size == 10)
        assert share == pytest.approx(post.sizes[10], abs=0.05)


def test_what_is_summed_over_and_what_is_fixed() -> None:
    """Four sizes, two kappas and tables; each is one if it is given, or if a fit has it."""
    post = ldag.posterior(HEART, max_parents=1)
    assert list(post.sizes) == [1, 10, 30, 100]
    assert list(post.kappas) == [0.1, 0.5]
    assert list(post.structures) == ["ldag", "table"]
    line = next(line for line in str(post).splitlines() if line.startswith("prior: "))
    for words in ("kappa 0.1 (", "; no labels (", "; equivalent sample size 10 (", "how probable the data make each"):
        assert words in line
    assert sum(post.sizes.values()) == pytest.approx(1)
    assert sum(post.kappas.values()) + post.structures["table"] == pytest.approx(1)
    fixed = ldag.posterior(HEART, max_parents=1, kappa=0.3, prior="labels", equivalent_sample_size=4)
    assert (fixed.sizes, fixed.kappas, fixed.structures) == ({4: 1.0}, {0.3: 1.0}, {"ldag": 1.0})
    assert ldag.posterior(HEART, max_parents=1, structure="ldag").structures == {"ldag": pytest.approx(1.0)}
    assert list(ldag.posterior(HEART, max_parents=1, prior="labels").kappas) == [0.1]
    table = ldag.posterior(HEART, max_parents=1, structure="table")
    assert table.structures == {"table": pytest.approx(1.0)}
    assert "no labels, equivalent sample size " in str(table)
    fit = ldag.learn(HEART, kappa=0.2, equivalent_sample_size=6, max_parents=1)
    own = ldag.posterior(fit)
    assert (own.sizes, own.kappas, own.structures) == ({6: 1.0}, {0.2: 1.0}, {"ldag": 1.0})


def test_settings_that_the_evidence_rules_out_are_kept_by_their_number() -> None:
    """A size of a million is as good as impossible: it has a weight of 0, and an evidence that still counts."""
    both = ldag.posterior(HEART, max_parents=1, structure="table", equivalent_sample_size=[1, 1e6])
    one, none = (ldag.posterior(HEART, max_parents=1, structure="table", equivalent_sample_size=n) for n in (1, 1e6))
    assert both.sizes == {1: 1.0, 1e6: 0.0}
    assert both.edges == one.edges
    assert one.log_evidence is not None
    assert none.log_evidence is not None
    assert both.log_evidence == pytest.approx(np.logaddexp(one.log_evidence, none.log_evidence) - np.log(2))


def test_comparisons_of_settings_have_odds_and_conditions(post: ldag.Posterior) -> None:
    """The odds ratio belongs to the two answers; what is given changes them as it changes `query`."""
    event, do, against = {"pressure": ">140"}, {"smoking": "yes"}, {"smoking": "no"}
    compared = post.contrast(event, do=do, against=against, rng=1)
    a, b = (post.query("pressure", do=one)[">140"] for one in (do, against))
    assert compared["difference"].mean == pytest.approx(a - b, abs=0.01)
    assert compared["odds ratio"].mean == pytest.approx(a / (1 - a) / (b / (1 - b)), abs=0.05)
    given = {"protein": "<3"}
    inside = post.contrast(event, given, do=do, against=against, rng=1)
    c, d = (post.query("pressure", given, do=one, rng=1)[">140"] for one in (do, against))
    assert inside["difference"].mean == pytest.approx(c - d, abs=0.01)
    assert inside["difference"].mean < compared["difference"].mean - 0.01


def test_effects_are_ranked_and_shown(post: ldag.Posterior, tmp_path: Path) -> None:
    """As text, plain values, a frame and a picture; a file, which has no data, draws graphs and agrees roughly."""
    effects = post.effects("pressure")
    assert {effect.variable for effect in effects[:2]} == {"protein", "smoking"}
    assert str(effects).startswith("effects on pressure: size in nats, probability of a path\n  ")
    assert json.loads(json.dumps(effects.to_dict()))["effects"][0]["variable"] == effects[0].variable
    assert list(effects.to_frame()["size"]) == [effect.size for effect in effects]  # type: ignore[index]
    effects.save_picture(tmp_path / "effects.svg")
    assert "How much setting each variable changes pressure" in (tmp_path / "effects.svg").read_text()
    post.save(tmp_path / "post.json")
    again = ldag.Posterior.load(tmp_path / "post.json").effects("pressure")
    assert {effect.variable for effect in again[:2]} == {"protein", "smoking"}
    assert sum(effect.size for effect in again) == pytest.approx(sum(effect.size for effect in effects), rel=0.5)
    with pytest.raises(UnknownVariable, match="target: no variable 'presure'"):
        post.effects("presure")
