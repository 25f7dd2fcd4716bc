"""Tables in, `Dataset` out."""

from ldag.data.coding import Coded, Column, recognised, row_keys
from ldag.data.counts import Codes, Columns, Weights, counts
from ldag.data.dataset import Dataset, check_data, state_columns
from ldag.data.frames import Backend, make_frame
from ldag.data.reading import Cells, Missing, read, read_table
from ldag.data.tables import Table
from ldag.data.writing import Arrays, write_rows, write_text

__all__ = [
    "Arrays",
    "Backend",
    "Cells",
    "Coded",
    "Codes",
    "Column",
    "Columns",
    "Dataset",
    "Missing",
    "Table",
    "Weights",
    "check_data",
    "counts",
    "make_frame",
    "read",
    "read_table",
    "recognised",
    "row_keys",
    "state_columns",
    "write_rows",
    "write_text",
]
