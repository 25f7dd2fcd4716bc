"""The questions that posteriors, bootstraps and mixtures are asked alike, and that print computes nothing again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast
from unittest import mock

import numpy as np
import pytest

import ldag
from ldag import _native
from ldag.data import count_family
from ldag.errors import ArgumentError
from ldag.uncertainty import Agreement, families
from ldag.uncertainty.agreement import SHOWN_LABEL

if TYPE_CHECKING:
    import pandas as pd

HEART = ldag.datasets.load("heart")
KINDS: dict[str, Agreement] = {
    "posterior": ldag.posterior(HEART, kappa=0.3, max_parents=3),
    "bootstrap": ldag.bootstrap(HEART, 30, kappa=0.3, equivalent_sample_size=1, rng=1),
    "mixture": ldag.average(HEART, 12, by="both", kappa=0.3, equivalent_sample_size=1, smoothing=1, rng=1),
}


@pytest.fixture(params=KINDS)
def value(request: pytest.FixtureRequest) -> Agreement:
    """Each kind."""
    return KINDS[request.param]


def test_edges_are_those_asked_for_one_by_one(value: Agreement) -> None:
    """Every ordered pair once, in both directions together as in `joined`, and so in the frame."""
    names = [variable.name for variable in value.variables]
    assert {edge[:2] for edge in value.edges} == {(a, b) for a in names for b in names if a != b}
    for edge in value.edges:
        assert value.edge(edge.parent, edge.child) == pytest.approx(edge.probability)
        assert value.joined(edge.parent, edge.child) == pytest.approx(edge.either_direction)
        assert edge.strength * edge.direction == pytest.approx(edge.probability)
    frame = cast("pd.DataFrame", value.to_frame())
    assert list(zip(frame["from"], frame["to"], strict=True)) == [edge[:2] for edge in value.edges]
    with pytest.raises(ArgumentError, match="two different variables"):
        value.edge("smoking", "smoking")


def test_labels_are_those_asked_for_one_by_one(value: Agreement) -> None:
    """Given the edge, and together with it; surest first, and none that is less sure than asked for."""
    labels = value.labels(0.0)
    assert len(labels) > 5
    assert value.labels() == tuple(label for label in labels if label.probability > SHOWN_LABEL)
    for label in labels:
        chance = value.label(label.parent, label.child, context=label.context)
        assert chance == pytest.approx(label.given_edge)
    chances = [round(label.probability, 9) for label in labels]
    assert chances == sorted(chances, reverse=True)
    with pytest.raises(ArgumentError, match="is an end of the edge"):
        value.label("smoking", "pressure", context={"smoking": "yes"})
    with pytest.raises(ArgumentError, match="context must name variables other than"):
        value.label("smoking", "pressure", context={})


def test_shares_of_labels_are_counted_over_weighed_graphs() -> None:
    """By asking every member of a mixture."""
    mixture = KINDS["mixture"]
    assert isinstance(mixture, ldag.Mixture)
    for label in mixture.labels(0.0):
        weight = joined = 0.0
        for member, share in zip(mixture.members, mixture.weights or (), strict=True):
            if (label.parent, label.child) in member.ldag.edges:
                joined += share
                weight += share * ((label.parent, label.child) not in member.ldag.context_graph(label.context).edges)
        assert (label.probability, label.given_edge) == pytest.approx((weight, weight / joined))


def test_a_consensus_is_what_most_have(value: Agreement) -> None:
    """Whoever is joined there is joined more often than not, and the graph is acyclic and regular."""
    graph = value.consensus()
    assert graph.edges
    assert all(value.joined(*edge) > 0.5 for edge in graph.edges)
    assert graph.is_regular()


def test_answers_have_intervals(value: Agreement) -> None:
    """Means inside; the graphs of a bootstrap have no parameters, and say who has."""
    if isinstance(value, ldag.Bootstrap):
        with pytest.raises(ArgumentError, match="by='bootstrap'"):
            value.query("pressure")
        return
    assert isinstance(value, ldag.Posterior | ldag.Mixture)
    _, low, high = value.query("pressure", {"smoking": "yes"}, interval=0.9)[">140"]
    assert low < value.query("pressure", {"smoking": "yes"})[">140"] < high


def test_old_names_of_a_mixture() -> None:
    """For one release."""
    mixture = KINDS["mixture"]
    assert isinstance(mixture, ldag.Mixture)
    with pytest.warns(DeprecationWarning, match="Mixture.query"):
        old = mixture.query_interval("pressure", n_draws=50)
    assert old == mixture.query("pressure", interval=0.95, n_draws=50)
    with pytest.warns(DeprecationWarning, match=r"Mixture.log_likelihood\(data, integrate=True\)"):
        assert mixture.log_predictive(HEART) == mixture.log_likelihood(HEART, integrate=True)


@contextmanager
def no_sums() -> Iterator[None]:
    """Let nothing be counted, and no labels of a family be summed over."""
    refuse = mock.Mock(side_effect=AssertionError("a family is counted or summed over"))
    with (
        mock.patch.object(families, "count_family", refuse),
        mock.patch.object(_native, "FamilyPosterior", refuse),
    ):
        yield


@pytest.mark.parametrize("options", [{"kappa": 0.3}, {}, {"kappa": 0.3, "method": "chain"}, {"structure": "table"}])
def test_print_counts_nothing_again(options: dict[str, object]) -> None:
    """Families are counted with the posterior, their labels are summed over by the first that asks, and once."""
    with mock.patch.object(families, "count_family", wraps=count_family) as count:
        post = ldag.posterior(HEART.select(["smoking", "protein", "pressure"]), **options)  # type: ignore[call-overload]
        counted = count.call_count
        assert 0 < counted <= 12
        printed = str(post)
        post.mixture(3)
        assert count.call_count == counted
    with no_sums():
        assert str(post) == printed
        assert post.summary()["labels"] is not None


def test_a_consensus_of_one_kappa_sums_nothing_again() -> None:
    """Its families were asked for the labels that are printed."""
    post = ldag.posterior(HEART, kappa=0.3, prior="normalised", equivalent_sample_size=1, max_parents=3)
    assert "labels" in str(post)
    with no_sums():
        assert post.consensus().labelled_edges


def test_parameters_of_drawn_networks_are_drawn() -> None:
    """The same graph has other parameters each time, spread around their means as their posterior is."""
    rules = ldag.Constraints(required=[("smoking", "pressure")])
    two = HEART.select(["smoking", "pressure"])
    post = ldag.posterior(two, structure="table", equivalent_sample_size=1, constraints=rules)
    nets = post.sample_networks(2000, rng=1)
    chances = np.array([net.query("pressure", {"smoking": "yes"})[">140"] for net in nets])
    high = two.counts("pressure", "smoking")[1].tolist()[1] + 0.25
    total = sum(two.counts("pressure", "smoking")[1].tolist()) + 0.5
    mean = high / total  # of a Beta distribution with a quarter more of each
    assert chances.mean() == pytest.approx(mean, abs=4 * np.sqrt(mean * (1 - mean) / (total + 1) / 2000))
    assert chances.std() == pytest.approx(np.sqrt(mean * (1 - mean) / (total + 1)), rel=0.1)
