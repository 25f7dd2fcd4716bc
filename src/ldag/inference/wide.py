"""Wide families: those known by trees of questions over more configurations than are worth listing."""

from ldag.model import MAX_PARENTS, CodedFamily, Structure

LISTED = 2**16
"""Configurations of a tree that are listed where that is quicker than to walk down."""

TRIAL_SHARE = 32
"""What a circuit will be cannot be told of wide families: it is tried with so many times fewer arguments, which takes
half a second if it is in vain."""


def is_wide(family: CodedFamily) -> bool:
    """Tell whether the configurations of a family are better not listed."""
    grid = family.partition.grid
    return (grid.size > LISTED or grid.n_axes > MAX_PARENTS) and family.partition.as_tree() is not None


def has_wide(structure: Structure) -> bool:
    """Tell whether a structure has such a family."""
    return any(map(is_wide, structure.families))


def limit_trial(structure: Structure, max_size: int) -> int:
    """Return how many arguments a circuit may have that is compiled without being asked for, of so many allowed."""
    return max_size // TRIAL_SHARE if has_wide(structure) else max_size
