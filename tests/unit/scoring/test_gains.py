"""What labels are worth: against the scores of graphs written down without them."""

import numpy as np
import pytest

import ldag
from ldag import LDAG, Constraints, Dataset, Fit, datasets

HEART = datasets.load("heart")


def rewritten(fit: Fit, left_out: set[tuple[str, str]]) -> LDAG:
    """Return the learned graph, written down anew without some of its labels."""
    graph = fit.ldag
    labels = {}
    for parent, child in graph.edges:
        others = [name for name in graph.parents(child) if name != parent]
        entries = [dict(zip(others, entry, strict=True)) for entry in graph.label(parent, child)]
        if entries and (parent, child) not in left_out:
            labels[parent, child] = entries
    return LDAG.from_edges(graph.edges, labels=labels, states={v.name: v.states for v in graph.variables})


def one_special_case() -> Dataset:
    """Return data in which one of 3 x 4 x 2 configurations is unlike the others."""
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 3, 6000), rng.integers(0, 4, 6000), rng.integers(0, 2, 6000)
    y = rng.random(6000) < np.where((a == 0) & (b == 0) & (c == 0), 0.95, 0.2)
    return ldag.read({"a": a, "b": b, "c": c, "y": y})


@pytest.mark.parametrize(("data", "n_labels"), [(HEART, 2), (one_special_case(), 3)])
def test_gains_are_differences_of_scores(data: Dataset, n_labels: int) -> None:
    """The graph with one label less, and with none at a node, scored by itself."""
    constraints = Constraints(order=["a", "b", "c", "y"]) if "y" in data.names else None
    fit = ldag.learn(data, kappa=0.1, method="exact", constraints=constraints, equivalent_sample_size=1)
    assert ldag.score(rewritten(fit, set()), data, kappa=0.1).total == pytest.approx(fit.score.total)
    assert len(fit.label_gains) == n_labels
    for edge, gain in fit.label_gains.items():
        expected = fit.score.total - ldag.score(rewritten(fit, {edge}), data, kappa=0.1).total
        assert gain == pytest.approx(expected, abs=1e-7)
        assert f"(gains {expected:.2f})" in str(fit)
    bare = ldag.score(rewritten(fit, set(fit.label_gains)), data, kappa=0.1).total
    assert sum(fit.class_gains.values()) == pytest.approx(fit.score.total - bare)


def test_classes_that_are_not_made_of_labels_have_a_total_only() -> None:
    """Decision graphs join what no label joins."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 4000), rng.integers(0, 2, 4000)
    data = ldag.read({"a": a, "b": b, "y": rng.random(4000) < np.where(a == b, 0.9, 0.1)})
    fit = ldag.learn(
        data, kappa=0.5, structure="graph", constraints=Constraints(order=["a", "b", "y"]), equivalent_sample_size=1
    )
    assert fit.label_gains == {}
    assert set(fit.class_gains) == {"y"}
    assert "better than full tables by: y" in str(fit)
