"""The graph door: `LDAG`."""

from ldag.graph.alignment import align
from ldag.graph.arguments import check_pairs
from ldag.graph.base import NamedPartition
from ldag.graph.counts import family_counts, find_thin_families, take_states
from ldag.graph.description import Description
from ldag.graph.door import LDAG
from ldag.graph.questions import Cpdag, EdgeDirections, EquivalenceClass, GraphDifference, Names
from ldag.graph.records import assemble, disassemble, name_contexts
from ldag.graph.representations import ReducedCPT, Rule
from ldag.graph.tables import assemble_tables, disassemble_tables
from ldag.graph.views import Multinet

__all__ = [
    "LDAG",
    "Cpdag",
    "Description",
    "EdgeDirections",
    "EquivalenceClass",
    "GraphDifference",
    "Multinet",
    "NamedPartition",
    "Names",
    "ReducedCPT",
    "Rule",
    "align",
    "assemble",
    "assemble_tables",
    "check_pairs",
    "disassemble",
    "disassemble_tables",
    "family_counts",
    "find_thin_families",
    "name_contexts",
    "take_states",
]
