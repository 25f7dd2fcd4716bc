"""Rows that belong together: the visits of a patient, the waves of a person, the members of a matched set."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import EXACT, Column, number_in, plain_number, plain_state
from ldag.data.notes import Note
from ldag.data.rows import Weights, state_array
from ldag.errors import DataError, counted
from ldag.model import State, StateKey, state_key, state_order

_ENDING = re.compile(r"[ _.-]*(?:id|nr|no|num|number|code|key)$", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True, eq=False)
class Groups:
    """Which rows belong together: the column that says it, one label per group, and the group of every row.

    Labels are sorted as states are; a group has at least one row.
    """

    name: str
    labels: tuple[State, ...]
    codes: NDArray[np.int32]

    def __post_init__(self) -> None:
        self.codes.flags.writeable = False

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Groups):
            return NotImplemented
        return (self.name, self.labels) == (other.name, other.labels) and np.array_equal(self.codes, other.codes)

    def __hash__(self) -> int:
        return hash((self.name, len(self.labels)))

    @property
    def noun(self) -> str:
        """What one group is called, such as "patient" where the column is patient_id."""
        word = _ENDING.sub("", self.name).lower()
        return word if _WORD.fullmatch(word) else "group"

    @property
    def nouns(self) -> str:
        """What several groups are called."""
        noun = self.noun
        if re.search(r"[^aeiou]y$", noun):
            return noun[:-1] + "ies"
        return noun + ("es" if re.search(r"(s|x|z|ch|sh)$", noun) else "s")

    @property
    def in_words(self) -> str:
        """How many groups there are."""
        return counted(len(self), self.noun, self.nouns)

    @property
    def shown(self) -> NDArray[np.generic]:
        """The label of every row, as a column of a table."""
        column: NDArray[np.generic] = state_array(self.labels)[self.codes]
        return column

    def amounts(self, weights: Weights | None) -> NDArray[np.float64]:
        """Return how many rows every group has, of rows with these weights."""
        return np.bincount(self.codes, weights, len(self.labels)).astype(np.float64)

    def take(self, places: NDArray[np.integer] | NDArray[np.bool_]) -> "Groups":
        """Return the groups of some of the rows; those that are left without rows are gone."""
        used, codes = np.unique(self.codes[places], return_inverse=True)
        return Groups(self.name, tuple(self.labels[code] for code in used.tolist()), codes.astype(np.int32))

    def numbered(self, order: NDArray[np.intp]) -> "Groups":
        """Return the same groups in an order, with numbers for labels."""
        number = np.empty(len(order), dtype=np.int32)
        number[order] = np.arange(len(order))
        return Groups(self.name, tuple(range(len(order))), number[self.codes])

    def join(self, other: "Groups") -> "Groups":
        """Return the groups of these rows and after them those of others; equal labels are one group."""
        return number_groups(self.name, [*self.labels, *other.labels], _end_to_end(self, other))

    def describe(self, weights: Weights | None) -> str:
        """Say how many rows the groups have."""
        amounts = self.amounts(weights)
        if (amounts == 1).all():
            return f"every {self.noun} has one row; {self.nouns} change nothing"
        low, middle, high = amounts.min(), np.median(amounts), amounts.max()
        each = f"{low:,.10g} each" if low == high else f"{low:,.10g} to {high:,.10g} each, median {middle:,.10g}"
        return f"{counted(amounts.sum().item(), 'row')} of {self.in_words}, {each}"

    def note(self, weights: Weights | None) -> Note:
        """Return what reading tells of groups."""
        return Note(f"{self.name}: {self.describe(weights)}")


@dataclass(frozen=True, eq=False)
class GroupRows:
    """Which rows groups have: for every pair of a group and a different row, where that row is, and how often."""

    places: NDArray[np.intp]
    codes: NDArray[np.int32]
    times: NDArray[np.int64]
    n_groups: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows every group has."""
        return np.bincount(self.codes, self.times, self.n_groups).astype(np.int64)

    def count(self, draws: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how often every row occurs if groups occur so many times."""
        return np.bincount(self.places, self.times * draws[self.codes]).astype(np.int64)

    def add_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of values of rows over the rows of every group."""
        return np.bincount(self.codes, self.times * values[self.places], self.n_groups).astype(np.float64)


def _end_to_end(first: Groups, second: Groups) -> NDArray[np.int64]:
    """Return the places of labels, those of the second after those of the first."""
    return np.concatenate([first.codes.astype(np.int64), second.codes.astype(np.int64) + len(first.labels)])


def number_groups(name: str, labels: Iterable[State], positions: NDArray[np.integer]) -> Groups:
    """Make groups of labels, which may repeat, and the place of each row's among them; labels no row has are gone."""
    by_key: dict[StateKey, State] = {}
    given = list(labels)
    for label in given:
        by_key.setdefault(state_key(label), label)
    ordered = sorted(by_key.values(), key=state_order)
    code = {state_key(label): number for number, label in enumerate(ordered)}
    codes = np.array([code[state_key(label)] for label in given], dtype=np.int32)[positions]
    return Groups(name, tuple(ordered), codes).take(np.ones(len(codes), dtype=np.bool_))


def read_groups(column: Column) -> Groups:
    """Take a tidy column for what says which rows belong together; every cell must have a value."""
    refuse_empty(column, "a row without a group", "say what it belongs to")
    if (column.positions == column.positions[0]).all():
        label = plain_labels(column)[int(column.positions[0])]
        raise DataError(f"column {column.name!r} has one group only, {label!r}; without groups, all rows are alike")
    return number_groups(column.name, plain_labels(column), column.positions)


def refuse_empty(column: Column, what: str, must: str) -> None:
    """Refuse a column with missing cells that every row must have a value in."""
    used = np.unique(column.positions)
    gaps = [position for position in used.tolist() if position < 0 or column.gaps[position]]
    if gaps:
        n_missing = int(np.isin(column.positions, gaps).sum())
        raise DataError(
            f"{column.where(gaps[0])}{what} ({counted(n_missing, 'missing cell')} in all); every row must {must}: "
            "leave such rows out of the table"
        )


def plain_labels(column: Column) -> list[State]:
    """Return the values of a tidy column as plain states; texts are numbers if all of them are. A gap is "" here."""
    if not column.text:
        labels = [plain_state(value, column.name) for value in column.values]
    else:
        texts = [str(value).strip() for value in column.values]
        numbers = [None if gap else number_in(text) for text, gap in zip(texts, column.gaps, strict=True)]
        is_all = all(gap or number is not None for number, gap in zip(numbers, column.gaps, strict=True))
        labels = [*numbers] if is_all else [*texts]
    for value, label in zip(column.values, labels, strict=True):
        if isinstance(value, float) and abs(value) >= EXACT:
            raise DataError(
                f"column {column.name!r} holds {value:.17g}: numbers beyond {EXACT:,} are not told apart where they "
                f"are real ones; write them as texts, got {label!r}"
            )
    return ["" if label is None else plain_number(label) if isinstance(label, float) else label for label in labels]
