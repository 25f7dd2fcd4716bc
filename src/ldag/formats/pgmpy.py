"""Networks of pgmpy, in memory."""

import warnings
from typing import TYPE_CHECKING, cast

import numpy as np

from ldag.errors import FormatError, MissingDependency
from ldag.formats.record import CptRecord, TabularRecord, VariableRecord
from ldag.formats.record_checks import check_name, check_states
from ldag.formats.table_checks import check_tables
from ldag.model import State

if TYPE_CHECKING:
    from pgmpy.models import DiscreteBayesianNetwork


def to_pgmpy(record: TabularRecord) -> "DiscreteBayesianNetwork":
    """Return a ``pgmpy.models.DiscreteBayesianNetwork`` with the same names, states and tables."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pgmpy announces its own coming changes
            from pgmpy.factors.discrete import TabularCPD
            from pgmpy.models import DiscreteBayesianNetwork
    except ImportError:
        raise MissingDependency("pgmpy", "pgmpy", "making a pgmpy network") from None
    model = DiscreteBayesianNetwork()
    model.add_nodes_from([variable.name for variable in record.variables])
    model.add_edges_from([(parent, table.node) for table in record.tables for parent in table.parents])
    states = {variable.name: list(variable.states or ()) for variable in record.variables}
    for table in record.tables:
        model.add_cpds(
            TabularCPD(
                table.node,
                len(states[table.node]),
                table.values.T,
                evidence=list(table.parents) or None,
                evidence_card=[len(states[parent]) for parent in table.parents] or None,
                state_names={name: states[name] for name in (table.node, *table.parents)},
            )
        )
    return model


def from_pgmpy(model: "DiscreteBayesianNetwork") -> TabularRecord:
    """Read a discrete network of pgmpy; every node must have its table."""
    if not hasattr(model, "get_cpds") or not hasattr(model, "nodes"):
        raise FormatError(f"expected a discrete Bayesian network of pgmpy, got a {type(model).__name__}")
    variables, tables = [], []
    for node in model.nodes():
        name = check_name(node, "node")
        cpd = model.get_cpds(node)
        if cpd is None or not hasattr(cpd, "values"):
            raise FormatError(f"the node {name!r} has no table; model.fit(...) or model.add_cpds(...) gives it one")
        states = check_states([_plain(state) for state in cpd.state_names[node]], f"node {name!r}")
        variables.append(VariableRecord(name, states, f"node {name!r}: "))
        parents = tuple(cpd.variables[1:])
        values = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
        codes = [_codes(model, parent, cpd) for parent in parents]
        values = values[np.ix_(*codes, range(values.shape[-1]))]
        tables.append(CptRecord(name, parents, values.reshape(-1, values.shape[-1]), f"node {name!r}: "))
    return check_tables(TabularRecord(tuple(variables), tuple(tables)))


def _plain(state: object) -> State:
    return cast("State", state.item() if isinstance(state, np.generic) else state)


def _codes(model: "DiscreteBayesianNetwork", parent: str, cpd: object) -> list[int]:
    """Return where a table has the states of a parent, in the order of the parent's own table."""
    own = model.get_cpds(parent)
    here = list(getattr(cpd, "state_names", {}).get(parent, ()))
    wanted = list(own.state_names[parent]) if own is not None else here
    if set(map(str, here)) != set(map(str, wanted)):
        raise FormatError(f"the tables disagree on the states of {parent!r}: {here} and {wanted}")
    return [here.index(state) for state in wanted]
