"""Tables written to files: what is written can be read."""

from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.data import state_columns, write_rows
from ldag.errors import DataError

DATA = ldag.read(
    {
        "a, b": ['x"y', "z,\tw", "z,\tw", "plain"],
        "number": [1, 2, 3, 3],
        "real": [0.1, 1e-7, 2.0, 0.1],
        "é": ["ü", "-", "-", "ü"],
    }
)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "TSV.GZ", "parquet"])
def test_what_is_written_can_be_read(ending: str, tmp_path: Path) -> None:
    """Quotes, separators, numbers and other scripts survive; so do more rows than fit a batch."""
    path = tmp_path / f"rows.{ending}"
    codes = np.tile(DATA.codes, 3000)
    write_rows(state_columns(DATA.schema, codes), path)
    found = ldag.read(path)
    assert found.total == codes.shape[1]
    assert found == ldag.Dataset.from_codes(DATA.schema, codes)


def test_other_endings_are_refused(tmp_path: Path) -> None:
    """The endings there are get listed, and nothing is written."""
    with pytest.raises(DataError, match=r"expected a name ending in .csv, .csv.gz, .tsv, .tsv.gz or .parquet"):
        write_rows(state_columns(DATA.schema, DATA.codes), tmp_path / "rows.xlsx")
    assert not list(tmp_path.iterdir())
