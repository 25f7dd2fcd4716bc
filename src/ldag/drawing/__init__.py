"""Drawings of labelled DAGs: what a picture shows, a layered layout, pens for SVG and matplotlib; charts; columns."""

from ldag.drawing.charts import Chart, LineChart, RowChart, Series, draw_charts
from ldag.drawing.columns import side_by_side
from ldag.drawing.layout import Layout, layered_layout
from ldag.drawing.matplotlib import draw_axes, draw_bytes
from ldag.drawing.picture import Change, Direction, Picture, PictureEdge, PictureNode, legend_of
from ldag.drawing.sheet import draw_sheet
from ldag.drawing.svg import draw_svg

__all__ = [
    "Change",
    "Chart",
    "Direction",
    "Layout",
    "LineChart",
    "Picture",
    "PictureEdge",
    "PictureNode",
    "RowChart",
    "Series",
    "draw_axes",
    "draw_bytes",
    "draw_charts",
    "draw_sheet",
    "draw_svg",
    "layered_layout",
    "legend_of",
    "side_by_side",
]
