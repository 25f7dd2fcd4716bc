"""Drawings of labelled DAGs: what a picture shows, a layered layout, pens for SVG and matplotlib; charts; columns."""

from ldag.drawing.bars import Cell, Meter, TableRow, lay_out_table
from ldag.drawing.charted import check_picture, is_picture
from ldag.drawing.charts import Chart, LineChart, RowChart, Series, draw_charts, lay_out_charts
from ldag.drawing.columns import side_by_side
from ldag.drawing.drawable import Drawable, PictureOptions, Presentable, Printable
from ldag.drawing.ink import Drawing
from ldag.drawing.layout import Layout, layered_layout
from ldag.drawing.lettering import elide
from ldag.drawing.picture import Change, Direction, Picture, PictureEdge, PictureNode, legend_of
from ldag.drawing.placing import fits_label
from ldag.drawing.scales import number_text
from ldag.drawing.sheet import PictureSheet
from ldag.drawing.svg import draw_svg

__all__ = [
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
    "PictureSheet",
    "Presentable",
    "Printable",
    "RowChart",
    "Series",
    "TableRow",
    "check_picture",
    "draw_charts",
    "draw_svg",
    "elide",
    "fits_label",
    "is_picture",
    "lay_out_charts",
    "lay_out_table",
    "layered_layout",
    "legend_of",
    "number_text",
    "side_by_side",
]
