"""Networks of pyAgrum, in memory; its states are texts."""

import warnings
from typing import TYPE_CHECKING

import numpy as np

from ldag.errors import FormatError, MissingDependency
from ldag.formats.identifiers import spelled_states
from ldag.formats.record import CptRecord, TabularRecord, VariableRecord
from ldag.formats.table_checks import check_tables

if TYPE_CHECKING:
    import pyagrum


def to_pyagrum(record: TabularRecord) -> "pyagrum.BayesNet":
    """Return a ``pyagrum.BayesNet`` with the same names and tables."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its wrapper uses what Python will drop
            import pyagrum
    except ImportError:
        raise MissingDependency("pyagrum", "pyagrum", "making a pyAgrum network") from None
    network = pyagrum.BayesNet()
    states = {variable.name: spelled_states(variable.states or ()) for variable in record.variables}
    for name, labels in states.items():
        network.add(pyagrum.LabelizedVariable(name, name, labels))
    for table in record.tables:
        for parent in table.parents:
            network.addArc(parent, table.node)
        sizes = [len(states[parent]) for parent in table.parents]
        cube = table.values.reshape(*sizes, len(states[table.node]))
        order = [*reversed(range(len(sizes))), len(sizes)]  # the first parent changes fastest there, after the node
        network.cpt(table.node).fillWith(cube.transpose(order).reshape(-1).tolist())
    return network


def from_pyagrum(network: "pyagrum.BayesNet") -> TabularRecord:
    """Read a network of pyAgrum."""
    if not (hasattr(network, "cpt") and hasattr(network, "names")):
        raise FormatError(f"expected a BayesNet of pyAgrum, got a {type(network).__name__}")
    variables, tables = [], []
    for number in sorted(network.nodes()):
        variable = network.variable(number)
        where = f"node {variable.name()!r}: "
        variables.append(VariableRecord(variable.name(), tuple(variable.labels()), where))
        table = network.cpt(number)
        parents = tuple(table.names[1:][::-1])
        values = np.asarray(table.toarray(), dtype=np.float64)  # its last name is the first axis
        tables.append(CptRecord(variable.name(), parents, values.reshape(-1, values.shape[-1]), where))
    return check_tables(TabularRecord(tuple(variables), tuple(tables)))
