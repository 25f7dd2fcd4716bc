"""Search of the whole space, over sets of variables: the best graph of all, what finding it costs, and when to climb.

What is chosen follows from the sizes of the problem alone: the same every time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb, exp, inf, log, log10, prod, sqrt
from typing import ClassVar

from ldag import _native
from ldag.errors import TooLarge, argument, counted, list_names
from ldag.formats import spell_cost
from ldag.learning.searches.climb import Climb
from ldag.learning.searches.contract import (
    GraphParents,
    Search,
    SearchControl,
    SearchProblem,
    SearchResult,
    control_arguments,
)
from ldag.learning.structures import STRUCTURES, FamilyOptions

MOST_VARIABLES = 40
MOST_BYTES = 1 << 33
"""More is refused: the tables could not be held."""

MOST_CONFIGURATIONS = 1 << 16
"""Larger families are not looked at in a search."""

MOST_SHARED_VARIABLES = 24
"""Of more, the scores of all sets of variables are not tabulated."""

EXACT_CONFIGURATIONS = 16
"""Up to so many, labels are found exactly if that is asked for."""

CLIMBING_SHARE = 0.5
"""The part of a time limit that the climb before may use; it rarely needs so much."""

FEW_FAMILIES = 1000
"""So many are scored in milliseconds."""

LONG = 700.0
"""No logarithm of a number of configurations is more, so that it remains a number."""

BOUNDED_SHARE = 0.01
"""Of the time that all classes would take, what is left where bounds are strong; see `estimate_proof_seconds`."""

LEAST_CLIMB = 0.5
"""Seconds for a climb where an exact search over decomposable graphs was cut short."""

CHORDAL_SECONDS = 6e-9
"""For each pair of a clique and what hangs on it, divided in two: about what the dynamic programme takes."""

SETUP_SECONDS = 2e-8
"""For each family, about what it takes to make the tables; with less time than that, climbing is all there is."""


EXACT_BYTES = 1 << 30
EXACT_FAMILIES = 2_000_000
SHARED_FAMILIES = 12_000_000
"""For full tables whose scores are shared by many families: 20 variables without a limit."""

EXACT_SECONDS = 20.0
"""More than one of these, and exact is not worth waiting for."""

PROOF_SECONDS = 10.0
"""Unless bounds do most of the work, and what they leave takes no longer than this."""


@dataclass(frozen=True)
class Exact(Search):
    """The whole space. It starts with a climb, whose graph is the answer if it is cut short without a better one."""

    takes_decomposable: ClassVar[bool] = True

    def prepare(self, problem: SearchProblem, seconds: float = inf) -> "Exact":
        """Refuse a search whose tables cannot be held."""
        del seconds
        if problem.space.decomposable:
            if problem.n_variables > _native.MAX_PERFECT:
                raise TooLarge(
                    f"an exact search over decomposable graphs of {problem.n_variables} variables is not possible; at"
                    f" most {_native.MAX_PERFECT} are; use method 'climb'"
                )
            return self
        n_bytes, n_families = _native.exact_cost(*problem.bounds)
        if problem.n_variables > MOST_VARIABLES or n_bytes > MOST_BYTES:
            raise TooLarge(
                f"an exact search over {problem.n_variables} variables needs {spell_cost(n_bytes / 2**30, 1)} GB and "
                f"{spell_cost(n_families)} families; at most {MOST_VARIABLES} variables and {MOST_BYTES / 2**30:.0f} GB"
                f" are possible; give a smaller {argument('max_parents')} or {argument('constraints')}, or use method"
                " 'climb', whose graph can be certified"
            )
        return self

    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Climb for a moment, then score every family, then find the best order.

        Few families are scored sooner than climbed over; without a limit, nothing cuts them short.
        """
        if problem.space.decomposable:
            return _search_chordal(scorer, problem, control)
        _, n_families = _native.exact_cost(*problem.bounds)
        if n_families <= FEW_FAMILIES and not control.deadline.is_set:
            return SearchResult.of(_native.search_exact(scorer, *problem.bounds, **control_arguments(control)))
        climbed, is_all = _climb_before(scorer, problem, control, n_families)
        if is_all:
            return replace(climbed, stopped=True, n_steps=0)
        exact = SearchResult.of(_native.search_exact(scorer, *problem.bounds, **control_arguments(control)))
        if exact.stopped and climbed.score > exact.score:
            return replace(exact, parents=climbed.parents, score=climbed.score)
        return exact

    def promise(self, problem: SearchProblem, _result: SearchResult) -> str:
        """Return what is known of the result."""
        limit = max(problem.space.max_parents)
        parents = "any number of parents" if limit >= problem.n_variables - 1 else f"at most {counted(limit, 'parent')}"
        if any(exceeds_cells(problem, node) for node in range(problem.n_variables)):
            parents += f" and tables of at most {_native.MAX_CELLS:,} cells"
        graph = "decomposable graph" if problem.space.decomposable else "allowed graph"
        return f"no {graph} with {parents} scores better, where every family has {problem.families_in_words}"

    def describe_end(self, problem: SearchProblem, result: SearchResult) -> str:
        """Return how far a search came that ended early."""
        _, n_families = _native.exact_cost(*problem.bounds)
        if result.n_steps >= n_families:
            return f"all {n_families:,} families were scored, but not all orders of the variables compared"
        return f"{result.n_steps:,} of {n_families:,} families were scored"

    def describe_limits(self, problem: SearchProblem, names: Sequence[str], _parents: GraphParents) -> Iterator[str]:
        """Say what a proof leaves out because tables may not be larger."""
        large = [name for node, name in enumerate(names) if exceeds_cells(problem, node)]
        if large:
            most = f"{_native.MAX_CELLS:,} cells"
            yield f"parents of {list_names(large)} whose table would have more than {most} were left out"

    def estimate_seconds(self, problem: SearchProblem) -> float:
        """Estimate the time of scoring every family."""
        return estimate_seconds(problem)


