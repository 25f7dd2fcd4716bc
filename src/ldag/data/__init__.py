"""Tables in, `Dataset` out."""

from ldag.data.coding import Coded, Column, recognise_column, row_keys
from ldag.data.counts import Codes, Columns, Weights, count_family
from ldag.data.dataset import Dataset, check_data, state_columns
from ldag.data.frames import Backend, make_frame
from ldag.data.reading import Cells, Missing, read, read_table
from ldag.data.tables import Table
from ldag.data.writing import Arrays, write_rows, write_separated

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
    "count_family",
    "make_frame",
    "read",
    "read_table",
    "recognise_column",
    "row_keys",
    "state_columns",
    "write_rows",
    "write_separated",
]
