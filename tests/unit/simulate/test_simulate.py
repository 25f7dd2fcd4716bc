"""Networks to try things on."""

from collections.abc import Callable

import numpy as np
import pytest

import ldag
from ldag import LdagError, simulate
from tests.oracle import distributions


def test_generator_has_the_dimensions_of_the_paper() -> None:
    """60 free parameters as a DAG, 40 with the labels, on the same 20 edges."""
    labelled, plain = simulate.generator10(), simulate.generator10(labels=False)
    assert (labelled.dimension, plain.dimension) == (40, 60)
    assert labelled.ldag.edges == plain.ldag.edges
    assert len(plain.ldag.edges) == 20


def test_samples_of_the_generator_follow_its_distribution() -> None:
    """Pearson's statistic over the 1,024 rows, the rare ones pooled, below its 1 % point; seeded."""
    net = simulate.generator10(rng=5)
    expected = distributions.joint(net)
    n_rows = 200_000
    data = net.sample(n_rows, rng=6)
    counts = dict.fromkeys(expected, 0.0)
    weights = [1] * data.n_rows if data.weights is None else data.weights.tolist()
    for row, weight in zip(data.codes.T.tolist(), weights, strict=True):
        counts[frozenset((v.name, v.states[code]) for v, code in zip(net.variables, row, strict=True))] += weight
    probabilities, observed = np.array(list(expected.values())), np.array(list(counts.values()))
    rare = probabilities * n_rows < 10
    pooled = np.append(probabilities[~rare], probabilities[rare].sum()) * n_rows
    found = np.append(observed[~rare], observed[rare].sum())
    degrees = len(pooled) - 1
    one_percent = degrees * (1 - 2 / (9 * degrees) + 2.326 * (2 / (9 * degrees)) ** 0.5) ** 3  # Wilson and Hilferty
    assert ((found - pooled) ** 2 / pooled).sum() < one_percent


def test_parameters_of_the_generator_are_drawn_evenly() -> None:
    """The probabilities of a binary node are uniform on [0, 1]: Kolmogorov's statistic below its 1 % point."""
    drawn = np.sort([row[0] for seed in range(30) for row in simulate.generator10(rng=seed).parameters("7")])
    n = len(drawn)
    distance = max((np.arange(1, n + 1) / n - drawn).max(), (drawn - np.arange(n) / n).max())
    assert distance < 1.628 / n**0.5


def test_the_guard_follows_its_story() -> None:
    """9 free parameters; gender says something of the badge among workers only."""
    net = simulate.guard()
    assert net.dimension == 9
    badge = {
        (person, gender): net.query("badge", given={"person": person, "gender": gender})["yes"]
        for person in ("worker", "visitor", "spy")
        for gender in ("male", "female")
    }
    assert badge["worker", "female"] > badge["worker", "male"] > badge["visitor", "male"]
    assert badge["visitor", "male"] == pytest.approx(badge["visitor", "female"], abs=1e-12)
    assert badge["spy", "male"] == pytest.approx(badge["spy", "female"], abs=1e-12)


def test_concentration_makes_parameters_flat_or_extreme() -> None:
    """The largest probability of four states, on average."""
    graph = simulate.random_ldag(20, n_states=4, rng=1)

    def largest(concentration: float) -> float:
        net = simulate.random_network(graph, concentration=concentration, rng=1)
        return float(np.mean([max(row) for v in net.variables for row in net.parameters(v.name)]))

    assert largest(0.05) > 0.9 > largest(1) > 0.4 > largest(100)


def test_layered_graphs_of_the_benchmarks() -> None:
    """40 and 100 nodes with up to 10 parents and at most 12 classes; one node with 16 parents and 20 classes."""
    for n_layers in (4, 10):
        graph = simulate.layered_ldag([10] * n_layers, rng=3)
        parents = [len(graph.parents(v.name)) for v in graph.variables]
        classes = [graph.partition(v.name).n_classes for v in graph.variables]
        assert (len(parents), max(parents), max(classes)) == (10 * n_layers, 10, 12)
    wide = simulate.layered_ldag([16, 1], n_parents=16, max_classes=20)
    assert (len(wide.parents("x17")), wide.partition("x17").n_classes) == (16, 20)
    assert wide.is_regular()


def test_a_generator_moves_on() -> None:
    """A numpy Generator gives another graph each time, a seed the same; None is 0."""
    rng = np.random.default_rng(1)
    assert simulate.random_ldag(6, rng=rng) != simulate.random_ldag(6, rng=rng)
    assert simulate.random_ldag(6) == simulate.random_ldag(6, rng=0)
    assert simulate.generator10() == simulate.generator10(rng=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate.random_ldag(0), "n_nodes must be a whole number, 1 or more, got 0"),
        (lambda: simulate.random_ldag(3, n_states=1), "n_states must be a whole number, 2 or more"),
        (lambda: simulate.random_ldag(3, n_states=(4, 2)), "the smaller first; got (4, 2)"),
        (lambda: simulate.random_ldag(3, max_parents=-1), "max_parents must be a whole number, 0 or more, got -1"),
        (lambda: simulate.random_ldag(3, edge_density=2), "edge_density must be a number from 0 to 1, got 2"),
        (lambda: simulate.random_ldag(3, label_density=-0.1), "label_density must be a number from 0 to 1, got -0.1"),
        (lambda: simulate.random_ldag(30, max_parents=20, edge_density=1), "use a smaller max_parents, or layered"),
        (lambda: simulate.layered_ldag([]), "widths must be a list"),
        (lambda: simulate.layered_ldag([3, 0]), "every width must be a whole number, 1 or more, got 0"),
        (lambda: simulate.layered_ldag([3, 3], max_classes=0), "max_classes must be a whole number"),
        (lambda: simulate.layered_ldag([30, 1], n_parents=30, max_classes=99), "use a smaller n_parents"),
        (lambda: simulate.random_network(ldag.datasets.graph("guard"), concentration=0), "a positive number, got 0"),
        (lambda: simulate.random_ldag(3, rng=-1), "rng must be a whole number"),
    ],
)
def test_mistakes_say_what_was_expected(call: Callable[[], object], message: str) -> None:
    """What was expected, and what came."""
    with pytest.raises(LdagError) as caught:
        call()
    assert message in str(caught.value)
