"""What a labelled DAG implies: by separation, cases and contraction, and completely by algebra; or a witness."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ldag.model import Grid, Structure
from ldag.reasoning.algebra import PRIME, Factor, Parameters, Problem, draw_modular, is_identity, joint_table, problems
from ldag.reasoning.separation import context_parents, csi_separated, d_separated, label_variables

N_DRAWS = 4
"""Distributions of each kind to choose the clearest from."""

CLEAR_GAP = 0.2
"""A difference of probabilities that needs no better example."""

StateCodes = dict[int, int]


@dataclass(frozen=True, eq=False)
class Witness:
    """One distribution of the model in which a and b are dependent, and where to see it.

    ``parameters`` are those of the nodes that bear on the question; the others may have any.
    """

    parameters: Parameters
    a: StateCodes
    b: tuple[StateCodes, StateCodes]
    given: StateCodes
    probabilities: tuple[float, float]
    """P(a | b, given, context) for the two states of b."""

    @property
    def gap(self) -> float:
        """How far the two probabilities are apart."""
        return abs(self.probabilities[0] - self.probabilities[1])


def find_witness(structure: Structure, problem: Problem, case: Mapping[int, int]) -> Witness:
    """Return the first of a few distributions that shows the dependence clearly, or the clearest."""
    witnesses: list[Witness] = []
    for parameters in _candidates(structure, problem):
        witnesses.append(_showing(structure, problem, case, parameters))
        if witnesses[-1].gap > CLEAR_GAP:
            break
    return max(witnesses, key=lambda witness: witness.gap)


def _candidates(structure: Structure, problem: Problem) -> Iterator[Parameters]:
    """Draw distributions: uniform, sharp, and such that nodes on a path from a to b copy each other."""
    rng = np.random.default_rng(0)
    for concentration in (1.0, 0.3):
        for _ in range(N_DRAWS):
            yield {f.node: _dirichlet(structure, f.node, concentration, rng) for f in problem.factors}
    path = _path(problem)
    for _ in range(N_DRAWS):
        yield {f.node: _copying(structure, f, path, rng) for f in problem.factors}


def _dirichlet(structure: Structure, node: int, concentration: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw one distribution per class of a node, none with a zero."""
    r = structure.n_states[node]
    drawn = rng.dirichlet(np.full(r, concentration), size=structure.families[node].partition.n_classes)
    return (drawn + 1e-6) / (1 + r * 1e-6)


def _copying(structure: Structure, factor: Factor, path: list[int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw distributions of a node; if one of its parents is beside it on the path, nearly copy that parent."""
    table = _dirichlet(structure, factor.node, 0.5, rng)
    beside = [p for i, p in enumerate(path) if factor.node in (*path[max(0, i - 1) : i], *path[i + 1 : i + 2])]
    copied = [p for p in beside if p in factor.parents]
    if len(copied) != 1:
        return table
    noise = 0.25 / len(path)
    grid = structure.grid(factor.parents)
    axis = factor.parents.index(copied[0])
    for number, first in zip(*np.unique(factor.classes, return_index=True), strict=True):
        state = grid.configuration(int(first))[axis] % structure.n_states[factor.node]
        table[number] *= noise
        table[number, state] += 1 - noise
    return table


def _path(problem: Problem) -> list[int]:
    """Return a shortest path from a to b through variables that share a factor and are not given."""
    scopes = [set(factor.scope) - set(problem.given) for factor in problem.factors]
    before: dict[int, int | None] = dict.fromkeys(problem.a)
    todo = list(problem.a)
    for node in todo:
        if node in problem.b:
            path = [node]
            while (previous := before[path[-1]]) is not None:
                path.append(previous)
            return path
        for neighbour in sorted(set().union(*(scope for scope in scopes if node in scope)) - before.keys()):
            before[neighbour] = node
            todo.append(neighbour)
    return []


def _showing(structure: Structure, problem: Problem, case: Mapping[int, int], parameters: Parameters) -> Witness:
    """Find where P(a | b, s, c) differs most between two states of b under these parameters."""
    table = joint_table(problem, structure, parameters, None)
    sums = table.sum(axis=0, keepdims=True)
    conditional = np.divide(table, sums, out=np.zeros(table.shape), where=sums > 0)
    spread = conditional.max(axis=1) - conditional.min(axis=1)
    a, s = np.unravel_index(int(np.argmax(spread)), spread.shape)
    high, low = int(np.argmax(conditional[a, :, s])), int(np.argmin(conditional[a, :, s]))

    def codes(variables: tuple[int, ...], index: int) -> StateCodes:
        grid = Grid(tuple(structure.n_states[v] for v in variables))
        return dict(zip(variables, grid.configuration(index), strict=True))

    return Witness(
        parameters,
        codes(problem.a, int(a)),
        (codes(problem.b, high), codes(problem.b, low)),
        {**codes(problem.given, int(s)), **case},
        (float(conditional[a, high, s]), float(conditional[a, low, s])),
    )


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
