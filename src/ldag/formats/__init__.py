"""Formats of graphs and networks: between files, texts or objects of other libraries and plain records."""

from ldag.formats.contract import Format, ModelRecord, table_of_formats
from ldag.formats.dot import read_dot, write_dot
from ldag.formats.files import check_place, name_file, read_utf8, shown_path, write_atomically
from ldag.formats.identifiers import spell_plainly
from ldag.formats.jkl import FamilyScores
from ldag.formats.json import read_json, read_network_json, write_json, write_network_json
from ldag.formats.networkx import from_networkx, to_networkx
from ldag.formats.pgmpy import from_pgmpy, to_pgmpy
from ldag.formats.pyagrum import from_pyagrum, to_pyagrum
from ldag.formats.record import (
    ClassRecord,
    Context,
    CptRecord,
    Edge,
    EdgeRecord,
    Estimate,
    GraphRecord,
    NetworkRecord,
    TableRecord,
    TabularRecord,
    VariableRecord,
)
from ldag.formats.record_checks import repeated
from ldag.formats.registry import (
    FORMATS,
    check_writable,
    format_named,
    format_of,
    holds_models,
    read_model,
    spell_network,
    write_graph,
    write_network,
)
from ldag.formats.scanner import Scanner, read_assignments, read_name_list
from ldag.formats.spelling import spell_contexts, spell_name, spell_state, spell_states
from ldag.formats.text import read_text, write_text
from ldag.formats.words import (
    MOST_CASES,
    absent_if,
    brief,
    brief_conditions,
    conditions,
    counted,
    edge_in_words,
    formulas,
    list_names,
    spell_cost,
    spell_share,
    state_in_words,
)

__all__ = [
    "FORMATS",
    "MOST_CASES",
    "ClassRecord",
    "Context",
    "CptRecord",
    "Edge",
    "EdgeRecord",
    "Estimate",
    "FamilyScores",
    "Format",
    "GraphRecord",
    "ModelRecord",
    "NetworkRecord",
    "Scanner",
    "TableRecord",
    "TabularRecord",
    "VariableRecord",
    "absent_if",
    "brief",
    "brief_conditions",
    "check_place",
    "check_writable",
    "conditions",
    "counted",
    "edge_in_words",
    "format_named",
    "format_of",
    "formulas",
    "from_networkx",
    "from_pgmpy",
    "from_pyagrum",
    "holds_models",
    "list_names",
    "name_file",
    "read_assignments",
    "read_dot",
    "read_json",
    "read_model",
    "read_name_list",
    "read_network_json",
    "read_text",
    "read_utf8",
    "repeated",
    "shown_path",
    "spell_contexts",
    "spell_cost",
    "spell_name",
    "spell_network",
    "spell_plainly",
    "spell_share",
    "spell_state",
    "spell_states",
    "state_in_words",
    "table_of_formats",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
    "write_atomically",
    "write_dot",
    "write_graph",
    "write_json",
    "write_network",
    "write_network_json",
    "write_text",
]
