"""What every search has in common: the problem, how it is controlled, its result, and what a method declares."""

from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Protocol, TypedDict

from ldag import _native
from ldag.data import Dataset
from ldag.learning.constraints import SearchSpace
from ldag.learning.partitions import FamilyOptions
from ldag.learning.progress import NO_DEADLINE, Deadline

OnProgress = Callable[[Mapping[str, float]], bool]
"""Told how far a search is (done, total, accepted, best); a true answer stops it."""

GraphParents = tuple[tuple[int, ...], ...]
"""The parents of every node, ascending."""

STATE_EVERY = 1.0
"""Seconds after which a running search hands over its state for the first time."""


@dataclass(frozen=True)
class SearchProblem:
    """What is searched, by node numbers, and what a search's cost depends on."""

    space: SearchSpace
    families: FamilyOptions
    n_states: tuple[int, ...]
    n_rows: int

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.n_states)

    def largest_parents(self, node: int) -> list[int]:
        """Return the states of the parents of the largest family that a node may have."""
        sizes = sorted((self.n_states[v] for v in self.space.candidates[node]), reverse=True)
        return sizes[: self.space.max_parents[node]]

    def over(self, data: Dataset) -> "SearchProblem":
        """Return the problem of searching these data: where a column has one state, it takes no edges."""
        return replace(self, space=self.space.without_edges_at(data.constant_nodes), n_rows=data.n_rows)

    @property
    def families_in_words(self) -> str:
        """What every family has."""
        nodes = range(self.n_variables)
        return self.families.in_words(
            all(self.families.is_solved(self.n_states[node], self.largest_parents(node)) for node in nodes)
        )

    @property
    def bounds(self) -> tuple[list[list[int]], list[list[int]], list[int]]:
        """The space as the native core takes it."""
        space = self.space
        return [list(c) for c in space.candidates], [list(r) for r in space.required], list(space.max_parents)


@dataclass(frozen=True)
class SearchControl:
    """How a search is run: threads, the end of its time, who is told, and how it is resumed.

    ``state`` is what ``keep`` was handed in an earlier run, or None; ``keep`` gets the state now and then.
    ``is_over`` is asked about ten times a second whether to end, from whichever thread runs the search.
    ``uses_all_time`` says that the time until the deadline is all for this search, unless its settings say otherwise.
    """

    n_threads: int = 1
    deadline: Deadline = NO_DEADLINE
    on_progress: OnProgress | None = None
    state: object = None
    keep: Callable[[object], object] | None = None
    uses_all_time: bool = False
    is_over: Callable[[], bool] | None = None

    def told(self) -> OnProgress | None:
        """Return what the native core tells how far it is, and whose true answer ends the search."""
        tell, is_over = self.on_progress, self.is_over
        if tell is None or is_over is None:
            return tell if is_over is None else lambda _: is_over()
        return lambda report: tell(report) or is_over()


class ControlArguments(TypedDict):
    """The same as keyword arguments of the native searches."""

    n_threads: int
    time_limit: float | None
    on_progress: OnProgress | None
    resume: object
    keep: Callable[[object], object] | None
    keep_every: float


def control_arguments(control: SearchControl) -> ControlArguments:
    """Return the keyword arguments of a native search."""
    return {
        "n_threads": control.n_threads,
        "time_limit": control.deadline.left,
        "on_progress": control.told(),
        "resume": control.state,
        "keep": control.keep,
        "keep_every": STATE_EVERY,
    }


def start_lists(start: GraphParents | None, space: SearchSpace) -> list[list[int]]:
    """Return the graph to start from as the native core takes it, as far as the space has its edges; nothing has none.

    The data that are searched may be a part of those that the graph is from, where fewer columns vary.
    """
    return [
        [parent for parent in above if parent in candidates]
        for above, candidates in zip(start or (), space.candidates, strict=start is not None)
    ]


@dataclass(frozen=True)
class SearchResult:
    """The best graph of a search, and how it went."""

    parents: GraphParents
    score: float
    trace: tuple[tuple[int, float], ...]
    stopped: bool
    n_steps: int
    n_accepted: int

    @classmethod
    def of(cls, plain: "_native.FoundGraph") -> "SearchResult":
        """Make it from what the native core returns, or what a checkpoint kept of that."""
        parents, score, trace, stopped, n_steps, n_accepted = plain
        points = tuple((step, best) for step, best in trace)
        return cls(tuple(tuple(above) for above in parents), score, points, stopped, n_steps, n_accepted)

    def plain(self) -> tuple[object, ...]:
        """Return what `of` takes."""
        return astuple(self)


class Search(Protocol):
    """One search, with its settings: a frozen value that can be sent to other processes."""

    @property
    def name(self) -> str:
        """What the method is called."""

    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Look for the best graph."""

    def promise(self, problem: SearchProblem, result: SearchResult) -> str:
        """Return what is known of a result that came to its end, and what is not."""


@dataclass(frozen=True)
class SearchMethod:
    """What users choose: ``prepare(problem, **options)`` checks the options it takes and returns the search."""

    options: tuple[str, ...]
    prepare: Callable[..., Search]
