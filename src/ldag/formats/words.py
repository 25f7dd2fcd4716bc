"""Labels and numbers in words: as people say them."""

from collections.abc import Iterable, Sequence

from ldag.formats.record import Context, EdgeRecord
from ldag.model import State

Alternatives = dict[str, list[State]]
"""For each named variable, the states it may have."""


def counted(number: float, noun: str, several: str | None = None) -> str:
    """Return a number of things.

    Examples
    --------
    >>> counted(1, "edge"), counted(1841, "observation")
    ('1 edge', '1,841 observations')
    """
    digits = f"{number:,.10g}" if isinstance(number, float) else f"{number:,}"
    return f"{digits} {noun if number == 1 else several or noun + 's'}"


def edge_in_words(edge: EdgeRecord) -> str:
    """Return what an edge's label says.

    Examples
    --------
    >>> edge_in_words(EdgeRecord("smoking", "pressure", ({"protein": ">3"},)))
    'smoking does not matter for pressure when protein is >3'
    """
    if any(not context for context in edge.label):
        return f"{edge.parent} never matters for {edge.child}"
    parts = [" and ".join(_clause(name, states) for name, states in m.items()) for m in merge_contexts(edge.label)]
    return f"{edge.parent} does not matter for {edge.child} when {', or when '.join(parts)}"


def conditions(contexts: Iterable[Context]) -> list[str]:
    """Return contexts as short lines such as "person is visitor or spy and age is old"."""
    lines = [" and ".join(_clause(name, states) for name, states in m.items()) for m in merge_contexts(contexts)]
    return [line or "always" for line in lines]


def merge_contexts(contexts: Iterable[Context]) -> list[Alternatives]:
    """Join contexts that differ in the states of one variable only, as often as that is possible."""
    found: list[Alternatives] = [{name: [state] for name, state in c.items()} for c in contexts]
    while True:
        pair = _mergeable(found)
        if pair is None:
            return found
        first, second, name = pair
        found[first][name] = found[first][name] + found[second][name]
        del found[second]


def _mergeable(found: Sequence[Alternatives]) -> tuple[int, int, str] | None:
    """Return two contexts, and the one variable they differ in."""
    for second in range(len(found)):
        for first in range(second):
            a, b = found[first], found[second]
            if a.keys() == b.keys():
                differing = [name for name in a if a[name] != b[name]]
                if len(differing) == 1:
                    return first, second, differing[0]
    return None


def _clause(name: str, states: Sequence[State]) -> str:
    """Return "person is worker, visitor or spy"."""
    *most, last = [_said(state) for state in states]
    return f"{name} is {', '.join(most)} or {last}" if most else f"{name} is {last}"


def _said(state: State) -> str:
    """Return a state, in quotes where it could be taken for several."""
    text = str(state)
    return f"'{text}'" if "," in text or " or " in text else text
