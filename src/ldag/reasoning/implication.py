"""What a labelled DAG implies: by separation, cases and contraction, and completely by algebra."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np

from ldag.model import Structure
from ldag.reasoning.algebra import PRIME, Problem, draw_modular, is_identity, joint_table, problems
from ldag.reasoning.separation import context_parents, csi_separated, d_separated, label_variables
from ldag.reasoning.witness import StateCodes, Witness, find_witness

How = Literal["d-separation", "CSI-separation", "cases", "contraction", "algebra", "witness", "not decided"]

DEFAULT_BUDGET = 2**22
QUICK_BUDGET = 2**14
MAX_CASES = 4096

Nodes = frozenset[int]


@dataclass(frozen=True)
class Question:
    """Whether X_a is independent of X_b given X_s in the context x_C, for disjoint sets of nodes."""

    a: Nodes
    b: Nodes
    given: Nodes = frozenset()
    context: StateCodes = field(default_factory=dict)

    def in_case(self, case: Mapping[int, int]) -> "Question":
        """Return the question with some given variables fixed."""
        return Question(self.a, self.b, self.given - case.keys(), {**self.context, **case})


@dataclass(frozen=True)
class Decision:
    """The answer to a question, and how it was found."""

    question: Question
    independent: bool | None
    how: How
    cases: tuple[StateCodes, ...] = ()
    """For "cases": contexts that cover all states of the given variables, each CSI-separated."""
    steps: tuple["Decision", ...] = ()
    """For "contraction": the two independencies it combines."""
    witness: Witness | None = None
    n_draws: int = 0
    largest_table: int = 0
    reason: str = ""


def decide(structure: Structure, question: Question, budget: int = DEFAULT_BUDGET) -> Decision:
    """Decide a question by the cheapest rule that settles it.

    A small table refutes sooner than contraction can be ruled out, so that is tried in between.
    """
    proof = by_graph(structure, question)
    if proof is not None:
        return proof
    quick = by_algebra(structure, question, min(budget, QUICK_BUDGET))
    if quick.independent is False:
        return quick
    proof = by_contraction(structure, question)
    if proof is not None:
        return proof
    return quick if quick.independent else by_algebra(structure, question, budget)


def by_graph(structure: Structure, question: Question) -> Decision | None:
    """Prove independence by d-separation, CSI-separation or cases, if they can."""
    q = question
    if d_separated([f.parents for f in structure.families], q.a, q.b, [*q.given, *q.context]):
        return Decision(q, True, "d-separation")
    if csi_separated(structure, q.a, q.b, q.given, q.context):
        return Decision(q, True, "CSI-separation")
    splits = tuple(sorted(q.given & label_variables(structure)))
    cases = _covering_cases(structure, q, splits) if splits else None
    return None if cases is None else Decision(q, True, "cases", cases=cases)


def _covering_cases(structure: Structure, question: Question, splits: tuple[int, ...]) -> tuple[StateCodes, ...] | None:
    """Return contexts that cover all states of the split variables, each CSI-separated, or None."""
    cases: list[StateCodes] = []
    todo: list[StateCodes] = [{}]
    while todo:
        case = todo.pop()
        q = question.in_case(case)
        if d_separated(context_parents(structure, q.context), q.a, q.b, [*q.given, *q.context]):
            cases.append(case)
        elif len(case) == len(splits) or len(cases) + len(todo) >= MAX_CASES:
            return None
        else:
            split = splits[len(case)]
            todo.extend({**case, split: code} for code in reversed(range(structure.n_states[split])))
    return tuple(cases)


def by_contraction(structure: Structure, question: Question) -> Decision | None:
    """Prove independence from a ⊥ b | given, z and a ⊥ z | given (or b ⊥ z | given) for some labelled z."""
    q = question
    taken = q.a | q.b | q.given | q.context.keys()
    above = structure.ancestors(taken)
    candidates = sorted((label_variables(structure) & above) - taken)
    for size in (1, 2):
        for chosen in combinations(candidates, size):
            z = frozenset(chosen)
            first = by_graph(structure, Question(q.a, q.b, q.given | z, q.context))
            if first is None:
                continue
            for side in (q.a, q.b):
                second = by_graph(structure, Question(side, z, q.given, q.context))
                if second is not None:
                    return Decision(q, True, "contraction", steps=(first, second))
    return None


def by_algebra(structure: Structure, question: Question, budget: int) -> Decision:
    """Decide by polynomial identity; given variables are split into cases where a table is too large."""
    largest = n_draws = 0
    for problem, case in _affordable(structure, question, budget):
        largest = max(largest, problem.largest)
        n_draws = max(n_draws, problem.n_draws)
        if problem.largest <= budget and not _holds(structure, problem):
            witness = find_witness(structure, problem, case)
            return Decision(question, False, "witness", witness=witness, largest_table=largest)
    if largest > budget:
        reason = f"a table of {largest:,} cells would be needed, and the budget is {budget:,}"
        return Decision(question, None, "not decided", largest_table=largest, reason=reason)
    return Decision(question, True, "algebra", n_draws=n_draws, largest_table=largest)


def _affordable(structure: Structure, question: Question, budget: int) -> Iterator[tuple[Problem, StateCodes]]:
    """Yield the pieces of a question; one beyond the budget is split over a given variable if there is one."""
    todo: list[StateCodes] = [{}]
    n_cases = 0
    while todo:
        case = todo.pop()
        q = question.in_case(case)
        for problem in problems(structure, q.a, q.b, q.given, q.context):
            if problem.largest <= budget or not problem.given or n_cases >= MAX_CASES:
                yield problem, case
                continue
            split = max(problem.given, key=lambda v: (sum(v in f.scope for f in problem.factors), -v))
            n_cases += structure.n_states[split]
            todo.extend({**case, split: code} for code in range(structure.n_states[split]))
            break


def _holds(structure: Structure, problem: Problem) -> bool:
    """Tell whether the identity holds for as many random draws as sureness asks."""
    rng = np.random.default_rng(0)
    return all(
        is_identity(joint_table(problem, structure, draw_modular(problem, structure, rng), PRIME))
        for _ in range(problem.n_draws)
    )
