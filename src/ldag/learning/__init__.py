"""Learning graphs from data: families, searches, cross-validation, and what a fit is."""

from ldag.learning.constraints import Constraints, read_edge, read_names
from ldag.learning.crossvalidation import CrossValidation
from ldag.learning.family import Family, learn_family
from ldag.learning.partitions import LabelSearch, StructureKind
from ldag.learning.pipeline import Fit, MethodChoice, cross_validate, learn

__all__ = [
    "Constraints",
    "CrossValidation",
    "Family",
    "Fit",
    "LabelSearch",
    "MethodChoice",
    "StructureKind",
    "cross_validate",
    "learn",
    "learn_family",
    "read_edge",
    "read_names",
]
