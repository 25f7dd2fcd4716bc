"""Contexts joined into sentences: the same words as by looking at every pair."""

from collections.abc import Callable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from ldag.formats.words import Alternatives, merge_contexts
from ldag.model import State


def merge_slowly(
    contexts: Sequence[dict[str, State]], may_join: Callable[[str, Sequence[State]], bool]
) -> list[Alternatives]:
    """Join the first context that differs from an earlier one in one variable with the first of these, and repeat."""
    found: list[Alternatives] = [{name: [state] for name, state in c.items()} for c in contexts]
    while True:
        pairs = (
            (first, second, name)
            for second in range(len(found))
            for first in range(second)
            if found[first].keys() == found[second].keys()
            for differing in [[n for n in found[first] if found[first][n] != found[second][n]]]
            if len(differing) == 1
            for name in differing
            if may_join(name, found[first][name] + found[second][name])
        )
        pair = next(pairs, None)
        if pair is None:
            return found
        first, second, name = pair
        found[first][name] = found[first][name] + found[second][name]
        del found[second]


contexts = st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(0, 3)), max_size=14)
"""Starred tuples over three variables of four states, in any order, some twice."""


def is_run(_name: str, states: Sequence[State]) -> bool:
    """Whether states are neighbours."""
    codes = sorted(int(state) for state in states)
    return codes == list(range(codes[0], codes[-1] + 1))


@given(contexts, st.booleans())
def test_joining_is_the_same_as_by_looking_at_every_pair(found: list[dict[str, State]], in_runs: bool) -> None:
    """Which contexts are joined, in which order their states stand, and in which order they come."""
    allowed = is_run if in_runs else lambda _name, _states: True
    assert merge_contexts(found, allowed) == merge_slowly(found, allowed)
