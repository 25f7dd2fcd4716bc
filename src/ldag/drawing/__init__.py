"""Drawings of labelled DAGs: a layered layout, a plain SVG picture, and text side by side."""

from ldag.drawing.columns import side_by_side
from ldag.drawing.layout import Layout, layered_layout
from ldag.drawing.svg import draw_svg

__all__ = ["Layout", "draw_svg", "layered_layout", "side_by_side"]
