"""Discrete Bayesian networks that know when an edge matters."""

from ldag import datasets
from ldag.constraints import Constraints
from ldag.crossvalidation import CrossValidation
from ldag.data import Dataset, read
from ldag.errors import LdagError
from ldag.families import Family, learn_family
from ldag.fit import Fit, cross_validate, learn
from ldag.graph import LDAG
from ldag.network import Network
from ldag.scores import Score, log_predictive, score
from ldag.variables import Variable
from ldag.verdict import Independence, Verdict

__all__ = [
    "LDAG",
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
    "cross_validate",
    "datasets",
    "learn",
    "learn_family",
    "log_predictive",
    "read",
    "score",
]
__version__ = "0.1.0"
