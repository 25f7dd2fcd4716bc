"""How sure one can be: the posterior over graphs and labels, and answers averaged over graphs."""

from ldag.uncertainty.chances import Averaged, AveragedAnswer, Chance
from ldag.uncertainty.diagnostics import Diagnostics, effective_size, split_r_hat
from ldag.uncertainty.door import Posterior
from ldag.uncertainty.mixture import Mixture
from ldag.uncertainty.pipeline import PosteriorChoice, posterior
from ldag.uncertainty.priors import GraphPrior

__all__ = [
    "Averaged",
    "AveragedAnswer",
    "Chance",
    "Diagnostics",
    "GraphPrior",
    "Mixture",
    "Posterior",
    "PosteriorChoice",
    "effective_size",
    "posterior",
    "split_r_hat",
]
