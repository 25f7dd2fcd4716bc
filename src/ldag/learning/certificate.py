"""Certificates: how much better than a learned graph any graph could be."""

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from ldag import _native
from ldag.checks import check_jobs
from ldag.errors import ArgumentError, TooLarge, argument, counted, option
from ldag.formats import spell_cost
from ldag.hook import Printable
from ldag.learning.plan import Plan
from ldag.learning.searches import SearchProblem
from ldag.progress import Deadline, Listener, Progress, listen
from ldag.proving import Bound, ParentChoice, bits_of, bound_scores, load_highspy
from ldag.scoring import Score

TOLERANCE = 1e-4
"""Scores that differ by less are equal."""

MOST_CANDIDATES = 63
"""At a time: sets of candidates are numbered by 64 bits in the native core."""

MOST_FAMILIES = 20_000_000
"""More could neither be scored in a reasonable time nor held."""

NamedEdges = Sequence[tuple[str, str]]


@dataclass(frozen=True, repr=False)
class Certificate(Printable):
    """A proof about the score of a learned graph: no graph of the stated space scores more than ``bound``."""

    score: float
    equivalent_sample_size: float
    """That of all scores here: those at other sizes cannot be compared."""
    bound: float
    better_score: float | None
    """The score of a better graph, if one was found on the way."""
    better_edges: tuple[tuple[str, str], ...] | None
    """Its edges."""
    max_parents: int
    is_limited: bool
    """Whether there are families with more parents, which were not looked at."""
    n_families: int
    """Families in the space."""
    n_kept: int
    """Those that beat all families with fewer of their parents; the others are excluded by proof."""
    n_left: int
    """Those of them that a bound did not exclude as well, before branches: no graph with another one is as good."""
    n_cuts: int
    n_branches: int
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
            "equivalent_sample_size": self.equivalent_sample_size,
            "bound": self.bound,
            "gap": self.gap,
            "optimal": self.is_optimal,
            "better_score": self.better_score,
            "better_edges": None if self.better_edges is None else [list(edge) for edge in self.better_edges],
            "max_parents": self.max_parents,
            "is_limited": self.is_limited,
            "n_families": self.n_families,
            "n_kept": self.n_kept,
            "n_left": self.n_left,
            "n_cuts": self.n_cuts,
            "n_branches": self.n_branches,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        size = f"(sample size {self.equivalent_sample_size:g})"
        space = f"allowed graph with at most {counted(self.max_parents, 'parent')} of a variable"
        if self.is_optimal:
            lines = [f"optimal: no {space} scores better than {self.score:.2f} {size}"]
        else:
            own = f"this one scores {self.score:.2f}, {self.gap:.2f} less ({self.gap / abs(self.score or 1.0):.3%})"
            lines = [f"no {space} scores more than {self.bound:.2f} {size}; {own}"]
        lines.append(
            f"over {counted(self.n_families, 'family', 'families')} with {self.families}:"
            f" {self.n_families - self.n_kept:,} excluded by proof, as with fewer of their parents they score no less;"
            f" {self.n_kept - self.n_left:,} more, as graphs with them score less than the best known;"
            f" {self.n_left:,} left"
        )
        if self.is_limited:
            lines.append(f"families with more than {counted(self.max_parents, 'parent')} were not looked at")
        if self.better_edges is not None and self.better_score is not None:
            is_best = self.bound - self.better_score <= TOLERANCE
            which = "the best of all" if is_best else f"at most {self.bound - self.better_score:.2f} below the best"
            edges = (f"  {parent} -> {child}" for parent, child in self.better_edges)
            lines += [f"a better graph, {which}, scores {self.better_score:.2f}", *edges]
        work = f"{counted(self.n_cuts, 'cut')}, {counted(self.n_branches, 'branch', 'branches')}"
        lines.append(f"proof: {work}, {self.seconds:.2f} s")
        return "\n".join(lines)


