"""Certificates: how much better than a learned graph any graph could be."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from ldag import _native
from ldag.checks import check_jobs
from ldag.errors import ArgumentError, TooLarge
from ldag.formats import counted
from ldag.learning.bounds import TOLERANCE, ParentChoice, bits_of, bound_scores, load_highspy
from ldag.learning.plan import Plan
from ldag.learning.searches import SearchProblem
from ldag.reporting import ShownAsText

MOST_CANDIDATES = 63
"""Sets of candidates are numbered by 64 bits in the native core."""

MOST_FAMILIES = 20_000_000
"""More could neither be scored in a reasonable time nor held."""


@dataclass(frozen=True, repr=False)
class Certificate(ShownAsText):
    """A proof about the score of a learned graph: no graph of the stated space scores more than ``bound``."""

    score: float
    bound: float
    better_edges: tuple[tuple[str, str], ...] | None
    """Edges of a graph that scores better and attains the bound, if one was found."""
    max_parents: int
    n_families: int
    """Families in the space."""
    n_kept: int
    """Those that beat all families with fewer of their parents; the others are excluded by proof."""
    n_cuts: int
    families: str
    seconds: float

    @property
    def gap(self) -> float:
        """How much better another graph could be at most."""
        return self.bound - self.score

    @property
    def is_optimal(self) -> bool:
        """Whether no graph of the space scores better."""
        return self.gap <= TOLERANCE

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            "score": self.score,
            "bound": self.bound,
            "gap": self.gap,
            "optimal": self.is_optimal,
            "better_edges": None if self.better_edges is None else [list(edge) for edge in self.better_edges],
            "max_parents": self.max_parents,
            "n_families": self.n_families,
            "n_kept": self.n_kept,
            "n_cuts": self.n_cuts,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        space = f"allowed graph with at most {counted(self.max_parents, 'parent')} of a variable"
        if self.is_optimal:
            lines = [f"optimal: no {space} scores better than {self.score:.2f}"]
        else:
            own = f"this one scores {self.score:.2f}, {self.gap:.2f} less"
            lines = [f"no {space} scores more than {self.bound:.2f}; {own}"]
        lines.append(
            f"over {self.n_families:,} families with {self.families}: {self.n_kept:,} kept, the others beaten by "
            "families with fewer parents; families with more parents were not looked at"
        )
        if self.better_edges is not None:
            edges = (f"  {parent} -> {child}" for parent, child in self.better_edges)
            lines += ["a better graph, the best of all", *edges]
        lines.append(f"proof: {counted(self.n_cuts, 'cut')}, {self.seconds:.2f} s")
        return "\n".join(lines)


def certify(plan: Plan, score: float, n_parents: int, time_limit: float) -> Certificate:
    """Bound the scores of all graphs of a plan; ``n_parents`` is what a variable of the learned graph has at most."""
    load_highspy()
    began = time.monotonic()
    problem = plan.problem
    limit = max(problem.space.max_parents, default=0)
    if n_parents > limit:
        raise ArgumentError(f"the graph has {n_parents} parents of a variable; max_parents must be that at least")
    _, n_families = _native.exact_cost(*problem.bounds)
    _check_size(problem, n_families)
    scorer = problem.families.scorer(plan.data.columns)
    ranked = _native.rank_parent_sets(
        scorer, *problem.bounds, n_threads=check_jobs(plan.settings.n_jobs), time_limit=time_limit
    )
    if ranked is None:
        raise TooLarge(
            f"the scores of {n_families:,} families were not there within {time_limit:g} seconds; give a longer "
            "time_limit, or max_parents"
        )
    choices = _list_choices(ranked, problem)
    bound = bound_scores(choices, problem.n_variables, began + time_limit)
    value = max(bound.value, score)
    better = None
    if bound.parents is not None and value > score + TOLERANCE:
        names = plan.data.schema.names
        better = tuple(
            (names[parent], names[node]) for node in range(len(names)) for parent in bits_of(bound.parents[node])
        )
    return Certificate(
        score=score,
        bound=value,
        better_edges=better,
        max_parents=limit,
        n_families=n_families,
        n_kept=len(choices),
        n_cuts=bound.n_cuts,
        families=problem.families.in_words,
        seconds=time.monotonic() - began,
    )


def _check_size(problem: SearchProblem, n_families: int) -> None:
    """Refuse a space whose families cannot be listed."""
    most = max((len(candidates) for candidates in problem.space.candidates), default=0)
    if most > MOST_CANDIDATES:
        raise TooLarge(
            f"a certificate takes at most {MOST_CANDIDATES} possible parents of a variable, got {most}; "
            "forbid some by constraints"
        )
    if n_families > MOST_FAMILIES:
        raise TooLarge(
            f"a certificate needs the scores of {n_families:,} families, at most {MOST_FAMILIES:,} are possible; "
            "give max_parents"
        )


def _list_choices(ranked: Sequence[tuple[list[int], list[float]]], problem: SearchProblem) -> list[ParentChoice]:
    """Return the choices that ranked sets of candidates stand for."""
    choices = []
    for node, (sets, scores) in enumerate(ranked):
        candidates = problem.space.candidates[node]
        for places, score in zip(sets, scores, strict=True):
            choices.append(ParentChoice(node, sum(1 << candidates[place] for place in bits_of(places)), score))
    return choices
