"""Columns that name or number rows, persons or sets, and columns of survey weights: told by their names and values.

A measurement of whole numbers has ties: n numbers up to R have about n^2 / 2R pairs of equal ones, more if some numbers
are commoner than others. A column that has far fewer numbers its rows. What comes several times is known by its name
only, since ages and years may come equally often, too.
"""

import re
from math import exp, lgamma, log

import numpy as np

from ldag.data.binning import MANY_VALUES, Distinct
from ldag.data.counts import Weights

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


def names_rows(name: str) -> bool:
    """Whether a column of this name, whose values all differ, is an identifier."""
    return is_index(name) or _ONE_BY_ONE.fullmatch(_words(name)[-1]) is not None or names_persons(name)


def names_persons(name: str) -> bool:
    """Whether a name is that of an identifier of persons, who may come several times."""
    words = _words(name)
    return words[0] == "id" or _PERSONS.fullmatch(words[-1]) is not None


def names_groups(name: str) -> bool:
    """Whether whole numbers of this name are those of things that come several times."""
    words = _words(name)
    is_place = len(words) == 1 and _PLACES.fullmatch(words[0]) is not None
    return names_persons(name) or is_place or _SETS.fullmatch(words[-1]) is not None


def _words(name: str) -> list[str]:
    """Return the words of a name, without a last one that says that it is a number."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = [word.lower() for word in re.split(r"[^A-Za-z]+", spaced) if word] or [name.lower()]
    return words[:-1] if len(words) > 1 and _NUMBER.fullmatch(words[-1]) else words


def number_rows(name: str, values: Distinct, times: Weights) -> bool:
    """Whether whole numbers have too few ties to be measured, or go through all numbers in turn."""
    n, span = float(times.sum()), float(values[-1] - values[0] + 1)
    if len(values) < NEARLY_ALL * n or any(map(_MEASURED.fullmatch, _words(name))):
        return False
    if len(values) == n == span or names_rows(name):
        return True
    if _are_days(values):
        return False
    ties = float((times * (times - 1)).sum()) / 2
    return n >= FEWEST_ROWS and _at_most(ties, n * (n - 1) / 2 / span) < UNLIKELY


def _are_days(values: Distinct) -> bool:
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


def are_survey_weights(name: str, values: Distinct, times: Weights) -> bool:
    """Whether positive numbers may say how many others a row stands for, by their name and, if need be, their mean."""
    if values.dtype == object or len(values) <= MANY_VALUES or values[0] < 0:
        return False
    spelled = name.strip().lower()
    mean = float((values * times).sum() / times.sum())
    is_plain = re.fullmatch(_WEIGHTS, spelled) is not None
    return _SURVEY_WEIGHTS.fullmatch(spelled) is not None or (
        _OFTEN_WEIGHTS.fullmatch(spelled) is not None and (0.9 if is_plain else 0.2) < mean < (1.1 if is_plain else 1.5)
    )
