"""Tables whose probabilities are bars, with their intervals as thin lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from ldag.drawing.lettering import TextBlock
from ldag.drawing.marks import SERIES, Drawing, Mark, Shape, Stroke, Words

SIZE, HEAD_SIZE, TITLE_SIZE = 12.5, 11.5, 15.0
MARGIN_X, GAP_X = 20.0, 18.0
BAR_WIDTH, BAR_HEIGHT = 112.0, 13.0
TEXT_WIDTH = 360.0
TITLE_WIDTH = 420.0
BOLD = 1.12
"""How much wider bold letters are."""
MEASURE = 1.06
"""Text is taken to be a little wider than estimated, since columns have no padding to absorb it."""

BAR, WHISKER, *_ = SERIES
"""The colours of bars, and of the intervals on them."""


@dataclass(frozen=True)
class Meter:
    """A probability as a bar, with an interval if there is one."""

    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        interval = "" if self.low is None or self.high is None else f" ({100 * self.low:.1f} to {100 * self.high:.1f})"
        return f"{self.percent}{interval}"

    @property
    def percent(self) -> str:
        """The value as people read it; what is possible is not said to be impossible, nor to be certain."""
        if 0 < self.value < 0.0005:
            return "< 0.1 %"
        return "> 99.9 %" if 0.9995 <= self.value < 1 else f"{100 * self.value:.1f} %"


Cell = str | float | int | Meter | None
"""What stands in a table: a text, a number, a bar, or nothing."""

TableRow = tuple[Cell, ...]


def lay_out_table(header: Sequence[str], rows: Sequence[TableRow], *, title: str, below: str = "") -> Drawing:
    """Return a table as a drawing: texts folded, numbers to the right, probabilities as bars.

    Examples
    --------
    >>> table = lay_out_table(["if", "p"], [["smoking is no", Meter(0.25, 0.2, 0.3)]], title="Rules")
    >>> table.description
    'Rules. if: smoking is no, p: 25.0 % (20.0 to 30.0).'
    """
    columns = [_Column.of(head, [row[place] for row in rows]) for place, head in enumerate(header)]
    wide = sum(column.width + GAP_X for column in columns) - GAP_X
    head = TextBlock.of([title], TITLE_SIZE, max(wide, TITLE_WIDTH) / BOLD, max_lines=4)
    marks: list[Mark] = [
        Words(MARGIN_X, 26 + number * head.line_height, text, TITLE_SIZE, is_bold=True)
        for number, text in enumerate(head.lines)
    ]
    top = 40.0 + (len(head.lines) - 1) * head.line_height
    tall = max(column.head.height for column in columns)
    x = MARGIN_X
    lefts = []
    for column in columns:
        lefts.append(x)
        marks += _write(column.head, x if not column.is_right else x + column.width, top, column.is_right, "soft")
        x += column.width + GAP_X
    width = max(x - GAP_X + MARGIN_X, 2 * MARGIN_X + head.width * BOLD)
    foot = TextBlock.of([below], 11.0, max_width=max(width - 2 * MARGIN_X, 260.0), max_lines=12) if below else None
    width = max(width, 2 * MARGIN_X + (foot.width * MEASURE if foot else 0.0))
    y = top + tall + 8
    for row in range(len(rows)):
        marks.append(Stroke(((MARGIN_X, y), (width - MARGIN_X, y))))
        height = max(column.height(row) for column in columns) + 10
        for left, column in zip(lefts, columns, strict=True):
            marks += column.marks(row, left, y + 5)
        y += height
    if foot:
        marks += _write(foot, MARGIN_X, y + 8, False, "soft")
        y += foot.height + 8
    return Drawing(title, _describe(title, header, rows), width, y + 14, tuple(marks))


@dataclass(frozen=True)
class _Column:
    """A column that has been measured."""

    head: TextBlock
    cells: tuple[Cell, ...]
    texts: tuple[TextBlock, ...]
    width: float
    is_right: bool

    @classmethod
    def of(cls, head: str, cells: Sequence[Cell]) -> "_Column":
        has_bars = any(isinstance(cell, Meter) for cell in cells)
        is_number = not has_bars and any(isinstance(cell, int | float) for cell in cells)
        wide = BAR_WIDTH + 54 if has_bars else TEXT_WIDTH
        texts = tuple(TextBlock.of([_spell(cell)], SIZE, wide, max_lines=6) for cell in cells)
        folded = TextBlock.of([head], HEAD_SIZE, 70.0 if is_number else wide, max_lines=3)
        width = max((text.width for text in (folded, *texts)), default=0.0) * MEASURE
        return cls(folded, tuple(cells), texts, wide if has_bars else width, is_number)

    def height(self, row: int) -> float:
        """Return how high a cell is."""
        return self.texts[row].height

    def marks(self, row: int, left: float, top: float) -> list[Mark]:
        """Return the marks of a cell."""
        cell, text = self.cells[row], self.texts[row]
        if not isinstance(cell, Meter):
            return _write(text, left + self.width if self.is_right else left, top, self.is_right)
        middle = top + text.line_height / 2
        up = middle - BAR_HEIGHT / 2
        marks: list[Mark] = [
            Shape.box(left, up, BAR_WIDTH, BAR_HEIGHT, "grid"),
            Shape.box(left, up, BAR_WIDTH * cell.value, BAR_HEIGHT, BAR, str(cell)),
        ]
        if cell.low is not None and cell.high is not None:
            ends = tuple((left + BAR_WIDTH * end, middle) for end in (cell.low, cell.high))
            marks.append(Stroke(ends, WHISKER, 2.4))
        marks.append(Words(left + BAR_WIDTH + 8, middle + 0.35 * SIZE, cell.percent, SIZE))
        return marks


def _spell(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Meter):
        return cell.percent
    return cell if isinstance(cell, str) else number_text(cell)


def _write(block: TextBlock, x: float, top: float, right: bool, colour: str = "ink") -> list[Mark]:
    """Write the lines of a block below each other."""
    first = top + block.line_height / 2 + 0.35 * block.font_size
    return [
        Words(x, first + number * block.line_height, line, block.font_size, "end" if right else "start", colour)
        for number, line in enumerate(block.lines)
    ]


def _describe(title: str, header: Sequence[str], rows: Sequence[TableRow]) -> str:
    """Say a table in words, for those who cannot see it."""
    words = [
        ", ".join(
            f"{head}: {cell if isinstance(cell, Meter) else _spell(cell)}"
            for head, cell in zip(header, row, strict=True)
            if cell is not None
        )
        for row in rows
    ]
    return f"{title}. {'; '.join(words)}."


def number_text(value: float) -> str:
    """Return a number as people read it in a table.

    Examples
    --------
    >>> number_text(1841), number_text(12.3456), number_text(0.012345)
    ('1,841', '12.35', '0.0123')
    """
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 10 else f"{value:.3g}"
