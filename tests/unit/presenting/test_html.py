"""The pens for HTML and Markdown: complete, escaped, and alone."""

from html.parser import HTMLParser

import pytest

from ldag.drawing import Meter
from ldag.presenting.documents import (
    Bullets,
    Document,
    Figure,
    Listing,
    Paragraph,
    Section,
    TableBlock,
    write_markdown,
)
from ldag.presenting.html import write_fragment, write_html

NASTY = '<script>alert("x")</script>'
DOCUMENT = Document(
    f"A title {NASTY}",
    "three variables",
    (
        Section("First", (Paragraph(f"text {NASTY}"), Paragraph("beware", is_warning=True), Bullets(("one", NASTY)))),
        Section(
            "Second",
            (
                TableBlock(("name", "rows", "p"), ((NASTY, 12345, Meter(0.25, 0.2, 0.3)), ("b|c", 3.5, None))),
                Listing("x = 1 < 2"),
                Figure("<svg></svg>", "a picture"),
            ),
            level=3,
        ),
    ),
)


class Tags(HTMLParser):
    """Collects the tags of a page, and checks that they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember a tag."""
        del attrs
        self.seen.append(tag)
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close it."""
        assert self.open.pop() == tag


def test_a_page_is_whole_and_escaped() -> None:
    """Tags nest, nothing that was said becomes a tag, and nothing is loaded from elsewhere."""
    text = write_html(DOCUMENT)
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert "script" not in tags.seen
    assert "http:" not in text.replace("http-equiv", "")
    assert "https:" not in text
    assert "default-src 'none'" in text
    assert "&lt;script&gt;" in text
    assert "25.0 % (20.0 to 30.0)" in text
    assert '<i style="left:20.0%;width:10.0%"></i>' in text
    assert '<th>name</th><th class="number">rows</th><th>p</th>' in text
    assert '<figcaption class="soft">a picture</figcaption>' in text
    assert '<p class="warning">beware</p>' in text
    assert "style=" not in text.partition("<th>name")[0].partition("<body>")[2]


def test_folded_sections_open_by_a_click() -> None:
    """The heading stays in sight; the rest is inside."""
    text = write_html(Document("t", "s", (Section("Long", (Paragraph("inside"),), is_folded=True),)))
    assert "<summary><h2>Long</h2></summary>\n<p>inside</p>\n</details>" in text


def test_a_fragment_needs_no_style_sheet() -> None:
    """Bars carry their own style in a notebook."""
    fragment = write_fragment([TableBlock(("p",), ((Meter(0.5),),))])
    assert "width:50.0%" in fragment
    assert "background:#6a9fd466;width:50.0%" in fragment
    assert '<th style="text-align:left;' in fragment
    assert '<td class="bar" style="text-align:left;white-space:nowrap;' in fragment
    assert '<td style="text-align:left;' in write_fragment([TableBlock(("name",), (("a",),))])
    assert "<style" not in fragment
    assert "<i " not in fragment


@pytest.mark.parametrize(("n_bars", "is_wide"), [(2, False), (3, True)])
def test_three_bars_in_a_row_are_a_wide_table(n_bars: int, is_wide: bool) -> None:
    """There is no room for numbers beside them."""
    fragment = write_fragment([TableBlock(("p",) * n_bars, ((Meter(0.5),) * n_bars,))])
    assert ('<table class="wide">' in fragment) == is_wide


def test_markdown_says_the_same() -> None:
    """Headings, a list, a table with escaped bars; signs that mean something are escaped."""
    text = write_markdown(DOCUMENT)
    assert text.startswith("# A title \\<script\\>")
    assert "\n## First\n" in text
    assert "\n### Second\n" in text
    assert "| b\\|c | 3.5 |  |" in text
    assert "| 12,345 |" in text
    assert "> beware" in text
    assert "*a picture*" in text