def certify(plan: Plan, score: Score, edges: NamedEdges, time_limit: float, progress: Progress) -> Certificate:
    """Bound the scores of all graphs of a plan; ``score`` and ``edges`` are the learned graph's."""
    if plan.search.grows:
        raise ArgumentError("a certificate is about families of given parents, of which trees that grow have no end")
    load_highspy()
    began = time.monotonic()
    problem = plan.problem
    names = plan.data.schema.names
    limit = max(problem.space.max_parents, default=0)
    n_parents = max((sum(child == name for _, child in edges) for name in names), default=0)
    if n_parents > limit:
        raise ArgumentError(
            f"the graph has {n_parents} parents of a variable; {argument('max_parents')} must be that at least"
        )
    _, n_families = _native.exact_cost(*problem.bounds)
    _check_size(n_families)
    deadline = Deadline.after(time_limit)
    known = [score.per_node[name].total for name in names]
    with listen(progress, "proof", deadline) as listener:
        choices = _rank_choices(plan, n_families, deadline, time_limit, listener)

        def report(value: float) -> None:
            if listener is not None:
                gap = max(value - score.total, 0.0)
                listener({"done": 0, "total": 0, "accepted": 0, "best": score.total, "gap": gap})

        bound = bound_scores(choices, known, began + time_limit, report)
    if bound.is_interrupted:
        warnings.warn("the proof was interrupted; the bound is what it had reached", stacklevel=3)
    better_score, better_edges = _better_graph(bound, names, known, edges)
    return Certificate(
        score=score.total,
        equivalent_sample_size=score.priors.equivalent_sample_size,
        bound=max(bound.value, score.total, better_score or score.total),
        better_score=better_score,
        better_edges=better_edges,
        max_parents=limit,
        is_limited=any(
            most < len(own) for most, own in zip(problem.space.max_parents, problem.space.candidates, strict=True)
        ),
        n_families=n_families,
        n_kept=len(choices),
        n_left=bound.n_left,
        n_cuts=bound.n_cuts,
        n_branches=bound.n_branches,
        families=problem.families_in_words,
        seconds=time.monotonic() - began,
    )


def _better_graph(
    bound: Bound, names: Sequence[str], known: Sequence[float], edges: NamedEdges
) -> tuple[float | None, tuple[tuple[str, str], ...] | None]:
    """Return the score and the edges of a better graph, if there is one: the known one with what was found."""
    gain = sum(choice.score - known[choice.node] for choice in bound.better)
    if gain <= TOLERANCE:
        return None, None
    replaced = {names[choice.node] for choice in bound.better}
    added = [(names[parent], names[choice.node]) for choice in bound.better for parent in bits_of(choice.parents)]
    return sum(known) + gain, tuple(sorted([edge for edge in edges if edge[1] not in replaced] + added))


def _check_size(n_families: int) -> None:
    """Refuse a space whose families cannot be listed."""
    if n_families > MOST_FAMILIES:
        raise TooLarge(
            f"a certificate needs the scores of {spell_cost(n_families)} families, at most {MOST_FAMILIES:,} are"
            f" possible; give {argument('max_parents')}"
        )


def _rank_choices(
    plan: Plan, n_families: int, deadline: Deadline, time_limit: float, listener: Listener | None
) -> list[ParentChoice]:
    """Return the choices of parents that beat all their subsets."""
    problem = plan.problem
    told = None if listener is None else lambda report: bool(listener(report)) and False
    scorer = problem.families.scorer(plan.data.columns)
    _, required, max_parents = problem.bounds
    scores: dict[tuple[int, int], float] = {}
    too_late = TooLarge(
        f"the scores of {n_families:,} families were not there within {time_limit:g} seconds; give a longer "
        f"{argument('time_limit')}, or {argument('max_parents')}"
    )
    for candidates in _share_candidates(problem):
        if deadline.is_over:
            raise too_late
        ranked = _native.rank_parent_sets(
            scorer,
            candidates,
            required,
            max_parents,
            n_threads=check_jobs(plan.settings.n_jobs),
            on_progress=told,
            time_limit=deadline.left,
        )
        if ranked is None:
            raise too_late if deadline.is_over else KeyboardInterrupt
        for node, ranking in enumerate(ranked):
            for places, score in zip(*ranking, strict=True):
                scores[node, sum(1 << candidates[node][place] for place in bits_of(places))] = score
    return [ParentChoice(node, parents, score) for (node, parents), score in scores.items()]


def _share_candidates(problem: SearchProblem) -> Iterator[list[Sequence[int]]]:
    """Go through candidates of all nodes, few enough each time: every set of parents that is allowed is among some.

    All subsets of a set are where it is, so a set that beats its subsets there does so among all candidates.
    """
    candidates, required, max_parents = problem.bounds
    shares = [_share(own, fixed, most) for own, fixed, most in zip(candidates, required, max_parents, strict=True)]
    for number in range(max(map(len, shares), default=1)):
        yield [own[number] if number < len(own) else fixed for own, fixed in zip(shares, required, strict=True)]


def _share(candidates: Sequence[int], required: Sequence[int], max_parents: int) -> list[Sequence[int]]:
    """Return lists of candidates, the required ones in each, such that any choice of the others is in one of them."""
    if len(candidates) <= MOST_CANDIDATES:
        return [candidates]
    optional = [node for node in candidates if node not in required]
    n_chosen = max(max_parents - len(required), 1)
    size = (MOST_CANDIDATES - len(required)) // n_chosen
    if size < 1:
        raise TooLarge(
            f"a certificate takes at most {MOST_CANDIDATES} parents of a variable, got"
            f" {option('max_parents', max_parents)}"
        )
    groups = [optional[first : first + size] for first in range(0, len(optional), size)]
    return [
        sorted([*required, *chain.from_iterable(chosen)]) for chosen in combinations(groups, min(n_chosen, len(groups)))
    ]
