"""What an exact search is estimated to take."""

from math import inf, sqrt

import pytest

import ldag
from ldag.constraints import SearchSpace
from ldag.learning import LabelSearch, Settings, StructureKind, make_plan
from ldag.learning.searches import SearchProblem, SearchResult
from ldag.learning.searches.exact import Exact, estimate_proof_seconds, estimate_seconds
from ldag.learning.structures import FamilyOptions
from ldag.scoring import Priors


def problem(
    n_states: tuple[int, ...], n_rows: int, labels: LabelSearch = "greedy", structure: StructureKind = "ldag"
) -> SearchProblem:
    """Any parents for every variable, or for the first alone where there are many states."""
    n = len(n_states)
    others = tuple(tuple(v for v in range(n) if v != node and (node == 0 or max(n_states) < 16)) for node in range(n))
    space = SearchSpace(others, ((),) * n, tuple(map(len, others)), ((),) * n)
    return SearchProblem(space, FamilyOptions(Priors(0.1, 1.0, "labels"), structure, labels), n_states, n_rows)


def test_bounds_leave_a_hundredth_of_the_classes_to_search_for() -> None:
    """At a kappa of 0.1 and below, a tenth at 0.5 and above; all families are counted."""
    data = ldag.datasets.load("heart")
    problems = {kappa: make_plan(data, Settings(kappa=kappa, method="exact")).problem for kappa in (0.01, 0.1, 0.5, 1)}
    proof = {kappa: estimate_proof_seconds(problem) for kappa, problem in problems.items()}
    everything = estimate_seconds(problems[0.1])
    assert proof[0.01] == proof[0.1]
    assert proof[0.5] == proof[1]
    assert (proof[0.5] - proof[0.1]) / (everything - proof[0.1]) == pytest.approx((0.1 - 0.01) / (1 - 0.01))


def test_small_families_by_hand() -> None:
    """Three binary variables, 1,000 rows: each has families of 1, 2, 2 and 4 configurations, in microseconds.

    Counting takes 5 and 0.00005 for a row and the root of the configurations. Refined labels take twice the square of
    these, exact ones 2,000 for 16 of them and a third of that for each fewer. Tables of sets of variables are shared
    where families are twice as many.
    """
    sizes = (1, 2, 2, 4)
    counting = sum(5 + 0.05 * sqrt(q) for q in sizes)
    refined = counting + sum(2 * q**2 for q in sizes)
    assert estimate_seconds(problem((2, 2, 2), 1000, "refined")) == pytest.approx(3e-6 * refined)
    exact = counting + sum(2000 / 3 ** (16 - q) for q in sizes)
    assert estimate_seconds(problem((2, 2, 2), 1000, "exact")) == pytest.approx(3e-6 * exact)
    assert estimate_seconds(problem((2, 2, 2), 1000, structure="table")) == pytest.approx(3e-6 * counting)
    shared = 16 * (1e-7 + 1.2e-9 * 1000) + 2e-7 * 32
    assert estimate_seconds(problem((2,) * 4, 1000, structure="table")) == pytest.approx(shared)


def test_configurations_that_no_row_visits_by_hand() -> None:
    """A variable of 16 states with up to four such parents, ten rows: refining looks at unvisited ones 16 times.

    Not where the table has more than 65,536 cells, as such a family is left out.
    """
    sizes = {1: 1, 16: 4, 256: 6, 4096: 4, 65536: 1}
    counting = sum(n * (5 + 5e-4 * sqrt(q)) for q, n in sizes.items()) + 4 * (5 + 5e-4)
    unvisited = sum(n * 16 * (q - 10) for q, n in sizes.items() if 10 < q < 65536)
    classes = sum(n * 8 * 2 * min(q, 10) ** 2 for q, n in sizes.items()) + 4 * 16
    large = problem((16,) * 5, 10, "refined")
    assert estimate_seconds(large) == pytest.approx(1e-6 * (counting + unvisited + classes))
    assert estimate_proof_seconds(large) == inf
    tables = problem((16,) * 5, 10, "refined", "table")
    assert estimate_seconds(tables) == pytest.approx(1e-6 * counting)


def test_what_is_said_of_families_that_are_too_large_and_of_an_early_end() -> None:
    """16 states with four such parents have 16 times as many cells as a table may have; with three, as many."""
    large, whole = problem((16,) * 5, 10), problem((16,) * 4, 10)
    (told,) = Exact().describe_limits(large, "abcde", ((),) * 5)
    assert told == "parents of a whose table would have more than 65,536 cells were left out"
    assert not list(Exact().describe_limits(whole, "abcd", ((),) * 4))
    nothing = SearchResult(((),) * 5, 0.0, (), stopped=True, n_steps=19, n_accepted=0)
    assert "any number of parents and tables of at most 65,536 cells scores better" in Exact().promise(large, nothing)
    assert "any number of parents scores better" in Exact().promise(whole, nothing)
    assert Exact().describe_end(large, nothing) == "19 of 20 families were scored"
    done = SearchResult(((),) * 5, 0.0, (), stopped=True, n_steps=20, n_accepted=0)
    assert Exact().describe_end(large, done).startswith("all 20 families were scored, but not all orders")
