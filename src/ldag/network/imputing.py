"""Gaps of a table filled: with the most probable completion of each row or cell, or with draws.

Draws depend on the seed, on what stands in a row, and on which of the rows with the same cells it is; so the order of
rows and columns and the number of threads make no difference.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, islice, repeat
from typing import Literal, TypedDict, TypeVar, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_choice, check_seed, check_whole
from ldag.data import GAP, Column, Dataset, NewCells, Note, check_memory_table, fill_table, rank_rows, spell_cells
from ldag.errors import ArgumentError, ImpossibleEvidence, argument, counted, list_names, option
from ldag.inference import UNOBSERVED, CodedGaps, Numbers, Rows
from ldag.model import ClassTable, Mask, Schema, Structure
from ldag.network.asking import Asking
from ldag.network.prediction import Unseen, code_columns, open_rows, rows_of

T = TypeVar("T")

By = Literal["row", "cell"]
"""Whether the most probable states are those of whole rows or of single cells."""


class ImputeOptions(TypedDict, total=False):
    """How gaps are filled."""

    by: By
    proper: bool
    rng: Rng
    unseen: Unseen


SWEEPS = 20
"""Steps of data augmentation between two imputations, so that they hardly depend on each other."""


@dataclass(frozen=True)
class Imputation:
    """How gaps are filled: ``n`` draws, or once by what is most probable (None)."""

    n: int | None
    by: By
    proper: bool
    seed: int

    @classmethod
    def check(cls, n: int | None, by: By, proper: bool, rng: Rng) -> "Imputation":
        """Check the arguments; none of them is without effect."""
        check_choice(by, get_args(By), "by")
        if n is not None:
            check_whole(n, "n")
        elif proper or rng is not None:
            name = "proper" if proper else "rng"
            raise ArgumentError(f"{argument(name)} is for draws; say how many with {option('n', 5)}")
        if n is not None and by != "row":
            raise ArgumentError(f"{argument('by')} is for what is most probable, and draws are of whole rows")
        return cls(n, by, proper, check_seed(rng))


@dataclass(frozen=True, eq=False)
class IncompleteRows:
    """Rows in an order that does not depend on that of the table; ``numbers`` say where in the table each stands.

    ``is_wanted`` are those with a gap in one of the ``columns``, by node; variables without a column are all gaps.
    """

    codes: Rows
    numbers: NDArray[np.intp]
    columns: tuple[int, ...]
    weights: Numbers | None = None

    @cached_property
    def is_wanted(self) -> Mask:
        """Which rows have a gap that is to be filled."""
        return np.asarray((self.codes[:, list(self.columns)] == UNOBSERVED).any(axis=1))

    def put(self, wanted: Rows) -> Rows:
        """Return all rows in the order of the table, those with gaps as given."""
        codes = self.codes.copy()
        codes[self.is_wanted] = wanted
        return self.back(codes)

    def back(self, codes: Rows) -> Rows:
        """Return rows in the order of the table."""
        ordered = np.empty_like(codes)
        ordered[self.numbers] = codes
        return ordered

    def refuse(self, impossible: Mask) -> None:
        """Refuse rows, of those with gaps, that have probability zero."""
        if impossible.any():
            rows = np.sort(self.numbers[self.is_wanted][impossible])
            more = f" (and {counted(len(rows) - 1, 'other row')} too)" if len(rows) > 1 else ""
            raise ImpossibleEvidence(
                f"row {rows[0] + 1} has probability zero in this network{more}, so nothing can be said of its gaps;"
                " leave it out, or leave more cells of it empty"
            )


Complete = Callable[[IncompleteRows], Iterator[Rows]]
"""Goes through completions of rows, in the order of the table."""


def impute_table(schema: Schema, data: T, how: Imputation, unseen: Unseen, complete: Complete) -> T | list[T]:
    """Return a table with the gaps of known variables filled, as the kind of table it is; or several, if asked."""
    check_choice(unseen, get_args(Unseen), "unseen")
    tables: Iterator[object]
    if isinstance(data, Dataset):
        tables = _impute_dataset(schema, data, how, unseen, complete)
    else:
        check_memory_table(data)
        tables = _impute_rows(schema, data, unseen, complete)
    filled = cast("list[T]", list(tables))
    return filled[0] if how.n is None else filled


def _impute_rows(schema: Schema, data: object, unseen: Unseen, complete: Complete) -> Iterator[object]:
    """Go through the filled copies of a table whose rows have an order."""
    table = open_rows(data, schema)
    coded = code_columns(schema, table, unseen)
    gaps = {name: np.flatnonzero(column.missing) for name, (_, column) in coded.items()}
    spelled = {name: np.array([*spell_cells(*coded[name]), None], dtype=object) for name in coded if len(gaps[name])}
    codes = rows_of(schema, table.n_rows, coded)
    others = [table.column(place) for place, name in enumerate(table.names) if name not in coded]
    for filled in complete(_in_order(codes, schema.nodes(coded), others)):
        cells = {name: states[filled[gaps[name], schema.node(name)]].tolist() for name, states in spelled.items()}
        yield fill_table(data, {name: NewCells(gaps[name], cells[name]) for name in cells}, table.names)


def _in_order(
    codes: Rows, columns: Sequence[int], others: Sequence[Column] = (), weights: Numbers | None = None
) -> IncompleteRows:
    """Return rows in an order of their own: of those with equal cells, other columns say which comes first."""
    order = rank_rows(others, len(codes))
    return IncompleteRows(np.ascontiguousarray(codes[order]), order, tuple(columns), weights)


def _impute_dataset(
    schema: Schema, data: Dataset, how: Imputation, unseen: Unseen, complete: Complete
) -> Iterator[Dataset]:
    """Go through the filled copies of a data set: for draws, each of the rows that were merged has its own."""
    coded = code_columns(schema, open_rows(data, schema), unseen)
    known, codes, times = data.codes, rows_of(schema, data.n_rows, coded), data.weights
    groups = data.groups
    if how.n is not None and times is not None and times.dtype == np.int64:
        each = data.whole_weights
        known, codes, times = np.repeat(known, each, axis=1), np.repeat(codes, each, axis=0), None
        groups = None if groups is None else groups.take(np.repeat(np.arange(data.n_rows), each))
    weights = None if times is None else times.astype(np.float64)
    with_gaps = [name for name, (_, column) in coded.items() if column.missing.any()]
    variables = tuple(schema[schema.node(v.name)] if v.name in with_gaps else v for v in data.variables)
    for filled in complete(_in_order(codes, schema.nodes(coded), weights=weights)):
        cells = [
            filled[:, schema.node(v.name)] if v.name in with_gaps else row
            for v, row in zip(variables, known, strict=True)
        ]
        made = Dataset.from_codes(Schema(variables), np.array(cells), times, data.weight_name, groups, data.times)
        yield replace(made, notes=_notes_of_filled(data, with_gaps)) if with_gaps else data


def _notes_of_filled(data: Dataset, names: Sequence[str]) -> tuple[str, ...]:
    """Return what is told of a data set some of whose columns are filled: no gaps in these, but cells nobody saw."""
    gaps = (data.codes[[*data.schema.nodes(names)]] == GAP).sum(axis=0)
    cells = float(gaps.sum() if data.weights is None else gaps @ data.weights)
    told = Note(f"{counted(cells, 'missing cell')} filled in ({list_names([*names])})", of_gaps=True)
    return (*(note for note in data.notes if not getattr(note, "of_gaps", False)), told)


def complete_rows(asking: Asking, rows: IncompleteRows, how: Imputation) -> Iterator[Rows]:
    """Go through completions of rows by one network."""
    wanted = rows.codes[rows.is_wanted]
    if not len(wanted):
        yield from repeat(rows.back(rows.codes), how.n or 1)
    elif how.proper:
        yield from draw_properly(asking, rows, how.n or 1, how.seed)
    elif how.n is not None:
        drawn = asking.completions().draw(asking.net.probabilities, wanted, how.n, how.seed)
        rows.refuse((drawn[0] == UNOBSERVED).any(axis=1))
        yield from map(rows.put, drawn)
    elif how.by == "row":
        best, logs = asking.completions().most_probable(asking.net.probabilities, wanted)
        rows.refuse(np.isneginf(logs))
        yield rows.put(best)
    else:
        yield rows.put(fill_cells(rows, lambda node, some: cell_posteriors(asking, node, wanted[some])))


def cell_posteriors(asking: Asking, node: int, rows: Rows) -> Numbers:
    """Return the posterior of a node in rows where it is a gap; not a number where they are impossible."""
    with asking.explain_size():
        return asking.predictor().posteriors(node, rows)


def fill_cells(rows: IncompleteRows, posteriors: Callable[[int, NDArray[np.intp]], Numbers]) -> Rows:
    """Return the rows with gaps, the most probable state in each, whatever stands in the others.

    Posteriors are asked for a node in some of these rows, by number.
    """
    wanted = rows.codes[rows.is_wanted]
    filled = wanted.copy()
    for node in rows.columns:
        chosen = np.flatnonzero(wanted[:, node] == UNOBSERVED)
        if len(chosen):
            shares = posteriors(node, chosen)
            impossible = np.zeros(len(wanted), dtype=np.bool_)
            impossible[chosen] = np.isnan(shares).any(axis=1)
            rows.refuse(impossible)
            filled[chosen, node] = shares.argmax(axis=1)
    return filled


def draw_properly(asking: Asking, rows: IncompleteRows, n: int, seed: int) -> Iterator[Rows]:
    """Go through completions with parameters drawn too: data augmentation from the network's probabilities on.

    The prior is that of the network, and the data are the rows: those it was learned from are not counted again.
    """
    has_gaps = (rows.codes == UNOBSERVED).any(axis=1)
    weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    complete = _count_classes(asking.net.ldag.structure, rows.codes[~has_gaps], weights[~has_gaps])
    codes = rows.codes.copy()
    sweeps = _augment(asking, rows.codes[has_gaps], weights[has_gaps], complete, seed)
    for sweep, (drawn, _) in enumerate(islice(sweeps, n * SWEEPS)):
        if sweep == 0:
            rows.refuse((drawn[rows.is_wanted[has_gaps]] == UNOBSERVED).any(axis=1))
        codes[has_gaps] = drawn
        if (sweep + 1) % SWEEPS == 0:
            yield rows.back(codes)


def draw_parameters(asking: Asking, table: CodedGaps, n: int, seed: int) -> Iterator[tuple[ClassTable, ...]]:
    """Go through parameters drawn with the gaps of the data they were estimated from: data augmentation."""
    rows, weights = table.rows, table.weights
    if np.array_equal(weights, np.floor(weights)):  # rows that were merged have gaps of their own
        rows, weights = np.repeat(rows, weights.astype(np.intp), axis=0), np.ones(int(weights.sum()))
    sweeps = _augment(asking, rows, weights, table.counts(asking.net.ldag.structure), seed)
    for _, probabilities in islice(sweeps, SWEEPS, SWEEPS + n):
        yield probabilities


def _augment(
    asking: Asking, rows: Rows, weights: Numbers, complete: Sequence[ClassTable], seed: int
) -> Iterator[tuple[Rows, tuple[ClassTable, ...]]]:
    """Draw gaps given parameters and parameters given completed rows in turn, for ever; complete rows are counted."""
    learned, probabilities = asking.net.learned, asking.net.probabilities
    if learned is None:
        raise ArgumentError(
            f"{option('proper', True)} draws parameters from their posterior, and this network was given by"
            " probabilities; Network.from_data estimates them with a prior"
        )
    for sweep in count():
        own, of_parameters = np.random.SeedSequence([seed, sweep]).spawn(2)
        number = int(own.generate_state(1, np.uint64)[0] >> 1)
        drawn = asking.completions().draw(probabilities, rows, 1, number)[0]
        if (drawn == UNOBSERVED).any():  # impossible rows are refused by whoever asks
            yield drawn, probabilities
            continue
        counts = _count_classes(asking.net.ldag.structure, drawn, weights)
        rng = np.random.default_rng(of_parameters)
        probabilities = tuple(
            replace(posterior, counts=seen + filled).draw(rng)
            for posterior, seen, filled in zip(learned.posteriors, complete, counts, strict=True)
        )
        yield drawn, probabilities


def _count_classes(structure: Structure, rows: Rows, weights: Numbers) -> list[ClassTable]:
    """Return how often each class of each node has each state in complete rows."""
    counts = []
    for node, family in enumerate(structure.families):
        n_classes, n_states = family.partition.n_classes, structure.n_states[node]
        classes = family.partition.classes_of_rows(rows[:, list(family.parents)].T).astype(np.int64)
        flat = np.bincount(classes * n_states + rows[:, node], weights, n_classes * n_states)
        counts.append(flat.reshape(n_classes, n_states).astype(np.float64))
    return counts
