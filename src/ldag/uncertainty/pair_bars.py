"""Pairs of variables with how probable it is that they are joined, as bars."""

from collections.abc import Iterable

from ldag.drawing import Drawing, Meter, TableRow, lay_out_table
from ldag.reporting import TableBlock

MOST_PAIRS = 40
LEAST = 0.05
"""Pairs that are joined more rarely are counted, not drawn."""

Pair = tuple[str, str, float, float]
"""Two variables, how probable it is that they are joined, and that they are joined this way."""


def pair_table(pairs: Iterable[Pair]) -> TableBlock:
    """Return a row per pair, in its more probable direction, the most probable pair first."""
    return TableBlock(("edge", "joined, either way", "joined this way"), _rows(pairs))


def pair_drawing(pairs: Iterable[Pair], title: str) -> Drawing:
    """Return the same as a drawing."""
    pairs = list(pairs)
    rows = _rows(pairs)
    n_pairs = len({frozenset(pair[:2]) for pair in pairs})
    below = f"{n_pairs - len(rows)} other pairs are not drawn" if n_pairs > len(rows) else ""
    return lay_out_table(("edge", "joined, either way", "joined this way"), rows, title=title, below=below)


def _rows(pairs: Iterable[Pair]) -> tuple[TableRow, ...]:
    best: dict[frozenset[str], Pair] = {}
    for pair in pairs:
        key = frozenset(pair[:2])
        if key not in best or pair[3] > best[key][3]:
            best[key] = pair
    shown = sorted((pair for pair in best.values() if pair[2] >= LEAST), key=lambda pair: -round(pair[2], 9))
    return tuple((f"{a} → {b}", Meter(min(either, 1.0)), Meter(forth)) for a, b, either, forth in shown[:MOST_PAIRS])
