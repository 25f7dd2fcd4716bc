"""Held-out verdicts on panels with an effect of the person: true of people not seen by groups, and not by rows."""

import numpy as np
import pytest

from experiments.panels import Verdict, draw_panel, judge, summarise


def test_verdicts_by_groups_are_unbiased_and_by_rows_they_are_not() -> None:
    """In small: six panels of eighty people; the mean difference from the truth, in its standard errors."""
    rows = {(row["rows"], row["verdict"]): row for row in summarise([judge(seed, 80, 10, 2) for seed in range(6)])}
    grouped, ungrouped = rows["grouped", "score"], rows["ungrouped", "score"]
    assert abs(float(grouped["bias"] or 0)) <= 2 * float(grouped["error of bias"] or 0)
    assert float(ungrouped["bias"] or 0) > 0.8
    assert float(ungrouped["bias"] or 0) > 5 * float(ungrouped["error of bias"] or 0)
    assert float(grouped["within two"] or 0) >= 0.5
    assert ungrouped["within two"] == 0
    for verdict in ("labels against tables", "average against one"):
        assert rows["grouped", verdict]["panels"] == 6


def test_panels_are_of_people() -> None:
    """Two to ten rows each, in which the first columns stay the same."""
    panel = draw_panel(300, np.random.default_rng(1))
    sizes = panel.groupby("person").size()
    assert (sizes.min(), sizes.max(), len(sizes)) == (2, 10, 300)
    assert (panel.groupby("person")[["stable0", "stable3"]].nunique() == 1).all(axis=None)
    assert panel.groupby("person")["mood"].nunique().max() == 3


def test_what_is_summed_up() -> None:
    """Bias, its error, and how often two standard errors hold the truth."""
    panels = [{("g", "v"): Verdict(1.0, 0.1, 1.1)}, {("g", "v"): Verdict(2.0, 0.1, 1.6)}]
    (row,) = summarise(panels)
    assert row["bias"] == pytest.approx(0.15)
    assert row["error of bias"] == pytest.approx(0.25)
    assert row["within two"] == 0.5
