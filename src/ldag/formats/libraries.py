"""Graphs of networkx, and networks of pgmpy and pyAgrum, in memory."""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import numpy as np

from ldag.errors import FormatError, MissingDependency
from ldag.formats.notes import spell_states_apart
from ldag.formats.record import ClassRecord, CptRecord, EdgeRecord, GraphRecord, TabularRecord, VariableRecord
from ldag.formats.record_checks import (
    check_class_contexts,
    check_contexts_of,
    check_cuts_of,
    check_name,
    check_record,
    check_states,
    check_tables,
    shorten,
)
from ldag.model import State

if TYPE_CHECKING:
    import networkx as nx
    import pyagrum
    from pgmpy.models import DiscreteBayesianNetwork


def to_networkx(record: GraphRecord) -> "nx.DiGraph":
    """Return a ``networkx.DiGraph``.

    ``states`` is a tuple and absent where undeclared, ``latent`` is True or absent, ``label`` a tuple of contexts
    (dicts), ``classes`` a tuple of pairs (node, contexts), absent if there are none. networkx orders edges by parent.
    """
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependency("networkx", "networkx", "making a networkx graph") from None
    record = check_record(record)
    graph = nx.DiGraph()
    for variable in record.variables:
        graph.add_node(variable.name, **_attributes(variable))
    for edge in record.edges:
        graph.add_edge(edge.parent, edge.child, label=edge.label)
    if record.classes:
        graph.graph["classes"] = tuple((item.node, item.contexts) for item in record.classes)
    return graph


def from_networkx(graph: "nx.DiGraph") -> GraphRecord:
    """Read a ``networkx.DiGraph``, with or without the attributes of ``to_networkx``."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependency("networkx", "networkx", "reading a networkx graph") from None
    if not isinstance(graph, nx.DiGraph) or graph.is_multigraph():
        raise FormatError(f"expected a networkx.DiGraph, got {_kind(graph)}")
    return check_record(
        GraphRecord(
            tuple(_variable(name, attributes) for name, attributes in graph.nodes(data=True)),
            tuple(_edge(parent, child, attributes) for parent, child, attributes in graph.edges(data=True)),
            _classes(graph.graph.get("classes", ())),
        )
    )


def _kind(graph: object) -> str:
    return f"a {type(graph).__name__}"


def _variable(name: object, attributes: Mapping[str, object]) -> VariableRecord:
    path = f"node {shorten(name)}"
    given = attributes.get("states")
    states = None if given is None else check_states(given, f"{path}, attribute states")
    cuts = check_cuts_of(attributes.get("cuts", ()), f"{path}, attribute cuts")
    ordered, latent = (bool(attributes.get(key, False)) for key in ("ordered", "latent"))
    return VariableRecord(check_name(name, path), states, f"{path}: ", ordered, cuts, latent)


def _attributes(variable: VariableRecord) -> dict[str, object]:
    attributes: dict[str, object] = {} if variable.states is None else {"states": variable.states}
    attributes |= {key: True for key in ("ordered", "latent") if getattr(variable, key)}
    return attributes | ({"cuts": variable.cuts} if variable.cuts else {})


def _edge(parent: str, child: str, attributes: Mapping[str, object]) -> EdgeRecord:
    path = f"edge {shorten(parent)} -> {shorten(child)}"
    label = check_contexts_of(attributes.get("label", ()), f"{path}, attribute label")
    return EdgeRecord(parent, child, label, f"{path}: ")


def _classes(classes: object) -> tuple[ClassRecord, ...]:
    if not isinstance(classes, list | tuple):
        raise FormatError(f"graph attribute classes: expected pairs (node, contexts), got {shorten(classes)}")
    return tuple(_class(item, f"graph attribute classes[{i}]") for i, item in enumerate(classes))


def _class(item: object, path: str) -> ClassRecord:
    if not isinstance(item, list | tuple) or len(item) != 2:
        raise FormatError(f"{path}: expected a pair (node, contexts), got {shorten(item)}")
    node, contexts = item
    return ClassRecord(check_name(node, path), check_class_contexts(contexts, path), f"{path}: ")


def to_pgmpy(record: TabularRecord) -> "DiscreteBayesianNetwork":
    """Return a ``pgmpy.models.DiscreteBayesianNetwork`` with the same names, states, latent variables and tables."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pgmpy announces its own coming changes
            from pgmpy.factors.discrete import TabularCPD
            from pgmpy.models import DiscreteBayesianNetwork
    except ImportError:
        raise MissingDependency("pgmpy", "pgmpy", "making a pgmpy network") from None
    model = DiscreteBayesianNetwork()
    model.add_nodes_from([variable.name for variable in record.variables])
    model.latents = {variable.name for variable in record.variables if variable.latent}
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
        latent = node in getattr(model, "latents", ())
        variables.append(VariableRecord(name, states, f"node {name!r}: ", latent=latent))
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


def to_pyagrum(record: TabularRecord) -> "pyagrum.BayesNet":
    """Return a ``pyagrum.BayesNet`` with the same names and tables; which variables are latent it cannot say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its wrapper uses what Python will drop
            import pyagrum
    except ImportError:
        raise MissingDependency("pyagrum", "pyagrum", "making a pyAgrum network") from None
    network = pyagrum.BayesNet()
    states = {variable.name: spell_states_apart(variable.states or ()) for variable in record.variables}
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
