"""Tables in, `Dataset` out."""

from ldag.data.binning import Bins
from ldag.data.coding import Coded, recognise_column
from ldag.data.columns import Column
from ldag.data.counts import Codes, Columns, Weights, check_cells, count_family
from ldag.data.dataset import Dataset, state_columns
from ldag.data.frames import Backend, make_frame
from ldag.data.options import Missing, Reading, ReadOptions, Unusable
from ldag.data.reading import AnyTable, Cells, read, read_table, read_with
from ldag.data.remarks import describe_data, describe_gaps
from ldag.data.rows import row_keys
from ldag.data.scratch import Scratch
from ldag.data.spellings import Dates
from ldag.data.tables import Table
from ldag.data.taking import check_data, ignored_note, read_for
from ldag.data.telling import tell
from ldag.data.writing import Arrays, write_rows, write_separated

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
    "ignored_note",
    "make_frame",
    "read",
    "read_for",
    "read_table",
    "read_with",
    "recognise_column",
    "row_keys",
    "state_columns",
    "tell",
    "write_rows",
    "write_separated",
]
