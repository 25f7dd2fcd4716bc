"""Discrete Bayesian networks that know when an edge matters."""

from ldag import datasets
from ldag.data import Dataset, read
from ldag.errors import LdagError
from ldag.families import Family, learn_family
from ldag.graph import LDAG
from ldag.scores import Score, log_predictive, score
from ldag.variables import Variable
from ldag.verdict import Independence, Verdict

__all__ = [
    "LDAG",
    "Dataset",
    "Family",
    "Independence",
    "LdagError",
    "Score",
    "Variable",
    "Verdict",
    "datasets",
    "learn_family",
    "log_predictive",
    "read",
    "score",
]
__version__ = "0.1.0"
