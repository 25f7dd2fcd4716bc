"""Drawings: pictures of graphs, laid out in layers, charts and tables with bars as marks, and pens that draw them.

What draws is loaded when something is drawn.
"""

from typing import TYPE_CHECKING

from ldag.drawing.drawable import PENS as PENS
from ldag.drawing.drawable import Drawable as Drawable
from ldag.drawing.drawable import PictureOptions as PictureOptions
from ldag.drawing.drawable import Presentable as Presentable
from ldag.drawing.drawable import check_picture as check_picture
from ldag.drawing.lettering import elide as elide
from ldag.drawing.lettering import side_by_side as side_by_side
from ldag.hook import load_late

if TYPE_CHECKING:
    from ldag.drawing.bars import Cell as Cell
    from ldag.drawing.bars import Meter as Meter
    from ldag.drawing.bars import TableRow as TableRow
    from ldag.drawing.bars import lay_out_table as lay_out_table
    from ldag.drawing.bars import number_text as number_text
    from ldag.drawing.charts import LineChart as LineChart
    from ldag.drawing.charts import RowChart as RowChart
    from ldag.drawing.charts import Series as Series
    from ldag.drawing.charts import lay_out_charts as lay_out_charts
    from ldag.drawing.columns import draw_columns as draw_columns
    from ldag.drawing.graphs import Change as Change
    from ldag.drawing.graphs import Direction as Direction
    from ldag.drawing.graphs import Picture as Picture
    from ldag.drawing.graphs import PictureEdge as PictureEdge
    from ldag.drawing.graphs import PictureNode as PictureNode
    from ldag.drawing.graphs import draw_picture as draw_picture
    from ldag.drawing.graphs import draw_sheet as draw_sheet
    from ldag.drawing.graphs import fits_label as fits_label
    from ldag.drawing.graphs import legend_of as legend_of
    from ldag.drawing.graphs import put_side_by_side as put_side_by_side
    from ldag.drawing.marks import Drawing as Drawing
    from ldag.drawing.patterns import lay_out_patterns as lay_out_patterns
    from ldag.drawing.svg import write_svg as write_svg

__getattr__ = load_late(
    "ldag.drawing",
    {
        "bars": "Cell Meter TableRow lay_out_table number_text",
        "charts": "LineChart RowChart Series lay_out_charts",
        "columns": "draw_columns",
        "graphs": "Change Direction Picture PictureEdge PictureNode draw_picture draw_sheet fits_label"
        " legend_of put_side_by_side",
        "marks": "Drawing",
        "patterns": "lay_out_patterns",
        "svg": "write_svg",
    },
)
