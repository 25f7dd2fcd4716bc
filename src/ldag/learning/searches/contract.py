"""What every search has in common: the problem, how it is controlled, its result, and the questions it answers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import repeat
from math import inf, prod
from typing import Any, ClassVar, TypedDict

import numpy as np

from ldag import _native
from ldag.constraints import SearchSpace
from ldag.data import Dataset
from ldag.drawing import Drawable
from ldag.errors import ArgumentError, argument, counted, list_names
from ldag.graph import LDAG
from ldag.learning.grown import GrownTree
from ldag.learning.structures import (
    STRUCTURES,
    CountedFamily,
    FamilyOptions,
    describe_beyond_exact,
    learn_families,
)
from ldag.progress import NO_DEADLINE, Deadline

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
    start: GraphParents | None = None
    """The graph to start from, for searches that take one; None: one without edges."""
    columns: "_native.Columns | None" = field(default=None, compare=False, repr=False)
    """The data, for searches that count for themselves."""

    def __getstate__(self) -> dict[str, object]:
        """Return what another process gets: it has the data itself."""
        return {**self.__dict__, "columns": None}

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.n_states)

    def largest_parents(self, node: int) -> list[int]:
        """Return the states of the parents of the largest family that a node may have."""
        sizes = sorted((self.n_states[v] for v in self.space.candidates[node]), reverse=True)
        return sizes[: self.space.max_parents[node]]

    def over(self, data: Dataset) -> "SearchProblem":
        """Return the problem of searching these data: where a column has one state, it takes no edges.

        What nobody observed is not constant.
        """
        constant = {node for node in data.constant_nodes if not data.schema[node].latent}
        columns = None if data.has_gaps else data.columns
        return replace(
            self, space=self.space.without_edges_at(constant), n_rows=data.ungrouped().n_rows, columns=columns
        )

    def is_full(self, node: int, above: tuple[int, ...]) -> bool:
        """Tell whether a node could have more parents, as far as users said, but for the size of its table."""
        further = [v for v in self.space.candidates[node] if v not in above]
        if len(above) >= self.space.max_parents[node] or not further:
            return False
        n_cells = prod(self.n_states[v] for v in (node, *above)) * min(self.n_states[v] for v in further)
        return n_cells > _native.MAX_CELLS

    @property
    def families_in_words(self) -> str:
        """What every family has."""
        nodes = range(self.n_variables)
        return self.families.in_words(
            all(self.families.is_solved(self.n_states[node], self.largest_parents(node)) for node in nodes)
        )

    def describe_refined(self, names: Sequence[str], parents: GraphParents) -> Iterator[str]:
        """Say which nodes have labels that are not proven to be the best, though these were asked for."""
        families = self.families
        if families.label_search != "exact":
            return
        large = [
            names[node]
            for node, above in enumerate(parents)
            if not families.is_solved(self.n_states[node], [self.n_states[v] for v in above])
        ]
        if large:
            how, limit = describe_beyond_exact(families.structure)
            yield (
                f"{STRUCTURES[families.structure].classes} of {list_names(large)} {how}, not solved exactly: there are"
                f" {limit} configurations of parents"
            )

    @property
    def bounds(self) -> tuple[Sequence[Sequence[int]], Sequence[Sequence[int]], Sequence[int]]:
        """The space as the native core takes it."""
        return self.space.candidates, self.space.required, self.space.max_parents

    @property
    def start_lists(self) -> list[list[int]]:
        """The graph to start from as the native core takes it, as far as the space has its edges; nothing has none.

        The data that are searched may be a part of those that the graph is from, where fewer columns vary.
        """
        return [
            [parent for parent in above if parent in candidates]
            for above, candidates in zip(self.start or (), self.space.candidates, strict=self.start is not None)
        ]


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


@dataclass(frozen=True)
class SearchResult:
    """The best graph of a search, and how it went."""

    parents: GraphParents
    score: float
    trace: tuple[tuple[int, float], ...]
    stopped: bool
    n_steps: int
    n_accepted: int
    trees: tuple[GrownTree, ...] = ()
    """The classes of the nodes, where these were grown."""

    @classmethod
    def of(cls, plain: "_native.FoundGraph") -> "SearchResult":
        """Make it from what the native core returns, or what a checkpoint kept of that."""
        more: Sequence[Any]
        parents, score, trace, stopped, n_steps, n_accepted, *more = plain
        points = tuple((step, best) for step, best in trace)
        trees = tuple(map(GrownTree.of, more[0])) if more else ()
        return cls(tuple(tuple(above) for above in parents), score, points, stopped, n_steps, n_accepted, trees)

    def plain(self) -> tuple[object, ...]:
        """Return what `of` takes."""
        own = self.parents, self.score, self.trace, self.stopped, self.n_steps, self.n_accepted
        return (*own, [tree.plain() for tree in self.trees]) if self.trees else own

    def families(
        self, problem: SearchProblem, n_states: tuple[int, ...], names: Sequence[str] = ()
    ) -> tuple[CountedFamily, ...]:
        """Return the families of the graph with their counts: those that were grown, or the best that are found."""
        if self.trees:
            whose = map(repr, names) if names else repeat("a node")
            return tuple(tree.family(n_states, name) for tree, name in zip(self.trees, whose, strict=False))
        assert problem.columns is not None
        return learn_families(problem.columns, n_states, self.parents, problem.families)


class StartOptions(TypedDict, total=False):
    """The option of searches that start somewhere."""

    start: LDAG | None


def setting(help: str, default: Any = None, **more: object) -> Any:  # noqa: A002 - what it is everywhere else
    """Declare a setting, or an option of a search, with the words that the command line has for it.

    ``more`` may say that its short help lists the option (``is_common``), what it calls the value (``metavar``), and
    which numbers there are (``numbers``).
    """
    return field(default=default, metadata={"help": help, **more})


def check_start(start: LDAG | None) -> None:
    """Check the type of a graph to start from; whether the space has it is checked with the data."""
    if start is not None and not isinstance(start, LDAG):
        raise ArgumentError(f"{argument('start')} must be an LDAG, such as fit.ldag, got {type(start).__name__}")


def start_setting() -> Any:
    """Declare the option of a graph to start from."""
    return setting("For chain and climb: the graph to start from.", metavar="GRAPH")


def make_plain(value: Any) -> None:
    """Replace numpy's numbers among the fields of a value, which are as good as others but cannot be written down."""
    for one in fields(value):
        if isinstance(number := getattr(value, one.name), np.generic):
            object.__setattr__(value, one.name, number.item())


