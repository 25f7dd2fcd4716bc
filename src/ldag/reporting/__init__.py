"""Pens for HTML and Markdown: notebook displays, the report, the explorer; they render plain records."""

from ldag.reporting.document import (
    Block,
    Bullets,
    Document,
    Figure,
    Listing,
    Paragraph,
    Section,
    TableBlock,
)
from ldag.reporting.explorer import Exploration, LabelledEdge, write_explorer
from ldag.reporting.html import write_fragment, write_html
from ldag.reporting.markdown import write_markdown
from ldag.reporting.notebook import ShownAsText

__all__ = [
    "Block",
    "Bullets",
    "Document",
    "Exploration",
    "Figure",
    "LabelledEdge",
    "Listing",
    "Paragraph",
    "Section",
    "ShownAsText",
    "TableBlock",
    "write_explorer",
    "write_fragment",
    "write_html",
    "write_markdown",
]
