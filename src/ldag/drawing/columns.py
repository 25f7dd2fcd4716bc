"""Blocks of text side by side, for terminals."""

from collections.abc import Sequence

from ldag.errors import ArgumentError

TextColumn = tuple[str, Sequence[str]]


def side_by_side(columns: Sequence[TextColumn], width: int | None = None, gap: int = 4) -> str:
    """Return text blocks side by side, each under its underlined heading.

    Columns that do not fit into ``width`` go below the others; a column wider than that is not cut.

    Examples
    --------
    >>> print(side_by_side([("visitor", ["person -> badge"]), ("worker", ["gender -> badge"])]))
    visitor            worker
    ───────            ──────
    person -> badge    gender -> badge
    """
    if gap < 0:
        raise ArgumentError(f"gap is a number of blanks, at least 0, got {gap}")
    blocks = [[heading, "─" * len(heading), *lines] for heading, lines in columns]
    bands: list[list[list[str]]] = []
    used = 0
    for block in blocks:
        wide = max(map(len, block))
        if bands and (width is None or used + gap + wide <= width):
            bands[-1].append(block)
            used += gap + wide
        else:
            bands.append([block])
            used = wide
    return "\n\n".join(_band(band, gap) for band in bands)


def _band(blocks: Sequence[Sequence[str]], gap: int) -> str:
    """Join the lines of blocks that stand beside each other."""
    widths = [max(map(len, block)) for block in blocks]
    rows = []
    for number in range(max(map(len, blocks))):
        cells = [block[number] if number < len(block) else "" for block in blocks]
        padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
        rows.append((" " * gap).join(padded).rstrip())
    return "\n".join(rows)
