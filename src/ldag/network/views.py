"""A network as people read it: a distribution per class, in words; full tables on request only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_share
from ldag.data import Backend, make_frame, state_columns
from ldag.drawing import Drawable, side_by_side
from ldag.errors import counted
from ldag.formats import brief_conditions, list_contexts, spell_name, spell_state
from ldag.graph import NestedTree, Rule, name_given, tree_rows
from ldag.model import Schema, State, Variable, beta_intervals

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

FEW_ROWS = 10
"""Below this, rows that are to be expected are told to a tenth."""

STATES_SHOWN = 10
"""States in the print of a distribution."""


@dataclass(frozen=True, repr=False)
class ClassParameters:
    """One class of a node: the contexts in which it applies, and its distribution.

    ``probabilities`` are in the order of ``states``, and so are ``prior`` and ``counts``, the parts of the Dirichlet
    posterior; None if there is no posterior.
    """

    rule: Rule
    states: tuple[State, ...]
    probabilities: tuple[float, ...]
    prior: tuple[float, ...] | None = None
    counts: tuple[float, ...] | None = None

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{state} {p:.4f}" for state, p in list(zip(self.states, self.probabilities, strict=True))[:STATES_SHOWN]
        )
        more = ", ..." if len(self.states) > STATES_SHOWN else ""
        return f"<ClassParameters: if {brief_conditions(self.contexts, self.rule.parents)}: {shown}{more}>"

    @property
    def number(self) -> int:
        """Number of the class, as in ``LDAG.partition``."""
        return self.rule.number

    @property
    def contexts(self) -> Sequence[Mapping[str, State]]:
        """States of some parents; the class applies in any of these contexts."""
        return self.rule.contexts

    @property
    def n_rows(self) -> float:
        """How many rows it rests on, as people read it: where these are to be expected, whole ones from ten on."""
        total = sum(self.counts or ())
        return float(round(total, 0 if total >= FEW_ROWS else 1))

    def intervals(self, level: float = 0.95) -> tuple[tuple[float, float], ...]:
        """Return, for each state, where its probability lies with a probability; empty without a posterior.

        Conditional on the graph: see `ldag.posterior` for intervals that are not.
        """
        check_share(level, "level", inside=True)
        return class_intervals([self], level)[0]

    @property
    def distribution(self) -> dict[State, float]:
        """Probabilities by state."""
        return dict(zip(self.states, self.probabilities, strict=True))


def class_intervals(classes: Sequence[ClassParameters], level: float) -> list[tuple[tuple[float, float], ...]]:
    """Return the intervals of many classes, computed together; of a class without a posterior none."""
    weights = [
        np.zeros(0) if part.prior is None or part.counts is None else np.add(part.prior, part.counts)
        for part in classes
    ]
    a = np.concatenate([np.zeros(0), *weights])
    total = np.concatenate([np.zeros(0), *(np.full(len(part), part.sum()) for part in weights)])
    ends = iter(map(tuple, beta_intervals(a, np.maximum(total - a, 0.0), level).tolist()))
    return [tuple(islice(ends, len(part))) for part in weights]


@dataclass(frozen=True, repr=False)
class NodeParameters(Drawable):
    """The classes of a node with their distributions; a sequence that prints as a table with a line per class."""

    node: str
    parents: tuple[str, ...]
    states: tuple[State, ...]
    classes: tuple[ClassParameters, ...]
    variables: tuple[Variable, ...] = ()
    """The parents and the node itself, for words."""
    tree: NestedTree | None = None
    """The tree that tells the classes, where one does."""

    def __len__(self) -> int:
        return len(self.classes)

    def __iter__(self) -> Iterator[ClassParameters]:
        return iter(self.classes)

    def __getitem__(self, number: int) -> ClassParameters:
        return self.classes[number]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<NodeParameters of {self.node}: {counted(len(self.classes), 'class', 'classes')}>"

    @property
    def lines(self) -> list[tuple[str, ClassParameters | None]]:
        """What stands before each row of the table: the rule of a class, or the branches of a tree."""
        if self.tree is None:
            return [(str(part.rule) if self.parents else "always", part) for part in self.classes]
        own = {part.number: part for part in self.classes}
        kept: list[tuple[str, ClassParameters | None]] = []
        depth = -1  # of the line below, where that is kept
        for text, number in reversed(tree_rows(self.tree, self.variables[:-1])):
            indent = len(text) - len(text.lstrip(" "))
            if number in own or (number is None and indent < depth):
                kept.append((text, None if number is None else own[number]))
                depth = indent
        return kept[::-1]

    def in_columns(self, level: float = 0.95) -> str:
        """Return a row per class: its rule, its rows of data, and each state's probability with its interval."""
        columns = [("if", [text for text, _ in self.lines])]
        if self.classes[0].counts is not None:
            columns.append(("rows", ["" if part is None else f"{part.n_rows:,.10g}" for _, part in self.lines]))
        intervals = dict(zip((part.number for part in self.classes), class_intervals(self.classes, level), strict=True))
        for code, state in enumerate(self.states):
            cells = []
            for _, part in self.lines:
                if part is None:
                    cells.append("")
                    continue
                ends = intervals[part.number]
                interval = f" ({ends[code][0]:.3f} to {ends[code][1]:.3f})" if ends else ""
                cells.append(f"{part.probabilities[code]:.3f}{interval}")
            columns.append((str(state), cells))
        return side_by_side(columns)

    def to_list(self, level: float = 0.95) -> list[dict[str, object]]:
        """Return the classes as plain values for JSON, with intervals of a probability."""
        return [
            {
                "contexts": list_contexts(part.contexts),
                "probabilities": list(part.probabilities),
                "counts": None if part.counts is None else list(part.counts),
                "intervals": list(map(list, ends)),
            }
            for part, ends in zip(self.classes, class_intervals(self.classes, level), strict=True)
        ]

    def to_frame(self, backend: Backend = "pandas") -> "IntoDataFrame":
        """Return the table: the number of every class, its rule in words, and a column of probabilities per state."""
        columns: dict[str, NDArray[Any]] = {
            "class": np.array([part.number for part in self.classes]),
            "rule": np.array([str(part.rule) for part in self.classes], dtype=object),
        }
        for place, state in enumerate(self.states):
            name = str(state)
            while name in columns:
                name += "_"
            columns[name] = np.array([part.probabilities[place] for part in self.classes])
        return make_frame(columns, backend)

    def to_text(self, max_classes: int | None = None) -> str:
        """Return the table, cut off after so many lines."""
        every = self.lines
        shown = every[:max_classes]
        heads = [spell_state(state) for state in self.states[:STATES_SHOWN]]
        rows = [
            (f"  {text}", [f"{p:.4f}" for p in part.probabilities[:STATES_SHOWN]] if part else [""] * len(heads))
            for text, part in shown
        ]
        lines = _align([(name_given(spell_name(self.node), list(map(spell_name, self.parents))), heads), *rows])
        if len(self.states) > STATES_SHOWN:
            lines[0] += f"  and {len(self.states) - STATES_SHOWN} more states"
        if len(shown) < len(every):
            left = len(self.classes) - sum(part is not None for _, part in shown)
            lines.append(f"  and {left} more classes")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalTable:
    """A full table: ``values`` has an axis per parent, in order, and the node's own axis last."""

    variables: tuple[Variable, ...]
    values: NDArray[np.float64]

    def __repr__(self) -> str:
        *parents, node = self.names
        given = f" given {', '.join(parents)}" if parents else ""
        return f"<ConditionalTable: {node}{given}, shape {self.values.shape}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes: the parents, then the node."""
        return tuple(variable.name for variable in self.variables)

    def to_frame(self, backend: Backend = "pandas") -> "IntoDataFrame":
        """Return the table in rows: a column per variable and one of probabilities."""
        codes = np.indices(self.values.shape).reshape(len(self.variables), -1).astype(np.uint8)
        columns = state_columns(Schema(self.variables), codes)
        name = "probability"
        while name in columns:
            name += "_"
        return make_frame(columns | {name: self.values.reshape(-1)}, backend)


def _align(rows: list[tuple[str, list[str]]]) -> list[str]:
    """Return lines whose columns stand below each other: a text, and numbers to its right."""
    first = max(len(text) for text, _ in rows)
    widths = [max(len(cell) for cell in column) for column in zip(*(cells for _, cells in rows), strict=True)]
    return [
        "  ".join(
            [f"{text:<{first}}", *(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))]
        ).rstrip()
        for text, cells in rows
    ]
