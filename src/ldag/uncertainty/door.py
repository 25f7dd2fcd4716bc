"""The door to uncertainty about graphs: `Posterior`."""

from collections.abc import Callable, Mapping
from typing import Any

from ldag.drawing import Drawable
from ldag.formats import DocumentRecord
from ldag.uncertainty.files import PosteriorFiles
from ldag.uncertainty.mixture import Mixture
from ldag.uncertainty.replicates import Bootstrap
from ldag.uncertainty.views import PosteriorViews


class Posterior(PosteriorViews, PosteriorFiles, Drawable):
    """The posterior over labelled DAGs: how probable edges, labels and independencies are, and averaged answers.

    A frozen value, made by `posterior`. Probabilities are numbers with ``mc_error``, which is 0 where they are exact.
    """


def unpack_document(record: DocumentRecord) -> Posterior | Bootstrap | Mixture:
    """Make of a document that was read what it holds."""
    kinds: dict[str, Callable[[Mapping[str, Any]], Posterior | Bootstrap | Mixture]] = {
        "posterior": Posterior.from_dict,
        "bootstrap": Bootstrap.from_dict,
        "mixture": Mixture.from_dict,
    }
    return record.unpack(kinds[record.kind])
