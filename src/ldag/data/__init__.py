"""Tables in, `Dataset` out. What reads tables is loaded when one is read."""

from typing import TYPE_CHECKING

from ldag._native import Columns as Columns
from ldag.data.aside import keep_order as keep_order
from ldag.data.columns import Coded as Coded
from ldag.data.columns import Column as Column
from ldag.data.columns import column_of as column_of
from ldag.data.columns import is_gap as is_gap
from ldag.data.columns import recognise_column as recognise_column
from ldag.data.columns import tidy_column as tidy_column
from ldag.data.database import Scratch as Scratch
from ldag.data.dataset import Dataset as Dataset
from ldag.data.dataset import check_cells as check_cells
from ldag.data.dataset import count_family as count_family
from ldag.data.filling import NewCells as NewCells
from ldag.data.filling import check_memory_table as check_memory_table
from ldag.data.filling import fill_table as fill_table
from ldag.data.filling import rank_rows as rank_rows
from ldag.data.filling import spell_cells as spell_cells
from ldag.data.gaps import ASSUMED as ASSUMED
from ldag.data.gaps import GAP as GAP
from ldag.data.gaps import Gaps as Gaps
from ldag.data.groups import GroupRows as GroupRows
from ldag.data.groups import Groups as Groups
from ldag.data.groups import number_groups as number_groups
from ldag.data.groups import plain_labels as plain_labels
from ldag.data.groups import refuse_empty as refuse_empty
from ldag.data.measurements import Binning as Binning
from ldag.data.measurements import Bins as Bins
from ldag.data.notes import Note as Note
from ldag.data.options import Missing as Missing
from ldag.data.options import Reading as Reading
from ldag.data.options import ReadOptions as ReadOptions
from ldag.data.options import Unusable as Unusable
from ldag.data.panels import Slices as Slices
from ldag.data.panels import cut_slices as cut_slices
from ldag.data.remarks import describe_data as describe_data
from ldag.data.remarks import describe_gaps as describe_gaps
from ldag.data.remarks import describe_groups as describe_groups
from ldag.data.remarks import describe_kept_gaps as describe_kept_gaps
from ldag.data.remarks import describe_size as describe_size
from ldag.data.rows import Codes as Codes
from ldag.data.rows import Weights as Weights
from ldag.data.rows import merge_rows as merge_rows
from ldag.data.rows import row_keys as row_keys
from ldag.data.rows import state_columns as state_columns
from ldag.data.sources import AnyTable as AnyTable
from ldag.data.sources import Cells as Cells
from ldag.data.tables import MemoryTable as MemoryTable
from ldag.data.tables import Table as Table
from ldag.data.tables import select_columns as select_columns
from ldag.data.taking import check_data as check_data
from ldag.data.taking import note_ignored as note_ignored
from ldag.data.taking import read_for as read_for
from ldag.data.taking import refuse_stateless as refuse_stateless
from ldag.data.text_files import Dates as Dates
from ldag.data.times import Clock as Clock
from ldag.data.times import Times as Times
from ldag.data.times import count_rows as count_rows
from ldag.data.times import name_times as name_times
from ldag.data.times import read_times as read_times
from ldag.data.writing import Arrays as Arrays
from ldag.data.writing import Backend as Backend
from ldag.data.writing import make_frame as make_frame
from ldag.data.writing import write_rows as write_rows
from ldag.data.writing import write_separated as write_separated
from ldag.hook import load_late

if TYPE_CHECKING:
    from ldag.data.reading import read as read
    from ldag.data.reading import read_known as read_known
    from ldag.data.reading import read_table as read_table
    from ldag.data.reading import read_with as read_with

__getattr__ = load_late("ldag.data", {"reading": "read read_known read_table read_with"})
