"""Most probable paths: against the table of everything, and a Viterbi of its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from tests.dynamics import CLOSE, Case, draw_hmm


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6))
def test_paths_are_most_probable(seed: int) -> None:
    """Of all variables together, and of each with the others summed out; there may be several equally probable."""
    case = Case(seed)
    everything = case.seen(case.n_steps)
    path = case.net.most_probable_path(case.history)
    best = case.place({place: path[place[0]][place[1]] for place in case.places})
    assert np.log(everything[best]) == pytest.approx(np.log(everything.max()), abs=CLOSE)
    for name in case.net.changing:
        states = {variable.name: variable.states for variable in case.net.variables}[name]
        axes = [case.places.index((step, name)) for step in range(case.n_steps)]
        summed = everything.sum(axis=tuple(axis for axis in range(everything.ndim) if axis not in axes))
        own = tuple(states.index(state) for state in case.net.most_probable_path(case.history, name))
        assert np.log(summed[own]) == pytest.approx(np.log(summed.max()), abs=CLOSE)


def run_viterbi(net: ldag.DynamicNetwork, codes: list[int]) -> list[int]:
    """Return the most probable states, as textbooks have it."""
    begin = np.log(net.first.parameters("state")[0])
    moves, shows = (np.log(net.transition.parameters(name)) for name in ("state", "sign"))
    best, from_where = begin + shows[:, codes[0]], []
    for code in codes[1:]:
        ways = best[:, None] + moves
        from_where.append(ways.argmax(axis=0))
        best = ways.max(axis=0) + shows[:, code]
    path = [int(best.argmax())]
    for places in reversed(from_where):
        path.append(int(places[path[-1]]))
    return path[::-1]


@pytest.mark.parametrize(("n_states", "n_seen", "n_steps"), [(2, 3, 300), (7, 4, 120)])
def test_latent_path_is_that_of_viterbi(n_states: int, n_seen: int, n_steps: int) -> None:
    """Of the latent state with all else summed out, and of all together, which is the same where the signs are seen."""
    net = draw_hmm(n_states, n_seen, seed=n_states)
    codes = np.random.default_rng(1).integers(0, n_seen, n_steps).tolist()
    history = {"sign": [f"v{code}" for code in codes]}
    path = [f"q{code}" for code in run_viterbi(net, codes)]
    assert net.most_probable_path(history, "state") == path
    assert [step["state"] for step in net.most_probable_path(history)] == path
