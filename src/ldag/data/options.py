"""What can be asked of reading, checked once for every door."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args

from ldag.checks import check_choice, is_whole
from ldag.data.binning import Binning, Bins, check_bins
from ldag.data.coding import MAX_STATES
from ldag.data.columns import MISSING_TEXT
from ldag.data.doors import Wording
from ldag.data.encodings import check_encoding
from ldag.data.text_files import check_separator
from ldag.data.values import plain_state
from ldag.errors import ArgumentError, suggest
from ldag.model import OrderedStates, State, Variable

Missing = Literal["error", "drop", "state", "auto"]
"""What to do with missing cells."""

Unusable = Literal["auto", "error", "drop"]
"""What to do with columns that cannot be variables; "auto" leaves out identifiers and refuses others."""

MAX_STATES_DEFAULT = 64
"""A text column with more values than this is more often an identifier than a variable."""


PYTHON = Wording("python")


@dataclass(frozen=True)
class ReadOptions:
    """All options of `read`, and the door they came by."""

    counts: str | None = None
    weights: str | None = None
    states: Mapping[str, Iterable[State] | Variable] | None = None
    columns: Sequence[str] | None = None
    names: Sequence[str] | None = None
    bins: Bins | Mapping[str, Bins] = "auto"
    missing: Missing = "error"
    max_states: int = MAX_STATES_DEFAULT
    na: Sequence[str] = ()
    sep: str | None = None
    encoding: str | None = None
    unusable: Unusable = "auto"
    wording: Wording = PYTHON

    def __post_init__(self) -> None:
        spell = self.wording.option
        if self.counts is not None and self.weights is not None:
            raise ArgumentError(f"give either {spell('counts')} or {spell('weights')}, not both")
        if self.missing not in get_args(Missing):
            raise ArgumentError(
                f"{spell('missing').rstrip('=')} must be one of {', '.join(get_args(Missing))}, got {self.missing!r}"
            )
        if not is_whole(self.max_states) or not 1 <= self.max_states <= MAX_STATES:
            raise ArgumentError(
                f"{spell('max_states').rstrip('=')} must be between 1 and {MAX_STATES}, got {self.max_states!r}"
            )
        check_choice(self.unusable, get_args(Unusable), "unusable")
        check_separator(self.sep, self.wording)
        check_encoding(self.encoding, self.wording)
        if isinstance(self.na, str) or not all(isinstance(text, str) for text in self.na):
            raise ArgumentError(f"{spell('na')} must be a list of texts such as ['?', '-'], got {self.na!r}")

    @property
    def missing_texts(self) -> frozenset[str]:
        """Cells of a text file that are missing."""
        return MISSING_TEXT | {text.strip() for text in self.na}

    def check_no_text(self, source: str, unless: Sequence[str] = ()) -> None:
        """Refuse options of text files for a source that is none, but those in ``unless``."""
        given = {"names": self.names, "na": self.na or None, "sep": self.sep}
        given["encoding"] = None if self.encoding == "auto" else self.encoding
        for name, value in given.items():
            if value is not None and name not in unless:
                raise ArgumentError(f"{self.wording.option(name)} is for text files; {source}")

    def refuses(self, column: str, is_spare: bool) -> bool:
        """Whether a column that cannot be a variable is refused; one that was asked for by name is not spare."""
        if self.unusable != "auto":
            return self.unusable == "error"
        return not is_spare or column in (self.columns or ())

    def is_default(self) -> bool:
        """Whether nothing is asked."""
        return self == ReadOptions(wording=self.wording)

    def binning(self, name: str, names: Sequence[str]) -> tuple[Binning, bool]:
        """Return how a column is cut, and whether it was named."""
        if not isinstance(self.bins, Mapping):
            return check_bins(self.bins, self.wording.option("bins").rstrip("=")), False
        for given in self.bins:
            if given not in names:
                hint = suggest(given, names)
                raise ArgumentError(
                    f"{self.wording.option('bins').rstrip('=')}: the table has no column {given!r}{hint}"
                )
        if name not in self.bins:
            return Binning("auto"), False
        return check_bins(self.bins[name], f"{self.wording.option('bins').rstrip('=')} of {name!r}"), True

    def declared(self, names: Sequence[str]) -> dict[str, Variable]:
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
            found = [plain_state(state, name) for state in given]
            ordered = isinstance(given, OrderedStates)
            declared[name] = Variable(name, tuple(cast("list[State]", found)), ordered)  # refuses a missing value
        return declared

    def chosen(self, names: Sequence[str]) -> list[int]:
        """Return the places of the columns to read, the column of counts or weights among them."""
        if self.columns is None:
            return list(range(len(names)))
        if isinstance(self.columns, str) or not isinstance(self.columns, Sequence):
            raise ArgumentError(f"{self.wording.option('columns')} must be a list of names, got {self.columns!r}")
        for name in self.columns:
            if name not in names:
                hint = suggest(name, names)
                raise ArgumentError(
                    f"{self.wording.option('columns').rstrip('=')}: the table has no column {name!r}{hint}"
                )
        amounts = [name for name in (self.counts, self.weights) if name is not None and name not in self.columns]
        wanted = list(dict.fromkeys([*self.columns, *(name for name in amounts if name in names)]))
        return [names.index(name) for name in wanted]
