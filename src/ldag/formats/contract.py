"""What a format is: its endings, how it is read and written, and what it can carry."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Literal

from ldag.errors import FormatError
from ldag.formats.record import DocumentRecord, GraphRecord, NetworkRecord, TabularRecord

ModelRecord = GraphRecord | NetworkRecord | TabularRecord
"""A graph, a network by classes, or a network by full tables."""

FileRecord = ModelRecord | DocumentRecord
"""Whatever a file may hold."""

Carried = Literal["yes", "no", "in comments", "from equal rows", "by number"]
"""Whether and how a format carries something."""


@dataclass(frozen=True)
class Carries:
    """What a format keeps of a model; the rest is lost when it is written."""

    names: Carried = "yes"
    states: Carried = "yes"
    labels: Carried = "yes"
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
        raise FormatError(
            f"expected a graph or a network, got a {record.kind}; {record.kind.capitalize()}.load reads it, and"
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
