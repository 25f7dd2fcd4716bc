"""How sure one can be: the posterior over graphs and labels, and answers averaged over graphs."""

from ldag.uncertainty.averaging import MemberVariety, average
from ldag.uncertainty.bootstrapping import bootstrap
from ldag.uncertainty.chances import Averaged, AveragedAnswer, Chance
from ldag.uncertainty.diagnostics import Diagnostics, effective_size, split_r_hat
from ldag.uncertainty.door import Posterior, unpack_document
from ldag.uncertainty.mixture import Mixture
from ldag.uncertainty.pipeline import PosteriorChoice, posterior
from ldag.uncertainty.priors import GraphPrior
from ldag.uncertainty.replicates import Bootstrap, LabelShare
from ldag.uncertainty.strengths import (
    Directions,
    EdgeStrength,
    EdgeStrengths,
    average_arcs,
    direct_graph,
    edge_strengths,
)
from ldag.uncertainty.views import EdgeChances

__all__ = [
    "Averaged",
    "AveragedAnswer",
    "Bootstrap",
    "Chance",
    "Diagnostics",
    "Directions",
    "EdgeChances",
    "EdgeStrength",
    "EdgeStrengths",
    "GraphPrior",
    "LabelShare",
    "MemberVariety",
    "Mixture",
    "Posterior",
    "PosteriorChoice",
    "average",
    "average_arcs",
    "bootstrap",
    "direct_graph",
    "edge_strengths",
    "effective_size",
    "posterior",
    "split_r_hat",
    "unpack_document",
]
