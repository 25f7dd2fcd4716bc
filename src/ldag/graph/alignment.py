"""Two graphs over the same variables: one is put into the other's order of variables and states."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldag.errors import ArgumentError
from ldag.model import CodedFamily, Schema, Structure, state_key

Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Aligned:
    """A structure in another order, and where each part of it was: by new node the old node, codes and classes."""

    structure: Structure
    nodes: tuple[int, ...]
    codes: tuple[Places, ...]
    classes: tuple[Places, ...]

    def table(self, node: int, tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the table of a node (new number) from the old ones: a row per class, a column per state."""
        return tables[self.nodes[node]][np.ix_(self.classes[node], self.codes[node])]


def align(first: Schema, second: Schema, structure: Structure) -> Aligned:
    """Put a structure over the second variables into the order that the first ones have; labels become maximal.

    Variables are matched by name, states by themselves; it is an error if they are not the same.
    """
    _check_same(first, second)
    nodes = tuple(second.node(variable.name) for variable in first)
    codes = tuple(
        np.array([second[node].code(state) for state in variable.states], dtype=np.intp)
        for node, variable in zip(nodes, first, strict=True)
    )
    families, classes = [], []
    for old in nodes:
        family, numbers = _align_family(structure.families[old], nodes, codes)
        families.append(family)
        classes.append(numbers)
    return Aligned(Structure(first.n_states, tuple(families)), nodes, codes, tuple(classes))


def _align_family(family: CodedFamily, nodes: Sequence[int], codes: Sequence[Places]) -> tuple[CodedFamily, Places]:
    """Return a family in the new order, and the old number of each of its classes."""
    parents = tuple(new for new, old in enumerate(nodes) if old in family.parents)
    axes = [family.parents.index(nodes[parent]) for parent in parents]
    partition, classes = family.partition.realigned(axes, [codes[parent] for parent in parents])
    return CodedFamily.from_partition(parents, partition), classes


def _check_same(first: Schema, second: Schema) -> None:
    """Refuse graphs over different variables or states."""
    mine = {v.name: v for v in first}
    theirs = {v.name: v for v in second}
    for name in sorted(mine.keys() ^ theirs.keys()):
        which = "first" if name in mine else "second"
        raise ArgumentError(f"the graphs are over different variables: only the {which} has {name!r}")
    for name, variable in mine.items():
        if {state_key(s) for s in variable.states} != {state_key(s) for s in theirs[name].states}:
            raise ArgumentError(
                f"the graphs give {name!r} different states: {variable.states} and {theirs[name].states}"
            )
