"""How sure one can be: the posterior over graphs and labels, and answers averaged over graphs."""

from ldag.uncertainty.agreement import (
    Agreement,
    Chance,
    EdgeChance,
    EdgeChances,
    EffectSize,
    EffectSizes,
    LabelChance,
    strongest_first,
)
from ldag.uncertainty.bootstraps import Bootstrap, Directions, average_arcs, bootstrap, direct_graph
from ldag.uncertainty.chains import Diagnostics, effective_size, split_r_hat
from ldag.uncertainty.choices import PosteriorChoice
from ldag.uncertainty.families import GraphPrior
from ldag.uncertainty.members import N_MEMBERS, MemberVariety, average
from ldag.uncertainty.mixtures import Mixture
from ldag.uncertainty.pipeline import posterior
from ldag.uncertainty.posteriors import Posterior, unpack_document
from ldag.uncertainty.strata_posterior import StrataPosterior

__all__ = [
    "N_MEMBERS",
    "Agreement",
    "Bootstrap",
    "Chance",
    "Diagnostics",
    "Directions",
    "EdgeChance",
    "EdgeChances",
    "EffectSize",
    "EffectSizes",
    "GraphPrior",
    "LabelChance",
    "MemberVariety",
    "Mixture",
    "Posterior",
    "PosteriorChoice",
    "StrataPosterior",
    "average",
    "average_arcs",
    "bootstrap",
    "direct_graph",
    "effective_size",
    "posterior",
    "split_r_hat",
    "strongest_first",
    "unpack_document",
]
