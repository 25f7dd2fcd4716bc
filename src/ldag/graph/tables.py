"""Between networks by full tables, as most programs write them, and classes.

Configurations whose rows are equal when rounded to `EQUAL_DIGITS` digits are one class, unless the file tells
the classes of the node itself. Zero is equal to nothing but zero: what is possible and what is not are never joined.
"""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.errors import FormatError, TooLarge
from ldag.formats import CptRecord, EdgeRecord, GraphRecord, TabularRecord
from ldag.graph.records import assemble, disassemble
from ldag.model import ClassTable, CodedFamily, Counts, Grid, Partition, Schema, Structure, freeze

EQUAL_DIGITS = 12
"""Numbers that agree in so many digits are equal: the rounding of doubles is forgiven, and nothing that was printed."""

TINY = 1e-200
"""Smaller numbers are multiplied by its inverse before their digits are taken, as no power of ten reaches them all."""

MAX_WRITTEN = 1 << 24
"""Cells of the largest full table that is written."""


def assemble_tables(record: TabularRecord) -> tuple[Schema, Structure, tuple[ClassTable, ...]]:
    """Return variables, families and the distribution of every class."""
    labels = {(edge.parent, edge.child): edge for edge in record.labels}
    edges = []
    for table in record.tables:
        for parent in table.parents:
            edge = labels.pop((parent, table.node), None)
            edges.append(EdgeRecord(parent, table.node, edge.label if edge else (), table.where))
    for edge in labels.values():
        raise FormatError(f"{edge.where}there is a label for {edge.parent} -> {edge.child}, but no such edge")
    schema, structure = assemble(GraphRecord(record.variables, tuple(edges), record.classes))
    families, classes = [], []
    for table, family in zip(record.tables, structure.families, strict=True):
        if table.node in record.told:
            own, chosen = family, _class_rows(table, family.partition, _in_node_order(table, schema))
        elif table.cells is not None:
            own, chosen = _mostly_default(table, family, schema)
        else:
            rows = _in_node_order(table, schema)
            own = family_of_rows(family, rows)
            chosen = rows[own.partition.first]
        families.append(own)
        classes.append(freeze(chosen))
    return schema, Structure(schema.n_states, tuple(families)), tuple(classes)


def disassemble_tables(schema: Schema, structure: Structure, probabilities: Sequence[ClassTable]) -> TabularRecord:
    """Return full tables, and in words the classes of the nodes whose equal rows would not tell them."""
    tables, told = [], set()
    plain = list(structure.families)
    for node, (family, rows) in enumerate(zip(structure.families, probabilities, strict=True)):
        name = schema[node].name
        cells = family.partition.grid.size * schema[node].n_states
        if cells > MAX_WRITTEN:
            raise TooLarge(
                f"the full table of {name!r} has {cells:,} cells; at most {MAX_WRITTEN:,} are written. JSON keeps its"
                f" {family.partition.n_classes:,} classes"
            )
        own = family.dense()
        values = own.partition.expand(rows)
        tables.append(CptRecord(name, tuple(schema[parent].name for parent in own.parents), values))
        is_told = family_of_rows(own, values) != own
        plain[node] = own if is_told else CodedFamily.table(own.parents, own.partition.grid)
        if is_told:
            told.add(name)
    words = disassemble(schema, Structure(structure.n_states, tuple(plain)))
    return TabularRecord(
        words.variables,
        tuple(tables),
        frozenset(told),
        tuple(edge for edge in words.edges if edge.label),
        words.classes,
    )


def family_of_rows(family: CodedFamily, rows: Counts) -> CodedFamily:
    """Return the family whose classes are the configurations with equal rows."""
    if not family.parents:
        return family
    return CodedFamily.from_partition(family.parents, Partition.of(family.partition.grid, _number_rows(rows)))


def _number_rows(rows: Counts) -> NDArray[np.intp]:
    """Return a number for each row, the same for equal ones."""
    rounded = np.ascontiguousarray(_significant(rows))
    keys = rounded.view(np.dtype((np.void, rounded.dtype.itemsize * rounded.shape[1]))).reshape(-1)
    return np.unique(keys, return_inverse=True)[1]


def _mostly_default(table: CptRecord, family: CodedFamily, schema: Schema) -> tuple[CodedFamily, ClassTable]:
    """Return the family and rows of a table with a default row, at the cost of the rows that are written."""
    assert table.cells is not None
    written = Grid(tuple(schema[node].n_states for node in schema.nodes(table.parents)))
    grid = family.partition.grid
    cells = np.zeros_like(table.cells)
    for stride, axis in zip(grid.strides, _node_order(table, schema), strict=True):
        cells += stride * (table.cells // written.strides[axis] % written.n_states[axis])
    numbers = _number_rows(table.values).tolist()
    partition, given = Partition.mostly_one(grid, cells, numbers[:-1], numbers[-1])
    place = {number: row for row, number in enumerate(numbers)}
    return CodedFamily.from_partition(family.parents, partition), table.values[[place[number] for number in given]]


def _significant(values: Counts) -> NDArray[np.int64]:
    """Return a whole number for each probability: its first digits and where they begin, or zero for zero."""
    is_tiny = values < TINY
    scaled = np.where(is_tiny, values / TINY, values)
    zero = scaled == 0
    exponents = np.floor(np.log10(np.where(zero, 1.0, scaled)))
    digits = np.rint(scaled * 10.0 ** (EQUAL_DIGITS - 1 - exponents))
    carried = digits >= 10**EQUAL_DIGITS
    digits[carried] /= 10
    exponents += carried
    exponents[is_tiny] += np.log10(TINY)
    return np.where(zero, 0, digits * 1000 - exponents).astype(np.int64)


def _in_node_order(table: CptRecord, schema: Schema) -> Counts:
    """Return the rows in the order of the configurations of the parents in node order."""
    shape = [schema[node].n_states for node in schema.nodes(table.parents, table.where)]
    values = table.values
    if table.cells is not None:
        values = np.repeat(table.values[-1:], prod(shape), axis=0)
        values[table.cells] = table.values[:-1]
    n_states = values.shape[1]
    assert prod(shape) == len(values)
    axes = [*_node_order(table, schema), len(shape)]
    return values.reshape(*shape, n_states).transpose(axes).reshape(-1, n_states)


def _node_order(table: CptRecord, schema: Schema) -> list[int]:
    """Return where the parents in node order stand among those as written."""
    nodes = schema.nodes(table.parents, table.where)
    return sorted(range(len(nodes)), key=nodes.__getitem__)


def _class_rows(table: CptRecord, partition: Partition, rows: Counts) -> ClassTable:
    """Return the row of every class that comments tell, that of its first configuration; all of them must be equal."""
    chosen = rows[partition.first]
    expected = partition.expand(chosen)
    apart = np.abs(rows - expected)
    if np.any(apart > 15 * 10.0**-EQUAL_DIGITS * np.minimum(rows, expected)):  # the last digit counts up to 1 in 10
        off = apart.max()
        raise FormatError(
            f"{table.where}the comments of ldag say that some rows of {table.node!r} are equal, and they are {off:.3g}"
            " apart; correct the rows, or remove the comments"
        )
    return chosen
