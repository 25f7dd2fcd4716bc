"""A model in words and numbers, for people and for programs: what `describe` returns, and that of a graph."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ldag.formats import MOST_CASES, GraphRecord, spell_name, spell_states, write_json
from ldag.graph.base import Graph
from ldag.graph.representations import ReducedCPT, name_rules
from ldag.hook import Printable


@dataclass(frozen=True, repr=False)
class Description(Printable):
    """What a graph, a network or one variable of it says: lines under headings, and the same as plain values."""

    sections: Mapping[str, Sequence[str]]
    facts: Mapping[str, object]

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return dict(self.facts)

    def __str__(self) -> str:
        return "\n\n".join("\n  ".join([title, *lines]) for title, lines in self.sections.items())


def describe_graph(graph: Graph, record: GraphRecord) -> Description:
    """Describe a graph: variables, edges, labels in words, reduced tables as rules, parameters."""
    tables = _reduce_tables(graph)
    rules = [line for table in tables.values() for line in str(table).splitlines()]
    sections = {
        "Variables": _variables(graph),
        "Edges": [f"{a} -> {b}" for a, b in graph.edges] or ["none: all variables are independent"],
        "Labels": _labels(graph),
        "Reduced tables": rules,
        "Parameters": _parameters(graph),
    }
    return Description(
        {title: lines for title, lines in sections.items() if lines},
        {
            "graph": json.loads(write_json(record)),
            "labels_in_words": graph.labels_in_words(),
            "dag_dimension": graph.dag_dimension,
            "dimension": graph.dimension,
            "maximal": graph.is_maximal(),
            "regular": graph.is_regular(),
            "csi_consistent": graph.is_csi_consistent(),
            "edges": graph.edges,
            "rules": {
                name: [{"class": rule.number, "contexts": [dict(c) for c in rule.contexts]} for rule in table.rules]
                for name, table in tables.items()
            },
        },
    )


def _variables(graph: Graph) -> list[str]:
    names = [spell_name(variable.name) for variable in graph.variables]
    width = max(map(len, names))
    return [f"{name:<{width}}  {spell_states(v.states)}" for name, v in zip(names, graph.variables, strict=True)]


def _labels(graph: Graph) -> list[str]:
    """Return what the labels say, in short; the facts have all of it."""
    sentences = graph.labels_in_words(MOST_CASES)
    is_short = sentences != graph.labels_in_words()
    return [*sentences, *(["(all cases of a label: --json)"] if is_short else [])]


def _reduce_tables(graph: Graph) -> dict[str, ReducedCPT]:
    """Return the tables of the nodes that have fewer classes than configurations."""
    families = enumerate(graph.structure.families)
    reduced = [(node, family) for node, family in families if family.partition.n_classes < family.partition.grid.size]
    return {graph.schema[node].name: name_rules(graph.schema, node, family) for node, family in reduced}


def _parameters(graph: Graph) -> list[str]:
    lines = [f"{graph.dag_dimension} as a DAG -> {graph.dimension} with labels"]
    if not graph.is_maximal():
        lines.append("The labels are not maximal: closing them adds entries without a new independence.")
    if not graph.is_regular():
        gone = set(graph.edges) - set(graph.regular().edges)
        arrows = ", ".join(f"{parent} -> {child}" for parent, child in sorted(gone))
        lines.append(f"The graph is not regular: {arrows} never matters and can be dropped.")
    beyond = [v.name for v in graph.variables if not graph.is_csi_consistent(v.name)]
    if beyond:
        lines.append(f"Labels do not tell all about {', '.join(beyond)}: some classes need a decision graph.")
    return lines
