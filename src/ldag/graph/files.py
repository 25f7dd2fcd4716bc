"""An LDAG in texts, files and other libraries' objects."""

import os
from typing import TYPE_CHECKING, Self

from ldag import formats
from ldag.checks import check_path, check_text
from ldag.errors import FormatError, LdagError
from ldag.graph.base import Graph
from ldag.graph.tables import assemble_tables

if TYPE_CHECKING:
    import networkx as nx


class GraphFiles(Graph):
    """Reading and writing."""

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read the text form.

        Examples
        --------
        >>> from ldag import LDAG
        >>> g = LDAG.from_text('''
        ... person {worker, visitor, spy}
        ... person -> badge
        ... gender -> badge : person=visitor; person=spy
        ... ''')
        >>> g.labels_in_words()
        ('gender does not matter for badge when person is visitor or spy',)
        """
        return cls._from_record(formats.read_text(check_text(text)), declared_only=False)

    def to_text(self) -> str:
        """Return the text form; reading it gives this graph back."""
        return formats.write_text(self._record)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON form (see docs/ldag.schema.json), or take the graph of a network."""
        return cls._from_record(formats.read_json(check_text(text)), declared_only=True)

    def to_json(self) -> str:
        """Return the JSON form; reading it gives this graph back."""
        return formats.write_json(self._record)

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """Read a Graphviz graph, with the states and labels that `to_dot` writes if they are there."""
        return cls._from_record(formats.read_dot(check_text(text)), declared_only=True)

    def to_dot(self) -> str:
        """Return the graph for Graphviz, with labels on the edges."""
        return formats.write_dot(self._record)

    @classmethod
    def from_networkx(cls, graph: "nx.DiGraph") -> Self:
        """Read a networkx graph, with the attributes that `to_networkx` sets if they are there."""
        return cls._from_record(formats.from_networkx(graph), declared_only=True)

    def to_networkx(self) -> "nx.DiGraph":
        """Return a networkx graph: node attribute ``states``, edge attribute ``label``."""
        return formats.to_networkx(self._record)

    def to_format(self, name: str) -> str:
        """Return the text of any format that holds graphs, by its short name: "ldag", "dot", "tex", ..."""
        write = formats.format_named(name).write_graph
        if write is None:
            raise FormatError(f"{name} holds networks, and a graph has no parameters; Network.from_data estimates them")
        return write(self._record)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file of any format that `ldag convert --formats` lists; the graph of a network is taken."""
        record = formats.read_model(check_path(path))
        try:
            return cls.from_record(record)
        except LdagError as error:
            raise formats.name_file(path, error) from None

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        formats.write_graph(self._record, check_path(path))

    @classmethod
    def from_record(cls, file: formats.FileRecord) -> Self:
        """Take the graph of whatever was read; for the library itself."""
        record = formats.check_model(file)
        if isinstance(record, formats.TabularRecord):
            return cls(*assemble_tables(record)[:2])
        return cls._from_record(record if isinstance(record, formats.GraphRecord) else record.graph, declared_only=True)
