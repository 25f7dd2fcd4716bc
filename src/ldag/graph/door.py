"""The graph door: `LDAG`."""

from dataclasses import dataclass

from ldag.drawing import Drawable
from ldag.graph.files import GraphFiles
from ldag.graph.views import GraphViews


@dataclass(frozen=True, eq=False, repr=False)
class LDAG(GraphViews, GraphFiles, Drawable):
    """A labelled DAG: a directed acyclic graph whose edges say in which contexts they vanish.

    A frozen, hashable value. Two are equal when variables, edges and partitions are, in whatever order variables
    or labels were written. Build one with `from_text`, `from_edges`, `from_partitions`, `load`, or take an example
    from ``ldag.datasets.graph``. Variables and states are names everywhere.
    """
