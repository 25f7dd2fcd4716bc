"""Numbers of a column: where measurements are cut, and numbers that measure nothing.

A measurement of whole numbers has ties: n numbers up to R have about n^2 / 2R pairs of equal ones, more if some numbers
are commoner than others. A column that has far fewer numbers its rows. What comes several times is known by its name
only, since ages and years may come equally often, too.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from ldag.checks import is_whole
from ldag.data.rows import Weights
from ldag.data.tables import Distinct
from ldag.errors import ArgumentError
from ldag.model import Cuts, check_cuts

Method = Literal["auto", "quantile", "width", "information", "target", "model", "cuts", "none"]
Bins = str | int | Sequence[float] | Sequence[str] | None
"""How to cut one: "auto", a number of quantiles, cut points, "quantile:4", "width:5", "information:4", "target:y",
"model"."""

MANY_VALUES = 20
"""Columns of more different numbers than this are taken for measurements; Likert scales and small counts have fewer."""

AUTO_BINS = 4
"""Quartiles: enough to see a bend, few enough that families stay small."""

FINE_BINS = {"information": 50, "model": 32}
"""Quantiles whose neighbours are joined, by method; more are hardly filled in most tables."""

SHORT = 6
"""Digits of a cut point that people still read; more are kept only where values lie closer together."""


@dataclass(frozen=True)
class Binning:
    """How one column is to be cut, if it has more different numbers than ``many`` or is named.

    One that is cut for a target has two bins, at its median, where no cut ``pays``. With a seed in ``drawn``, its cut
    points are those of as many observations drawn with replacement.
    """

    method: Method
    n_bins: int = AUTO_BINS
    cuts: Cuts = ()
    target: str = ""
    pays: bool = True
    many: int = MANY_VALUES
    drawn: tuple[int, ...] = ()

    @property
    def in_words(self) -> str:
        """What kind of cut points these are."""
        if self.method in ("auto", "quantile"):
            return " (quartiles)" if self.n_bins == 4 else f" ({self.n_bins} quantiles)"
        if self.method == "width":
            return f" ({self.n_bins} equal widths)"
        if self.method == "target":
            return f" (for {self.target})" if self.pays else f" (the median: no cut tells of {self.target})"
        return {"information": " (keeping information)", "model": " (chosen with a graph)"}.get(self.method, "")


def check_bins(bins: object, where: str) -> Binning:
    """Return what is asked for one column, or for all."""
    if isinstance(bins, Binning):
        return bins
    if bins is None or bins == "none":
        return Binning("none")
    if isinstance(bins, str):
        method, colon, number = bins.partition(":")
        if bins in ("auto", "model"):
            return Binning(cast("Method", bins))
        if method == "target" and number.strip():
            return Binning("target", 2, target=number.strip())
        if method in ("quantile", "width", "information") and (number.isascii() and number.isdigit()):
            return Binning(cast("Method", method), _number_of_bins(int(number), where))
        if colon or not bins.isdigit():
            raise ArgumentError(
                f"{where} must be auto, model, none, a number of bins, cut points, or one of quantile:4, width:5, "
                f"information:4, target:NAME, got {bins!r}"
            )
        return Binning("quantile", _number_of_bins(int(bins), where))
    if is_whole(bins):
        return Binning("quantile", _number_of_bins(cast("int", bins), where))
    if isinstance(bins, Iterable) and not isinstance(bins, Mapping | bytes):
        cuts = check_cuts(cast("Iterable[object]", bins), where)
        if not cuts:
            raise ArgumentError(f"{where}: give at least one cut point")
        return Binning("cuts", len(cuts) + 1, cuts)
    raise ArgumentError(f"{where} must be 'auto', None, a number of bins or a list of cut points, got {bins!r}")


def find_cuts(values: Distinct, times: NDArray[np.int64] | NDArray[np.float64], binning: Binning) -> Cuts:
    """Return the cut points of a measurement with these different values, in order, and how often each occurs.

    Every bin holds at least one of the values, and digits that separate no values are rounded away. Where quantiles
    fall together there are fewer bins. Dates are cut at dates that occur.
    """
    if binning.method == "cuts":
        return binning.cuts
    n_bins = FINE_BINS.get(binning.method, binning.n_bins)
    if values.dtype == object or times.dtype != np.int64:
        cuts = _present_cuts(values, times, n_bins)
    elif binning.method == "width":
        cuts = np.linspace(values[0], values[-1], n_bins + 1)[1:-1]
    else:
        cuts = quantiles(values, cast("NDArray[np.int64]", times), np.arange(1, n_bins) / n_bins)
    return _separating(values, cuts)


def cut_between(values: Distinct, ends: Sequence[int]) -> Cuts:
    """Return the cut points above some of the values, by their numbers: half way to the next, or at the date itself."""
    low, high = values[list(ends)], values[[end + 1 for end in ends]]
    if values.dtype == object:
        return cast("Cuts", tuple(low.tolist()))
    middle = low + (high - low) / 2
    return _separating(values, np.where(middle < high, middle, low))


def quantiles(values: Distinct, times: NDArray[np.int64], shares: NDArray[np.float64]) -> Distinct:
    """Return quantiles by linear interpolation, those of ``numpy.quantile`` of every value so many times."""
    ends = np.cumsum(times)
    places = shares * (ends[-1] - 1)
    below = np.floor(places).astype(np.int64)
    low = values[np.searchsorted(ends, below, side="right")]
    high = values[np.searchsorted(ends, np.minimum(below + 1, ends[-1] - 1), side="right")]
    part = places - below
    return cast("Distinct", np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part)))


def _present_cuts(values: Distinct, times: NDArray[np.int64] | NDArray[np.float64], n_bins: int) -> Distinct:
    """Return the first values that at least 1/n, 2/n, ... of the observations do not exceed."""
    ends = np.cumsum(times) / np.sum(times)
    shares = np.arange(1, n_bins) / n_bins
    return values[np.minimum(np.searchsorted(ends, shares - 1e-12), len(values) - 1)]


def _separating(values: Distinct, cuts: Distinct) -> Cuts:
    """Keep one cut point of those between the same two values, and none that has no value above it."""
    places = np.minimum(np.searchsorted(values, cuts, side="right"), len(values) - 1)  # values up to the cut point
    kept: dict[int, float | str] = {}
    for place, cut in zip(places.tolist(), cuts.tolist(), strict=True):
        if place > 0:
            kept.setdefault(place, _short(cut, values) if cut < values[-1] else values[place - 1])
    return cast("Cuts", tuple(kept.values()))


def _short(cut: float | str, values: Distinct) -> float | str:
    """Return a cut point with as few digits, at least six, as leave every value on its side."""
    if isinstance(cut, str):
        return cut
    place = np.searchsorted(values, cut, side="right")
    shorter = (float(f"{cut:.{digits}g}") for digits in range(SHORT, 17))
    return next((number for number in shorter if np.searchsorted(values, number, side="right") == place), cut)


def measure_bins(values: Distinct, cuts: Cuts) -> NDArray[np.float64]:
    """Return the width of every bin between the least and the greatest value; dates count how many there are.

    A value stands for what lies between it and its neighbour below, as a whole number for the unit below it. The least
    value has no such neighbour: the median distance of neighbours is put there, so that no bin has width zero.
    """
    if values.dtype == object:
        points = np.searchsorted(values, np.array(cuts, dtype=object), side="right") - 1.0
        values = np.arange(len(values), dtype=np.float64)
    else:
        points = np.array(cuts, dtype=np.float64)
    least = values[0] - np.median(np.diff(values))
    return np.diff(np.concatenate([[least], points, values[-1:]]))


def join_intervals(
    codes: NDArray[np.int64],
    n_states: Sequence[int],
    weights: NDArray[np.float64],
    targets: Mapping[int, int],
) -> dict[int, list[int]]:
    """Join neighbouring intervals of some columns until each has its number, losing the least mutual information.

    Hartemink's way: in turn, each column that still has too many intervals joins the two neighbours after which the
    sum of its mutual informations with all other columns is largest. A row with a gap (-1) in either of two columns
    does not count for them.

    Parameters
    ----------
    codes
        A row per column, a code per observation.
    n_states
        States of each column.
    weights
        How often each observation occurs.
    targets
        How many intervals a column is to have in the end.

    Returns
    -------
    For each such column, the last code of every interval but the last, in the codes it had.
    """
    work = codes.copy()
    sizes = list(n_states)
    ends = {place: list(range(sizes[place])) for place in targets}
    while True:
        todo = [place for place, target in targets.items() if sizes[place] > target]
        if not todo:
            return {place: last[:-1] for place, last in ends.items()}
        for place in todo:
            best = _best_join(work, sizes, weights, place)
            work[place] -= work[place] > best
            sizes[place] -= 1
            del ends[place][best]


def _best_join(codes: NDArray[np.int64], sizes: list[int], weights: NDArray[np.float64], place: int) -> int:
    """Return the first of two neighbouring intervals whose joining keeps most information."""
    kept = np.zeros(sizes[place] - 1)
    for other in range(len(codes)):
        if other == place:
            continue
        both = (codes[place] >= 0) & (codes[other] >= 0)
        table = np.zeros((sizes[place], sizes[other]))
        np.add.at(table, (codes[place][both], codes[other][both]), weights[both])
        kept += _information_after_joins(table)
    return int(np.argmax(kept >= kept.max() - 1e-12))


def _information_after_joins(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mutual information of a table after joining each pair of neighbouring rows.

    Joining changes the terms of two rows only, so the whole is computed once.
    """
    total = table.sum()
    if total == 0:
        return np.zeros(len(table) - 1)
    joined = table[1:] + table[:-1]
    columns = table.sum(axis=0)
    rows, pairs = _row_terms(table, columns, total), _row_terms(joined, columns, total)
    return cast("NDArray[np.float64]", rows.sum() - rows[1:] - rows[:-1] + pairs)


