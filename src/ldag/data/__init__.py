"""Tables in, `Dataset` out."""

from ldag._native import Columns
from ldag.data.columns import Coded, Column, recognise_column
from ldag.data.database import Scratch
from ldag.data.dataset import (
    Codes,
    Dataset,
    Weights,
    check_cells,
    count_family,
    describe_data,
    describe_gaps,
    row_keys,
    state_columns,
)
from ldag.data.measurements import Bins
from ldag.data.options import Missing, Reading, ReadOptions, Unusable
from ldag.data.reading import AnyTable, Cells, read, read_table, read_with
from ldag.data.tables import MemoryTable, Table, select_columns
from ldag.data.taking import check_data, note_ignored, read_for
from ldag.data.text_files import Dates
from ldag.data.writing import Arrays, Backend, make_frame, write_rows, write_separated

__all__ = [
    "AnyTable",
    "Arrays",
    "Backend",
    "Bins",
    "Cells",
    "Coded",
    "Codes",
    "Column",
    "Columns",
    "Dataset",
    "Dates",
    "MemoryTable",
    "Missing",
    "ReadOptions",
    "Reading",
    "Scratch",
    "Table",
    "Unusable",
    "Weights",
    "check_cells",
    "check_data",
    "count_family",
    "describe_data",
    "describe_gaps",
    "make_frame",
    "note_ignored",
    "read",
    "read_for",
    "read_table",
    "read_with",
    "recognise_column",
    "row_keys",
    "select_columns",
    "state_columns",
    "write_rows",
    "write_separated",
]
