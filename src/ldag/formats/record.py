"""A labelled DAG as plain names, as files and people write it: the common tongue of all formats, and what a format is.

A record has been read but not yet understood: it may name unknown states or have a cycle. ``where`` says where
in its source a part stands ("line 3: "), so that whoever finds the mistake can point at it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from ldag.errors import FormatError, LdagError
from ldag.model import Cuts, Spread, State

T = TypeVar("T")

Estimate = Literal["mean", "likelihood", "averaged"]
"""How probabilities come from counts: posterior means, relative frequencies, or the means of all prunings of a tree."""

Edge = tuple[str, str]
"""A parent and a child, by name."""

Context = Mapping[str, State]
"""States by variable name; a variable that is not named may have any state."""


@dataclass(frozen=True)
class VariableRecord:
    """A variable; ``states`` is None where they were not declared.

    ``ordered`` says that their order means something; ``cuts`` are the cut points of a measurement; ``latent`` says
    that nobody observed it.
    """

    name: str
    states: tuple[State, ...] | None = None
    where: str = ""
    ordered: bool = False
    cuts: Cuts = ()
    latent: bool = False


@dataclass(frozen=True)
class EdgeRecord:
    """An edge, and the contexts of the child's other parents in which it vanishes.

    ``starred`` are names that were written with a star, which says nothing but must be right.
    """

    parent: str
    child: str
    label: Sequence[Context] = ()
    where: str = ""
    starred: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class ClassRecord:
    """One class of a node that labels cannot express: all parent configurations in any of these contexts."""

    node: str
    contexts: tuple[Context, ...]
    where: str = ""
    starred: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class BranchRecord:
    """States of a question's variable, and the later question (by its place) or the class that they lead to."""

    states: tuple[State, ...]
    question: int | None = None
    number: int | None = None


@dataclass(frozen=True)
class QuestionRecord:
    """A question about a parent, and its branches."""

    variable: str
    branches: tuple[BranchRecord, ...]


@dataclass(frozen=True)
class TreeRecord:
    """The classes of a node as a tree: its questions, the root first, each before those that its branches lead to."""

    node: str
    questions: tuple[QuestionRecord, ...]
    where: str = ""


@dataclass(frozen=True)
class GraphRecord:
    """Variables, edges with labels, classes that go beyond labels, and trees, in the order they were written.

    Edges to a node with a tree have no labels: the tree tells when they vanish.
    """

    variables: tuple[VariableRecord, ...] = ()
    edges: tuple[EdgeRecord, ...] = ()
    classes: tuple[ClassRecord, ...] = ()
    trees: tuple[TreeRecord, ...] = ()


@dataclass(frozen=True)
class TableRecord:
    """Numbers of a node: a row per class, a column per state."""

    node: str
    rows: tuple[tuple[float, ...], ...]
    where: str = ""


@dataclass(frozen=True)
class EMRecord:
    """How parameters were estimated from data with gaps: where EM ended, after how many steps, and from every start."""

    log_likelihood: float
    objective: float
    converged: bool
    n_iter: int
    starts: tuple[float, ...]


@dataclass(frozen=True)
class NetworkRecord:
    """A graph and a table per node: counts if there is an equivalent sample size, or else probabilities."""

    graph: GraphRecord
    tables: tuple[TableRecord, ...]
    equivalent_sample_size: float | None = None
    estimate: Estimate | None = None
    origin: Mapping[str, object] | None = None
    spread: Spread = "configurations"
    em: EMRecord | None = None
    kappa: float | None = None
    """The price of a parameter in averages over prunings."""


@dataclass(frozen=True, eq=False)
class CptRecord:
    """The table of a node: a row per configuration of the parents as written (the last fastest).

    Where ``cells`` are given, these are the configurations that have a row, and the last row is that of all others.
    """

    node: str
    parents: tuple[str, ...]
    values: NDArray[np.float64]
    where: str = ""
    cells: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class TabularRecord:
    """A network as most programs write it: variables and full tables.

    ``told`` are the nodes whose classes ``labels`` and ``classes`` tell; those of other nodes are equal rows.
    """

    variables: tuple[VariableRecord, ...]
    tables: tuple[CptRecord, ...]
    told: frozenset[str] = frozenset()
    labels: tuple[EdgeRecord, ...] = ()
    classes: tuple[ClassRecord, ...] = ()
    name: str = ""


@dataclass(frozen=True, eq=False)
class DocumentRecord:
    """Plain values of what is more than one graph: a "posterior", a "bootstrap", a "mixture", a "dynamic network"."""

    kind: str
    content: Mapping[str, Any]

    def unpack(self, make: Callable[[Mapping[str, Any]], T]) -> T:
        """Make of the values what they stand for; where that fails, they are not what was written."""
        try:
            return make(self.content)
        except (KeyError, TypeError, ValueError, IndexError, LdagError):
            raise FormatError(f"the {self.kind} is damaged") from None


ModelRecord = GraphRecord | NetworkRecord | TabularRecord
"""A graph, a network by classes, or a network by full tables."""

FileRecord = ModelRecord | DocumentRecord
"""Whatever a file may hold."""

Carried = Literal["yes", "no", "in comments", "from equal rows", "by number", "arcs only"]
"""Whether and how a format carries something."""


@dataclass(frozen=True)
class Carries:
    """What a format keeps of a model; the rest is lost when it is written."""

    names: Carried = "yes"
    states: Carried = "yes"
    labels: Carried = "yes"
    latent: Carried = "yes"
    trees: Carried = "no"
    probabilities: Carried = "no"
    counts: Carried = "no"
    origin: Carried = "no"


@dataclass(frozen=True)
class Format:
    """A way of writing graphs or networks: one module with one of these, and one line in the registry.

    A format that keeps networks as full tables has ``write_tables``; the native one, which keeps classes, has
    ``write_network``. What is None cannot be done: the format is write-only, or holds no graphs without parameters.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    used_by: str
    carries: Carries
    read: Callable[[str], FileRecord] | None = None
    write_graph: Callable[[GraphRecord], str] | None = None
    write_network: Callable[[NetworkRecord], str] | None = None
    write_tables: Callable[[TabularRecord], str] | None = None

    @property
    def writes_networks(self) -> bool:
        """Whether parameters can be written."""
        return self.write_network is not None or self.write_tables is not None


def check_model(record: FileRecord) -> ModelRecord:
    """Refuse what says how sure one is of graphs where one graph or network is wanted."""
    if isinstance(record, DocumentRecord):
        loader = record.kind.title().replace(" ", "")
        raise FormatError(
            f"expected a graph or a network, got a {record.kind}; {loader}.load reads it, and"
            " `ldag show` and `ldag plot` show it"
        )
    return record


def table_of_formats(formats: tuple[Format, ...]) -> str:
    """Return what the formats carry as a Markdown table, which the documentation shows."""
    aspects = [field.name for field in fields(Carries)]
    head = ["format", "ending", "used by", "reads", "writes", *aspects]
    rows = [
        [
            item.title,
            ", ".join(f"`{ending}`" for ending in item.endings),
            item.used_by,
            "yes" if item.read else "no",
            " and ".join(
                what for what, able in (("graphs", item.write_graph), ("networks", item.writes_networks)) if able
            ),
            *(getattr(item.carries, aspect) for aspect in aspects),
        ]
        for item in formats
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]) + "\n"
