"""The door to uncertainty about graphs: `Posterior`."""

from ldag.drawing import Drawable
from ldag.uncertainty.files import PosteriorFiles
from ldag.uncertainty.views import PosteriorViews


class Posterior(PosteriorViews, PosteriorFiles, Drawable):
    """The posterior over labelled DAGs: how probable edges, labels and independencies are, and averaged answers.

    A frozen value, made by `posterior`. Probabilities are numbers with ``mc_error``, which is 0 where they are exact.
    """
