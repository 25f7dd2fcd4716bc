"""Discrete Bayesian networks that know when an edge matters."""

from importlib import import_module
from typing import TYPE_CHECKING

from ldag import datasets, simulate
from ldag.comparing import (
    Comparison,
    adjusted_rand,
    compare,
    entropy,
    kl_divergence,
    kl_divergence_estimate,
    label_precision_recall,
    structural_hamming_distance,
)
from ldag.data import Dataset, read
from ldag.errors import DataNote, LdagError, MissingDependency
from ldag.graph import LDAG
from ldag.learning import Constraints, CrossValidation, Family, Fit, cross_validate, learn, learn_family
from ldag.model import Variable, ordered
from ldag.network import Network
from ldag.reasoning import Independence, Verdict
from ldag.scoring import Score, log_predictive, score
from ldag.uncertainty import Bootstrap, Mixture, Posterior, average, bootstrap, posterior

if TYPE_CHECKING:
    from ldag.learning.classifier import LDAGClassifier as LDAGClassifier
    from ldag.presenting import explore as explore
    from ldag.presenting import plot as plot
    from ldag.presenting import report as report

__all__ = [
    "LDAG",
    "Bootstrap",
    "Comparison",
    "Constraints",
    "CrossValidation",
    "DataNote",
    "Dataset",
    "Family",
    "Fit",
    "Independence",
    "LdagError",
    "Mixture",
    "Network",
    "Posterior",
    "Score",
    "Variable",
    "Verdict",
    "adjusted_rand",
    "average",
    "bootstrap",
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
    "ordered",
    "posterior",
    "read",
    "score",
    "simulate",
    "structural_hamming_distance",
]
__version__ = "0.1.0"


_LOADED_LATER = {
    "LDAGClassifier": "ldag.learning.classifier",
    "explore": "ldag.presenting",
    "plot": "ldag.presenting",
    "report": "ldag.presenting",
}
"""Public names that are loaded when they are first asked for, and where they are."""


def __dir__() -> list[str]:
    """List the public names, with those that are loaded when first asked for."""
    return sorted({*globals(), *_LOADED_LATER})


def __getattr__(name: str) -> object:
    """Load what is loaded later, so that importing the package stays cheap."""
    if name not in _LOADED_LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(_LOADED_LATER[name]), name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sklearn":
            raise
        raise MissingDependency("scikit-learn", "sklearn", "LDAGClassifier") from None
