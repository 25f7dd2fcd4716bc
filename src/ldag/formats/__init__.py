"""Formats of graphs and networks: between files, texts or objects of other libraries and plain records."""

from ldag.formats.dot import read_dot, write_dot
from ldag.formats.files import read_graph, write_graph
from ldag.formats.json_format import read_json, write_json
from ldag.formats.network_format import holds_network, read_network, write_network
from ldag.formats.networkx_graph import from_networkx, to_networkx
from ldag.formats.text import read_text, write_text

__all__ = [
    "from_networkx",
    "holds_network",
    "read_dot",
    "read_graph",
    "read_json",
    "read_network",
    "read_text",
    "to_networkx",
    "write_dot",
    "write_graph",
    "write_json",
    "write_network",
    "write_text",
]
