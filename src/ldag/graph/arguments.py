"""Checks of what people pass to the graph door."""

from collections.abc import Iterable, Sequence

from ldag.checks import check_mapping, check_sequence
from ldag.errors import ArgumentError, GraphError
from ldag.formats import Context
from ldag.model import OrderedStates, State, Variable


def check_pairs(edges: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return edges as pairs of names."""
    found = []
    for edge in check_sequence(edges, "edges"):
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            raise ArgumentError(f"an edge is a pair (parent, child), got {edge!r}")
        if not all(isinstance(name, str) for name in edge):
            raise ArgumentError(f"an edge is a pair of names, got {edge!r}")
        found.append((edge[0], edge[1]))
    return tuple(found)


def check_contexts(edge: tuple[str, str], given: Iterable[Context]) -> tuple[Context, ...]:
    """Return the contexts of a label."""
    if not (isinstance(edge, tuple) and len(edge) == 2):
        raise ArgumentError(f"labels are given by edge, a pair (parent, child), got {edge!r}")
    found = check_sequence(given, f"the label of {edge[0]} -> {edge[1]}")
    for context in found:
        check_mapping(context, f"a context in the label of {edge[0]} -> {edge[1]}")
    return found


def check_declared(name: str, given: "Sequence[State] | Variable") -> Variable:
    """Return a variable from its states, or from another variable that has them."""
    if isinstance(given, Variable):
        return Variable(name, given.states, given.ordered, given.cuts)
    return Variable(name, check_sequence(given, f"the states of {name!r}"), isinstance(given, OrderedStates))


def check_partition(name: str, given: object) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the two parts of a partition, given as a pair or as an object that has both."""
    parents = getattr(given, "parents", None)
    classes = getattr(given, "classes", None)
    if parents is None or classes is None:
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise GraphError(f"the partition of {name!r} must be a pair (parents, classes), got {given!r}")
        parents, classes = given
    return check_sequence(parents, f"the parents of {name!r}"), check_sequence(classes, f"the classes of {name!r}")


def check_disjoint(**sides: Iterable[str]) -> None:
    """Refuse a variable that is named on two sides of a question."""
    seen: dict[str, str] = {}
    for side, names in sides.items():
        for name in names:
            if name in seen:
                raise ArgumentError(f"variable {name!r} is in both {seen[name]} and {side}; they must not overlap")
            seen[name] = side
