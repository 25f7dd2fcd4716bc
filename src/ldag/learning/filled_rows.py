"""Rows with gaps made complete for growth: drawn under small tables, then anew under what is grown from them.

No circuit and no tables hold the distribution of the gaps under a grown network of dozens of columns; that of one cell
given all others is always at hand. So gaps are drawn from a network of few parents that is learned with them, trees are
grown from the completed rows, every gap is drawn again given its row under these, and so on.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.data import GAP, Codes, Dataset, Weights
from ldag.errors import counted
from ldag.inference import NothingFits
from ldag.learning.cross_validation import USUAL_SIZE, Candidate
from ldag.learning.em_graphs import AVAILABLE, NOTHING, EMGraph
from ldag.learning.plan import Plan
from ldag.learning.searches import SearchControl
from ldag.learning.structural_em import GapControl, GapSearch
from ldag.model import ClassTable, Smoothing, Structure, class_counts, estimate_means

N_COPIES = 5
"""Draws of every row with gaps, each with a fifth of its weight: on plants and NLTCS ten were no better."""

MOST_COPIES = 50
"""Of a row that stands for many observations, which has a draw for each of them."""

MANY_DRAWN = 1_000_000
"""Rows that are drawn at most: where they would be more, each row has fewer."""

N_ROUNDS = 2
"""Growths after which gaps are drawn again. On 4,000 rows of plants with 30 % gaps one gained 0.07 nats per row and
further ones lost a little; on NLTCS two gained 0.04 to 0.06 and five 0.06 to 0.08."""

MOST_PARENTS = 2
"""In the tables that gaps are first drawn from."""

BYTES_OF_A_COLUMN = 1_000
"""Of the circuit of these tables, which is small so that they are soon learned: with three parents and four times as
much they took nine times as long on plants, for 0.07 nats that drawing again gains as well."""

FILLING_ROUNDS = 1
"""Of structural EM with these tables."""

FILLING_TOLERANCE = 0.3
"""Nats that EM leaves to be gained by them."""

GROWN_TO_FILL = Candidate(1.0, 100.0, "tree", prior="parameters", levels=True)
SMOOTHED_TO_FILL = Smoothing(8.0, "nested")
"""How trees are grown that gaps are drawn from: quickly, and well enough on all tables that were tried."""


class FilledTest(NamedTuple):
    """Completed rows that are predicted, and by variable which of their cells were seen: only these count."""

    rows: Dataset
    seen: NDArray[np.bool_]


class Trees(NamedTuple):
    """What gaps are drawn under, given the rest of their rows."""

    structure: Structure
    means: Sequence[ClassTable]


@dataclass(frozen=True, eq=False)
class Filler:
    """What was learned from a table with gaps to complete it, or others, by draws."""

    data: Dataset
    tables: EMGraph = field(repr=False)
    seed: int
    n_threads: int
    trees: tuple[Trees, ...] = ()
    """What was grown on the way, in this order."""
    stopped: bool = False
    """Whether its time was over before all was grown, or somebody stopped it."""

    @property
    def rows(self) -> Dataset:
        """The completed table, from which growth learns."""
        return self._draw(self.data).rows

    def complete(self, number: int) -> Dataset:
        """Return a table that is completed once, differently for each number."""
        return self._draw(self.data, n_copies=1, number=number + 1).rows

    def fill_test(self, data: Dataset, target: int | None) -> FilledTest:
        """Complete rows that are predicted; if a target is, without a look at it."""
        return self._draw(data, target).as_test()

    def _draw(self, data: Dataset, target: int | None = None, n_copies: int = N_COPIES, number: int = 0) -> "DrawnGaps":
        drawn = DrawnGaps(data, target, self.tables, n_copies, _seed(self.seed, number, 0), self.n_threads)
        for place, trees in enumerate(self.trees):
            drawn.redraw(trees, _seed(self.seed, number, place + 1))
        return drawn

    def in_words(self) -> str:
        """Say how many cells were filled, and by what."""
        gaps, weights = (self.data.codes == GAP).sum(axis=0), self.data.weights
        n_cells = float(gaps.sum() if weights is None else gaps @ weights)
        most = max(map(len, self.tables.parents))
        first = f"tables of {counted(most, 'parent')} at most" if most else "frequencies"
        cut = ", cut short by the time limit" if self.stopped else ""
        again = ", then given the rest of the row from trees grown on that" if self.trees else ""
        return (
            f"gaps: {counted(n_cells, 'missing cell')} in {counted(self.data.n_with_gaps, 'observation')} filled by"
            f" draws, first from {first}{again}{cut}"
        )


def learn_filler(plan: Plan, data: Dataset, control: GapControl) -> Filler:
    """Learn from a table with gaps what completes it: small tables, then trees, grown and drawn from in turn.

    Interrupted, there is nothing yet that could be returned.
    """
    data = data.sorted()
    tables, stopped = _learn_tables(plan, data, control)
    filler = Filler(data, tables, plan.seed, control.n_threads)
    drawn = DrawnGaps(data, None, filler.tables, N_COPIES, _seed(plan.seed, 0, 0), control.n_threads)
    for place in range(N_ROUNDS):
        trees = None if stopped or control.is_over() else _grow(plan, drawn.rows, control)
        if trees is None and not control.is_over():
            raise KeyboardInterrupt
        if trees is None:
            return replace(filler, stopped=True)
        drawn.redraw(trees, _seed(plan.seed, 0, place + 1))
        filler = replace(filler, trees=(*filler.trees, trees))
    return filler


def _learn_tables(plan: Plan, data: Dataset, control: GapControl) -> tuple[EMGraph, bool]:
    """Learn tables of few parents with the gaps, under which these are soon drawn, and whether that was stopped."""
    usual = plan.search_by("climb").choose(Candidate(1.0, USUAL_SIZE, "table"))
    space = replace(usual.problem.space, required=((),) * usual.problem.n_variables).with_fewer_parents(MOST_PARENTS)
    usual = replace(usual, problem=replace(usual.problem, space=space), checkpoint=None)
    how = replace(control, most_rounds=FILLING_ROUNDS, tolerance=FILLING_TOLERANCE)
    small = replace(how, most_bytes=BYTES_OF_A_COLUMN * usual.problem.n_variables)
    with suppress(NothingFits):
        search = GapSearch(usual, data, small)
        way = search.begin(AVAILABLE)
        search.go_up(way)
        return way.best, search.stopped
    search = GapSearch(usual, data, how)
    return search.begin(NOTHING).best, search.stopped


def _grow(plan: Plan, rows: Dataset, control: GapControl) -> Trees | None:
    """Grow trees to draw from; None if that did not come to its end."""
    plan = plan.choose(GROWN_TO_FILL)
    problem = plan.problem.over(rows)
    how = SearchControl(control.n_threads, control.deadline, is_over=control.stop)
    result = plan.search.run(problem.families.scorer(rows.columns, cache_bytes=0), problem, how)
    if result.stopped:
        return None
    families = result.families(problem, problem.n_states)
    counts = [class_counts(one.counts, one.family.partition) for one in families]
    means = [
        estimate_means(one.family.partition, SMOOTHED_TO_FILL, own) for one, own in zip(families, counts, strict=True)
    ]
    return Trees(Structure(problem.n_states, tuple(one.family for one in families)), means)


class DrawnGaps:
    """Rows whose gaps are drawn, several times each, and the rows without gaps."""

    def __init__(
        self, data: Dataset, target: int | None, tables: EMGraph, n_copies: int, seed: int, n_threads: int
    ) -> None:
        self._data = data
        weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
        has_gaps = (data.codes == GAP).any(axis=0)
        self._whole, self._whole_weights = data.codes[:, ~has_gaps], weights[~has_gaps]
        own = weights[has_gaps]
        most = min(max(MANY_DRAWN // max(len(own), 1), 1), MOST_COPIES)
        copies = np.clip(np.ceil(own).astype(np.int64), min(n_copies, most), most)
        codes = np.repeat(data.codes[:, has_gaps], copies, axis=1)
        self._gaps = codes == GAP
        self._weights = _share_out(own, copies) if n_copies == 1 else np.repeat(own / copies, copies)
        self._target, self._given = target, codes if target is None else codes.copy()
        if target is not None:
            codes[target] = GAP
        rows = np.ascontiguousarray(codes.T)
        drawn = tables.completions.draw(tables.probabilities, rows, 1, seed, n_threads)[0]
        self._codes: Codes = np.ascontiguousarray(drawn.T)

    @property
    def rows(self) -> Dataset:
        """All rows without gaps, with real weights."""
        return Dataset.from_codes(self._data.schema, *self._together())

    def as_test(self) -> FilledTest:
        """Return all rows one by one, with what was seen of them."""
        if self._target is not None:
            self._codes[self._target] = np.where(self._gaps, self._codes, self._given)[self._target]
        seen = np.concatenate([np.ones(self._whole.shape, dtype=np.bool_), ~self._gaps], axis=1)
        return FilledTest(Dataset(self._data.schema, *self._together()), seen)

    def _together(self) -> tuple[Codes, Weights]:
        codes = np.concatenate([self._whole, self._codes], axis=1)
        return codes, np.concatenate([self._whole_weights, self._weights])

    def redraw(self, trees: Trees, seed: int) -> None:
        """Draw every gap once more given the rest of its row, one column after the other in random order."""
        rng = np.random.default_rng(seed)
        children: list[list[int]] = [[] for _ in self._codes]
        for node, family in enumerate(trees.structure.families):
            for parent in family.parents:
                children[parent].append(node)
        for node in rng.permutation(len(children)).tolist():
            places = np.flatnonzero(self._gaps[node]) if node != self._target else np.arange(self._codes.shape[1])
            if len(places):
                logs = _log_states(trees, node, children[node], self._codes[:, places])
                self._codes[node, places] = np.argmax(logs + rng.gumbel(size=logs.shape), axis=0)


def _log_states(trees: Trees, node: int, children: Sequence[int], codes: Codes) -> NDArray[np.float64]:
    """Return the log probabilities of all states of a node given the other cells of rows, up to a constant."""
    logs = np.empty((trees.structure.n_states[node], codes.shape[1]))
    for state in range(len(logs)):
        codes[node] = state
        logs[state] = sum(_log_cells(trees, one, codes) for one in (node, *children))
    return logs


def _log_cells(trees: Trees, node: int, codes: Codes) -> NDArray[np.float64]:
    """Return the log probability of a node's cell given its parents by row."""
    family = trees.structure.families[node]
    classes = family.partition.classes_of_rows(codes[list(family.parents)])
    return np.asarray(np.log(trees.means[node])[classes, codes[node]])


def _share_out(weights: Weights, copies: NDArray[np.int64]) -> Weights:
    """Return what each copy of a row has of its weight: whole numbers where that is one."""
    if weights.dtype != np.int64:
        return np.repeat(weights / copies, copies)
    places = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
    return np.repeat(weights // copies, copies) + (places < np.repeat(weights % copies, copies))


def _seed(*parts: int) -> int:
    """Return a seed that depends on all parts."""
    return int(np.random.SeedSequence(parts).generate_state(1)[0])
