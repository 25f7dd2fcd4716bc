"""What a labelled DAG is, by number: variables, grids, partitions, structures, parameters."""

from ldag.model.beta import beta_intervals
from ldag.model.cover import Term, minimal_cover
from ldag.model.cuts import MISSING_STATE, Cuts, bin_of, bin_states, check_cuts, cuts_in, date_text, spell_cut
from ldag.model.grid import Grid
from ldag.model.parameters import (
    ClassPosteriors,
    ClassTable,
    Counts,
    Smoothing,
    Spread,
    class_counts,
    configuration_counts,
    freeze,
    log_likelihood,
    normalise,
)
from ldag.model.partition import Labels, Mask, Partition, WrittenLabels, no_labels
from ldag.model.structure import CodedFamily, Model, Parents, Structure, find_cycle
from ldag.model.variables import OrderedStates, Schema, State, StateKey, Variable, ordered, state_key, state_order

__all__ = [
    "MISSING_STATE",
    "ClassPosteriors",
    "ClassTable",
    "CodedFamily",
    "Counts",
    "Cuts",
    "Grid",
    "Labels",
    "Mask",
    "Model",
    "OrderedStates",
    "Parents",
    "Partition",
    "Schema",
    "Smoothing",
    "Spread",
    "State",
    "StateKey",
    "Structure",
    "Term",
    "Variable",
    "WrittenLabels",
    "beta_intervals",
    "bin_of",
    "bin_states",
    "check_cuts",
    "class_counts",
    "configuration_counts",
    "cuts_in",
    "date_text",
    "find_cycle",
    "freeze",
    "log_likelihood",
    "minimal_cover",
    "no_labels",
    "normalise",
    "ordered",
    "spell_cut",
    "state_key",
    "state_order",
]
