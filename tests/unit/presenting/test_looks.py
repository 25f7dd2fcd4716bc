"""`plot` draws whatever can be drawn, and every public value shows itself."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

import ldag
from ldag.drawing import Drawable, Drawing, LineChart, Series, lay_out_charts
from ldag.errors import ArgumentError
from ldag.presenting import chart
from tests.panels import draw_panel

HEART = ldag.datasets.load("heart")


def test_graphs_networks_fits_and_comparisons_are_drawn() -> None:
    """Each into axes of its own, with the names of the variables."""
    fit = ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1)
    other = ldag.learn(HEART, kappa=0.5, equivalent_sample_size=1)
    for thing in (fit, fit.ldag, fit.network, ldag.compare(fit.ldag, other.ldag)):
        texts = {text.get_text() for text in ldag.plot(thing).texts}
        assert {"smoking", "pressure"} <= texts


def test_what_cannot_be_drawn_is_refused() -> None:
    """With what can."""
    with pytest.raises(ArgumentError, match=r"plot draws graphs, networks, fits, posteriors, .* got Dataset"):
        ldag.plot(HEART)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="focus is for pictures of graphs; a NodeParameters is a chart"):
        ldag.plot(ldag.simulate.guard().classes("badge"), focus="badge")


@pytest.fixture(scope="module")
def values() -> dict[str, object]:
    """Return a value of every public class, and of some more that methods return."""
    fit = ldag.learn(HEART, kappa="cv", equivalent_sample_size=1)
    net, graph = fit.network, fit.ldag
    post = ldag.posterior(fit, max_parents=3)
    boot = ldag.bootstrap(HEART, 5, kappa=0.1, equivalent_sample_size=1)
    verdict = graph.implies("smoking", "family")
    mixture = ldag.average(HEART, 3, kappa=0.1, equivalent_sample_size=1)
    waves = ldag.read(draw_panel(60, 1), groups="person", time="wave")
    panel: object = ldag.learn(waves, lags=1, equivalent_sample_size=1)
    assert isinstance(panel, ldag.DynamicFit)
    return {
        "LDAG": graph,
        "Bootstrap": boot,
        "Comparison": ldag.compare(graph, graph),
        "Constraints": ldag.Constraints(required=[("smoking", "pressure")]),
        "CrossValidation": fit.cv,
        "DataNote": ldag.DataNote("a column was left out"),
        "GraphWarning": ldag.GraphWarning("an arrow may point either way"),
        "Dataset": HEART,
        "DynamicFit": panel,
        "DynamicNetwork": panel.network,
        "Effect": ldag.identify(graph, "pressure", do="smoking"),
        "Gaps": ldag.simulate.gaps(HEART, 0.1, rng=1).gaps(),
        "FamilyScores": ldag.family_scores(HEART, kappa=0.1, max_parents=1),
        "Family": ldag.learn_family(HEART, "pressure", parents=["smoking", "protein"], kappa=0.1),
        "Fit": fit,
        "Independence": verdict.statement,
        "LdagError": ldag.LdagError("wrong"),
        "Mixture": mixture,
        "Network": net,
        "Posterior": post,
        "Score": fit.score,
        "StratifiedGraph": ldag.StratifiedGraph.from_text("a - b - c\na - c : b=1"),
        "StrataPosterior": ldag.posterior(HEART, decomposable=True, max_parents=1, equivalent_sample_size=1),
        "Variable": ldag.Variable("many", tuple(range(200))),
        "Verdict": verdict,
        "Chain": ldag.Chain(n_chains=3),
        "Climb": ldag.Climb(start=graph),
        "Exact": ldag.Exact(),
        "Grow": ldag.Grow(),
        "settings": fit.settings,
        "trace": fit.trace,
        "classes": net.classes("pressure"),
        "class": net.classes("pressure")[0],
        "cpt": net.cpt("pressure"),
        "query": net.query("pressure", {"smoking": "yes"}),
        "joint": net.query(["pressure", "smoking"]),
        "marginals": net.marginals(do={"smoking": "yes"}),
        "estimate": net.estimate("pressure", n_samples=100, rng=1),
        "explanation": net.explain("pressure", {"smoking": "yes"}),
        "averaged": post.query("pressure", interval=0.9, n_draws=20, rng=1),
        "of mixture": mixture.query("pressure"),
        "chances": post.edges,
        "strengths": boot.edges,
        "rules": graph.reduced_cpt("pressure"),
        "tree": graph.as_tree("pressure"),
        "multinet": graph.as_multinet("smoking"),
        "equivalent": graph.equivalence_class(),
    }


TEXT_ONLY = {
    "Chain",
    "Climb",
    "Exact",
    "Grow",
    "DataNote",
    "GraphWarning",
    "Independence",
    "FamilyScores",
    "LdagError",
    "Variable",
    "settings",
    "class",
    "cpt",
    "equivalent",
}
"""Small values whose repr says it all."""


def test_every_public_class_shows_itself(values: dict[str, object]) -> None:
    """A repr fits on five lines of moderate length; a notebook gets HTML or SVG that is well-formed and escaped."""
    classes = {name for name in ldag.__all__ if isinstance(getattr(ldag, name), type)}
    assert classes <= set(values)
    for name, value in values.items():
        assert len(repr(value).splitlines()) <= 5, name
        assert len(repr(value)) < 500, name
        if name in TEXT_ONLY:
            continue
        shown = value._repr_html_()  # type: ignore[attr-defined]
        assert shown.startswith("<div"), name
        ElementTree.fromstring(shown.replace("&#x27;", "'"))


def test_charts_are_drawn_saved_and_plotted_alike(values: dict[str, object], tmp_path: Path) -> None:
    """Every chart has `to_svg`, `save_picture` and `plot`, and says its numbers to those who cannot see it."""
    charts = {name: value for name, value in values.items() if isinstance(value, Drawable)}
    assert {"CrossValidation", "Mixture", "trace", "classes", "query", "joint", "chances", "strengths"} <= set(charts)
    for name, value in charts.items():
        root = ElementTree.fromstring(value.to_svg())
        assert len(root.findtext("{http://www.w3.org/2000/svg}desc", "")) > 10, name
    ax = ldag.plot(charts["classes"])
    assert "smoking is no, or protein is >3" in {text.get_text() for text in ax.texts}
    charts["classes"].save_picture(tmp_path / "rules.png")
    assert (tmp_path / "rules.png").read_bytes().startswith(b"\x89PNG")
    charts["chances"].save_picture(tmp_path / "edges.pdf")
    assert (tmp_path / "edges.pdf").read_bytes().startswith(b"%PDF")


def test_save_writes_pictures_and_models_by_the_ending(tmp_path: Path) -> None:
    """A graph, a network, a fit and a posterior; options belong to pictures."""
    fit = ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1)
    for thing in (fit, fit.network, fit.ldag, ldag.posterior(HEART, kappa=0.1, max_parents=1)):
        thing.save(tmp_path / "x.svg", direction="right")
        assert (tmp_path / "x.svg").read_text().startswith("<svg")
        thing.save(tmp_path / "x.json")
        assert (tmp_path / "x.json").read_text().startswith("{")
        with pytest.raises(ArgumentError, match="direction= is for pictures"):
            thing.save(tmp_path / "x.json", direction="right")
    with pytest.raises(ArgumentError, match="a picture is a file that ends in"):
        ldag.compare(fit.ldag, fit.ldag).save(tmp_path / "x.json")


class Walk(tuple[int, ...], Drawable):
    """A value of a new type."""


@chart.register
def draw_walk(walk: Walk) -> Drawing:
    """Return the steps of a walk as a chart."""
    return lay_out_charts([LineChart("", [Series("steps", range(len(walk)), walk)])], title="A walk")


def test_a_new_plot_is_a_function_for_a_type(tmp_path: Path) -> None:
    """Then the value is drawn, saved by any ending, shown in a notebook, and takes no options of graphs."""
    walk = Walk([1, 3, 2])
    assert 'aria-label="A walk"' in walk.to_svg()
    assert 'aria-label="A walk"' in walk._repr_html_()
    assert "A walk" in {text.get_text() for text in ldag.plot(walk).texts}
    walk.save(tmp_path / "walk.png")
    assert (tmp_path / "walk.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ArgumentError, match="focus is for pictures of graphs; a Walk is a chart"):
        walk.to_svg(focus="x")