class Search(ABC):
    """One search, with its options: a frozen value that can be sent to other processes, and that users choose."""

    grows: ClassVar[bool] = False
    """Whether it grows trees of its own, whatever number of parents they take."""

    climbs: ClassVar[bool] = False
    """Whether it goes up from a start until no single edge improves the graph: from a better start, to a better end."""

    has_rival: ClassVar[bool] = False
    """Whether grown trees may take the place of what it finds where structures are compared: not where a proof or a
    sample was asked for."""
    takes_decomposable: ClassVar[bool] = False
    """Whether it can keep to graphs in which the parents of every node are adjacent."""

    def __post_init__(self) -> None:
        make_plain(self)
        self.check()

    def check(self) -> None:  # noqa: B027 - not every search has options
        """Check the options."""

    def check_data(self, data: Dataset, space: SearchSpace) -> None:  # noqa: B027 - most searches take whatever there is
        """Refuse data, or constraints on them, that the search cannot do with."""

    @property
    def name(self) -> str:
        """What the method is called."""
        return type(self).__name__.lower()

    @classmethod
    def option_names(cls) -> tuple[str, ...]:
        """Return the options that it declares."""
        return tuple(one.name for one in fields(cls))  # type: ignore[arg-type]  # every search is a dataclass

    def prepare(self, problem: SearchProblem, seconds: float = inf) -> "Search":
        """Return the search that is done; where that is left open, one that takes about so many seconds at most."""
        del problem, seconds
        return self

    def with_restarts(self, most: int) -> "Search":
        """Return the same with so many restarts at most, if it has any."""
        del most
        return self

    def with_levels(self, levels: bool) -> "Search":
        """Return the same with or without whole levels, if it grows trees."""
        del levels
        return self

    @abstractmethod
    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Look for the best graph; ``scorer.score(node, parents)`` is what a family scores."""

    def run_to_an_end(
        self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl, last: Deadline
    ) -> tuple[SearchResult, bool]:
        """Search where an unfinished result is of no use; tells also whether the search was made shorter for that.

        It has all the time until the last deadline, as the share of it that ``control`` has would not do.
        """
        if last.is_over:
            return self.run(scorer, problem, control), False
        stop = control.is_over

        def is_over() -> bool:
            return last.is_over or (stop is not None and stop())

        return self.run(scorer, problem, replace(control, deadline=NO_DEADLINE, is_over=is_over)), False

    @abstractmethod
    def promise(self, problem: SearchProblem, result: SearchResult) -> str:
        """Return what is known of a result that came to its end, and what is not."""

    def describe_end(self, problem: SearchProblem, result: SearchResult) -> str:
        """Return how far a search came that ended early, if there is anything to say."""
        del problem, result
        return ""

    def describe_limits(self, problem: SearchProblem, names: Sequence[str], parents: GraphParents) -> Iterator[str]:
        """Say which nodes could get no further parent because tables may not be larger."""
        full = [name for node, name in enumerate(names) if problem.is_full(node, parents[node])]
        if full:
            most = f"{_native.MAX_CELLS:,} cells"
            yield f"{list_names(full)} could get no further parent: the table would have more than {most}"

    def estimate_seconds(self, problem: SearchProblem) -> float:
        """Return about what it takes, if that can be told of the problem alone; infinity if not."""
        del problem
        return inf


class Trace(tuple[tuple[int, float], ...], Drawable):
    """Pairs (step, best score so far), one per improvement; a tuple that draws itself as a curve.

    Examples
    --------
    >>> import ldag
    >>> fit = ldag.learn(ldag.datasets.load("heart"), kappa=0.1, method="climb")
    >>> fit.trace[-1][1] == fit.trace.best
    True
    """

    @classmethod
    def of(cls, points: Iterable[tuple[int, float]]) -> "Trace":
        """Make a trace of pairs."""
        return cls((int(step), float(score)) for step, score in points)

    @property
    def best(self) -> float:
        """The last and best score."""
        return self[-1][1]

    def __repr__(self) -> str:
        if len(self) <= SHOWN:
            return super().__repr__()
        (_, first), (step, last) = self[0], self[-1]
        return f"<Trace: {counted(len(self), 'improvement')}, from {first:.2f} to {last:.2f} at step {step:,}>"


SHOWN = 6
"""A trace with more points is summed up when it is shown."""
