"""Discrete Bayesian networks that know when an edge matters."""

from typing import TYPE_CHECKING

from ldag import datasets, simulate
from ldag.comparison import (
    Comparison,
    adjusted_rand,
    compare,
    label_precision_recall,
    structural_hamming_distance,
)
from ldag.constraints import Constraints
from ldag.crossvalidation import CrossValidation
from ldag.data import Dataset, read
from ldag.divergence import entropy, kl_divergence, kl_divergence_estimate
from ldag.errors import LdagError, MissingDependency
from ldag.families import Family, learn_family
from ldag.fit import Fit, cross_validate, learn
from ldag.graph import LDAG
from ldag.network import Network
from ldag.scores import Score, log_predictive, score
from ldag.variables import Variable
from ldag.verdict import Independence, Verdict

if TYPE_CHECKING:
    from ldag.classify import LDAGClassifier as LDAGClassifier

__all__ = [
    "LDAG",
    "Comparison",
    "Constraints",
    "CrossValidation",
    "Dataset",
    "Family",
    "Fit",
    "Independence",
    "LdagError",
    "Network",
    "Score",
    "Variable",
    "Verdict",
    "adjusted_rand",
    "compare",
    "cross_validate",
    "datasets",
    "entropy",
    "kl_divergence",
    "kl_divergence_estimate",
    "label_precision_recall",
    "learn",
    "learn_family",
    "log_predictive",
    "read",
    "score",
    "simulate",
    "structural_hamming_distance",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the classifier when it is first asked for, so that scikit-learn is not imported before."""
    if name != "LDAGClassifier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from ldag.classify import LDAGClassifier
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sklearn":
            raise
        raise MissingDependency("scikit-learn", "sklearn", "LDAGClassifier") from None
    return LDAGClassifier
