"""The graph door: `LDAG`."""

from ldag.graph.alignment import align as align
from ldag.graph.base import NamedPartition as NamedPartition
from ldag.graph.base import find_thin_families as find_thin_families
from ldag.graph.door import LDAG as LDAG
from ldag.graph.door import Multinet as Multinet
from ldag.graph.door import family_counts as family_counts
from ldag.graph.door import take_states as take_states
from ldag.graph.questions import Cpdag as Cpdag
from ldag.graph.questions import EdgeDirections as EdgeDirections
from ldag.graph.questions import EquivalenceClass as EquivalenceClass
from ldag.graph.questions import GraphDifference as GraphDifference
from ldag.graph.questions import Names as Names
from ldag.graph.records import assemble as assemble
from ldag.graph.records import check_disjoint as check_disjoint
from ldag.graph.records import check_pairs as check_pairs
from ldag.graph.records import disassemble as disassemble
from ldag.graph.records import label_contexts as label_contexts
from ldag.graph.records import name_contexts as name_contexts
from ldag.graph.representations import Description as Description
from ldag.graph.representations import Rule as Rule
from ldag.graph.representations import name_given as name_given
from ldag.graph.representations import spell_size as spell_size
from ldag.graph.representations import tree_rows as tree_rows
from ldag.graph.tables import assemble_tables as assemble_tables
from ldag.graph.tables import disassemble_tables as disassemble_tables
from ldag.graph.tree_records import NestedTree as NestedTree
