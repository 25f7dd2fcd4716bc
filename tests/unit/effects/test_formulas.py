"""Trees of probabilities: bound sums, fixed states, and what they are on a table."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ldag.effects.formulas import (
    ONE,
    Anywhere,
    ByState,
    Cases,
    Formula,
    Probability,
    Product,
    Remainder,
    Slot,
    Sum,
    add_up,
    evaluate,
    fix,
    free_axes,
    make_quotient,
    multiply,
    nodes_in,
    slots,
    subformulas,
    take_anywhere,
)

X, M, Y = range(3)


class Joint:
    """Several joint tables of x (2 states), m (3) and y (4)."""

    n_states = (2, 3, 4)

    def __init__(self, n: int = 2) -> None:
        """Draw them."""
        self.tables = np.random.default_rng(1).dirichlet(np.ones(24), size=n).reshape(n, 2, 3, 4)

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> NDArray[np.float64]:
        """Return P(of | given)."""
        letters = "xmy"
        out = "".join(letters[node] for node in (*of, *given))
        joint = np.einsum(f"nxmy->n{out}", self.tables)
        return np.asarray(joint / joint.sum(axis=tuple(range(1, 1 + len(of))), keepdims=True))


def front_door() -> Formula:
    """The sum over m of P(m | x) times the sum over x' of P(x') P(y | m, x')."""
    inner = add_up([X], multiply([Probability(slots([X])), Probability(slots([Y]), slots([M, X]))]))
    return add_up([M], multiply([Probability(slots([M]), slots([X])), inner]))


def test_bound_and_free_copies_are_kept_apart() -> None:
    """The x that is set and the x that is summed over are different axes."""
    source = Joint()
    formula = front_door()
    assert free_axes(formula) == {(X, 0), (Y, 0)}
    assert nodes_in(formula) == {X, M, Y}
    tables = source.tables
    m_given_x = tables.sum(axis=3) / tables.sum(axis=(2, 3))[..., None]
    y_given_mx = tables / tables.sum(axis=3, keepdims=True)
    expected = np.einsum("nxm,na,namy->nyx", m_given_x, tables.sum(axis=(2, 3)), y_given_mx)
    got = evaluate(formula, source).over((Y, X), source.n_states)
    np.testing.assert_allclose(got, expected, atol=1e-15)


def test_fixing_states_leaves_bound_copies() -> None:
    """At X=1 the inner sum still goes over all states."""
    source = Joint()
    whole = evaluate(front_door(), source).over((Y, X), source.n_states)
    fixed = fix(front_door(), {X: 1})
    assert free_axes(fixed) == {(Y, 0)}
    np.testing.assert_allclose(evaluate(fixed, source).over((Y,), source.n_states), whole[..., 1], atol=1e-15)


def test_sums_over_a_probability_are_its_margin() -> None:
    """No sign is left of them; over everything it is 1."""
    joint = Probability(slots([X, Y]), slots([M]))
    margin = add_up([X], joint)
    assert isinstance(margin, Probability)
    assert margin.of == (Slot(Y),)
    assert add_up([X, Y], joint) is ONE
    assert isinstance(add_up([M], joint), Sum)
    np.testing.assert_allclose(evaluate(ONE, Joint()).array, 1.0)


def test_quotients_are_conditionals() -> None:
    """P(y, x) / P(x) is P(y | x); by 1 nothing is divided."""
    source = Joint()
    quotient = make_quotient(Probability(slots([Y, X])), Probability(slots([X])))
    np.testing.assert_allclose(
        evaluate(quotient, source).over((Y, X), source.n_states), source.conditional((Y,), (X,)), atol=1e-15
    )
    assert make_quotient(quotient, ONE) is quotient


def test_cases_of_different_axes_are_added() -> None:
    """P(x=0) P(y | x=0) + P(x=1) P(y | x=1) is P(y), and a term without y is repeated."""
    source = Joint()
    terms = [
        multiply([Probability(slots([X], {X: state})), Probability(slots([Y]), slots([X], {X: state}))])
        for state in range(2)
    ]
    total = evaluate(Cases(tuple(terms)), source)
    np.testing.assert_allclose(total.over((Y,), source.n_states), source.conditional((Y,), ()), atol=1e-15)
    more = evaluate(Cases((terms[0], Probability(slots([M])))), source)
    assert set(more.axes) == {(Y, 0), (M, 0)}


def test_what_does_not_matter_is_averaged_by_frequency() -> None:
    """The mean over states of m has their weights, not equal ones."""
    source = Joint()
    formula = take_anywhere([M], Probability(slots([Y]), slots([M])))
    assert isinstance(formula, Anywhere)
    np.testing.assert_allclose(
        evaluate(formula, source).over((Y,), source.n_states), source.conditional((Y,), ()), atol=1e-15
    )
    assert take_anywhere([X], formula) is formula


def test_products_are_flat_and_parts_shared() -> None:
    """A part that occurs twice is evaluated once."""
    part = Probability(slots([X]))
    formula = multiply([part, multiply([part, Probability(slots([Y]))])])
    assert isinstance(formula, Product)
    assert len(formula.factors) == 3
    assert multiply([part]) is part
    assert len(list(subformulas(formula))) == 3


@pytest.mark.parametrize("nodes", [(X, M), (M, X), (Y, M, X)])
def test_values_are_repeated_over_what_they_do_not_depend_on(nodes: tuple[int, ...]) -> None:
    """In the order that is asked for."""
    source = Joint()
    values = evaluate(Probability(slots([M])), source).over(nodes, source.n_states)
    assert values.shape == (2, *(source.n_states[node] for node in nodes))
    np.testing.assert_allclose(values.sum(axis=1 + nodes.index(M)), 1.0)


def test_branches_and_differences() -> None:
    """P(m, y) with a formula per state of x, read at a state, on another axis, summed over, and less one of them."""
    source = Joint()
    tables = source.tables
    whole = Probability(slots([X, M, Y]))
    branches = tuple(fix(whole, {X: state}) for state in range(2))
    formula = ByState((X, 0), branches)
    assert free_axes(formula) == {(X, 0), (M, 0), (Y, 0)}
    assert np.allclose(evaluate(formula, source).over([X, M, Y], source.n_states), tables)
    assert fix(formula, {X: 1}) is branches[1]
    assert fix(formula, {X: 1, M: 0}) is not branches[1]
    summed = add_up([X, M], formula)
    assert np.allclose(evaluate(summed, source).over([Y], source.n_states), tables.sum(axis=(1, 2)))
    inside = add_up([X], multiply([Probability(slots([X])), formula]))
    weights = tables.sum(axis=(2, 3))
    assert np.allclose(
        evaluate(inside, source).over([M, Y], source.n_states), np.einsum("nx,nxmy->nmy", weights, tables)
    )
    rest = Remainder(Probability(slots([M, Y])), branches[0])
    assert np.allclose(evaluate(rest, source).over([M, Y], source.n_states), tables[:, 1])
    assert [part for part in subformulas(rest) if part is branches[0]]
