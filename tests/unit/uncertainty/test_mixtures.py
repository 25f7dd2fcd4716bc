"""`ldag.average` and the `Mixture` it makes."""

from math import exp
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.errors import ArgumentError, FormatError


@pytest.fixture(scope="module")
def heart() -> ldag.Dataset:
    """Six binary variables."""
    return ldag.datasets.load("heart")


@pytest.fixture(scope="module")
def mixture(heart: ldag.Dataset) -> ldag.Mixture:
    """Six members."""
    return ldag.average(heart, 6, kappa=0.3, rng=1)


def test_members_differ_and_have_the_parameters_of_all_the_data(heart: ldag.Dataset, mixture: ldag.Mixture) -> None:
    """Under different orders different edges are there, or the same the other way round."""
    assert len({member.ldag for member in mixture.members}) > 1
    for member in mixture.members:
        assert member == ldag.Network.from_data(member.ldag, heart)


@pytest.mark.parametrize("by", ["order", "bootstrap", "both"])
def test_the_number_of_threads_makes_no_difference(heart: ldag.Dataset, by: str) -> None:
    """Nor does asking again."""
    first, second = (ldag.average(heart, 4, by=by, kappa=0.3, rng=2, n_jobs=jobs) for jobs in (1, 2))  # type: ignore[arg-type]
    assert first.members == second.members


def test_an_order_is_followed_and_constraints_hold(heart: ldag.Dataset) -> None:
    """Required edges are in every member, forbidden ones in none."""
    rules = ldag.Constraints(required=[("pressure", "smoking")], forbidden=[("mental", "physical")])
    for member in ldag.average(heart, 5, kappa=0.3, constraints=rules).members:
        assert ("pressure", "smoking") in member.ldag.edges
        assert ("mental", "physical") not in member.ldag.edges


def test_probabilities_are_means_over_members(mixture: ldag.Mixture) -> None:
    """By adding up the joint distributions, divided by what is given."""
    event, given = {"pressure": ">140"}, {"smoking": "yes"}
    joint = np.mean([member.probability({**event, **given}) for member in mixture.members])
    known = np.mean([member.probability(given) for member in mixture.members])
    assert mixture.probability(event, given) == pytest.approx(joint / known)
    assert mixture.query("pressure", given)[">140"] == pytest.approx(joint / known)


def test_log_likelihood_takes_columns_in_any_order(heart: ldag.Dataset, mixture: ldag.Mixture) -> None:
    """Rows keep their own counts when the data are brought into the order of the members."""
    turned = heart.select(list(reversed(heart.names)))
    assert mixture.log_likelihood(turned) == pytest.approx(mixture.log_likelihood(heart))
    row = {name: heart.states(name)[0] for name in heart.names}
    one = ldag.read({name: [state] for name, state in row.items()}, states={n: heart.states(n) for n in heart.names})
    assert exp(mixture.log_likelihood(one)) == pytest.approx(mixture.probability(row))


def test_samples_come_from_the_mixture(mixture: ldag.Mixture) -> None:
    """Shares of states are the marginal probabilities, within four standard errors."""
    rows = mixture.sample(20_000, rng=3)
    for name, distribution in mixture.marginals().items():
        share = rows.counts(name)[0] / 20_000
        assert np.allclose(share, list(distribution.values()), atol=4 * 0.5 / np.sqrt(20_000))
    assert mixture.sample(50, rng=3, given={"smoking": "yes"}).counts("smoking").tolist() == [[0, 50]]


def test_a_file_gives_back_the_mixture(mixture: ldag.Mixture, tmp_path: Path) -> None:
    """Members and weights, with every number as it was."""
    weighted = ldag.Mixture(mixture.members, range(1, 7))
    weighted.save(tmp_path / "mixture.json")
    again = ldag.Mixture.load(tmp_path / "mixture.json")
    assert again.members == weighted.members
    assert again.weights == weighted.weights
    (tmp_path / "mixture.json").write_text("{}")
    with pytest.raises(FormatError, match="expected a mixture that ldag wrote"):
        ldag.Mixture.load(tmp_path / "mixture.json")


def test_what_does_not_apply_is_refused(heart: ldag.Dataset) -> None:
    """A start goes with no random order."""
    with pytest.raises(ArgumentError, match="no by 'orders'; did you mean 'order'"):
        ldag.average(heart, 2, by="orders")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="start does not apply to random orders"):
        ldag.average(heart, 2, method="climb", start=ldag.datasets.graph("heart"))


def test_weights_come_back_to_the_last_digit(mixture: ldag.Mixture, tmp_path: Path) -> None:
    """They were made to sum to 1 before, and are not divided once more."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        weighted = ldag.Mixture(mixture.members, rng.random(6).tolist())
        weighted.save(tmp_path / "mixture.json")
        assert ldag.Mixture.load(tmp_path / "mixture.json").weights == weighted.weights


def test_members_without_time_are_left_out(heart: ldag.Dataset, tmp_path: Path) -> None:
    """And told, in the value and in its file."""
    limited = ldag.average(heart, 100_000, kappa=0.1, time_limit=0.3)
    assert len(limited) < 100_000
    assert limited.notes[0].endswith(
        "of 100,000 searches came to their end within the time limit; the others are left out"
    )
    assert limited.notes[0] in repr(limited)
    limited.save(tmp_path / "several.json")
    assert ldag.Mixture.load(tmp_path / "several.json").notes == limited.notes
