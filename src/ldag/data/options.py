"""What can be asked of reading, checked once for every door."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict, cast, get_args

from ldag._native import MAX_STATES
from ldag.checks import check_choice, is_whole
from ldag.data.columns import MISSING_TEXT, plain_state
from ldag.data.measurements import Binning, Bins, check_bins
from ldag.data.text_files import Dates, check_encoding, check_separator, check_spelling
from ldag.errors import ArgumentError, argument, option, suggest
from ldag.model import OrderedStates, State, Variable

Missing = Literal["error", "keep", "drop", "state", "auto"]
"""What to do with missing cells."""

Unusable = Literal["auto", "error", "drop"]
"""What to do with columns that cannot be variables; "auto" leaves out identifiers and refuses others."""

MAX_STATES_DEFAULT = 64
"""A text column with more values than this is more often an identifier than a variable."""


class Reading(TypedDict, total=False):
    """Options of `read`, which every function that takes a table takes as well."""

    counts: str | None
    weights: str | None
    states: Mapping[str, Iterable[State]] | None
    columns: Sequence[str] | None
    names: Sequence[str] | None
    bins: Bins | Mapping[str, Bins]
    missing: Missing
    max_states: int
    na: Sequence[str]
    sep: str | None
    encoding: str | None
    unusable: Unusable
    decimal: str | None
    dates: Dates | None
    sheet: str | int | None
    keep: Sequence[str]
    groups: str | None
    time: str | bool | None


OF_TABLES = ("columns", "unusable", "keep")
OF_STATES = ("states", "bins", "max_states")
"""Options that say which columns are read, and what states they have; a graph says this of its variables."""


@dataclass(frozen=True)
class ReadOptions:
    """All options of `read`, and what the door that asks does with gaps.

    ``use_of_gaps`` says so in words where the door can use them: then "auto" keeps them.
    """

    counts: str | None = None
    weights: str | None = None
    states: Mapping[str, Iterable[State] | Variable] | None = None
    columns: Sequence[str] | None = None
    names: Sequence[str] | None = None
    bins: Bins | Binning | Mapping[str, Bins] = "auto"
    missing: Missing = "error"
    max_states: int = MAX_STATES_DEFAULT
    na: Sequence[str] = ()
    sep: str | None = None
    encoding: str | None = None
    unusable: Unusable = "auto"
    decimal: str | None = None
    dates: Dates | None = None
    sheet: str | int | None = None
    keep: Sequence[str] = ()
    groups: str | None = None
    time: str | bool | None = None
    use_of_gaps: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.counts is not None and self.weights is not None:
            raise ArgumentError(f"give either {option('counts')} or {option('weights')}, not both")
        if self.missing not in get_args(Missing):
            raise ArgumentError(
                f"{argument('missing')} must be one of {', '.join(get_args(Missing))}, got {self.missing!r}"
            )
        if not is_whole(self.max_states) or not 1 <= self.max_states <= MAX_STATES:
            raise ArgumentError(f"{argument('max_states')} must be between 1 and {MAX_STATES}, got {self.max_states!r}")
        check_choice(self.unusable, get_args(Unusable), "unusable")
        check_separator(self.sep)
        check_encoding(self.encoding)
        check_spelling(self.decimal, self.dates)
        if self.sheet is not None and (not isinstance(self.sheet, str | int) or isinstance(self.sheet, bool)):
            raise ArgumentError(
                f"{option('sheet')} must be the name of a sheet, or its number from 1, got {self.sheet!r}"
            )
        if isinstance(self.na, str) or not all(isinstance(text, str) for text in self.na):
            raise ArgumentError(f"{option('na')} must be a list of texts such as ['?', '-'], got {self.na!r}")
        if isinstance(self.keep, str) or not all(isinstance(name, str) for name in self.keep):
            raise ArgumentError(f"{option('keep')} must be a list of names of columns, got {self.keep!r}")
        self._check_aside()

    def _check_aside(self) -> None:
        """Refuse columns of groups and times that are asked for as something else."""
        if self.groups is not None and not isinstance(self.groups, str):
            raise ArgumentError(f"{option('groups')} must be the name of a column, got {self.groups!r}")
        if self.time is not None and self.time is not True and not isinstance(self.time, str):
            raise ArgumentError(
                f"{option('time')} must be the name of a column, or True for rows in their order, got {self.time!r}"
            )
        if self.time is not None and self.is_counted:
            amount = "counts" if self.counts is not None else "weights"
            raise ArgumentError(f"{option('time')}: rows that follow each other occur once; leave out {option(amount)}")
        for what, name in (("groups", self.groups), ("time", self.time)):
            others: dict[str, object] = {"counts": [self.counts], "weights": [self.weights], "keep": self.keep}
            others |= {"columns": self.columns or (), "bins": self.bins if isinstance(self.bins, Mapping) else ()}
            others |= {"time": [self.time]} if what == "groups" else {}
            others |= {"states": self.states or ()} if what == "groups" else {}
            for other, names in others.items():
                if isinstance(name, str) and name in cast("Sequence[object]", names):
                    is_variable = other not in ("counts", "weights", "time")
                    instead = "such a column is no variable" if is_variable else "it cannot be both"
                    raise ArgumentError(f"{option(what, name)}: {argument(other)} names it too; {instead}")

    @property
    def aside(self) -> tuple[str, ...]:
        """The columns of groups and of times, which are no variables."""
        return tuple(name for name in (self.groups, self.time) if isinstance(name, str))

    @property
    def missing_texts(self) -> frozenset[str]:
        """Cells of a text file that are missing."""
        return MISSING_TEXT | {text.strip() for text in self.na}

    @property
    def is_counted(self) -> bool:
        """Whether a column says how often each row occurs."""
        return self.counts is not None or self.weights is not None

    def check_no_text(self, source: str, unless: Sequence[str] = ()) -> None:
        """Refuse options of text files for a source that is none, but those in ``unless``."""
        given = {"names": self.names, "na": self.na or None, "sep": self.sep, "decimal": self.decimal}
        given |= {"dates": self.dates, "encoding": None if self.encoding == "auto" else self.encoding}
        for name, value in given.items():
            if value is not None and name not in unless:
                raise ArgumentError(f"{option(name)} is for text files; {source}")
        if "sheet" not in unless:
            self.check_no_sheet(source)

    def check_no_sheet(self, source: str) -> None:
        """Refuse the name of a sheet for a source that has none."""
        if self.sheet is not None:
            raise ArgumentError(f"{option('sheet')} is for workbooks (.xlsx); {source}")

    def name_columns(self, names: Sequence[str]) -> tuple[str, ...]:
        """Name columns without a name, the first of which is usually a row index, if unusable ones are left out."""
        if self.unusable == "error":
            return tuple(names)
        own = tuple(name or ("row" if place == 0 else f"column {place + 1}") for place, name in enumerate(names))
        return own if len(set(own)) == len(own) else tuple(names)

    def refuses(self, column: str, is_spare: bool) -> bool:
        """Whether a column that cannot be a variable is refused; one that was asked for by name is not spare."""
        if self.unusable == "error" or self.asks_for(column):
            return True
        return self.unusable == "auto" and not is_spare

    def asks_for(self, column: str) -> bool:
        """Whether a column was named by who reads the table."""
        return column in (self.columns or ()) or column in self.keep

    def check_kept(self, names: Sequence[str]) -> None:
        """Refuse to keep columns that are not there."""
        for name in self.keep:
            if name not in names:
                spelled = argument("keep")
                raise ArgumentError(f"{spelled}: the table has no column {name!r}{suggest(name, names)}")

    def is_default(self) -> bool:
        """Whether nothing is asked."""
        return self == ReadOptions()

    def binning(self, name: str, names: Sequence[str]) -> tuple[Binning, bool]:
        """Return how a column is cut, and whether it was named."""
        if self.bins == "auto":
            return Binning("auto"), False
        if not isinstance(self.bins, Mapping):
            binning = check_bins(self.bins, argument("bins"))
            self._check_target(binning, names, argument("bins"))
            return (Binning("auto") if binning.target == name else binning), False  # which is not cut for itself
        for given in self.bins:
            if given not in names:
                hint = suggest(given, names)
                raise ArgumentError(f"{argument('bins')}: the table has no column {given!r}{hint}")
        if name not in self.bins:
            return Binning("auto"), False
        where = f"{argument('bins')} of {name!r}"
        binning = check_bins(self.bins[name], where)
        self._check_target(binning, names, where)
        if binning.target == name:
            raise ArgumentError(f"{where}: a column cannot be cut for itself")
        return binning, True

    @staticmethod
    def _check_target(binning: Binning, names: Sequence[str], where: str) -> None:
        """Refuse to cut for a column that is not there."""
        if binning.method == "target" and binning.target not in names:
            raise ArgumentError(f"{where}: the table has no column {binning.target!r}{suggest(binning.target, names)}")

    def declare(self, names: Sequence[str]) -> dict[str, Variable]:
        """Check the declared states."""
        if self.states is None:
            return {}
        if not isinstance(self.states, Mapping):
            raise ArgumentError(
                f"states maps columns to their states, such as {{'x': ['no', 'yes']}}, got {self.states!r}"
            )
        declared = {}
        for name, given in self.states.items():
            if name not in names:
                raise ArgumentError(f"states: the table has no column {name!r}{suggest(name, names)}")
            if isinstance(given, Variable):
                declared[name] = given
                continue
            if isinstance(given, str) or not isinstance(given, Iterable):
                raise ArgumentError(f"states of {name!r} must be a list of states, got {given!r}")
            states = tuple(plain_state(state, name) for state in given)
            ordered = isinstance(given, OrderedStates)
            declared[name] = Variable(name, cast("tuple[State, ...]", states), ordered)  # refuses a missing value
        return declared

    def choose_places(self, names: Sequence[str]) -> list[int]:
        """Return the places of the columns to read, the column of counts or weights among them."""
        if self.columns is None:
            return list(range(len(names)))
        if isinstance(self.columns, str) or not isinstance(self.columns, Sequence):
            raise ArgumentError(f"{option('columns')} must be a list of names, got {self.columns!r}")
        for name in self.columns:
            if name not in names:
                hint = suggest(name, names)
                raise ArgumentError(f"{argument('columns')}: the table has no column {name!r}{hint}")
        amounts = [name for name in (self.counts, self.weights) if name is not None and name not in self.columns]
        wanted = list(dict.fromkeys([*self.columns, *(name for name in amounts if name in names)]))
        return [names.index(name) for name in wanted]
