"""Learning graphs from data: families, searches, cross-validation, and what a fit is."""

from ldag.learning.certificate import Certificate
from ldag.learning.checkpoint import Checkpoint, digest, fingerprint
from ldag.learning.constraints import (
    Constraints,
    LabelRule,
    LabelRules,
    SearchSpace,
    fixed_labels,
    read_edge,
    read_names,
    rules_for,
    search_space,
)
from ldag.learning.cross_validation import CrossValidation
from ldag.learning.family import Family, learn_family, learn_labels
from ldag.learning.fit import Fit
from ldag.learning.partitions import CountedFamily, FamilyOptions, LabelSearch, learn_families
from ldag.learning.pipeline import LEAST_SECONDS, cross_validate, learn, learn_with
from ldag.learning.plan import Plan, Settings, make_plan
from ldag.learning.progress import (
    NO_DEADLINE,
    Deadline,
    Progress,
    ProgressReport,
    check_progress,
    check_time_limit,
    listen,
)
from ldag.learning.scores import FamilyScores, family_scores
from ldag.learning.searches import METHODS, MethodChoice, SearchControl, SearchProblem, SearchResult
from ldag.learning.searches.climb import Climb
from ldag.learning.structures import STRUCTURES, StructureKind
from ldag.learning.trace import Trace

__all__ = [
    "LEAST_SECONDS",
    "METHODS",
    "NO_DEADLINE",
    "STRUCTURES",
    "Certificate",
    "Checkpoint",
    "Climb",
    "Constraints",
    "CountedFamily",
    "CrossValidation",
    "Deadline",
    "Family",
    "FamilyOptions",
    "FamilyScores",
    "Fit",
    "LabelRule",
    "LabelRules",
    "LabelSearch",
    "MethodChoice",
    "Plan",
    "Progress",
    "ProgressReport",
    "SearchControl",
    "SearchProblem",
    "SearchResult",
    "SearchSpace",
    "Settings",
    "StructureKind",
    "Trace",
    "check_progress",
    "check_time_limit",
    "cross_validate",
    "digest",
    "family_scores",
    "fingerprint",
    "fixed_labels",
    "learn",
    "learn_families",
    "learn_family",
    "learn_labels",
    "learn_with",
    "listen",
    "make_plan",
    "read_edge",
    "read_names",
    "rules_for",
    "search_space",
]
