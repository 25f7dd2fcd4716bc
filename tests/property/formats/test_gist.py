"""What is said of many cases is true of the configurations, counted one by one."""

from itertools import product

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from ldag.formats.gist import find_gist
from ldag.model import State, Variable

Cases = list[dict[str, list[State]]]


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Variable], Cases, NDArray[np.float64]]:
    """Draw variables of 2 to 4 states, some with an order, cases over them, and rows."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    variables = [Variable(f"v{i}", tuple(range(n)), ordered=draw(st.booleans())) for i, n in enumerate(sizes)]
    a_case = st.fixed_dictionaries(
        {},
        optional={
            v.name: st.lists(st.sampled_from(v.states), min_size=1, max_size=v.n_states, unique=True) for v in variables
        },
    )
    listed = draw(st.lists(a_case, min_size=1, max_size=5))
    rows = draw(st.lists(st.integers(0, 5), min_size=int(np.prod(sizes)), max_size=int(np.prod(sizes))))
    return variables, listed, np.array(rows, dtype=np.float64).reshape(sizes)


def holds(case: dict[str, list[State]], codes: dict[str, State]) -> bool:
    """Tell whether a configuration is in a case."""
    return all(codes[name] in states for name, states in case.items())


@given(cases())
def test_amounts_and_typical_conditions_are_true(
    drawn: tuple[list[Variable], Cases, NDArray[np.float64]],
) -> None:
    """Amounts are those counted, and a typical condition is right for more than half, both ways round."""
    variables, listed, rows = drawn
    gist = find_gist(listed, variables, rows)
    covered = total = inside = both = 0.0
    n_covered = 0
    for place in product(*(range(v.n_states) for v in variables)):
        codes = {v.name: v.states[code] for v, code in zip(variables, place, strict=True)}
        is_covered = any(holds(case, codes) for case in listed)
        is_inside = holds({name: list(states) for name, states in gist.condition.items()}, codes)
        n_covered += is_covered
        total += rows[place]
        covered += rows[place] * is_covered
        inside += rows[place] * is_inside
        both += rows[place] * (is_covered and is_inside)
    assert (gist.covered, gist.total, gist.n_covered) == (covered, total, n_covered)
    if gist.is_typical:
        assert 2 * both > covered
        assert 2 * both > inside
    else:
        assert dict(gist.condition) in listed


@given(st.integers(2, 4), st.data())
def test_one_variable_alone_is_found(n_states: int, data: st.DataObject) -> None:
    """Where cases are states of one variable, that is the condition, whatever the others are."""
    a, b = Variable("a", (0, 1, 2)), Variable("b", tuple(range(n_states)))
    states = data.draw(st.lists(st.sampled_from(b.states), min_size=1, max_size=n_states - 1, unique=True))
    gist = find_gist([{"b": [state]} for state in states], [a, b])
    assert (gist.is_typical, {name: sorted(s, key=str) for name, s in gist.condition.items()}) == (
        True,
        {"b": sorted(states, key=str)},
    )


@pytest.mark.parametrize(("wrong", "named"), [(8, {"a"}), (12, {"a", "b"})])
def test_a_second_variable_is_named_if_it_is_worth_it(wrong: int, named: set[str]) -> None:
    """Of 100 rows in two cases a=1 is right about 92; b=1 besides saves what that is wrong about, a tenth at least."""
    variables = [Variable(name, (0, 1)) for name in "ab"]
    rows = np.array([[8.0, 50.0], [wrong, 92.0]])
    gist = find_gist([{"a": [0], "b": [0]}, {"a": [1], "b": [1]}], variables, rows)
    assert set(gist.condition) == named


def test_a_condition_names_four_states_of_a_variable_without_an_order() -> None:
    """Those that most rows have; of five that are covered, the rarest is left out."""
    colour = Variable("colour", tuple("abcdefgh"))
    rows = np.array([9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0])
    gist = find_gist([{"colour": list("abcde")}], [colour], rows)
    assert gist.condition == {"colour": ["a", "b", "c", "d"]}
    assert gist.is_typical
