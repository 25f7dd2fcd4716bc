"""What a learned graph must and must not have: `Constraints`, and the search space they leave."""

from ldag.learning.constraints.given import Constraints, check_max_parents
from ldag.learning.constraints.labels import rules_for
from ldag.learning.constraints.rules import FixedLabels, LabelRule, LabelRules, fixed_labels
from ldag.learning.constraints.space import SearchSpace, check_result, search_space
from ldag.learning.constraints.text import read_edge, read_names

__all__ = [
    "Constraints",
    "FixedLabels",
    "LabelRule",
    "LabelRules",
    "SearchSpace",
    "check_max_parents",
    "check_result",
    "fixed_labels",
    "read_edge",
    "read_names",
    "rules_for",
    "search_space",
]
