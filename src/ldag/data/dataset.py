"""Data sets: categorical tables with fixed states, equal rows merged into weights."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ldag._native import Columns
from ldag.data.gaps import GAP, Gaps, find_gaps
from ldag.data.groups import GroupRows, Groups
from ldag.data.notes import Note
from ldag.data.rows import Codes, Weights, row_keys, state_columns, take_rows, tell_rows_apart
from ldag.data.times import Times, name_times
from ldag.data.writing import Backend, make_frame
from ldag.errors import ArgumentError, DataError, TooLarge, UnknownVariable, by_door, counted, list_names, option
from ldag.formats import spell_share, state_in_words
from ldag.hook import Printable
from ldag.model import CodedFamily, Grid, Schema, State, Variable, count_classes, state_key

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame


CELL_LIMIT = 1 << 26
"""The largest table counted unless the caller says otherwise: 512 MB."""


_MADE_AGAIN = ("columns", "_merged", "group_rows")
"""What is not sent to other processes, but made when it is asked for."""


def count_family(
    columns: Columns, n_states: Sequence[int], node: int, parents: Sequence[int], limit: int = CELL_LIMIT
) -> Weights:
    """Return the counts of a family: a row per parent configuration (last parent fastest), a column per state.

    Whole weights, or none, give whole counts; real weights give real counts.
    """
    n_configurations = check_cells(n_states, node, parents, limit)
    return columns.counts([*parents, node]).reshape(n_configurations, n_states[node])


def check_cells(n_states: Sequence[int], node: int, parents: Sequence[int], limit: int = CELL_LIMIT) -> int:
    """Refuse a family whose table cannot be held; return the number of its parents' configurations."""
    n_configurations = Grid(tuple(n_states[parent] for parent in parents)).size
    if n_configurations * n_states[node] > limit:
        raise TooLarge(
            f"a node with {n_states[node]} states and {len(parents)} parents needs a table of "
            f"{n_configurations:,} configurations x {n_states[node]} states; at most {limit:,} cells are "
            "allowed; use fewer parents or fewer states"
        )
    return n_configurations


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Printable):
    """Rows of states over named variables; equal rows are stored once, with how often they occur.

    Made by :func:`read`. Two data sets are equal when they hold the same rows equally often, in whatever order
    they came. ``notes`` tell what reading did with columns and cells. ``schema``, ``codes`` (one row per variable) and
    ``weights`` (None: every row once) are for the library itself. A cell that is missing has the code `GAP`.
    ``groups`` say which rows belong together, if a column does, and equal rows are merged within a group only; with
    ``times`` rows stand in the order of time, and none are merged.

    Examples
    --------
    >>> import ldag
    >>> data = ldag.read({"rain": ["no", "no", "yes"], "grass": ["dry", "dry", "wet"]})
    >>> data.n_rows, data.total, data.states("grass")
    (2, 3, ('dry', 'wet'))
    >>> data.counts("grass", ["rain"]).tolist()
    [[2, 0], [0, 1]]
    """

    schema: Schema
    codes: Codes
    weights: Weights | None
    weight_name: str | None = None
    notes: tuple[str, ...] = ()
    """What reading did to the table, and what it left out."""
    groups: Groups | None = None
    """Which rows belong together; None: no column says so."""
    times: Times | None = None
    """When rows were seen; None: no column says so."""

    @classmethod
    def from_codes(
        cls,
        schema: Schema,
        codes: Codes,
        weights: Weights | None = None,
        weight_name: str | None = None,
        groups: Groups | None = None,
        times: Times | None = None,
    ) -> "Dataset":
        """Make a data set of rows in codes, one array row per variable; equal rows are merged, within a group if any.

        With times they are not merged but sorted, by group and by time.
        """
        if times is not None:
            places = times.sort(groups)
            weights = None if weights is None else weights[places]
        else:
            own = None if groups is None else groups.codes
            places, weights = tell_rows_apart(codes, schema.n_states, weights, own)
        codes = take_rows(codes, places)
        for array in (codes, weights):
            if array is not None:
                array.flags.writeable = False
        groups = None if groups is None else groups.take(places)
        times = None if times is None else times.take(places)
        return cls(schema, codes, weights, weight_name, groups=groups, times=times)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in the order of the columns."""
        return self.schema.variables

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.schema.names

    @property
    def n_rows(self) -> int:
        """Number of different rows."""
        return int(self.codes.shape[1])

    @property
    def total(self) -> int | float:
        """Number of observations, or the sum of the weights if they are real numbers."""
        if self.weights is None:
            return self.n_rows
        total = self.weights.sum()
        return int(total) if self.weights.dtype == np.int64 else float(total)

    @cached_property
    def has_gaps(self) -> bool:
        """Whether a cell is missing."""
        return bool(self.codes.max(initial=0) == GAP)

    @property
    def n_seen(self) -> int | float:
        """How many observations' worth of cells are seen: all observations, less their share of gaps.

        A latent variable that nobody observed does not count.
        """
        if not self.has_gaps:
            return self.total
        shares = self._seen.mean(axis=0)
        return float(shares.sum() if self.weights is None else shares @ self.weights)

    @property
    def n_with_gaps(self) -> int | float:
        """How many observations have a gap; a latent variable that nobody observed does not count."""
        rows = ~self._seen.all(axis=0)
        if self.weights is None:
            return int(rows.sum())
        n = self.weights[rows].sum()
        return int(n) if self.weights.dtype == np.int64 else float(n)

    @property
    def _seen(self) -> NDArray[np.bool_]:
        """Which cells are seen, without latent variables that nobody observed."""
        seen: NDArray[np.bool_] = self.codes != GAP
        counted_nodes = [node for node, own in enumerate(seen) if own.any() or not self.variables[node].latent]
        return np.take(seen, counted_nodes, axis=0)

    def gaps(self) -> Gaps:
        """Return how many cells are missing, which columns are empty together, and what gaps depend on."""
        return find_gaps(self.schema, self.codes, self.weights)

    def complete_rows(self) -> "Dataset":
        """Return the data without the rows that have a gap.

        Where gaps depend on other columns, the rows that are left are no fair sample: prefer to keep the gaps.
        """
        if not self.has_gaps:
            return self
        left = self._take((self.codes != GAP).all(axis=0)).sorted()
        every = counted(self.total, "observation")
        told = Note(f"{self.total - left.total:,.10g} of {every} left out, which have gaps", "rows", of_gaps=True)
        notes = [note for note in self.notes if not getattr(note, "of_gaps", False)]
        return replace(left, notes=(*notes, told))

    @cached_property
    def columns(self) -> Columns:
        """The rows as the counting loops want them, which know no gaps; for the library itself."""
        if self.has_gaps:
            how = by_door(
                "complete_rows() leaves out the rows with gaps, and a network's impute(...) fills them",
                f"{option('missing', 'drop')} leaves out the rows with gaps, and `ldag impute` fills them",
            )
            raise DataError(f"these data have gaps, and this needs every cell; {how}")
        merged = self.ungrouped()
        return Columns(merged.codes, merged.schema.n_states, merged.weights)

    def ungrouped(self) -> "Dataset":
        """Return the data without what says which rows belong together, and when they were seen."""
        return self if self.groups is None and self.times is None else self._merged

    @cached_property
    def _merged(self) -> "Dataset":
        return self._same(Dataset.from_codes(self.schema, self.codes, self.weights, self.weight_name))

    @property
    def is_grouped(self) -> bool:
        """Whether some rows belong together: groups of one row each change nothing; for the library itself."""
        n = self.total if self.weights is None or self.weights.dtype == np.int64 else self.n_rows
        return self.groups is not None and len(self.groups) < n

    @cached_property
    def group_rows(self) -> GroupRows:
        """Return which rows of `ungrouped` every group has; for the library itself."""
        if self.groups is None:
            raise ValueError("the data have no groups")
        places = np.unique(row_keys(self.codes, self.schema.n_states), return_inverse=True)[1]
        return GroupRows(places, self.groups.codes, self.whole_weights, len(self.groups))

    @cached_property
    def constant_nodes(self) -> frozenset[int]:
        """The variables, by number, that have the same state wherever they are seen; for the library itself."""
        highest = np.where(self.codes == GAP, 0, self.codes).max(axis=1) if self.has_gaps else self.codes.max(axis=1)
        return frozenset(np.flatnonzero(highest <= self.codes.min(axis=1)).tolist())

    @cached_property
    def constant_in_groups(self) -> tuple[str, ...]:
        """The variables that are the same in all rows of a group, wherever they are seen; () without groups."""
        if self.groups is None or not self.is_grouped:
            return ()
        return tuple(self.names[node] for node in self.groups.find_constant(self.codes))

    def states(self, name: str) -> tuple[State, ...]:
        """Return the states of a variable."""
        return self.schema[self.schema.node(name)].states

    def counts(self, node: str, parents: str | Iterable[str] = (), *, observed: bool = False) -> Weights:
        """Count the states of a node (columns) in each configuration of its parents (rows, last parent fastest).

        Where one of them has gaps, only the rows are counted in which all of them are ``observed``, if that is asked
        for.
        """
        child, above = self.schema.node(node), self.schema.nodes(parents)
        if child in above:
            raise ArgumentError(f"variable {node!r} cannot be its own parent")
        try:
            if self.has_gaps:
                return self._count_seen((*above, child), observed)
            return count_family(self.columns, self.schema.n_states, child, above)
        except TooLarge as error:
            family = f"{node} | {', '.join(self.schema[parent].name for parent in above)}"
            raise TooLarge(f"the family {family} is too large: {error}") from None

    def family_counts(self, node: int, family: CodedFamily) -> NDArray[np.float64]:
        """Return the counts of a family, by number: a row per configuration or, of one with a tree, per class."""
        if family.partition.as_tree() is None:
            return self.counts(self.names[node], [self.names[v] for v in family.parents]).astype(np.float64)
        self._refuse_gaps([*family.parents, node])
        above, n_states = self.codes[list(family.parents)], self.schema[node].n_states
        return count_classes(family.partition, above, self.codes[node], n_states, self.weights)

    def _refuse_gaps(self, nodes: Sequence[int]) -> None:
        with_gaps = [node for node in nodes if (self.codes[node] == GAP).any()]
        if with_gaps:
            names = list_names([self.names[node] for node in sorted(with_gaps)])
            how = by_door(
                "observed=True counts the rows in which all are seen",
                f"{option('missing', 'drop')} leaves out the rows with gaps",
            )
            raise DataError(f"{names}: some cells are gaps; {how}")

    def _count_seen(self, nodes: Sequence[int], observed: bool) -> Weights:
        """Count a family, its node last, in the rows in which all of it is seen; refuse gaps, unless asked."""
        if not observed:
            self._refuse_gaps(nodes)
        gaps = (codes := self.codes[list(nodes)]) == GAP
        seen = ~gaps.any(axis=0)
        n_states = [self.schema[node].n_states for node in nodes]
        columns = Columns(
            np.ascontiguousarray(codes[:, seen]), n_states, None if self.weights is None else self.weights[seen]
        )
        return count_family(columns, n_states, len(nodes) - 1, range(len(nodes) - 1))

    def select(self, names: str | Iterable[str]) -> "Dataset":
        """Return the data set of some of the variables, in the order given."""
        nodes = self.schema.nodes(names)
        if not nodes:
            raise ArgumentError("select at least one variable")
        if nodes == tuple(range(len(self.schema))):
            return self
        return self._recode(self.schema.reordered(nodes), self.codes[list(nodes)])

    def merge(self, other: "Dataset") -> "Dataset":
        """Return the data of two parts of one table: counts of equal rows are added.

        Both must have the same variables; states are those of the first and, after them, those that only the other
        has. Parts of a table with measurements must have been cut at the same points. Groups with the same label are
        the same group.

        Examples
        --------
        >>> import ldag
        >>> ldag.read({"x": ["a", "b"]}).merge(ldag.read({"x": ["b", "c"]})).counts("x").tolist()
        [[1, 2, 1]]
        """
        if not isinstance(other, Dataset):
            raise ArgumentError(f"merge takes another Dataset, got {type(other).__name__}; read it with ldag.read(...)")
        if set(self.names) != set(other.names):
            odd = sorted(set(self.names) ^ set(other.names))[0]
            raise DataError(f"the parts have different variables: {odd!r} is in one of them only")
        groups, times = _join_groups(self, other)
        schema = Schema(tuple(_joint(mine, other.schema[other.schema.node(mine.name)]) for mine in self.schema))
        a, b = self.aligned_to(schema), other.aligned_to(schema)
        weights = None
        if a.weights is not None or b.weights is not None:
            weights = np.concatenate([np.ones(d.n_rows, np.int64) if d.weights is None else d.weights for d in (a, b)])
        notes = tuple(dict.fromkeys((*self.notes, *other.notes)))
        codes = np.concatenate([a.codes, b.codes], axis=1)
        merged = Dataset.from_codes(schema, codes, weights, self.weight_name, groups, times)
        return replace(merged, notes=notes)

    def noted(self, note: str) -> "Dataset":
        """Return the same data with one more note; for the library itself."""
        return replace(self, notes=(*self.notes, note))

    def permuted(self, names: Iterable[str]) -> "Dataset":
        """Return the same rows, in the same order, with the variables in another; for the library itself."""
        nodes = self.schema.nodes(names)
        codes = self.codes[list(nodes)]
        codes.flags.writeable = False
        return replace(self, schema=self.schema.reordered(nodes), codes=codes)

    def sorted(self) -> "Dataset":
        """Return the same data with the rows in the order of their codes; for the library itself."""
        return self._recode(self.schema, self.codes)

    @property
    def whole_weights(self) -> NDArray[np.int64]:
        """How often each row occurs, for the library itself; the weights must be whole numbers."""
        return np.ones(self.n_rows, dtype=np.int64) if self.weights is None else self.weights.astype(np.int64)

    def reweighed(self, weights: NDArray[np.int64]) -> "Dataset":
        """Return the same rows, each so many times, without those of weight 0; for the library itself."""
        left = replace(self, weights=weights)._take(weights > 0)
        return replace(left, weights=None) if (weights <= 1).all() else left

    def _take(self, rows: NDArray[np.bool_]) -> "Dataset":
        """Return some of the rows, in the same order."""
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[:, rows]),
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups.take(rows),
            times=None if self.times is None else self.times.take(rows),
        )

    def aligned_to(self, schema: Schema) -> "Dataset":
        """Return the same rows over the variables and states of a graph, in its order.

        Both must have the same variables, and the graph every state of the data; a latent variable that the data do
        not have is a column of gaps.
        """
        for name in self.names:
            if name not in schema.names:
                raise UnknownVariable(name, schema.names, "the data are not over the variables of the graph: it has ")
        if schema == self.schema:
            return self
        without = find_unobserved(schema, self.names)
        rows = []
        for variable in schema:
            if variable.name in without:
                rows.append(np.full(self.n_rows, GAP, dtype=np.uint8))
                continue
            node = self.schema.node(variable.name)
            where = "the data have a state that the graph does not know: "
            new_code = np.full(GAP + 1, GAP, dtype=np.uint8)
            new_code[: self.schema[node].n_states] = [variable.code(state, where) for state in self.schema[node].states]
            rows.append(new_code[self.codes[node]])
        return self._recode(schema, np.array(rows))

    def with_unobserved(self, variables: Sequence[Variable]) -> "Dataset":
        """Return the data with columns of gaps for some more variables; for the library itself."""
        if not variables:
            return self
        gaps = np.full((len(variables), self.n_rows), GAP, dtype=np.uint8)
        schema = Schema((*self.variables, *variables))
        return self._recode(schema, np.concatenate([self.codes, gaps]))

    def _recode(self, schema: Schema, codes: Codes) -> "Dataset":
        """Return the same rows with other codes; those that are equal now are merged."""
        return self._same(Dataset.from_codes(schema, codes, self.weights, self.weight_name, self.groups, self.times))

    def _same(self, data: "Dataset") -> "Dataset":
        """Return data that were made of these with the notes of these."""
        return replace(data, notes=self.notes)

    def to_frame(self, backend: Backend = "pandas") -> "IntoDataFrame":
        """Return the rows with the original states, and a last column of counts or weights if rows have them.

        Columns of groups and times come first.
        """
        columns = {**name_times(self.groups, self.times), **state_columns(self.schema, self.codes)}
        if self.weights is not None:
            name = self.weight_name or ("count" if self.weights.dtype == np.int64 else "weight")
            while name in columns:
                name += "_"
            columns[name] = self.weights
        return make_frame(columns, backend)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in _MADE_AGAIN}

    def __len__(self) -> int:
        return self.n_rows

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        same_weights = (
            self.weights is other.weights
            if self.weights is None or other.weights is None
            else np.array_equal(self.weights, other.weights)
        )
        is_alike = (self.schema, self.groups, self.times) == (other.schema, other.groups, other.times)
        return is_alike and same_weights and np.array_equal(self.codes, other.codes)

    def __hash__(self) -> int:
        return hash((self.schema, self.n_rows, self.total))

    def __repr__(self) -> str:
        shown = list_names([f"{v.name} ({v.n_states})" for v in self.variables], 8)
        gaps = ", with gaps" if self.has_gaps else ""
        if self.groups is not None or self.times is not None:
            of = "" if self.groups is None else f" of {self.groups.in_words}"
            return f"<Dataset: {counted(self.total, 'row')}{of}{gaps}; {shown}>"
        return f"<Dataset: total {self.total:,} in {self.n_rows:,} different rows{gaps}; {shown}>"

    def shares(self, name: str, max_states: int = 12) -> str:
        """Return how common the states of a variable are, in words.

        Examples
        --------
        >>> import ldag
        >>> ldag.read({"rain": ["no", "no", "yes"]}).shares("rain")
        'no: 67 %, yes: 33 %'
        """
        variable = self.schema[self.schema.node(name)]
        counts = self.counts(name, observed=True)[0].tolist()
        if not any(counts):
            return "never observed"
        parts = [
            f"{state_in_words(variable, state)}: {spell_share(n / sum(counts))}"
            for state, n in zip(variable.states, counts, strict=True)
        ]
        return list_names(parts, max_states)

    def __str__(self) -> str:
        return "\n".join([repr(self), *(f"  {note}" for note in self.notes)])


def find_unobserved(schema: Schema, names: Iterable[str]) -> tuple[str, ...]:
    """Return the latent variables of a graph that a table has no column for; it must have one for all others."""
    known = tuple(names)
    without = [variable for variable in schema if variable.name not in known]
    for variable in without:
        if not variable.latent:
            where = "the graph is not over the variables of the data: they have "
            raise UnknownVariable(variable.name, known, where, "; if nobody observed it, declare it latent")
    return tuple(variable.name for variable in without)


def _joint(mine: Variable, theirs: Variable) -> Variable:
    """Return a variable with the states of both; sorted anew if both were found and not declared."""
    if mine == theirs:
        return mine
    if mine.cuts or theirs.cuts:
        raise DataError(
            f"the parts cut {mine.name!r} differently, at {mine.cuts} and {theirs.cuts}; read both with the same"
            f" {option('bins')}"
        )
    keys = {state_key(state) for state in mine.states}
    return replace(mine, states=(*mine.states, *(s for s in theirs.states if state_key(s) not in keys)))


def _join_groups(first: Dataset, second: Dataset) -> tuple[Groups | None, Times | None]:
    """Return the groups and times of two parts of one table, which both must have or none."""
    for what in ("groups", "times"):
        mine, theirs = getattr(first, what), getattr(second, what)
        names = [None if one is None else one.name for one in (mine, theirs)]
        if (mine is None) != (theirs is None) or (what == "groups" and names[0] != names[1]):
            spelled = option("groups" if what == "groups" else "time")
            raise DataError(f"the parts have different {what}, {names[0]!r} and {names[1]!r}; read both with {spelled}")
    groups = None if first.groups is None or second.groups is None else first.groups.join(second.groups)
    if first.times is None or second.times is None:
        return groups, None
    return groups, first.times.join(second.times, groups)
