"""Text and numbers as SVG pictures hold them."""

from html import escape

from ldag.drawing.lettering import clean


def xml_text(text: str) -> str:
    """Return text that stands for itself in a picture or in an attribute.

    Examples
    --------
    >>> xml_text("a < b & c")
    'a &lt; b &amp; c'
    """
    return escape(clean(text))


def xml_number(value: float) -> str:
    """Write a coordinate with at most one decimal, the same on every machine.

    Examples
    --------
    >>> xml_number(2.04), xml_number(-0.04), xml_number(3.25)
    ('2', '0', '3.2')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
