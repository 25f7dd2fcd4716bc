"""Formulas as text, LaTeX and plain values."""

from ldag.effects.formulas import (
    ByState,
    Cases,
    Formula,
    Probability,
    Remainder,
    add_up,
    fix,
    make_quotient,
    multiply,
    slots,
    take_anywhere,
)
from ldag.effects.spelling import FormulaText, LatexFormula, PlainValues, spell, write_key, write_latex_name
from ldag.model import Schema, Variable

SCHEMA = Schema((Variable("X", (0, 1)), Variable("dose_a", ("low", ">3")), Variable("Y", ("no", "yes"))))
X, M, Y = range(3)


def front_door() -> Formula:
    """That of X, a mediator and Y."""
    inner = add_up([X], multiply([Probability(slots([X])), Probability(slots([Y]), slots([M, X]))]))
    return add_up([M], multiply([inner, Probability(slots([M]), slots([X]))]))


def test_bound_copies_have_primes() -> None:
    """Only where the variable itself is around; a sum stands last, as it goes to the end."""
    expected = "sum_{dose_a} P(dose_a | X) sum_{X'} P(X') P(Y | dose_a, X')"
    assert spell(SCHEMA, front_door()) == expected
    set_to_one = fix(front_door(), {X: 1})
    assert spell(SCHEMA, set_to_one) == "sum_{dose_a} P(dose_a | X=1) sum_{X} P(X) P(Y | dose_a, X)"
    assert spell(SCHEMA, set_to_one, taken=[X]) == expected.replace("| X)", "| X=1)")


def test_states_are_spelled_as_in_the_text_form() -> None:
    """With quotes where they need them."""
    formula = Probability(slots([Y]), slots([M], {M: 1}))
    assert spell(SCHEMA, formula) == 'P(Y | dose_a=">3")'


def test_brackets_where_a_reader_needs_them() -> None:
    """Around sums that are terms, cases that are factors, and what holds for any state."""
    total = add_up([X], multiply([Probability(slots([X])), Probability(slots([Y]), slots([X]))]))
    cases = Cases((total, Probability(slots([Y]))))
    assert spell(SCHEMA, cases) == "(sum_{X} P(X) P(Y | X)) + P(Y)"
    assert spell(SCHEMA, multiply([cases, Probability(slots([M]))])) == "((sum_{X} P(X) P(Y | X)) + P(Y)) P(dose_a)"
    quotient = make_quotient(total, Probability(slots([M])))
    assert spell(SCHEMA, quotient) == "[sum_{X} P(X) P(Y | X)] / [P(dose_a)]"
    anywhere = take_anywhere([X], Probability(slots([Y]), slots([X, M])))
    assert spell(SCHEMA, anywhere) == "P(Y | X, dose_a) for any X"


def test_formulas_by_state() -> None:
    """One inside another is in brackets; a bound variable keeps its primes; LaTeX has a word for it."""
    inner = ByState((X, 0), (Probability(slots([Y])), Probability(slots([Y, M]))))
    outer = ByState((M, 0), (inner, Probability(slots([X]))))
    nested = '(P(Y) at X=0; P(Y, dose_a) at X=1) at dose_a=low; P(X) at dose_a=">3"'
    assert spell(SCHEMA, outer) == nested
    bound = multiply([Probability(slots([X])), add_up([X], multiply([Probability(slots([X])), inner]))])
    assert spell(SCHEMA, bound) == "P(X) sum_{X'} P(X') (P(Y) at X'=0; P(Y, dose_a) at X'=1)"
    assert LatexFormula(SCHEMA, inner).write() == r"P(Y) \text{ at } X{=}0; P(Y, \text{dose\_a}) \text{ at } X{=}1"


def test_long_parts_that_occur_twice_get_a_name() -> None:
    """So that texts stay as small as the trees."""
    part = front_door()
    text = spell(SCHEMA, make_quotient(multiply([part, Probability(slots([M]))]), part))
    first, second = text.splitlines()
    assert first == "[P(dose_a) Q1(X, Y)] / [Q1(X, Y)]"
    assert second.startswith("where Q1(X, Y) = sum_{")


def test_latex() -> None:
    """Words are upright, signs are escaped, fractions are fractions."""
    assert LatexFormula(SCHEMA, front_door()).write() == (
        r"\sum_{\text{dose\_a}} P(\text{dose\_a} \mid X) \sum_{X'} P(X') P(Y \mid \text{dose\_a}, X')"
    )
    quotient = make_quotient(Probability(slots([Y, X], {Y: 1})), Probability(slots([X])))
    assert LatexFormula(SCHEMA, quotient).write() == r"\frac{P(Y{=}\text{yes}, X)}{P(X)}"
    assert write_latex_name("50% of x^2") == r"\text{50\% of x\textasciicircum{}2}"
    assert write_latex_name("7") == "7"


def test_plain_values() -> None:
    """A nested record in which bound copies keep their names."""
    formula = front_door()
    record = PlainValues(SCHEMA, FormulaText(SCHEMA, formula)).of(formula)
    assert record["sum"]["over"] == [{"variable": "dose_a", "symbol": "dose_a"}]  # type: ignore[index]
    assert "X'" in str(record)
    fixed = Probability(slots([Y], {Y: 1}))
    assert PlainValues(SCHEMA, FormulaText(SCHEMA, fixed)).of(fixed) == {
        "probability": {"of": [{"variable": "Y", "state": "yes"}], "given": []}
    }


def test_keys_do_not_depend_on_the_numbers_of_copies() -> None:
    """Two formulas that were built apart are the same; another one is not."""
    assert write_key(front_door()) == write_key(front_door())
    assert write_key(front_door()) != write_key(fix(front_door(), {X: 0}))


def test_branches_and_differences_are_written() -> None:
    """A formula per state says where each holds; what is taken away is in brackets where it has several parts."""
    first, second = (Probability(slots([1, 2], {2: state})) for state in range(2))
    by_state = ByState((2, 0), (first, second))
    assert spell(SCHEMA, by_state) == "P(dose_a, Y=no) at Y=no; P(dose_a, Y=yes) at Y=yes"
    assert r"\text{ at }" in LatexFormula(SCHEMA, by_state).write()
    less = Remainder(Probability(slots([1])), Cases((first, second)))
    assert spell(SCHEMA, less) == "P(dose_a) - (P(dose_a, Y=no) + P(dose_a, Y=yes))"
    values = PlainValues(SCHEMA, FormulaText(SCHEMA, by_state))
    assert values.of(by_state) == {
        "by state": {"of": {"variable": "Y", "symbol": "Y"}, "branches": [values.of(first), values.of(second)]}
    }
    assert values.of(less) == {"difference": [values.of(less.whole), values.of(less.rest)]}
