"""Answers of a network: mappings from states to probabilities that show themselves as bars in a notebook."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from ldag.drawing import Cell, Charted, Drawing, Meter, TableRow, lay_out_table
from ldag.formats import Edge
from ldag.model import State
from ldag.reporting import TableBlock, write_fragment

AnswerKey = State | tuple[State, ...]
AnswerValue = TypeVar("AnswerValue")

ROWS_SHOWN = 50
"""Rows of a joint distribution that are drawn, the most probable ones."""


class StateMapping(dict[AnswerKey, AnswerValue], Charted):
    """A dict from a state, or a tuple of states of several variables, to a number; and what was asked."""

    targets: tuple[str, ...] = ()
    said: str = ""
    range: Mapping[AnswerKey, tuple[float, float]] | None = None
    """Where variables of a learned network are set: the least and the greatest value over all graphs that say the same
    as its own and satisfy the constraints it was learned under."""
    undetermined: tuple[Edge, ...] = ()
    """The arrows which the range is wide for, whose direction is not determined."""

    def __init__(
        self, values: Iterable[tuple[AnswerKey, AnswerValue]] = (), targets: Iterable[str] = (), said: str = ""
    ) -> None:
        """Make an answer of pairs; ``targets`` are the variables asked for, ``said`` what was given, in words."""
        super().__init__(values)
        self.targets, self.said = tuple(targets), said

    def table(self) -> TableBlock:
        """Return the answer with bars; for the library itself."""
        ends = self.range if self.range and self.undetermined else {}
        bars = [
            (key if isinstance(key, tuple) else (key,), _meter((value, *ends[key]) if key in ends else value))
            for key, value in self.items()
        ]
        if len(bars) > ROWS_SHOWN:
            bars = sorted(bars, key=lambda bar: -bar[1].value)[:ROWS_SHOWN]
        n_states = max((len(states) for states, _ in bars), default=1)
        header = self.targets if len(self.targets) == n_states else ("",) * n_states
        rows: tuple[TableRow, ...] = tuple((*map(str, states), bar) for states, bar in bars)
        return TableBlock((*header, self._head()), rows)

    def _head(self) -> str:
        more = f", the {ROWS_SHOWN} most probable of {len(self):,}" if len(self) > ROWS_SHOWN else ""
        ends = ", and its range over graphs that say the same" if self.undetermined else ""
        return f"probability{f' if {self.said}' if self.said else ''}{more}{ends}"

    def chart(self) -> Drawing:
        """Return the answer as a table with bars; for the library itself."""
        table = self.table()
        condition = f" if {self.said}" if self.said else ""
        title = f"{', '.join(self.targets) or 'Probabilities'}{condition}"
        return lay_out_table((*table.header[:-1], "probability"), table.rows, title=title)

    def _repr_html_(self) -> str:
        return write_fragment([self.table()])


class Answer(StateMapping[float]):
    """Probabilities by state, or by tuples of states of several variables: a dict that draws itself as bars.

    Examples
    --------
    >>> import ldag
    >>> answer = ldag.simulate.guard().query("badge")
    >>> answer == dict(answer), list(answer)
    (True, ['no', 'yes'])
    >>> answer.save_picture("badge.svg")  # doctest: +SKIP
    """


class Marginals(dict[str, dict[State, float]], Charted):
    """The distribution of every variable, by name: a dict that draws itself as bars."""

    said: str = ""
    range: Mapping[str, Mapping[AnswerKey, tuple[float, float]]] | None = None
    """As in `Answer`, by variable, of those whose state is not given."""
    undetermined: tuple[Edge, ...] = ()

    def __init__(self, values: Mapping[str, dict[State, float]], said: str = "") -> None:
        """Make it of distributions by name; ``said`` is what was given, in words."""
        super().__init__(values)
        self.said = said

    def table(self) -> TableBlock:
        """Return a row per variable and state; for the library itself."""
        rows: list[tuple[Cell, ...]] = []
        for name, distribution in self.items():
            for place, (state, p) in enumerate(distribution.items()):
                rows.append((name if place == 0 else "", str(state), Meter(p)))
        return TableBlock(("variable", "state", f"probability{f' if {self.said}' if self.said else ''}"), tuple(rows))

    def chart(self) -> Drawing:
        """Return a table with bars; for the library itself."""
        title = f"All variables{f' if {self.said}' if self.said else ''}"
        table = self.table()
        return lay_out_table((*table.header[:-1], "probability"), table.rows, title=title)

    def _repr_html_(self) -> str:
        return write_fragment([self.table()])


def _meter(value: object) -> Meter:
    """Return a bar: of a probability, or of a mean with the ends of its interval."""
    if isinstance(value, tuple):
        mean, low, high = value
        return Meter(float(mean), float(low), float(high))
    return Meter(float(value))  # type: ignore[arg-type]
