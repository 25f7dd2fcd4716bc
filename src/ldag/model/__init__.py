"""What a labelled DAG is, by number: variables, grids, partitions, structures, parameters."""

from ldag.model.cover import Term, minimal_cover
from ldag.model.distribution import Model
from ldag.model.grid import Grid
from ldag.model.parameters import (
    Counts,
    Posterior,
    Table,
    class_counts,
    configuration_counts,
    frozen,
    log_likelihood,
    normalised,
)
from ldag.model.partition import Labels, Mask, Partition, no_labels
from ldag.model.structure import Family, Structure, find_cycle
from ldag.model.variables import Schema, State, StateKey, Variable, state_key

__all__ = [
    "Counts",
    "Family",
    "Grid",
    "Labels",
    "Mask",
    "Model",
    "Partition",
    "Posterior",
    "Schema",
    "State",
    "StateKey",
    "Structure",
    "Table",
    "Term",
    "Variable",
    "class_counts",
    "configuration_counts",
    "find_cycle",
    "frozen",
    "log_likelihood",
    "minimal_cover",
    "no_labels",
    "normalised",
    "state_key",
]