@dataclass(frozen=True)
class Auto(Climb):
    """A climb, unless all graphs can be looked at in a reasonable time; the options are for climbing."""

    def prepare(self, problem: SearchProblem, seconds: float = inf) -> Search:
        """Choose; one of many searches may have less time than one alone."""
        if _is_exact_affordable(problem) and estimate_seconds(problem) <= seconds:
            return Exact().prepare(problem)
        return Climb(self.n_restarts, self.start, self.max_candidates)


def _is_exact_affordable(problem: SearchProblem) -> bool:
    """Estimate memory and time of the exact search."""
    if problem.space.decomposable:
        return problem.n_variables <= _native.MAX_PERFECT and estimate_seconds(problem) < EXACT_SECONDS
    if problem.n_variables > MOST_VARIABLES:
        return False
    n_bytes, n_families = _native.exact_cost(*problem.bounds)
    most_families = SHARED_FAMILIES if shares_sets(problem) else EXACT_FAMILIES
    if n_bytes > EXACT_BYTES or n_families > most_families:
        return False
    return estimate_seconds(problem) < EXACT_SECONDS or estimate_proof_seconds(problem) < PROOF_SECONDS


def exceeds_cells(problem: SearchProblem, node: int) -> bool:
    """Tell whether some families of a node are left out because their tables would be too large."""
    return problem.n_states[node] * prod(problem.largest_parents(node)) > _native.MAX_CELLS


