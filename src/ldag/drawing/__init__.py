"""Drawings of labelled DAGs: what a picture shows, a layered layout, pens for SVG and matplotlib; charts; columns."""

from ldag.drawing.bars import Cell, Meter, TableRow, lay_out_table
from ldag.drawing.charts import Chart, LineChart, RowChart, Series, draw_charts, lay_out_charts
from ldag.drawing.columns import side_by_side
from ldag.drawing.drawable import Drawable, PictureOptions, Presentable, Printable
from ldag.drawing.graph_marks import draw_picture, draw_sheet
from ldag.drawing.layout import Layout, layered_layout
from ldag.drawing.lettering import elide
from ldag.drawing.marks import Drawing
from ldag.drawing.pens import PENS, check_picture
from ldag.drawing.picture import Change, Direction, Picture, PictureEdge, PictureNode, legend_of
from ldag.drawing.placing import fits_label
from ldag.drawing.scales import number_text

__all__ = [
    "PENS",
    "Cell",
    "Change",
    "Chart",
    "Direction",
    "Drawable",
    "Drawing",
    "Layout",
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
    "draw_charts",
    "draw_picture",
    "draw_sheet",
    "elide",
    "fits_label",
    "lay_out_charts",
    "lay_out_table",
    "layered_layout",
    "legend_of",
    "number_text",
    "side_by_side",
]
