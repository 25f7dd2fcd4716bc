"""What a labelled DAG is, by number: variables, grids, partitions, structures, parameters."""

from ldag.model.cover import Term, minimal_cover
from ldag.model.distribution import Model
from ldag.model.grid import Grid
from ldag.model.parameters import (
    ClassTable,
    Counts,
    Posterior,
    class_counts,
    configuration_counts,
    freeze,
    log_likelihood,
    normalise,
)
from ldag.model.partition import Labels, Mask, Partition, no_labels
from ldag.model.structure import CodedFamily, Parents, Structure, find_cycle
from ldag.model.variables import Schema, State, StateKey, Variable, state_key

__all__ = [
    "ClassTable",
    "CodedFamily",
    "Counts",
    "Grid",
    "Labels",
    "Mask",
    "Model",
    "Parents",
    "Partition",
    "Posterior",
    "Schema",
    "State",
    "StateKey",
    "Structure",
    "Term",
    "Variable",
    "class_counts",
    "configuration_counts",
    "find_cycle",
    "freeze",
    "log_likelihood",
    "minimal_cover",
    "no_labels",
    "normalise",
    "state_key",
]
