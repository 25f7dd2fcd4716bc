"""Comparisons of two settings, against numbers worked out by hand."""

import numpy as np
import pytest

import ldag
from ldag.network import Averaged, average_draws, compare_means, contrast_draws, information_of_settings


def test_comparisons_of_an_event() -> None:
    """0.6 against 0.2: difference 0.4, ratio 3, odds 1.5 against 0.25."""
    compared = contrast_draws(np.array([0.6, 0.6]), np.array([0.2, 0.2]), 0.95, {"means": np.array([1.0, 3.0])})
    assert list(compared) == ["difference", "ratio", "odds ratio", "means"]
    assert [value.mean for value in compared.values()] == pytest.approx([0.4, 3.0, 6.0, 2.0])
    assert compared["means"][1:] == pytest.approx((1.05, 2.95))
    assert str(compared).splitlines()[2] == "odds ratio  6.0000 (6.0000 to 6.0000)"
    assert compared.notes == ()


def test_certain_events_have_infinite_odds() -> None:
    """And no warning is raised."""
    compared = contrast_draws(np.array([1.0]), np.array([0.5]), 0.95)
    assert compared["odds ratio"].mean == np.inf
    assert compared["ratio"].mean == 2.0


def test_draws_are_averaged_between_tails_of_one_size() -> None:
    """Of the numbers from 0 to 100, 90 % lie between 5 and 95."""
    assert average_draws(np.arange(101.0), 0.9) == pytest.approx(Averaged(50, 5, 95))


def test_means_of_ordered_outcomes() -> None:
    """Scores 0, 1, 5: the means are 2.3 and 0.5."""
    first, second = np.array([[0.3, 0.3, 0.4]]), np.array([[0.5, 0.5, 0.0]])
    assert compare_means(first, second, np.array([0.0, 1.0, 5.0])).tolist() == pytest.approx([1.8])


def test_the_size_of_an_effect() -> None:
    """Nothing where all settings give the same, log 2 where two settings decide; and the entropies between."""
    assert information_of_settings(np.array([[0.2, 0.8], [0.2, 0.8]])) == 0.0
    assert information_of_settings(np.array([[1.0, 0.0], [0.0, 1.0]])) == pytest.approx(np.log(2))
    rows = np.array([[0.5, 0.25, 0.25], [0.1, 0.9, 0.0], [0.2, 0.2, 0.6]])

    def entropy(p: np.ndarray) -> float:
        return float(-(p[p > 0] * np.log(p[p > 0])).sum())

    expected = entropy(rows.mean(axis=0)) - np.mean([entropy(row) for row in rows])
    assert information_of_settings(rows) == pytest.approx(expected)


def test_a_network_compares_odds() -> None:
    """The odds ratio of two answers of `query`."""
    net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
    compared = net.contrast({"pressure": ">140"}, do={"smoking": "yes"}, against={"smoking": "no"})
    a, b = (net.query("pressure", do={"smoking": state})[">140"] for state in ("yes", "no"))
    assert compared["odds ratio"].value == pytest.approx(a / (1 - a) / (b / (1 - b)))
