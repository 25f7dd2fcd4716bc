"""How a network's numbers are told."""

from dataclasses import replace

import pytest

import ldag


@pytest.mark.parametrize(("counts", "told"), [((4.04, 5.04), 9.1), ((4.5, 5.8), 10.0), ((1362.56, 3.1), 1366.0)])
def test_expected_rows_are_told_as_people_read_them(counts: tuple[float, ...], told: float) -> None:
    """Whole ones from ten on, and fewer to a tenth."""
    classes = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart")).classes("pressure")
    assert replace(classes[0], counts=counts).n_rows == told
