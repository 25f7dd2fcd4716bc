"""Histories filtered, smoothed and continued: against the table of everything, and a forward-backward of its own."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import ldag
from ldag.dynamic import steps as dynamic_steps
from tests.dynamics import CLOSE, Case, draw_hmm


def check(given: Any, expected: dict[str, list[float]]) -> None:
    """Compare what was answered for one step."""
    for name, numbers in expected.items():
        assert list(given[name].values()) == pytest.approx(numbers, abs=CLOSE), name


@pytest.mark.filterwarnings("ignore:the history has 1 step:ldag.DataNote")
@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6))
def test_steps_are_those_of_the_table_of_everything(seed: int) -> None:
    """Filtered, smoothed, forecast, and the probability of the history, with labels, zeros, gaps and static ones."""
    case = Case(seed)
    everything = case.seen(case.n_steps)
    filtered, smoothed = case.net.filter(case.history), case.net.smooth(case.history)
    n = seed % case.n_steps
    begun = {name: cells[:n] for name, cells in case.history.items()} if n else None
    ahead = case.net.forecast(begun, steps=case.n_steps - n)
    assert case.net.log_likelihood(case.history) == pytest.approx(np.log(everything.sum()), abs=CLOSE)
    assert [len(one) for one in (filtered, smoothed, ahead)] == [case.n_steps, case.n_steps, case.n_steps - n]
    for step in range(case.n_steps):
        check(smoothed[step], case.expected(everything, step))
        check(filtered[step], case.expected(case.seen(step), step))
        if step >= n:
            check(ahead[step - n], case.expected(case.seen(n - 1), step))


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6))
def test_what_is_free_may_differ_from_step_to_step(seed: int) -> None:
    """Where carrying all that is free anywhere is too much, each step carries its own, and answers stay the same."""
    case = Case(seed)
    joined = case.net.smooth(case.history)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dynamic_steps, "JOINED", 0)
        apart = ldag.DynamicNetwork.from_networks(case.net.first, case.net.transition)
        for one, other in zip(joined, apart.smooth(case.history), strict=True):
            check(other, {name: list(states.values()) for name, states in one.items()})
        assert apart.log_likelihood(case.history) == pytest.approx(case.net.log_likelihood(case.history), abs=CLOSE)


def run_forward_backward(
    net: ldag.DynamicNetwork, codes: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return what is filtered, what is smoothed, and the log probability, as textbooks have it."""
    begin = np.array(net.first.parameters("state")[0])
    moves, shows = (np.array(net.transition.parameters(name)) for name in ("state", "sign"))
    forward: list[NDArray[np.float64]] = []
    log_probability = 0.0
    for step, code in enumerate(codes):
        own = (begin if step == 0 else forward[-1] @ moves) * shows[:, code]
        log_probability += np.log(own.sum())
        forward.append(own / own.sum())
    back = [np.ones(len(begin))]
    for code in codes[:0:-1]:
        own = moves @ (shows[:, code] * back[-1])
        back.append(own / own.sum())
    smoothed = np.array(forward) * np.array(back[::-1])
    return np.array(forward), smoothed / smoothed.sum(axis=1, keepdims=True), log_probability


@pytest.mark.parametrize(("n_states", "n_seen", "n_steps"), [(2, 3, 300), (7, 4, 120)])
def test_latent_state_is_that_of_a_hidden_markov_model(n_states: int, n_seen: int, n_steps: int) -> None:
    """The forward-backward of textbooks, written here."""
    net = draw_hmm(n_states, n_seen, seed=n_states)
    codes = np.random.default_rng(1).integers(0, n_seen, n_steps).tolist()
    history = {"sign": [f"v{code}" for code in codes]}
    forward, smoothed, log_probability = run_forward_backward(net, codes)
    for answers, expected in ((net.filter(history), forward), (net.smooth(history), smoothed)):
        assert np.array([list(one["state"].values()) for one in answers]) == pytest.approx(expected, abs=CLOSE)
    assert net.log_likelihood(history) == pytest.approx(log_probability, abs=1e-8)


def test_long_histories_neither_underflow_nor_take_more_than_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Circuits are asked as often as there are steps: twice as long a history takes twice as many questions."""
    net = draw_hmm(3, 3, seed=2)
    asked: list[int] = []
    own = dynamic_steps.Step.weighted

    def count(*arguments: Any) -> Any:
        asked.append(1)
        return own(*arguments)

    monkeypatch.setattr(dynamic_steps.Step, "weighted", count)
    codes = np.random.default_rng(2).integers(0, 3, 4000).tolist()
    counts = []
    for n_steps in (1000, 2000, 4000):
        asked.clear()
        net.log_likelihood({"sign": [f"v{code}" for code in codes[:n_steps]]})
        counts.append(len(asked))
        assert len(net._asked.dynamics._steps) == 2
    assert counts == [1000, 2000, 4000]
    assert net.log_likelihood({"sign": [f"v{code}" for code in codes]}) == pytest.approx(
        run_forward_backward(net, codes)[2], rel=1e-12
    )


def test_peers_filter_and_smooth_the_same() -> None:
    """A latent state and its sign over five steps: pgmpy's dynamic inference, and pyAgrum's on its unrolled network."""
    inference = pytest.importorskip("pgmpy.inference")
    models, factors = pytest.importorskip("pgmpy.models"), pytest.importorskip("pgmpy.factors.discrete")
    gum, dynamic = pytest.importorskip("pyagrum"), pytest.importorskip("pyagrum.lib.dynamicBN")
    net, codes = draw_hmm(2, 3, seed=9), [0, 1, 2, 2, 0]
    begin = np.array(net.first.parameters("state")[0])
    moves, shows = (np.array(net.transition.parameters(name)) for name in ("state", "sign"))
    history = {"sign": [f"v{code}" for code in codes]}

    theirs = models.DynamicBayesianNetwork([(("state", 0), ("sign", 0)), (("state", 0), ("state", 1))])
    theirs.add_cpds(
        factors.TabularCPD(("state", 0), 2, begin[:, None].tolist()),
        factors.TabularCPD(("sign", 0), 3, shows.T.tolist(), [("state", 0)], [2]),
        factors.TabularCPD(("state", 1), 2, moves.T.tolist(), [("state", 0)], [2]),
        factors.TabularCPD(("sign", 1), 3, shows.T.tolist(), [("state", 1)], [2]),
    )
    theirs.initialize_initial_state()
    asked = inference.DBNInference(theirs)
    seen = {("sign", step): code for step, code in enumerate(codes)}
    last = asked.forward_inference([("state", 4)], seen)[("state", 4)].values
    assert list(net.filter(history)[4]["state"].values()) == pytest.approx(last, abs=1e-8)

    two = gum.BayesNet()
    for name, n_states in (("state0", 2), ("sign0", 3), ("statet", 2), ("signt", 3)):
        two.add(gum.LabelizedVariable(name, name, n_states))
    for edge in (("state0", "sign0"), ("state0", "statet"), ("statet", "signt")):
        two.addArc(*edge)
    for name, table in (("state0", begin), ("sign0", shows), ("statet", moves), ("signt", shows)):
        two.cpt(name)[:] = table
    engine = gum.LazyPropagation(dynamic.unroll2TBN(two, 5))
    engine.setEvidence({f"sign{step}": code for step, code in enumerate(codes)})
    engine.makeInference()
    for step, answer in enumerate(net.smooth(history)):
        assert list(answer["state"].values()) == pytest.approx(engine.posterior(f"state{step}").tolist(), abs=CLOSE)
