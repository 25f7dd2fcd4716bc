"""What a structure implies: separation, implication with proofs, equivalence."""

from ldag.reasoning.equivalence import (
    Difference,
    PossibleParents,
    beyond_labels,
    compare_structures,
    equivalence_class,
    essential_edges,
    possible_parents,
)
from ldag.reasoning.implication import DEFAULT_BUDGET, Question, decide
from ldag.reasoning.markov import CodedCpdag, CodedEdge, cpdag, markov_equivalent
from ldag.reasoning.separation import (
    context_parents,
    context_structure,
    csi_separated,
    d_separated,
    is_satisfied,
    label_variables,
)
from ldag.reasoning.verdict import Independence, Verdict, assignments

__all__ = [
    "DEFAULT_BUDGET",
    "CodedCpdag",
    "CodedEdge",
    "Difference",
    "Independence",
    "PossibleParents",
    "Question",
    "Verdict",
    "assignments",
    "beyond_labels",
    "compare_structures",
    "context_parents",
    "context_structure",
    "cpdag",
    "csi_separated",
    "d_separated",
    "decide",
    "equivalence_class",
    "essential_edges",
    "is_satisfied",
    "label_variables",
    "markov_equivalent",
    "possible_parents",
]
