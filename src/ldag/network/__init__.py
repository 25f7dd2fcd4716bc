"""The network door: `Network`."""

from dataclasses import dataclass

from ldag.network.files import Files
from ldag.network.prediction import Prediction
from ldag.network.questions import Compiled, Estimated
from ldag.network.uncertainty import Uncertainty
from ldag.network.views import ClassParameters, ConditionalTable, NodeParameters, Views

__all__ = ["ClassParameters", "Compiled", "ConditionalTable", "Estimated", "Network", "NodeParameters"]


@dataclass(frozen=True, eq=False, repr=False)
class Network(Views, Uncertainty, Prediction, Files):
    """A labelled DAG with parameters: for every class of a node the distribution of its states.

    A frozen value. Build one with `from_data`, `from_parameters` or `load`, or take ``fit.network``. A network
    estimated from data keeps the Dirichlet posterior of its parameters, so that it can learn from more. Two networks
    are equal when their graphs (variables in the same order), probabilities and posteriors are.
    """
