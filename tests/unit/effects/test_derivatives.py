"""Values and derivatives of sums of products, beside whole tables and small differences."""

import numpy as np
import pytest

from ldag.effects import derivatives
from ldag.effects.derivatives import SumOfProducts
from tests.oracle.effects import random_parameters, random_structure, table_after


@pytest.mark.parametrize("seed", range(4))
def test_values_and_slopes_are_those_of_the_whole_table(seed: int) -> None:
    """Weighed sums of all cells with some variables fixed; slopes by differences of the same sums."""
    rng = np.random.default_rng(seed)
    structure, _ = random_structure(rng, 4, 2, max_states=3, label_rate=0.3)
    parameters = random_parameters(structure, rng)
    weights = {v: rng.random((5, structure.n_states[v])) for v in (1, 3)}
    fixed = {0: 1}

    def value(tables: list[np.ndarray]) -> np.ndarray:
        joint = np.take(table_after(structure, tables), [1], axis=0)
        for v, own in weights.items():
            joint = joint[None] if joint.ndim == len(structure) else joint
            joint = joint * own.reshape(5, *(-1 if axis == v else 1 for axis in range(len(structure))))
        return np.asarray(joint.reshape(5, -1).sum(axis=1))

    polynomial = SumOfProducts.of(structure, range(len(structure)), weights, fixed)
    values, slopes = polynomial.differentiate(dict(enumerate(parameters)), weights, None)
    np.testing.assert_allclose(values, value(list(parameters)), rtol=1e-12)
    for node, table in enumerate(parameters):
        for place in np.ndindex(table.shape):
            moved = [np.array(t, dtype=np.float64) for t in parameters]
            moved[node][place] += 0.5  # each parameter enters every product once: the difference is exact
            by_difference = (value(moved) - value(list(parameters))) / 0.5
            np.testing.assert_allclose(slopes[node][(slice(None), *place)], by_difference, atol=1e-12)


def test_modulo_a_prime_it_is_the_same_in_whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers so small that nothing exceeds the prime: both ways agree, also in pieces of a few rows."""
    rng = np.random.default_rng(1)
    structure, _ = random_structure(rng, 4, 1, label_rate=0.2)
    whole = {
        node: rng.integers(1, 4, size=(family.partition.n_classes, structure.n_states[node]))
        for node, family in enumerate(structure.families)
    }
    weights = {v: rng.integers(1, 3, size=(7, 2)) for v in range(4)}
    polynomial = SumOfProducts.of(structure, range(len(structure)), weights)
    real = polynomial.differentiate({v: t.astype(float) for v, t in whole.items()}, weights, None)
    monkeypatch.setattr(derivatives, "CHUNK", 2 * polynomial.largest)
    modular = polynomial.differentiate(whole, weights, 2**31 - 1)
    np.testing.assert_array_equal(modular[0], real[0])
    for node in whole:
        np.testing.assert_array_equal(modular[1][node], real[1][node])
