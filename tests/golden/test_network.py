"""Networks by hand: the guard example and the heart data; and a file that every later version must read."""

import csv
from collections import Counter
from math import lgamma, log
from pathlib import Path

import pytest

import ldag
from ldag import Network, datasets

FILE = Path(__file__).parent / "files" / "guard-network-v1.json"
HEART = Path(datasets.__file__).parent / "heart.csv"


def test_the_file_of_the_first_version() -> None:
    """It stays readable, it is still written the same, and its numbers can be checked by hand."""
    net = Network.load(FILE)
    assert net.ldag == datasets.graph("guard")
    assert net.dimension == 9
    assert net.to_json() == FILE.read_text(encoding="utf-8")
    # N = 12: person has 12 / 3 = 4 per state; badge has 12 |S| / (2 * 6) = |S| per state of a class S.
    assert net.parameters("person")[0] == pytest.approx((8 / 18, 6 / 18, 4 / 18))
    assert net.parameters("gender")[2] == (0.5, 0.5)
    found = [part.probabilities for part in net.classes("badge")]
    assert found == [pytest.approx(p) for p in [(2 / 5, 3 / 5), (1 / 3, 2 / 3), (4 / 6, 2 / 6), (0.5, 0.5)]]
    assert [part.prior for part in net.classes("badge")] == [(1, 1), (1, 1), (2, 2), (2, 2)]


def test_posterior_means_of_the_heart_data() -> None:
    """(alpha + n) / sum, counted from the file of the data: pressure has the classes of the paper."""
    counts: Counter[tuple[str, str, str]] = Counter()
    with HEART.open(newline="") as file:
        for row in csv.DictReader(file):
            counts[row["smoking"], row["protein"], row["pressure"]] += int(row["count"])
    net = Network.from_data(datasets.graph("heart"), datasets.load("heart"), equivalent_sample_size=2)
    merged = [("no", "<3"), ("no", ">3"), ("yes", ">3")]
    for part, members in zip(net.classes("pressure"), [merged, [("yes", "<3")]], strict=True):
        alpha = 2 * len(members) / (2 * 4)
        low = sum(counts[*member, "<140"] for member in members)
        high = sum(counts[*member, ">140"] for member in members)
        assert part.counts == (low, high)
        assert part.prior == (alpha, alpha)
        expected = ((low + alpha) / (low + high + 2 * alpha), (high + alpha) / (low + high + 2 * alpha))
        assert part.probabilities == pytest.approx(expected, abs=1e-15)


def test_the_fit_of_the_heart_data_has_a_network() -> None:
    """The means of the posterior under the prior of the search, made once."""
    data = datasets.load("heart")
    fit = ldag.learn(data, kappa=0.1, equivalent_sample_size=3.0)
    assert fit.network is fit.network
    assert fit.network == Network.from_data(fit.ldag, data, equivalent_sample_size=3.0)


def test_predictive_by_gamma_functions() -> None:
    """One binary node, N = 1, 2 and 1 seen, 1 and 2 new: a ratio of beta functions."""

    def log_beta(a: float, b: float) -> float:
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    coin = ldag.LDAG.from_edges([], states={"coin": ["heads", "tails"]})
    net = Network.from_data(coin, ldag.read({"coin": ["heads", "heads", "tails"]}))
    new = ldag.read({"coin": ["heads", "tails", "tails"]})
    assert net.log_likelihood(new, integrate=True) == pytest.approx(log_beta(3.5, 3.5) - log_beta(2.5, 1.5))
    assert net.log_likelihood(new) == pytest.approx(log(2.5 / 4) + 2 * log(1.5 / 4))
