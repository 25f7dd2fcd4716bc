"""A network in texts and files."""

import os
from math import fsum
from pathlib import Path
from typing import Self

import numpy as np

from ldag import formats
from ldag.checks import check_path, check_text
from ldag.errors import FormatError, LdagError
from ldag.formats import NetworkRecord, TableRecord, read_utf8, repeated, write_atomically
from ldag.graph import LDAG, assemble, disassemble
from ldag.model import ClassTable, freeze
from ldag.network.arguments import TOLERANCE
from ldag.network.base import NetworkBase


class NetworkFiles(NetworkBase):
    """Reading and writing."""

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON form (see docs/ldag.schema.json)."""
        return cls._from_record(formats.read_network(check_text(text)))

    def to_json(self) -> str:
        """Return the JSON form: the graph, and a row of counts or probabilities per class.

        Reading it gives this network back, with every number as it was.
        """
        return formats.write_network(self._to_record())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote."""
        text = read_utf8(_json_path(path))
        try:
            return cls.from_json(text)
        except LdagError as error:
            error.args = (f"{os.fspath(path)}: {error}",)
            raise

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that ends in .json, whole or not at all."""
        write_atomically(_json_path(path), self.to_json().encode())

    @classmethod
    def _from_record(cls, record: NetworkRecord) -> Self:
        graph = LDAG(*assemble(record.graph, declared_only=True))
        tables = _tables(graph, record)
        if record.equivalent_sample_size is None or record.estimate is None:
            return cls(graph, tables)
        return cls._from_counts(graph, tables, record.equivalent_sample_size, record.estimate)

    def _to_record(self) -> NetworkRecord:
        learned = self.learned
        graph = disassemble(self.ldag.schema, self.ldag.structure)
        tables = self.probabilities if learned is None else [posterior.counts for posterior in learned.posteriors]
        records = tuple(
            TableRecord(variable.name, tuple(map(tuple, table.tolist())))
            for variable, table in zip(self.variables, tables, strict=True)
        )
        if learned is None:
            return NetworkRecord(graph, records)
        return NetworkRecord(graph, records, learned.equivalent_sample_size, learned.estimate)


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


def _json_path(path: str | os.PathLike[str]) -> Path:
    found = Path(check_path(path))
    if found.suffix.lower() != ".json":
        got = f"the ending {found.suffix!r}" if found.suffix else "no ending"
        raise FormatError(f"{found}: a network is kept in a file that ends in .json, got {got}")
    return found
