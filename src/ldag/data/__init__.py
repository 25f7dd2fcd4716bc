"""Tables in, `Dataset` out."""

from ldag.data.coding import Coded, recognise_column
from ldag.data.columns import Column
from ldag.data.counts import Codes, Columns, Weights, count_family
from ldag.data.dataset import Dataset, check_data, state_columns
from ldag.data.doors import Wording
from ldag.data.frames import Backend, make_frame
from ldag.data.options import Missing, ReadOptions, Unusable
from ldag.data.reading import Cells, read, read_table, read_with
from ldag.data.rows import row_keys
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
    "ReadOptions",
    "Table",
    "Unusable",
    "Weights",
    "Wording",
    "check_data",
    "count_family",
    "make_frame",
    "read",
    "read_table",
    "read_with",
    "recognise_column",
    "row_keys",
    "state_columns",
    "write_rows",
    "write_separated",
]
