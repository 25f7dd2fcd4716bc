"""A picture of what is missing: how much of each column, and which columns are empty together."""

from collections.abc import Iterator, Mapping, Sequence

from ldag.drawing.lettering import elide, text_width
from ldag.drawing.marks import Drawing, Mark, Shape, Stroke, Words
from ldag.errors import counted

MOST_COLUMNS, MOST_PATTERNS = 24, 16
"""Columns and patterns that are drawn: those with most gaps, and the most common ones."""

TEXT, SMALL, TITLE = 12.5, 11.0, 15.0
ROW, STEP = 24.0, 34.0
SHARE_WIDTH, BAR_HEIGHT = 90.0, 100.0
LEFT, TOP = 20.0, 74.0
LONGEST_NAME = 32
"""Letters of a column's name."""


def lay_out_patterns(shares: Mapping[str, float], patterns: Mapping[tuple[str, ...], float], *, title: str) -> Drawing:
    """Return a row for each column with gaps and its share, and for each pattern a bar and dots where it is empty.

    ``patterns`` are names of columns that are empty together, with the number of rows, the most common first.

    Examples
    --------
    >>> lay_out_patterns({"age": 0.0, "bmi": 0.25}, {(): 3, ("bmi",): 1}, title="Gaps").description
    'Gaps. Empty: bmi 25.0 %. Rows: 3 in which nothing is empty; 1 in which bmi.'
    """
    every = sorted((name for name in shares if shares[name] > 0), key=lambda name: -shares[name])
    names = every[:MOST_COLUMNS]
    shown = [(empty, n) for empty, n in patterns.items() if set(empty) <= set(names)][:MOST_PATTERNS]
    right = LEFT + max((text_width(elide(name, LONGEST_NAME), TEXT) for name in names), default=0.0) * 1.06
    first, top = right + SHARE_WIDTH + 84, TOP + (BAR_HEIGHT + 16 if shown else 0)
    over = "rows in which just these are empty" if shown else ""
    foot = top + len(names) * ROW + 14
    left_out = _left_out(len(every) - len(names), len(patterns) - len(shown))
    width = max(first + len(shown) * STEP, first + text_width(over, SMALL) * 1.06, LEFT + text_width(left_out, SMALL))
    marks: list[Mark] = [Words(LEFT, 26, title, TITLE, is_bold=True)]
    if names:
        marks.append(Words(right + 14, top - 8, "share empty", SMALL, colour="soft"))
    marks += [Words(first, 48, over, SMALL, colour="soft")] if over else []
    marks += [Words(LEFT, foot, left_out, SMALL, colour="soft")] if left_out else []
    for row, name in enumerate(names):
        line = top + (row + 0.5) * ROW
        marks += _share(name, shares[name], right, line)
        marks.append(Stroke(((first, line), (first + len(shown) * STEP, line))))
    most = max((n for _, n in shown), default=1.0)
    for place, (empty, n) in enumerate(shown):
        rows = [row for row, name in enumerate(names) if name in empty]
        marks += _pattern(rows, len(names), n, n / most, first + (place + 0.5) * STEP)
    height = foot + (14 if left_out else 0)
    return Drawing(title, _describe(title, shares, patterns), width + LEFT, height, tuple(marks))


def _left_out(n_columns: int, n_patterns: int) -> str:
    """Say what there is no room for."""
    columns = [f"{counted(n_columns, 'column')} with fewer gaps"] if n_columns else []
    patterns = [f"{counted(n_patterns, 'other set')} of columns that are empty together"] if n_patterns else []
    return f"not drawn: {' and '.join([*columns, *patterns])}" if columns or patterns else ""


def _share(name: str, share: float, right: float, middle: float) -> Iterator[Mark]:
    """Go through the name of a column and the bar of its share."""
    yield Words(right, middle + 0.35 * TEXT, elide(name, LONGEST_NAME), TEXT, "end")
    yield Shape.box(right + 14, middle - 6.5, SHARE_WIDTH, 13, "grid")
    yield Shape.box(right + 14, middle - 6.5, SHARE_WIDTH * share, 13, "first", f"{name}: {_percent(share)} empty")
    yield Words(right + 22 + SHARE_WIDTH, middle + 0.35 * SMALL, _percent(share), SMALL, colour="soft")


def _pattern(rows: Sequence[int], n_rows: int, n: float, height: float, x: float) -> Iterator[Mark]:
    """Go through the bar of a pattern and its dots; the one without gaps has none that are filled."""
    foot, top, colour = TOP + BAR_HEIGHT, TOP + BAR_HEIGHT + 16, "second" if rows else "third"
    tall = max(BAR_HEIGHT * height, 1.0)
    yield Shape.box(x - 9, foot - tall, 18, tall, colour, f"{n:,.6g} rows")
    yield Words(x, foot - tall - 4, _short(n), 10.0, "middle", "soft")
    if len(rows) > 1:
        yield Stroke(tuple((x, top + (row + 0.5) * ROW) for row in (rows[0], rows[-1])), colour, 2.0)
    for row in range(n_rows):
        is_empty = row in rows
        yield Shape(((x, top + (row + 0.5) * ROW),), colour if is_empty else "grid", radius=6.5 if is_empty else 3.0)


def _percent(share: float) -> str:
    """Return a share as people read it."""
    return f"{100 * share:.1f} %" if share >= 0.0005 else "< 0.1 %"


def _short(n: float) -> str:
    """Return a number in few letters."""
    return f"{n:,.0f}" if n < 10_000 else f"{n / 1e3:,.0f}k" if n < 1e6 else f"{n / 1e6:,.1f}M"


def _describe(title: str, shares: Mapping[str, float], patterns: Mapping[tuple[str, ...], float]) -> str:
    """Say the picture in words, for those who cannot see it."""
    empty = ", ".join(f"{name} {_percent(share)}" for name, share in shares.items() if share) or "nothing"
    common = [*patterns.items()][:MOST_PATTERNS]
    rows = "; ".join(f"{n:,.6g} in which {' and '.join(names) if names else 'nothing is empty'}" for names, n in common)
    return f"{title}. Empty: {empty}. Rows: {rows}."
