"""A network in texts and files."""

import os
from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, Self

import numpy as np

from ldag import formats
from ldag.checks import check_path, check_text
from ldag.errors import FormatError, LdagError
from ldag.formats import GraphRecord, NetworkRecord, TableRecord, TabularRecord, name_file, repeated
from ldag.graph import LDAG, assemble, assemble_tables, disassemble, disassemble_tables
from ldag.model import ClassTable, Smoothing, freeze
from ldag.network.arguments import TOLERANCE
from ldag.network.base import NetworkBase

if TYPE_CHECKING:
    import pyagrum
    from pgmpy.models import DiscreteBayesianNetwork

NO_PARAMETERS = "this is a graph without parameters; Network.from_data(LDAG.load(...), data) estimates them"


class NetworkFiles(NetworkBase):
    """Reading and writing."""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON form (see docs/ldag.schema.json)."""
        return cls._from_record(formats.read_network_json(check_text(text)))

    def to_json(self) -> str:
        """Return the JSON form: the graph, and a row of counts or probabilities per class.

        Reading it gives this network back, with every number as it was.
        """
        return formats.write_network_json(self._to_record())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that holds parameters, in the format of its ending (.json, .bif, .net, ...).

        Where a format has full tables, configurations with equal rows (to 12 digits; zero equals only zero) become one
        class, so that labels are recovered.
        """
        record = formats.read_model(check_path(path))
        try:
            return cls.from_model(record)
        except LdagError as error:
            raise name_file(path, error) from None

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        known = formats.format_of(check_path(path), "networks")
        formats.write_network(self._to_record() if known.write_network else self._to_tables(), path)

    def to_format(self, name: str) -> str:
        """Return the text of any format by its short name ("bif", "uai", ...); the graph where it has no parameters."""
        known = formats.format_named(name)
        if not known.writes_networks:
            return self.ldag.to_format(name)
        return formats.spell_network(self._to_record() if known.write_network else self._to_tables(), known)

    @classmethod
    def from_pgmpy(cls, model: "DiscreteBayesianNetwork") -> Self:
        """Take over a discrete network of pgmpy; configurations with equal rows become one class."""
        return cls.from_model(formats.from_pgmpy(model))

    def to_pgmpy(self, *, plain: bool = False) -> "DiscreteBayesianNetwork":
        """Return a ``pgmpy.models.DiscreteBayesianNetwork`` with full tables.

        With ``plain``, names and states are words of letters, digits and underscores, as in a BIF file that `save`
        writes: pgmpy writes files that nobody can read if there are others, such as "<= 30".
        """
        return formats.to_pgmpy(self._to_tables(plain=plain))

    @classmethod
    def from_pyagrum(cls, network: "pyagrum.BayesNet") -> Self:
        """Take over a network of pyAgrum; configurations with equal rows become one class."""
        return cls.from_model(formats.from_pyagrum(network))

    def to_pyagrum(self, *, plain: bool = False) -> "pyagrum.BayesNet":
        """Return a ``pyagrum.BayesNet`` with full tables; states become texts.

        With ``plain``, names and states are words of letters, digits and underscores, as in a BIF file that `save`
        writes: pyAgrum neither writes nor reads others, such as "<= 30", in most formats.
        """
        return formats.to_pyagrum(self._to_tables(plain=plain))

    @classmethod
    def load_model(cls, path: str | os.PathLike[str]) -> Self | LDAG:
        """Read a network, or a graph from a file that holds no parameters."""
        record = formats.read_model(check_path(path))
        try:
            return LDAG.from_record(record) if isinstance(record, GraphRecord) else cls.from_model(record)
        except LdagError as error:
            raise name_file(path, error) from None

    @classmethod
    def from_model(cls, record: formats.ModelRecord) -> Self:
        """Make a network of whatever was read; for the library itself."""
        if isinstance(record, GraphRecord):
            raise FormatError(NO_PARAMETERS)
        if isinstance(record, NetworkRecord):
            return cls._from_record(record)
        schema, structure, tables = assemble_tables(record)
        return cls(LDAG(schema, structure), tables)

    def _to_tables(self, *, plain: bool = False) -> TabularRecord:
        record = disassemble_tables(self.ldag.schema, self.ldag.structure, self.probabilities)
        return formats.spell_plainly(record) if plain else record

    @classmethod
    def _from_record(cls, record: NetworkRecord) -> Self:
        graph = LDAG(*assemble(record.graph, declared_only=True))
        tables = _tables(graph, record)
        if record.equivalent_sample_size is None or record.estimate is None:
            return cls(graph, tables, origin=record.origin)
        smoothing = Smoothing(record.equivalent_sample_size, record.spread)
        net = cls.from_counts(graph, tables, smoothing, record.estimate)
        return replace(net, origin=record.origin)

    def _to_record(self) -> NetworkRecord:
        learned = self.learned
        graph = disassemble(self.ldag.schema, self.ldag.structure)
        tables = self.probabilities if learned is None else [posterior.counts for posterior in learned.posteriors]
        records = tuple(
            TableRecord(variable.name, tuple(map(tuple, table.tolist())))
            for variable, table in zip(self.variables, tables, strict=True)
        )
        if learned is None:
            return NetworkRecord(graph, records, origin=self.origin)
        size, spread = learned.smoothing
        return NetworkRecord(graph, records, size, learned.estimate, self.origin, spread)


def _tables(graph: LDAG, record: NetworkRecord) -> tuple[ClassTable, ...]:
    """Return the table of every node in order; each must be there once and have the right shape."""
    first: dict[int, TableRecord] = {}
    for table in record.tables:
        node = graph.schema.node(table.node, table.where)
        if node in first:
            raise repeated(f"the table of {table.node!r}", table.where, first[node].where)
        first[node] = table
    for node, variable in enumerate(graph.schema):
        if node not in first:
            raise FormatError(f"parameters: the table of {variable.name!r} is missing")
        _check_shape(first[node], graph.structure.families[node].partition.n_classes, variable.n_states)
        if record.equivalent_sample_size is None:
            _check_sums(first[node])
    return tuple(freeze(np.array(first[node].rows)) for node in range(len(graph.schema)))


def _check_shape(table: TableRecord, n_classes: int, n_states: int) -> None:
    lengths = {len(row) for row in table.rows}
    if len(table.rows) != n_classes or lengths != {n_states}:
        raise FormatError(
            f"{table.where}expected {n_classes} rows (the classes of {table.node!r}) of {n_states} numbers (its"
            f" states), got {len(table.rows)} of {' or '.join(map(str, sorted(lengths))) or 'none'}"
        )


def _check_sums(table: TableRecord) -> None:
    for number, row in enumerate(table.rows):
        if abs(fsum(row) - 1) > TOLERANCE:
            place = f"{table.where.removesuffix(': ')}.probabilities[{number}]"
            raise FormatError(f"{place}: probabilities must sum to 1, these sum to {fsum(row):.10g}")
