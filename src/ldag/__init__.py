"""Discrete Bayesian networks that know when an edge matters."""

from ldag import datasets
from ldag.data import Dataset, read
from ldag.errors import LdagError
from ldag.graph import LDAG
from ldag.variables import Variable
from ldag.verdict import Independence, Verdict

__all__ = ["LDAG", "Dataset", "Independence", "LdagError", "Variable", "Verdict", "datasets", "read"]
__version__ = "0.1.0"
