"""`plot` draws whatever can be drawn."""

import pytest

import ldag
from ldag.errors import ArgumentError

HEART = ldag.datasets.load("heart")


def test_graphs_networks_fits_and_comparisons_are_drawn() -> None:
    """Each into axes of its own, with the names of the variables."""
    fit = ldag.learn(HEART, kappa=0.1)
    other = ldag.learn(HEART, kappa=0.5)
    for thing in (fit, fit.ldag, fit.network, ldag.compare(fit.ldag, other.ldag)):
        texts = {text.get_text() for text in ldag.plot(thing).texts}
        assert {"smoking", "pressure"} <= texts


def test_what_cannot_be_drawn_is_refused() -> None:
    """With what can."""
    with pytest.raises(ArgumentError, match="plot draws graphs, networks, fits and posteriors, got Dataset"):
        ldag.plot(HEART)  # type: ignore[arg-type]


def test_every_value_shows_itself_briefly() -> None:
    """A repr fits on five lines and never dumps a dataclass; a notebook gets HTML or SVG."""
    fit = ldag.learn(HEART, kappa="cv", rng=1)
    values = [
        HEART,
        fit,
        fit.ldag,
        fit.network,
        fit.score,
        fit.cv,
        fit.network.classes("pressure"),
        fit.ldag.reduced_cpt("pressure"),
        fit.ldag.as_tree("pressure"),
        fit.ldag.implies("smoking", "family"),
        ldag.compare(fit.ldag, fit.ldag),
        ldag.learn_family(HEART, "pressure", parents=["smoking", "protein"], kappa=0.1),
    ]
    for value in values:
        assert len(repr(value).splitlines()) <= 5, repr(value)
        assert repr(value).startswith("<"), repr(value)
        assert len(repr(value)) < 500
    for value in (fit, fit.score, fit.cv, fit.network.classes("pressure"), ldag.compare(fit.ldag, fit.ldag)):
        assert value is not None
        assert value._repr_html_().startswith("<div")
    assert fit.network._repr_svg_().startswith("<svg")
