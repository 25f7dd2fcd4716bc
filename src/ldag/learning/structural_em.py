"""Structural EM: learning a graph from data with gaps, around any search of the contract.

One functional is climbed, the lower bound S(G, q) of `ldag.scoring.bounds`: the completions q of the gaps by EM under a
graph, then a graph by the ordinary search on what is to be expected, and so on. A pair of variables that are not
adjacent is completed as if independent, and an edge confirms itself, so that the start decides: there are several, and
the best bound wins.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from ldag import _native
from ldag.checks import check_jobs
from ldag.constraints import SearchSpace
from ldag.data import GAP, Dataset
from ldag.inference import (
    MEMORY_LIMIT,
    CodedGaps,
    Completions,
    EMControl,
    NothingFits,
    run_em,
    run_em_from_random_starts,
)
from ldag.learning.checkpoint import Checkpoint
from ldag.learning.em_graphs import (
    AVAILABLE,
    COMPLETE,
    FURTHER,
    GIVEN,
    NOTHING,
    SMALLEST_RISE,
    EMGraph,
    EMStart,
    StructuralEM,
    Way,
    plain_structure,
)
from ldag.learning.expected_rows import weigh_completions
from ldag.learning.plan import Plan
from ldag.learning.searches import GraphParents, Search, SearchControl, SearchProblem, SearchResult
from ldag.learning.searches.climb import Climb
from ldag.learning.settings import Settings
from ldag.learning.structures import CountedFamily, FamilyOptions, learn_families
from ldag.model import ClassPosteriors, ClassTable, CodedFamily, Grid, Partition, Structure, class_counts, freeze
from ldag.progress import NO_DEADLINE, Deadline, Listener
from ldag.scoring import ExpectedCounts

FEWEST_COMPLETE = 20
"""Rows without gaps that are worth a start of their own; 30 to 50 still helped."""

IDLE_ROUNDS = 2
"""Rounds without a better bound that end the way from a start."""

MOST_ROUNDS = 50
"""Of one start; most end after one to four."""

MOST_DRAWN = 10
IDLE_DRAWN = 3
"""Further starts, from drawn completions, and those without a better bound that are the last ones. On alarm with 30 %
gaps they raised the bound by 40 to 120 nats, and the score of the graph on the table without gaps by 100 to 300."""

DRAWS = 50
MOST_DRAWS = 10
"""Times the square of the share of gaps: so many draws in turn lead to such a start, one at least. With one where 30 %
are gaps, one of four ways was stuck."""

WORTHWHILE = 0.5
"""Nats that such a start has to gain to be followed by as many again."""

IDLE_LIMITED = 10
"""The same with a time limit, which is what ends them otherwise."""

ROUND_RESTARTS = 20
"""Of a climb in a round: without any, bounds on alarm were 120 to 190 nats lower; with 100, the same."""

TOLERANCE = 1e-3
"""Nats that EM leaves to be gained under a graph: bounds of graphs differ by more."""

MOST_STEPS = 2_000
"""Of EM under a graph."""

LATENT_STARTS = 10
"""Random starts of EM under a given graph with variables that nobody observed."""

ROUND_WORK, ROUND_BYTES = 2e10, 1 << 26
"""Rows with gaps times bytes of a circuit or tables that the graph of a round may need, and what it may need in any
case: a graph that takes longer to complete ends the way."""

START_WORK, START_BYTES = 2e9, 1 << 20
"""The same for the first graph of a way, which is often richer than the last: then there are fewer parents."""


@dataclass(frozen=True)
class GapControl:
    """How structural EM is run: threads, the end of its time, who is told, and when to ask no more."""

    n_threads: int = 1
    deadline: Deadline = NO_DEADLINE
    listener: Listener | None = None
    stop: Callable[[], bool] | None = None
    most_rounds: int = MOST_ROUNDS
    starts: tuple[str, ...] | None = None
    """The names of the starts, if it is said which."""
    tolerance: float = TOLERANCE
    most_bytes: float = MEMORY_LIMIT
    """Of a circuit or tables that complete the gaps."""

    def is_over(self) -> bool:
        """Whether to end."""
        return self.deadline.is_over or (self.stop is not None and self.stop())


@dataclass(frozen=True, eq=False)
class GapResult:
    """The best graph of structural EM, and how it went."""

    graph: EMGraph
    families: tuple[CountedFamily, ...]
    em: StructuralEM
    search: SearchResult


class GapSearch:
    """Structural EM over the data of a plan, whose rows are in the order of their codes."""

    def __init__(self, plan: Plan, data: Dataset, control: GapControl) -> None:
        self.plan, self.data, self.control = plan, data, control
        self.problem = plan.problem.over(data)
        self.search: Search = plan.search.with_restarts(ROUND_RESTARTS)
        self.climb: Search = plan.search_by("climb").search.with_restarts(ROUND_RESTARTS)
        """For available cases, whose scores have no bounds that an exact search could leave families out by."""
        self.table = CodedGaps.of(data.codes, data.schema.n_states, data.weights)
        self.ends: list[EMStart] = []
        self.best: EMGraph | None = None
        self.stopped = False
        self.trace: list[tuple[int, float]] = []
        self.seen: set[Structure] = set()
        """Graphs where ways ended: another one that comes by goes nowhere else."""

    def run(self) -> GapResult:
        """Go up from every start, and take the best bound; interrupted, the best there is by then."""
        book = None if self.plan.checkpoint is None else EMBook(self, self.plan.checkpoint)
        way = None if book is None else book.resume()
        for name in self._starts():
            try:
                way = self.begin(name) if way is None else way
                self.go_up(way, book)
            except KeyboardInterrupt:
                if self.best is None:
                    raise
                self.stopped = True
            if way is not None:
                self.ends.append(EMStart(name, way.best.score, way.n_rounds))
            way = None
            if self._is_over():
                self.stopped = True
                break
            if book is not None:
                book.save(None)
        return self._put_together(cast("EMGraph", self.best))

    def _is_over(self) -> bool:
        """Whether somebody stopped it, or its time is up."""
        return self.stopped or self.control.is_over()

    def _put_together(self, best: EMGraph) -> GapResult:
        families = best.count_configurations(self.table, self.control.n_threads)
        em = StructuralEM(tuple(self.ends), best.log_likelihood, self.data.n_with_gaps)
        trace = tuple(self.trace)
        result = SearchResult(best.parents, best.score, trace, self.stopped, em.n_rounds, len(trace))
        return GapResult(best, families, em, result)

    def _compile(self, structure: Structure, work: float = ROUND_WORK, least: float = ROUND_BYTES) -> Completions:
        """Return what completes the gaps under a graph; raise `NothingFits` if a pass would take too long."""
        most = max(least, work / max(len(self.table.rows), 1))
        return Completions(structure, min(self.control.most_bytes, most))

    def explain(self, structure: Structure, start: Sequence[ClassTable] | None = None) -> EMGraph:
        """Complete the gaps by EM under a graph; raise `NothingFits` if that would take too long."""
        return self._complete(self._compile(structure), start)

    def _complete(self, completions: Completions, start: Sequence[ClassTable] | None = None) -> EMGraph:
        priors = self.problem.families.priors
        how = self.control
        control = EMControl(MOST_STEPS, how.tolerance, n_threads=how.n_threads, is_over=self._is_over)
        task = completions, self.table, priors.smoothing
        if start is None and self.has_latent:
            seed = self.plan.seed
            result, _ = run_em_from_random_starts(*task, "mean", control, n_restarts=LATENT_STARTS, seed=seed)
        else:
            result = run_em(*task, "mean", start, control)
        return self._judge(completions, ExpectedCounts.from_em(result), result.log_likelihood)

    def read_structure(self, plain: Mapping[str, Any]) -> Structure:
        """Return a graph that a checkpoint has kept."""
        families = []
        for above, classes in zip(plain["parents"], plain["classes"], strict=True):
            grid = Grid(tuple(self.problem.n_states[parent] for parent in above))
            families.append(CodedFamily.from_partition(tuple(above), Partition.of(grid, np.array(classes))))
        return Structure(self.problem.n_states, tuple(families))

    def recall(self, plain: Mapping[str, Any]) -> EMGraph:
        """Return what a graph makes of the gaps with parameters that a checkpoint has kept."""
        completions = Completions(self.read_structure(plain))
        weights = tuple(freeze(np.array(own)) for own in plain["probabilities"])
        counts = ExpectedCounts.of(completions, self.table, weights, self.control.n_threads).counts
        return self._judge(completions, ExpectedCounts(weights, counts, plain["entropy"]), plain["log_likelihood"])

    def _judge(self, completions: Completions, expected: ExpectedCounts, log_likelihood: float) -> EMGraph:
        bound = expected.bound(completions.structure, self.problem.families.priors)
        return EMGraph(completions, expected, log_likelihood, bound)

    def expect(self, graph: EMGraph) -> Dataset:
        """Return what is to be expected of the data under a graph, as rows with weights."""
        model = graph.completions, graph.probabilities
        return weigh_completions(self.data, *model, self.plan.seed, self.control.n_threads)

    def _starts(self) -> Iterator[str]:
        """Go through the starts that are left: those that are asked for, or the usual ones, then drawn completions."""
        if self.control.starts is not None:
            yield from self.control.starts[len(self.ends) :]
            return
        names = [] if self.problem.start is None else [GIVEN]
        if not self.has_latent:
            has_complete = self.data.complete_rows().total >= FEWEST_COMPLETE
            names += [AVAILABLE, *[COMPLETE] * has_complete, *[NOTHING] * (self.problem.start is None)]
        yield from names[len(self.ends) :]
        while self._goes_on(len(names)):
            yield f"{FURTHER} {len(self.ends) - len(names) + 1}"

    def _goes_on(self, n_first: int) -> bool:
        """Whether there is to be one more drawn completion."""
        n_drawn = len(self.ends) - n_first
        n_asked: int | None = self.plan.settings.method_option("n_restarts")
        if n_asked is not None:
            return n_drawn < n_asked
        limited = self.control.deadline.is_set
        scores = [end.score for end in self.ends]
        best, top = n_first - 1, max(scores[:n_first])
        for place in range(n_first, len(scores)):
            if scores[place] > top + WORTHWHILE:
                best, top = place, scores[place]
        n_idle = len(scores) - 1 - best
        return n_idle < (IDLE_LIMITED if limited else IDLE_DRAWN) and (limited or n_drawn < MOST_DRAWN)

    @property
    def has_latent(self) -> bool:
        """Whether there are variables that nobody observed."""
        return any(variable.latent for variable in self.data.variables)

    def begin(self, name: str) -> Way:
        """Return a way with its first graph, whose parameters begin with equal probabilities.

        A graph under which completing would take too long is looked for again with fewer parents.
        """
        columns, rows = self._counted(name)
        if name in (GIVEN, NOTHING):
            parents = self.problem.space.required if self.problem.start is None else self.problem.start
            first = self.explain(self._learn(columns, parents)[0])
            return Way(name, first, first)
        most = max(self.problem.space.max_parents, default=0)
        for limit in (most, *range(min(most, 4) - 1, 0, -1)):
            structure, _ = self._learn(columns, self._find(columns, rows, None, limit))
            with suppress(NothingFits):
                completions = self._compile(structure, START_WORK, START_BYTES)
                if completions.is_compiled:
                    break
        else:
            completions = self._compile(structure)
        first = self._complete(completions)
        return Way(name, first, first)

    def _counted(self, name: str) -> tuple[_native.Columns, Dataset]:
        """Return what is counted for the first graph of a start."""
        if name == COMPLETE:
            rows = self.data.complete_rows()
        elif name.startswith(FURTHER):
            rows = self._walk(int(name.removeprefix(FURTHER)))
        else:
            codes, weights = self.data.codes, self.data.weights
            return _native.Columns(codes, self.problem.n_states, weights, available=True), self.data
        return rows.columns, rows

    def _walk(self, number: int) -> Dataset:
        """Return the data with gaps as they may have been: drawn, learned from, drawn again and so on.

        It begins with the best graph so far. Pairs that it takes for independent are drawn so, and the more cells are
        gaps, the more draws it takes to get away from that.
        """
        best = cast("EMGraph", self.best)
        rows = self._draw(best.completions, best.probabilities, (number, 0))
        share = float(np.average((self.data.codes == GAP).mean(axis=0), weights=self.data.weights))
        for step in range(1, min(round(DRAWS * share**2), MOST_DRAWS)):
            structure, parameters = self._learn(rows.columns, self._find(rows.columns, rows, None))
            try:
                completions = self._compile(structure)
            except NothingFits:
                break
            rows = self._draw(completions, parameters, (number, step))
        return rows

    def _draw(self, completions: Completions, parameters: Sequence[ClassTable], place: tuple[int, int]) -> Dataset:
        """Return the data with gaps filled by chance, which depends on where in the walks it is."""
        seed = int(np.random.SeedSequence([self.plan.seed, *place]).generate_state(1)[0])
        rows = np.ascontiguousarray(self.data.codes.T)
        drawn = completions.draw(parameters, rows, 1, seed, self.control.n_threads)[0]
        return Dataset.from_codes(self.data.schema, np.ascontiguousarray(drawn.T), self.data.weights)

    def _find(
        self,
        columns: _native.Columns,
        rows: Dataset,
        start: GraphParents | None,
        most_parents: int | None = None,
        search: Search | None = None,
    ) -> GraphParents:
        """Return the best graph for some counts; an interruption is noted."""
        problem = replace(self.problem.over(rows), start=start)
        if most_parents is not None:
            problem = replace(problem, space=problem.space.with_fewer_parents(most_parents))
        control = SearchControl(self.control.n_threads, self.control.deadline, is_over=self.control.stop)
        result = (search or self.search).run(problem.families.scorer(columns), problem, control)
        self.stopped |= result.stopped
        return result.parents

    def _learn(self, columns: _native.Columns, parents: GraphParents) -> tuple[Structure, tuple[ClassTable, ...]]:
        """Return a graph with its best classes for some counts, and the means of its parameters."""
        options = self.problem.families
        learned = learn_families(columns, self.problem.n_states, parents, options)
        means = tuple(
            ClassPosteriors.of(
                one.family.partition, options.priors.smoothing, class_counts(one.counts, one.family.partition)
            ).mean()
            for one in learned
        )
        return Structure(self.problem.n_states, tuple(one.family for one in learned)), means

    def go_up(self, way: Way, book: "EMBook | None" = None) -> None:
        """Complete and search in turn until the bound rises no more."""
        while way.n_idle < IDLE_ROUNDS and way.n_rounds < self.control.most_rounds:
            self._note(way, book)
            if self._is_over():
                break
            way.n_rounds += 1
            rows = self.expect(way.current)
            parents = self._find(rows.columns, rows, way.current.parents)
            structure, means = self._learn(rows.columns, parents)
            if structure == way.current.structure or structure in self.seen:
                break
            try:
                way.go_to(self.explain(structure, means))
            except NothingFits:
                break
        self._note(way)
        self.seen.add(way.best.structure)

    def _note(self, way: Way, book: "EMBook | None" = None) -> None:
        """Keep the best graph of all, and tell how far it is."""
        n_rounds = sum(end.n_rounds for end in self.ends) + way.n_rounds
        if self.best is None or way.best.score > self.best.score + SMALLEST_RISE:
            self.best = way.best
            self.trace.append((n_rounds, way.best.score))
        if self.control.listener is not None:
            self.control.listener({"done": n_rounds, "total": 0, "accepted": 0, "best": self.best.score})
        if book is not None:
            book.save(way)


def learn_gaps(data: Dataset, parents: Sequence[tuple[int, ...]], options: FamilyOptions) -> tuple[CountedFamily, ...]:
    """Learn the classes of the families of a given graph from data with gaps, with their expected counts."""
    given = tuple(parents)
    space = SearchSpace(given, given, tuple(map(len, given)), options.label_rules or tuple(() for _ in given))
    problem = SearchProblem(space, options, data.schema.n_states, data.n_rows, given)
    plan = Plan(Settings(), data, problem, Climb(n_restarts=0))
    return GapSearch(plan, data.sorted(), GapControl(check_jobs(-1))).run().families


class EMBook:
    """What a checkpoint keeps of structural EM: where ways ended, the best graph, and where the last way is."""

    def __init__(self, search: GapSearch, checkpoint: Checkpoint) -> None:
        self._search, self._checkpoint = search, checkpoint
        self._part = f"structural EM, {search.plan.search_in_words}"

    def save(self, way: Way | None) -> None:
        """Keep how far it is, after every round."""
        search = self._search
        kept = None if way is None else [way.current.plain(), way.best.plain(), way.n_rounds, way.n_idle]
        best = None if search.best is None else search.best.plain()
        ends, seen = [list(end) for end in search.ends], [plain_structure(one) for one in search.seen]
        self._checkpoint.put(self._part, {"ends": ends, "seen": seen, "trace": search.trace, "best": best, "way": kept})
        self._checkpoint.save()

    def resume(self) -> Way | None:
        """Go to where an earlier run was; return the way that it was on."""
        part = cast("dict[str, Any] | None", self._checkpoint.parts.get(self._part))
        if part is None:
            return None
        search = self._search
        try:
            search.ends = [EMStart(str(name), float(score), int(n)) for name, score, n in part["ends"]]
            search.trace = [(int(step), float(score)) for step, score in part["trace"]]
            search.seen = {search.read_structure(one) for one in part["seen"]}
            search.best = search.recall(part["best"])
            if part["way"] is None:
                return None
            current, best, n_rounds, n_idle = part["way"]
            return Way("", search.recall(current), search.recall(best), int(n_rounds), int(n_idle))
        except (KeyError, TypeError, ValueError):
            raise self._checkpoint.damaged() from None
