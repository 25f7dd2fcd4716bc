"""Intervals of answers, against draws made here from the counts; and how probable rows and findings are."""

from itertools import product
from math import log

import numpy as np
import pytest

from ldag import LDAG, Network, Variable, datasets, read
from ldag.errors import ArgumentError, TooLarge
from ldag.model import Schema
from ldag.network.arguments import read_findings, spell_findings

HEART = Network.from_data(datasets.graph("heart"), datasets.load("heart"))
N_DRAWS = 4000


def drawn(node: str) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Draw the distributions of the classes of a node from their Dirichlet posteriors."""
    rng = np.random.default_rng(7)
    return [rng.dirichlet(np.add(part.prior or (), part.counts or ()), N_DRAWS) for part in HEART.classes(node)]


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_credible_intervals_are_quantiles_of_the_posterior(level: float) -> None:
    """Mental work given physical work is Bayes' rule in every draw; setting physical work says nothing of it."""
    (mental,), physical = drawn("mental"), drawn("physical")
    joint = np.stack([mental[:, state] * physical[state][:, 1] for state in range(2)])
    tails = [(1 - level) / 2, (1 + level) / 2]
    seen = HEART.query("mental", given={"physical": "yes"}, interval=level, n_draws=N_DRAWS, rng=1)
    done = HEART.query("mental", do={"physical": "yes"}, interval=level, n_draws=N_DRAWS, rng=1)
    assert seen["no"][1:] == pytest.approx(np.quantile(joint[0] / joint.sum(axis=0), tails), abs=0.003)
    assert done["no"][1:] == pytest.approx(np.quantile(mental[:, 0], tails), abs=0.003)
    assert {state: value.mean for state, value in seen.items()} == HEART.query("mental", given={"physical": "yes"})


def test_old_names_of_intervals_and_log_probabilities_warn() -> None:
    """They answer as before, and name what replaced them."""
    rows = datasets.load("heart")
    with pytest.warns(DeprecationWarning, match=r"credible_interval\(\.\.\.\) is now query\(\.\.\., interval=0\.95\)"):
        ends = HEART.credible_interval("mental", n_draws=50)["no"]
    assert ends == HEART.query("mental", interval=0.95, n_draws=50)["no"][1:]
    with pytest.warns(DeprecationWarning, match=r"is now log_likelihood\(data, integrate=True\)"):
        assert HEART.log_predictive(rows) == HEART.log_likelihood(rows, integrate=True)
    with pytest.warns(DeprecationWarning, match=r"is now log_probability\(findings\)"):
        old = HEART.log_finding_probability({"smoking": "yes"})
    assert old == HEART.log_probability({"smoking": "yes"})
    with pytest.warns(DeprecationWarning, match=r"is now log_likelihood\(data, by_row=True\)"):
        by_row = HEART.row_log_probabilities({"smoking": ["yes", None]}, "pressure")
    assert by_row == pytest.approx(HEART.log_likelihood({"smoking": ["yes", None]}, by_row=True))


def test_rows_one_by_one_add_up_to_all_of_them() -> None:
    """In the order of the rows; a missing cell is summed out, and an impossible row is minus infinity."""
    data = datasets.load("heart")
    by_row = HEART.log_likelihood(data, by_row=True)
    assert data.weights is not None
    assert by_row @ data.weights == pytest.approx(HEART.log_likelihood(data))
    smoker, anyone = HEART.log_likelihood({"smoking": ["yes", None]}, by_row=True)
    assert smoker == pytest.approx(HEART.log_probability({"smoking": "yes"}))
    assert anyone == pytest.approx(0, abs=1e-12)
    with pytest.raises(ArgumentError, match="no share of a single row"):
        HEART.log_likelihood(data, by_row=True, integrate=True)
    with pytest.raises(ArgumentError, match="missing= does not apply"):
        HEART.log_likelihood({"smoking": ["yes"]}, by_row=True, missing="drop")


def test_log_likelihood_of_what_is_seen() -> None:
    """By listing every completion of a row; a row of gaps only, or another order of columns, changes nothing."""
    table: dict[str, list[str | None]] = {
        "smoking": ["yes", None, None],
        "mental": [None, "no", None],
        "physical": ["no", "no", None],
        "pressure": [None, ">140", None],
        "protein": ["<3", None, None],
        "family": ["no", "yes", None],
    }
    states = {variable.name: variable.states for variable in HEART.variables}
    expected = 0.0
    for row in zip(*table.values(), strict=True):
        cells = [states[name] if cell is None else (cell,) for name, cell in zip(table, row, strict=True)]
        completions = [dict(zip(table, one, strict=True)) for one in product(*cells)]
        expected += log(sum(HEART.probability(one) for one in completions))
    with pytest.warns(UserWarning, match=r"3 of 3 rows have gaps \(smoking, mental and 4 more\): kept"):
        assert HEART.log_likelihood(table, missing="keep") == pytest.approx(expected)
    data = read(table, missing="keep", states=states).select([*reversed(HEART.ldag.schema.names)])
    assert HEART.log_likelihood(data) == pytest.approx(expected)


def test_findings_by_likelihoods_have_a_probability() -> None:
    """The greatest likelihood counts as 1, so that it is the sum of the states' probabilities by weight."""
    chances = HEART.query("smoking")
    expected = log(chances["yes"] + 0.25 * chances["no"])
    assert HEART.log_probability({"smoking": {"yes": 0.8, "no": 0.2}}) == pytest.approx(expected)


def test_errors_of_large_tables_name_twelve_variables() -> None:
    """Of a table over seventeen, five more are counted."""
    names = [f"p{i}" for i in range(16)]
    states = dict.fromkeys([*names, "y"], (0, 1))
    graph = LDAG.from_edges([(name, "y") for name in names], states=states)
    net = Network.from_data(graph, read({name: [0, 1] for name in states}, states=states))
    with pytest.raises(TooLarge, match=r"over \w+(, \w+){11} and 5 more; observe"):
        net.query("y", memory_limit=64)


@pytest.mark.parametrize(
    ("n", "spelled"), [(8, "x is 0, 1, 2, 3, 4, 5, 6 or 7 and"), (9, "x is one of 9 states, z is")]
)
def test_findings_of_many_states_are_counted(n: int, spelled: str) -> None:
    """Up to 64 combinations of states are spelled out."""
    schema = Schema((Variable("x", tuple(range(20))), Variable("z", tuple(range(20)))))
    findings = read_findings(schema, {"x": set(range(n)), "z": set(range(8))}, "given: ")
    assert spell_findings(schema, findings).startswith(spelled)
