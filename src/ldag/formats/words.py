"""Labels and numbers in words: as people say them."""

from collections.abc import Iterable, Sequence

from ldag.formats.record import Context, EdgeRecord
from ldag.model import State, Variable, spell_cut

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


def edge_in_words(edge: EdgeRecord, variables: Iterable[Variable] = ()) -> str:
    """Return what an edge's label says; states of variables with an order are said as ranges.

    Examples
    --------
    >>> edge_in_words(EdgeRecord("smoking", "pressure", ({"protein": ">3"},)))
    'smoking does not matter for pressure when protein is >3'
    """
    if any(not context for context in edge.label):
        return f"{edge.parent} never matters for {edge.child}"
    parts = _lines(edge.label, variables)
    return f"{edge.parent} does not matter for {edge.child} when {', or when '.join(parts)}"


def conditions(contexts: Iterable[Context], variables: Iterable[Variable] = ()) -> list[str]:
    """Return contexts as short lines such as "person is visitor or spy and age is old", or "bmi <= 25.1"."""
    return [line or "always" for line in _lines(contexts, variables)]


def _lines(contexts: Iterable[Context], variables: Iterable[Variable]) -> list[str]:
    known = {variable.name: variable for variable in variables}
    return [
        " and ".join(_range(known.get(name), states) or _clause(name, states) for name, states in m.items())
        for m in merge_contexts(contexts)
    ]


def _range(variable: Variable | None, states: Sequence[State]) -> str | None:
    """Say neighbouring states of an ordered variable as a range; None for others."""
    if variable is None or not variable.ordered:
        return None
    codes = sorted(variable.code(state) for state in states)
    first, last = codes[0], codes[-1]
    if len(codes) != last - first + 1 or last >= variable.n_ordered:
        return None
    name, at_end = variable.name, last == variable.n_ordered - 1
    if variable.cuts:
        cuts = variable.cuts
        if first == 0:
            return None if at_end else f"{name} <= {spell_cut(cuts[last])}"
        low = spell_cut(cuts[first - 1])
        return f"{name} > {low}" if at_end else f"{low} < {name} <= {spell_cut(cuts[last])}"
    if first == last or (first == 0 and at_end):
        return None
    if at_end:
        return f"{name} is {_said(variable.states[first])} or more"
    if first == 0:
        return f"{name} is {_said(variable.states[last])} or less"
    return f"{name} is {_said(variable.states[first])} to {_said(variable.states[last])}"


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


def spell_share(share: float) -> str:
    """Return a share as people say it, never 0 % of something that is there.

    Examples
    --------
    >>> spell_share(0.256), spell_share(0.0004), spell_share(0.9999), spell_share(0), spell_share(1)
    ('26 %', 'under 1 %', 'over 99 %', '0 %', '100 %')
    """
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"