def _search_chordal(scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
    """Look at all decomposable graphs; cut short, the graph of a climb is the answer if that is better."""
    candidates, _, max_parents = problem.bounds
    result = SearchResult.of(
        _native.search_perfect_exact(
            scorer,
            candidates,
            max_parents,
            n_threads=control.n_threads,
            on_progress=control.told(),
            time_limit=control.deadline.left,
        )
    )
    if not result.stopped:
        return result
    climbed = Climb(n_restarts=0).run(scorer, problem, SearchControl(deadline=control.deadline.at_least(LEAST_CLIMB)))
    return replace(result, parents=climbed.parents, score=climbed.score)


def _climb_before(
    scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl, n_families: int
) -> tuple[SearchResult, bool]:
    """Climb without restarts, or with some of a limited time; nobody is told, as it is over in a moment.

    Tells also whether there is to be nothing more.
    """
    left = control.deadline.left
    has_time = left is None or left > SETUP_SECONDS * n_families
    deadline = control.deadline.share(CLIMBING_SHARE if has_time else 1.0)
    first = Climb(n_restarts=0 if left is None else None)
    result = first.run(scorer, problem, SearchControl(control.n_threads, deadline, is_over=control.is_over))
    was_interrupted = result.stopped and not deadline.is_over
    return result, was_interrupted or not has_time


def shares_sets(problem: SearchProblem) -> bool:
    """Tell whether families are full tables whose scores are differences of those of sets of variables.

    There are fewer such sets than families, and many families are never looked at by themselves.
    """
    is_plain = STRUCTURES[problem.families.structure].is_table and not problem.families.label_rules
    if not is_plain or problem.n_variables > MOST_SHARED_VARIABLES:
        return False
    _, n_families = _native.exact_cost(*problem.bounds)
    return n_families >= 2 << problem.n_variables


def estimate_seconds(problem: SearchProblem) -> float:
    """Estimate the CPU time of scoring every family of a space, to about a factor of two on an ordinary machine.

    From the problem alone: nothing is timed, so the answer never varies.
    """
    if problem.space.decomposable:
        return CHORDAL_SECONDS * 4.0**problem.n_variables + _estimate_families(problem)
    if shares_sets(problem):
        _, n_families = _native.exact_cost(*problem.bounds)
        n_sets = 1 << problem.n_variables
        return n_sets * (1e-7 + 1.2e-9 * problem.n_rows) + 2e-7 * n_families
    return _estimate_families(problem)


def _estimate_families(problem: SearchProblem) -> float:
    return sum(
        n * sum(_family_seconds(min(size, MOST_CONFIGURATIONS), n_states, problem))
        for n, size, n_states in _kinds_of_families(problem)
    )


def estimate_proof_seconds(problem: SearchProblem) -> float:
    """Estimate the same where bounds show of most families that they are no better than smaller ones.

    Then these are counted only. Measured on tables of 9 to 16 variables with labels: classes are searched for in a
    hundredth of what all would take at a kappa of 0.1, and in about a tenth at 0.5, which is also the largest that is
    compared where kappa is yet to be chosen. Infinity where that was not measured.
    """
    families = problem.families
    row = STRUCTURES[families.structure]
    is_known = row.has_label_steps and families.label_search == "greedy" and not families.label_rules
    if not is_known or families.priors.prior != "labels":
        return inf
    kappa = min(max(families.priors.kappa, 0.1), 0.5)
    share = BOUNDED_SHARE * (kappa / 0.1) ** (1 / log10(5))
    total = 0.0
    for n, size, n_states in _kinds_of_families(problem):
        if size <= MOST_CONFIGURATIONS + 0.5:
            counting, classes = _family_seconds(size, n_states, problem)
            total += n * (counting + share * classes)
    return total


def _kinds_of_families(problem: SearchProblem) -> Iterator[tuple[int, float, int]]:
    """Go through how many families there are, with about how many configurations, of a node with how many states."""
    space, n_states = problem.space, problem.n_states
    for node, candidates in enumerate(space.candidates):
        free = len(candidates) - len(space.required[node])
        logs = [log(n_states[parent]) for parent in candidates]
        log_mean = sum(logs) / len(logs) if logs else 0.0
        for n_added in range(space.max_parents[node] - len(space.required[node]) + 1):
            n_parents = len(space.required[node]) + n_added
            yield comb(free, n_added), exp(min(n_parents * log_mean, LONG)), n_states[node]


def _family_seconds(n_configurations: float, n_states: int, problem: SearchProblem) -> tuple[float, float]:
    """Estimate the time of one family: counting, and the search for its classes; the factors were measured."""
    counting = 5 + 5e-5 * problem.n_rows * sqrt(n_configurations)
    n_visited = min(n_configurations, problem.n_rows)
    is_left_out = n_configurations * n_states > _native.MAX_CELLS
    unvisited = 0.0 if is_left_out else _microseconds_unvisited(n_configurations - n_visited, problem.families)
    return 1e-6 * counting, 1e-6 * (unvisited + n_states / 2 * _class_microseconds(n_visited, problem.families))


def _microseconds_unvisited(n: float, options: FamilyOptions) -> float:
    """Return microseconds for n configurations that no row visits; refining looks at them again and again."""
    traits = STRUCTURES[options.structure]
    if traits.is_table:
        return 0.0
    greedy = traits.unvisited_microseconds(n)
    return greedy if options.label_search == "greedy" else 17 * greedy + 16 * n


def _class_microseconds(n: float, options: FamilyOptions) -> float:
    """Return microseconds for a node of two states with n configurations."""
    traits = STRUCTURES[options.structure]
    if options.label_search == "greedy" or traits.is_table:
        return traits.greedy_microseconds(n)
    if options.label_search == "exact" and n <= EXACT_CONFIGURATIONS:
        return float(2000 * 3 ** (n - EXACT_CONFIGURATIONS))
    return 2 * n**2