def _row_terms(table: NDArray[np.float64], columns: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return what each row adds to the mutual information."""
    expected = table.sum(axis=1, keepdims=True) * columns / total
    ratio = np.divide(table, expected, out=np.ones_like(table), where=table > 0)
    return cast("NDArray[np.float64]", (table / total * np.log(ratio)).sum(axis=1))


def _number_of_bins(number: int, where: str) -> int:
    if not 2 <= number <= 50:
        raise ArgumentError(f"{where}: a number of bins must be from 2 to 50, got {number}")
    return number


INDEX_NAMES = ("index", "row", "rownames", "row.names", "unnamed: 0", "__index_level_0__")
"""Names under which programs write row numbers or row names along with a table."""

_ONE_BY_ONE = re.compile(r"no|obs|key|index|row")
"""Last words of names of identifiers of rows; where their numbers come again, they may name anything."""

_PERSONS = re.compile(
    r"ids?|nr|idno|idnum|ident|identifier|uid|pid|sid|hid|guid|uuid|seqn|case|subject|subj|patient|ptid|person|participant"
    r"|respondent|individual|indiv|proband"
    r"|(case|child|client|country|county|customer|fam|family|firm|hh|house|household|id|match|member|obs|order|pat|patient"
    r"|pers|person|plot|record|resp|sample|sch|school|seq|state|student|study|sub|subj|subject|town|unit|user|vill"
    r"|village)(id|no|nr|num|nbr|number|case)"
)
"""Last words of names of columns that number persons, who may come several times, and other things by number."""

_SETS = re.compile(r"stratum|strata|matchset|psu")
_PLACES = re.compile(
    r"pair|household|hh|family|litter|cluster|school|hospital|clinic|firm|village|commune|city|county|country|district"
    r"|state|fips?|zip|zipcode|postcode|tract"
)
"""Last words of names of whole numbers that are those of matched sets; names of those of places and other groups."""

_NUMBER = re.compile(r"no|nr|num|number|nbr|code")
"""Last words that say so."""

_MEASURED = re.compile(
    r"years?|yr|ages?|times?|t|months?|weeks?|days?|date|hours?|minutes?|seconds?|period|quarter|season|rank|score|dist"
    r"|distance|depth|length|height|width|size|dose|temp|temperature|counts?|freq|frequency"
)
"""Words of names of columns that may go through all numbers in turn, and are measurements still."""

_WEIGHTS = r"(weights?|wght|wgts?|wts?)"
_SURVEY_WEIGHTS = re.compile(
    rf"(p|psp|samp\w*|survey|svy|fin|fnl|final|person|hh|design|base|pop\w*)[._ ]?{_WEIGHTS}|wt(int|mec|sa|dr|ss)\w*"
    r"|(weights|wgts|wts)"
)
_OFTEN_WEIGHTS = re.compile(rf"((an|d|s|post|ps|case)[._ ]?)?{_WEIGHTS}")
"""Names of columns of survey weights, and names that those of bodies have as often."""

FEWEST_ROWS = 100
"""Rows below which numbers that all differ may be measured, unless they are all numbers in turn or are called so."""

NEARLY_ALL = 0.95
"""A share of different numbers in a column that may number its rows."""

UNLIKELY = 1e-4
"""A probability of so few ties at which numbers are no measurement."""


def is_index(name: str) -> bool:
    """Whether a name is one under which row numbers are written."""
    return name.strip().lower() in INDEX_NAMES


def is_name_of_rows(name: str) -> bool:
    """Whether a column of this name, whose values all differ, is an identifier."""
    return is_index(name) or _ONE_BY_ONE.fullmatch(_words(name)[-1]) is not None or is_name_of_persons(name)


def is_name_of_persons(name: str) -> bool:
    """Whether a name is that of an identifier of persons, who may come several times."""
    words = _words(name)
    return words[0] == "id" or _PERSONS.fullmatch(words[-1]) is not None


def is_name_of_groups(name: str) -> bool:
    """Whether whole numbers of this name are those of things that come several times."""
    words = _words(name)
    is_place = len(words) == 1 and _PLACES.fullmatch(words[0]) is not None
    return is_name_of_persons(name) or is_place or _SETS.fullmatch(words[-1]) is not None


def _words(name: str) -> list[str]:
    """Return the words of a name, without a last one that says that it is a number."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = [word.lower() for word in re.split(r"[^A-Za-z]+", spaced) if word] or [name.lower()]
    return words[:-1] if len(words) > 1 and _NUMBER.fullmatch(words[-1]) else words


def is_row_number(name: str, values: Distinct, times: Weights) -> bool:
    """Whether whole numbers have too few ties to be measured, or go through all numbers in turn."""
    n, span = float(times.sum()), float(values[-1] - values[0] + 1)
    if len(values) < NEARLY_ALL * n or any(map(_MEASURED.fullmatch, _words(name))):
        return False
    if len(values) == n == span or is_name_of_rows(name):
        return True
    if _has_only_days(values):
        return False
    ties = float((times * (times - 1)).sum()) / 2
    return n >= FEWEST_ROWS and _at_most(ties, n * (n - 1) / 2 / span) < UNLIKELY


def _has_only_days(values: Distinct) -> bool:
    """Whether numbers are dates such as 20200131, each of which comes once in a table of days."""
    month, day = values // 100 % 100, values % 100
    return bool(((values >= 1e7) & (values < 1e8) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


def _at_most(count: float, expected: float) -> float:
    """Return the probability of at most so many if this many are expected, by the distribution of rare events."""
    if count >= expected:
        return 1.0
    terms = np.arange(int(count) + 1)
    logs = terms * log(expected) - expected - np.array([lgamma(term + 1) for term in terms.tolist()])
    return float(exp(logs.max()) * np.exp(logs - logs.max()).sum())


def is_survey_weight(name: str, values: Distinct, times: Weights) -> bool:
    """Whether positive numbers may say how many others a row stands for, by their name and, if need be, their mean."""
    if values.dtype == object or len(values) <= MANY_VALUES or values[0] < 0:
        return False
    spelled = name.strip().lower()
    mean = float((values * times).sum() / times.sum())
    is_plain = re.fullmatch(_WEIGHTS, spelled) is not None
    return _SURVEY_WEIGHTS.fullmatch(spelled) is not None or (
        _OFTEN_WEIGHTS.fullmatch(spelled) is not None and (0.9 if is_plain else 0.2) < mean < (1.1 if is_plain else 1.5)
    )
