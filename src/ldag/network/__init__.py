"""The network door: `Network`."""

from dataclasses import dataclass

from ldag.checks import Rng
from ldag.drawing import Presentable
from ldag.network.answers import Answer, AnswerKey, Marginals, StateMapping
from ldag.network.files import NetworkFiles
from ldag.network.findings import Finding, Findings
from ldag.network.influence import (
    BoundedStates,
    Contrast,
    Explanation,
    FindingInfluence,
    NetworkInfluence,
    ParameterInfluence,
)
from ldag.network.intervals import NetworkIntervals
from ldag.network.prediction import NetworkPrediction, Unseen, describe_unknown
from ldag.network.questions import Compiled, Estimated
from ldag.network.views import ClassParameters, ConditionalTable, NetworkViews, NodeParameters, class_intervals

__all__ = [
    "Answer",
    "AnswerKey",
    "BoundedStates",
    "ClassParameters",
    "Compiled",
    "ConditionalTable",
    "Contrast",
    "Estimated",
    "Explanation",
    "Finding",
    "FindingInfluence",
    "Findings",
    "Marginals",
    "Network",
    "NodeParameters",
    "ParameterInfluence",
    "Rng",
    "StateMapping",
    "Unseen",
    "class_intervals",
    "describe_unknown",
]


@dataclass(frozen=True, eq=False, repr=False)
class Network(NetworkViews, NetworkIntervals, NetworkInfluence, NetworkPrediction, NetworkFiles, Presentable):
    """A labelled DAG with parameters: for every class of a node the distribution of its states.

    A frozen value. Build one with `from_data`, `from_parameters` or `load`, or take ``fit.network``. A network
    estimated from data keeps the Dirichlet posterior of its parameters, so that it can learn from more. Two networks
    are equal when their graphs (variables in the same order), probabilities and posteriors are.
    """
