"""Doors to what people look at: `plot`."""

from ldag.presenting.pictures import plot

__all__ = ["plot"]
