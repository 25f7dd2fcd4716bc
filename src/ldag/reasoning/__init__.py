"""What a structure implies: separation, implication with proofs, equivalence."""

from ldag.reasoning.equivalence import Difference as Difference
from ldag.reasoning.equivalence import PossibleParents as PossibleParents
from ldag.reasoning.equivalence import beyond_labels as beyond_labels
from ldag.reasoning.equivalence import compare_structures as compare_structures
from ldag.reasoning.equivalence import equivalence_class as equivalence_class
from ldag.reasoning.equivalence import essential_edges as essential_edges
from ldag.reasoning.equivalence import possible_parents as possible_parents
from ldag.reasoning.implication import DEFAULT_BUDGET as DEFAULT_BUDGET
from ldag.reasoning.implication import Decision as Decision
from ldag.reasoning.implication import Question as Question
from ldag.reasoning.implication import decide as decide
from ldag.reasoning.markov import CodedCpdag as CodedCpdag
from ldag.reasoning.markov import CodedEdge as CodedEdge
from ldag.reasoning.markov import cpdag as cpdag
from ldag.reasoning.markov import markov_equivalent as markov_equivalent
from ldag.reasoning.separation import context_parents as context_parents
from ldag.reasoning.separation import context_structure as context_structure
from ldag.reasoning.separation import csi_separated as csi_separated
from ldag.reasoning.separation import d_separated as d_separated
from ldag.reasoning.separation import is_satisfied as is_satisfied
from ldag.reasoning.separation import label_variables as label_variables
from ldag.reasoning.verdict import Independence as Independence
from ldag.reasoning.verdict import Verdict as Verdict
from ldag.reasoning.verdict import assignments as assignments
