"""Bounds that were published: Balke and Pearl (1997) on trials with imperfect compliance."""

import numpy as np
import pytest

import ldag
from ldag.effects.bounding import bound_effect
from ldag.effects.results import EffectQuestion
from ldag.effects.sources import take_source

# assigned, taken, outcome, share or number
CHOLESTYRAMINE = [
    (0, 0, 0, 0.919),
    (0, 0, 1, 0.081),
    (1, 0, 0, 0.315),
    (1, 0, 1, 0.073),
    (1, 1, 0, 0.139),
    (1, 1, 1, 0.473),
]
VITAMIN_A = [(0, 0, 1, 11_514), (0, 0, 0, 74), (1, 0, 1, 2_385), (1, 0, 0, 34), (1, 1, 1, 9_663), (1, 1, 0, 12)]


@pytest.mark.parametrize(
    ("rows", "low", "high"),
    [(CHOLESTYRAMINE, 0.392, 0.780), (VITAMIN_A, -0.1946, 0.0054)],
    ids=["cholestyramine", "vitamin A"],
)
def test_trials_with_imperfect_compliance(rows: list[tuple[float, ...]], low: float, high: float) -> None:
    """The average effect of what was taken on the outcome, whatever it is that made people comply."""
    graph = ldag.LDAG.from_text("Z {0, 1}\nX {0, 1}\nY {0, 1}\nZ -> X\nX -> Y\nX <-> Y")
    columns = dict(zip(("Z", "X", "Y", "n"), map(list, zip(*rows, strict=True)), strict=True))
    z, x, y = graph.schema.nodes(["Z", "X", "Y"])
    source = take_source(ldag.read(columns, weights="n"), graph, (z, x, y))
    question = EffectQuestion((y,), (x,), setting={x: 1})
    latent = frozenset(graph.schema.nodes(graph.latent))
    event = np.array([False, True])
    bounds = bound_effect(graph.structure, latent, question, source, event=event, against={x: 0})
    assert bounds.low[0, 0] == pytest.approx(low, abs=5e-5)
    assert bounds.high[0, 0] == pytest.approx(high, abs=5e-5)
    assert bounds.notes() == ()
