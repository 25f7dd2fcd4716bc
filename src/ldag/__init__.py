"""Discrete Bayesian networks that know when an edge matters."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from ldag.errors import DataNote, GraphWarning, LdagError
    from ldag.graph import LDAG
    from ldag.learning import Constraints, CrossValidation, Family, Fit, cross_validate, learn, learn_family
    from ldag.learning.classifier import LDAGClassifier as LDAGClassifier
    from ldag.model import Variable, ordered
    from ldag.network import Network
    from ldag.presenting import explore as explore
    from ldag.presenting import plot as plot
    from ldag.presenting import report as report
    from ldag.reasoning import Independence, Verdict
    from ldag.scoring import Score, log_predictive, score
    from ldag.uncertainty import Bootstrap, Mixture, Posterior, average, bootstrap, posterior

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
    "GraphWarning",
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


_ROOMS = {
    "comparing": (
        "Comparison",
        "adjusted_rand",
        "compare",
        "entropy",
        "kl_divergence",
        "kl_divergence_estimate",
        "label_precision_recall",
        "structural_hamming_distance",
    ),
    "data": ("Dataset", "read"),
    "errors": ("DataNote", "GraphWarning", "LdagError"),
    "graph": ("LDAG",),
    "learning": ("Constraints", "CrossValidation", "Family", "Fit", "cross_validate", "learn", "learn_family"),
    "model": ("Variable", "ordered"),
    "network": ("Network",),
    "reasoning": ("Independence", "Verdict"),
    "scoring": ("Score", "log_predictive", "score"),
    "uncertainty": ("Bootstrap", "Mixture", "Posterior", "average", "bootstrap", "posterior"),
    "learning.classifier": ("LDAGClassifier",),
    "presenting": ("explore", "plot", "report"),
}
"""Where the public names are: each is loaded when it is first asked for, so that importing the package stays cheap."""

_PLACES = {name: room for room, names in _ROOMS.items() for name in names}


def __dir__() -> list[str]:
    """List the public names, with those that are not loaded yet."""
    return sorted({*globals(), *__all__, *_PLACES})


def __getattr__(name: str) -> object:
    """Load a public name, or a room of the house."""
    try:
        value = getattr(import_module(f"ldag.{_PLACES[name]}"), name) if name in _PLACES else _load_room(name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sklearn":
            raise
        from ldag.errors import MissingDependency

        raise MissingDependency("scikit-learn", "sklearn", "LDAGClassifier") from None
    globals()[name] = value
    return value


def _load_room(name: str) -> object:
    missing = AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.startswith("__"):
        raise missing
    try:
        return import_module(f"ldag.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"ldag.{name}":
            raise
        raise missing from None
