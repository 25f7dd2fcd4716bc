"""Drawings: pictures of graphs, laid out in layers, charts and tables with bars as marks, and pens that draw them."""

from ldag.drawing.bars import Cell, Meter, TableRow, lay_out_table, number_text
from ldag.drawing.charts import LineChart, RowChart, Series, lay_out_charts
from ldag.drawing.drawable import Drawable, PictureOptions, Presentable, Printable
from ldag.drawing.graphs import draw_picture, draw_sheet, fits_label
from ldag.drawing.lettering import elide, side_by_side
from ldag.drawing.marks import Drawing
from ldag.drawing.pens import PENS, check_picture
from ldag.drawing.picture import Change, Direction, Picture, PictureEdge, PictureNode, legend_of
from ldag.drawing.svg import write_svg

__all__ = [
    "PENS",
    "Cell",
    "Change",
    "Direction",
    "Drawable",
    "Drawing",
    "LineChart",
    "Meter",
    "Picture",
    "PictureEdge",
    "PictureNode",
    "PictureOptions",
    "Presentable",
    "Printable",
    "RowChart",
    "Series",
    "TableRow",
    "check_picture",
    "draw_picture",
    "draw_sheet",
    "elide",
    "fits_label",
    "lay_out_charts",
    "lay_out_table",
    "legend_of",
    "number_text",
    "side_by_side",
    "write_svg",
]
