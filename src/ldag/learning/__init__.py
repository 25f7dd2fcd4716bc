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
from ldag.learning.plan import Plan, make_plan
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
from ldag.learning.searches import (
    METHODS,
    MethodChoice,
    Search,
    SearchControl,
    SearchProblem,
    SearchResult,
    method_options,
)
from ldag.learning.searches.chain import Chain
from ldag.learning.searches.climb import Climb
from ldag.learning.searches.exact import Exact
from ldag.learning.settings import (
    LearnOptions,
    SearchOptions,
    Settings,
    SmoothingChoice,
    accept_old_names,
    rename_settings,
    split_options,
)
from ldag.learning.structures import STRUCTURES, StructureKind
from ldag.learning.trace import Trace

__all__ = [
    "LEAST_SECONDS",
    "METHODS",
    "NO_DEADLINE",
    "STRUCTURES",
    "Certificate",
    "Chain",
    "Checkpoint",
    "Climb",
    "Constraints",
    "CountedFamily",
    "CrossValidation",
    "Deadline",
    "Exact",
    "Family",
    "FamilyOptions",
    "FamilyScores",
    "Fit",
    "LabelRule",
    "LabelRules",
    "LabelSearch",
    "LearnOptions",
    "MethodChoice",
    "Plan",
    "Progress",
    "ProgressReport",
    "Search",
    "SearchControl",
    "SearchOptions",
    "SearchProblem",
    "SearchResult",
    "SearchSpace",
    "Settings",
    "SmoothingChoice",
    "StructureKind",
    "Trace",
    "accept_old_names",
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
    "method_options",
    "read_edge",
    "read_names",
    "rename_settings",
    "rules_for",
    "search_space",
    "split_options",
]
