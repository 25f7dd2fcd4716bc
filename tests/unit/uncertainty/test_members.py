"""What members of an average are grown with unless it is said, and that it stays where their order is drawn."""

from typing import Any

import numpy as np
import pytest

import ldag
from ldag.errors import LdagError


def rows(n: int = 200) -> dict[str, list[int]]:
    """Return columns that hang together."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 3, n), rng.integers(0, 2, n)
    c = np.where((b == 0) & (rng.random(n) < 0.9), a, rng.integers(0, 3, n))
    return {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "d": (c > 0).astype(int).tolist()}


USUAL = [
    (9_900, {}, {"equivalent_sample_size": 1000, "prior": "parameters", "kappa": 1, "levels": True}),
    (900, {}, {"equivalent_sample_size": 100, "prior": "parameters", "kappa": 1, "levels": True}),
    (200, {"prior": "leaves"}, {"equivalent_sample_size": 2, "prior": "leaves", "kappa": 1, "levels": True}),
    (200, {"prior": "nested"}, {"equivalent_sample_size": 2, "prior": "nested", "kappa": 0.3, "levels": False}),
]


@pytest.mark.parametrize(("n", "said", "meant"), USUAL, ids=["many rows", "few rows", "leaves", "nested"])
def test_what_members_are_grown_with(n: int, said: dict[str, Any], meant: dict[str, Any]) -> None:
    """A thousand observations or a ninth of the rows, by levels, or two for each leaf; leaves lean on eight above."""
    usual = ldag.average(rows(n), 3, method="grow", **said)
    same = ldag.average(rows(n), 3, method="grow", smoothing=(8, "nested"), **meant)
    assert usual.settings == same.settings
    assert usual.members == same.members
    assert usual.settings["equivalent_sample_size"] == meant["equivalent_sample_size"]


def test_settings_of_a_fit_stay() -> None:
    """Leaf by leaf, if folds chose that."""
    fit = ldag.learn(rows(), method="grow", levels=False, kappa=0.3, smoothing=(4, "nested"))
    several = fit.average(3, equivalent_sample_size=fit.equivalent_sample_size)
    same = ldag.average(
        rows(),
        3,
        method="grow",
        levels=False,
        kappa=0.3,
        prior=fit.prior,
        equivalent_sample_size=fit.equivalent_sample_size,
        smoothing=(4, "nested"),
    )
    assert several.members == same.members


def test_wide_grown_graphs_are_refused_at_once() -> None:
    """To compare labels and classes, configurations would have to be listed."""
    names = [f"x{i}" for i in range(40)]
    tree: Any = 0
    for place, name in enumerate(names, start=1):
        tree = {name: {0: place, 1: tree}}
    states = {name: [0, 1] for name in (*names, "y")}
    wide = ldag.LDAG.from_edges([(name, "y") for name in names], states=states, trees={"y": tree})
    for measure in (ldag.compare, ldag.label_precision_recall, ldag.adjusted_rand):
        with pytest.raises(LdagError, match=r"'y' has in either graph have 1,099,511,627,776 configurations; at most"):
            measure(wide, wide)
    assert ldag.structural_hamming_distance(wide, wide) == 0
