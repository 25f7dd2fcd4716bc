"""Formats of graphs and networks: between files, texts or objects of other libraries and plain records."""

from ldag.formats.dot import read_dot, write_dot
from ldag.formats.files import read_utf8, write_atomically
from ldag.formats.json import holds_network, read_json, read_network, write_json, write_network
from ldag.formats.networkx import from_networkx, to_networkx
from ldag.formats.record import (
    ClassRecord,
    Context,
    Edge,
    EdgeRecord,
    Estimate,
    GraphRecord,
    NetworkRecord,
    TableRecord,
    VariableRecord,
)
from ldag.formats.record_checks import repeated
from ldag.formats.registry import check_writable, read_graph, write_graph
from ldag.formats.scanner import Scanner
from ldag.formats.spelling import spell_contexts, spell_name, spell_state, spell_states
from ldag.formats.text import read_text, write_text
from ldag.formats.words import conditions, counted, edge_in_words

__all__ = [
    "ClassRecord",
    "Context",
    "Edge",
    "EdgeRecord",
    "Estimate",
    "GraphRecord",
    "NetworkRecord",
    "Scanner",
    "TableRecord",
    "VariableRecord",
    "check_writable",
    "conditions",
    "counted",
    "edge_in_words",
    "from_networkx",
    "holds_network",
    "read_dot",
    "read_graph",
    "read_json",
    "read_network",
    "read_text",
    "read_utf8",
    "repeated",
    "spell_contexts",
    "spell_name",
    "spell_state",
    "spell_states",
    "to_networkx",
    "write_atomically",
    "write_dot",
    "write_graph",
    "write_json",
    "write_network",
    "write_text",
]
