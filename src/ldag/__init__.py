"""Discrete Bayesian networks that know when an edge matters."""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from ldag.hook import hang

if TYPE_CHECKING:
    from ldag import datasets as datasets
    from ldag import simulate as simulate
    from ldag.comparing import Comparison as Comparison
    from ldag.comparing import adjusted_rand as adjusted_rand
    from ldag.comparing import compare as compare
    from ldag.comparing import entropy as entropy
    from ldag.comparing import kl_divergence as kl_divergence
    from ldag.comparing import kl_divergence_estimate as kl_divergence_estimate
    from ldag.comparing import label_precision_recall as label_precision_recall
    from ldag.comparing import structural_hamming_distance as structural_hamming_distance
    from ldag.constraints import Constraints as Constraints
    from ldag.data import Dataset as Dataset
    from ldag.data import Gaps as Gaps
    from ldag.data import read as read
    from ldag.dynamic import DynamicFit as DynamicFit
    from ldag.dynamic import DynamicNetwork as DynamicNetwork
    from ldag.effects import Effect as Effect
    from ldag.effects import adjustment_sets as adjustment_sets
    from ldag.effects import identify as identify
    from ldag.errors import DataNote as DataNote
    from ldag.errors import GraphWarning as GraphWarning
    from ldag.errors import LdagError as LdagError
    from ldag.formats import FamilyScores as FamilyScores
    from ldag.graph import LDAG as LDAG
    from ldag.graph import StratifiedGraph as StratifiedGraph
    from ldag.learning import Chain as Chain
    from ldag.learning import Climb as Climb
    from ldag.learning import CrossValidation as CrossValidation
    from ldag.learning import Exact as Exact
    from ldag.learning import Family as Family
    from ldag.learning import Fit as Fit
    from ldag.learning import Grow as Grow
    from ldag.learning import cross_validate as cross_validate
    from ldag.learning import family_scores as family_scores
    from ldag.learning import learn as learn
    from ldag.learning import learn_family as learn_family
    from ldag.learning import learn_labels as learn_labels
    from ldag.learning.classifier import LDAGClassifier as LDAGClassifier
    from ldag.model import Variable as Variable
    from ldag.model import ordered as ordered
    from ldag.network import Network as Network
    from ldag.presenting import explore as explore
    from ldag.presenting import plot as plot
    from ldag.presenting import report as report
    from ldag.reasoning import Independence as Independence
    from ldag.reasoning import Verdict as Verdict
    from ldag.scoring import Score as Score
    from ldag.scoring import log_predictive as log_predictive
    from ldag.scoring import score as score
    from ldag.uncertainty import Bootstrap as Bootstrap
    from ldag.uncertainty import Mixture as Mixture
    from ldag.uncertainty import Posterior as Posterior
    from ldag.uncertainty import StrataPosterior as StrataPosterior
    from ldag.uncertainty import average as average
    from ldag.uncertainty import bootstrap as bootstrap
    from ldag.uncertainty import posterior as posterior

__version__ = "0.1.0"

_ROOMS = {
    "": "datasets simulate",
    "comparing": "Comparison adjusted_rand compare entropy kl_divergence kl_divergence_estimate"
    " label_precision_recall structural_hamming_distance",
    "constraints": "Constraints",
    "data": "Dataset Gaps read",
    "dynamic": "DynamicFit DynamicNetwork",
    "effects": "Effect adjustment_sets identify",
    "errors": "DataNote GraphWarning LdagError",
    "formats": "FamilyScores",
    "graph": "LDAG StratifiedGraph",
    "learning": "Chain Climb CrossValidation Exact Family Fit Grow cross_validate family_scores"
    " learn learn_family learn_labels",
    "learning.classifier": "LDAGClassifier",
    "model": "Variable ordered",
    "network": "Network",
    "presenting": "explore plot report",
    "reasoning": "Independence Verdict",
    "scoring": "Score log_predictive score",
    "uncertainty": "Bootstrap Mixture Posterior StrataPosterior average bootstrap posterior",
}
"""Where the public names are: each is loaded when it is first asked for, so that importing the package stays cheap.

Above, the same for type checkers.
"""

for _room in ("dynamic", "presenting", "uncertainty"):
    hang(_room, partial(import_module, f"ldag.{_room}"))

_PLACES = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = sorted(_PLACES.keys() - {"LDAGClassifier"})  # noqa: PLE0605 - a star works without scikit-learn, too


def __dir__() -> list[str]:
    """List the public names, with those that are not loaded yet."""
    return sorted({*globals(), *_PLACES})


def __getattr__(name: str) -> object:
    """Load a public name, or a room of the house."""
    room = _PLACES.get(name)
    try:
        value = getattr(import_module(f"ldag.{room}"), name) if room else _load_room(name)
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
