"""Sums over tables, and circuits with likelihoods, equal listing the joint distribution for all kinds of findings."""

from itertools import accumulate
from math import inf, log
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import LDAG, Network, _native, simulate
from ldag.errors import ImpossibleEvidence
from ldag.inference import Engine, Sums, compile_circuit
from ldag.inference.circuit import _parameters
from ldag.model import Model
from ldag.model.partition import Partition
from ldag.network.arguments import Findings, read_findings
from tests.oracle.elimination import cells, circuit_products, cliques
from tests.oracle.inference import Joint, Weights
from tests.oracle.layers import layer_posteriors
from tests.property.inference.test_engine import networks

SETTINGS = settings(deadline=None, max_examples=60)
MEMORY = 1 << 20
LARGE = 1 << 30


@st.composite
def questions(draw: st.DrawFn) -> tuple[Network, Findings, Weights]:
    """A network and findings of every kind, also as a weight for each state."""
    network = draw(networks())
    names = draw(st.lists(st.sampled_from([v.name for v in network.variables]), unique=True, max_size=4))
    findings: dict[str, object] = {}
    weights: dict[str, dict[object, float]] = {}
    for name in names:
        states = next(v.states for v in network.variables if v.name == name)
        kind = draw(st.sampled_from(["state", "set", "likelihoods"]))
        if kind == "state":
            findings[name] = draw(st.sampled_from(states))
            weights[name] = {state: float(state == findings[name]) for state in states}
        elif kind == "set":
            chosen = draw(st.sets(st.sampled_from(states), min_size=1))
            findings[name] = chosen
            weights[name] = {state: float(state in chosen) for state in states}
        else:
            given = draw(st.lists(st.sampled_from([0.0, 0.2, 0.7, 1.0]), min_size=len(states), max_size=len(states)))
            given[draw(st.integers(0, len(states) - 1))] = 1.0
            findings[name] = weights[name] = dict(zip(states, given, strict=True))
    return network, findings, weights  # type: ignore[return-value]


@given(questions(), st.data())
@SETTINGS
def test_both_engines_equal_enumeration(question: tuple[Network, Findings, Weights], data: st.DataObject) -> None:
    """Log probabilities, posteriors of each and of several, most probable states of all and of some."""
    network, findings, weights = question
    joint = Joint(network).weighted(weights)
    total = sum(joint.rows.values())
    codes = read_findings(network.ldag.schema, findings, "given: ")
    model = Model(network.ldag.structure, network.probabilities)
    sums = Sums(model)
    circuit = compile_circuit(model, range(len(model.structure))).given(codes)
    expected_log = log(total) if total > 0 else -np.inf
    assert sums.log_probability(codes, MEMORY)[0] == pytest.approx(expected_log, abs=1e-12)
    assert circuit.log_probabilities(circuit.row(codes))[0] == pytest.approx(expected_log, abs=1e-12)
    for log_probability, posteriors in (
        sums.marginals(codes, MEMORY),
        circuit.marginals_of(range(len(model.structure)), codes),
    ):
        assert log_probability == pytest.approx(expected_log, abs=1e-12)
        for name, posterior in zip(joint.names, posteriors, strict=True):
            wanted = [p / total for (_,), p in joint.table([name]).items()] if total > 0 else [np.nan] * len(posterior)
            assert posterior == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    free = [n for n in range(len(joint.names)) if not isinstance(codes.get(n), int)]
    if total == 0 or not free:
        return
    chosen = data.draw(st.lists(st.sampled_from(free), min_size=1, max_size=3, unique=True))
    names = [joint.names[node] for node in chosen]
    table = joint.table(names)
    _, posterior, _ = sums.joint(chosen, codes, MEMORY)
    assert posterior.reshape(-1) == pytest.approx([p / total for p in table.values()], abs=1e-12)
    best, states = sums.most_probable(chosen, codes, MEMORY)
    shown = tuple(network.variables[n].states[code] for n, code in zip(chosen, states, strict=True))
    assert best == pytest.approx(log(max(table.values())), abs=1e-12)
    assert table[shown] == pytest.approx(max(table.values()), rel=1e-9)
    best, everything = Engine(model).most_probable(None, codes)
    row = tuple(v.states[code] for v, code in zip(network.variables, everything, strict=True))
    assert best == pytest.approx(log(joint.rows[row]), abs=1e-12)
    assert joint.rows[row] == pytest.approx(max(joint.rows.values()), rel=1e-9)


@given(questions(), st.data())
@SETTINGS
def test_networks_equal_enumeration_before_and_after_compiling(
    question: tuple[Network, Findings, Weights], data: st.DataObject
) -> None:
    """All kinds of findings, some variables set from outside: the same answers from sums and from the circuit."""
    network, findings, weights = question
    free = [v for v in network.variables if v.name not in findings]
    chosen = data.draw(st.lists(st.sampled_from(free), unique=True, max_size=2)) if free else []
    do = {variable.name: data.draw(st.sampled_from(variable.states)) for variable in chosen}
    joint = Joint(network, do).weighted(weights)
    total = sum(joint.rows.values())
    codes = read_findings(network.ldag.schema, findings, "given: ")
    names = [n for node, n in enumerate(joint.names) if n not in do and not isinstance(codes.get(node), int)]
    some = names[: data.draw(st.integers(1, len(names)))] if names else []
    for _ in range(2):
        assert network.log_probability(findings, do=do) == pytest.approx(log(total) if total > 0 else -inf, abs=1e-12)
        if total == 0:
            with pytest.raises(ImpossibleEvidence):
                network.most_probable(findings, do=do)
        else:
            for name, distribution in network.marginals(findings, do=do).items():
                expected = {state: p / total for (state,), p in joint.table([name]).items()}
                assert distribution == pytest.approx(expected, abs=1e-12)
            best = network.most_probable(findings, do=do)
            row = tuple(best[name] for name in joint.names)
            assert joint.rows[row] == pytest.approx(max(joint.rows.values()), rel=1e-9)
            if some:
                states = network.most_probable(findings, of=some, do=do)
                table = joint.table(some)
                assert table[tuple(states.values())] == pytest.approx(max(table.values()), rel=1e-9)
        network.compile()
        network.asking.engine(network.ldag.schema.context(do)).compile()


@given(networks())
@SETTINGS
def test_plans_count_the_cliques_of_the_order(network: Network) -> None:
    """Cells of all cliques, the largest of them, and memory for all messages."""
    structure = network.ldag.structure
    parents = [list(family.parents) for family in structure.families]
    n_states = list(structure.n_states)
    (order,) = _native.elimination_orders(n_states, parents, [255] * len(n_states), 10, 0, 1)
    expected = cliques(parents, order)
    plan = Sums(Model(structure, network.probabilities)).plan
    assert plan.n_cells == sum(cells(n_states, one) for one in expected)
    assert frozenset(plan.nodes) in expected
    assert plan.largest == cells(n_states, frozenset(plan.nodes)) == max(cells(n_states, one) for one in expected)
    assert plan.n_bytes <= 8 * 3 * plan.n_cells


@given(networks(), st.randoms(use_true_random=False))
@SETTINGS
def test_sizes_of_circuits_are_known_from_what_is_left_of_families(network: Network, random: Random) -> None:
    """In any order: a sum for each combination of what can be left. A better order is one with fewer products."""
    model = Model(network.ldag.structure, network.probabilities)
    nodes = list(range(len(model.structure)))
    numbers, _ = _parameters(model, nodes, by_class=False, told_apart=())
    parents = [list(family.parents) for family in model.structure.families]
    classes = [family.partition.to_array() for family in model.structure.families]
    tables = [table.reshape(-1) for table in numbers]
    random.shuffle(nodes)
    shape = list(model.structure.n_states), parents, classes, tables, [255] * len(nodes)
    ((n_products, order, (first, *_)),) = _native.improve_orders(*shape, [nodes], 0.0, inf)
    assert n_products == pytest.approx(circuit_products(network, nodes))
    assert _native.count_products(*shape, nodes) == pytest.approx(n_products)
    assert order == nodes
    assert first in nodes
    ((fewer, better, _),) = _native.improve_orders(*shape, [nodes], 10.0, inf)
    assert fewer <= n_products * (1 + 1e-9)
    assert fewer == pytest.approx(circuit_products(network, better))
    circuit, _ = _native.compile_circuit(*shape, better, 1 << 20)
    assert circuit is not None
    assert circuit.size <= 3 * fewer + len(nodes)  # a term may be a product of several


@given(questions(), st.data())
@SETTINGS
def test_events_may_be_sets(question: tuple[Network, Findings, Weights], data: st.DataObject) -> None:
    """P(event | findings), also where both are about one variable."""
    network, findings, weights = question
    joint = Joint(network).weighted(weights)
    total = sum(joint.rows.values())
    if total == 0:
        return
    variable = data.draw(st.sampled_from(network.variables))
    chosen = data.draw(st.sets(st.sampled_from(variable.states), min_size=1))
    expected = sum(p for (state,), p in joint.table([variable.name]).items() if state in chosen) / total
    assert network.probability({variable.name: chosen}, findings) == pytest.approx(expected, abs=1e-12)


@given(questions(), st.integers(0, 2**32))
@settings(deadline=None, max_examples=20)
def test_draws_follow_the_posterior(question: tuple[Network, Findings, Weights], seed: int) -> None:
    """Every row is possible, how often rows come is within five standard errors, and more rows begin the same."""
    network, findings, weights = question
    joint = Joint(network).weighted(weights)
    total = sum(joint.rows.values())
    if total == 0:
        with pytest.raises(ImpossibleEvidence):
            network.sample_columns(3, seed, given=findings)
        return
    n = 400
    columns = network.sample_columns(n, seed, given=findings)
    rows = list(zip(*(columns[name].tolist() for name in joint.names), strict=True))
    assert rows[:7] == list(
        zip(*(network.sample_columns(7, seed, given=findings)[name].tolist() for name in joint.names), strict=True)
    )
    assert all(joint.rows[row] > 0 for row in rows)
    for row, weight in joint.rows.items():
        p = weight / total
        assert abs(rows.count(row) - n * p) <= 5 * np.sqrt(n * p * (1 - p)) + 3


@given(questions())
@SETTINGS
def test_bounds_enclose_the_most_probable_states(question: tuple[Network, Findings, Weights]) -> None:
    """Of some variables: a choice with its probability, and what none exceeds."""
    network, findings, weights = question
    joint = Joint(network).weighted(weights)
    total = sum(joint.rows.values())
    codes = read_findings(network.ldag.schema, findings, "given: ")
    names = [name for node, name in enumerate(joint.names) if not isinstance(codes.get(node), int)][:3]
    if total == 0 or not names:
        return
    table = joint.table(names)
    found = network.bound_most_probable(names, findings)
    assert found.probability == pytest.approx(table[tuple(found.states[name] for name in names)] / total, abs=1e-12)
    assert found.probability <= max(table.values()) / total + 1e-12
    assert max(table.values()) / total <= found.at_most + 1e-12


@given(questions())
@SETTINGS
def test_mutual_information_equals_its_definition(question: tuple[Network, Findings, Weights]) -> None:
    """The sum of p log(p / (p_a p_b)) over the listed posterior."""
    network, findings, weights = question
    joint = Joint(network).weighted(weights)
    total = sum(joint.rows.values())
    codes = read_findings(network.ldag.schema, findings, "given: ")
    names = [name for node, name in enumerate(joint.names) if not isinstance(codes.get(node), int)]
    if total == 0 or len(names) < 2:
        return
    both = {states: p / total for states, p in joint.table(names[:2]).items()}
    a, b = ({s: p / total for (s,), p in joint.table([name]).items()} for name in names[:2])
    expected = sum(p * log(p / (a[s] * b[t])) for (s, t), p in both.items() if p > 0)
    assert network.mutual_information(names[0], names[1], findings) == pytest.approx(expected, abs=1e-9)


def test_many_findings_do_not_underflow() -> None:
    """Fifteen hundred independent observations of a coin: the probability is below the smallest number."""
    n = 1500
    states = {"coin": ["a", "b"]} | {f"x{i}": ["0", "1"] for i in range(n)}
    graph = LDAG.from_edges([("coin", f"x{i}") for i in range(n)], states=states)
    tables = {f"x{i}": [[0.5, 0.5], [0.499, 0.501]] for i in range(n)}
    network = Network.from_parameters(graph, {"coin": [[0.5, 0.5]], **tables})
    findings = {f"x{i}": "01"[i % 2] for i in range(n)}
    ratio = (0.499 * 0.501 / 0.25) ** (n / 2)
    for _ in range(2):
        assert network.query("coin", findings)["b"] == pytest.approx(ratio / (1 + ratio), rel=1e-9)
        assert network.marginals(findings)["coin"]["b"] == pytest.approx(ratio / (1 + ratio), rel=1e-9)
        expected = n * log(0.5) + log((1 + ratio) / 2)
        assert network.log_probability(findings) == pytest.approx(expected, rel=1e-12)
        network.compile()


@given(networks(), st.data())
@SETTINGS
def test_rows_get_the_posteriors_that_listing_gives(network: Network, data: st.DataObject) -> None:
    """With any gaps, alike or not, on any number of threads; impossible rows get no numbers."""
    joint = Joint(network)
    target = data.draw(st.integers(0, len(joint.names) - 1))
    cell = [st.sampled_from([None, *v.states, *v.states]) for v in network.variables]
    rows = data.draw(st.lists(st.tuples(*cell), min_size=1, max_size=6)) * 4
    rows = [tuple(None if place == target else state for place, state in enumerate(row)) for row in rows]
    codes = [[255 if s is None else v.states.index(s) for v, s in zip(network.variables, r, strict=True)] for r in rows]
    sums = Sums(Model(network.ldag.structure, network.probabilities))
    posteriors, is_large, cost = sums.row_posteriors(target, np.array(codes, dtype=np.uint8), 1e9)
    assert not is_large.any()
    assert cost >= 500.0 * len(joint.names) * len(rows)
    for row, posterior in zip(rows, posteriors, strict=True):
        seen = {name: state for name, state in zip(joint.names, row, strict=True) if state is not None}
        if joint.probability(seen) == 0:
            assert np.isnan(posterior).all()
        else:
            wanted = list(joint.posterior([joint.names[target]], seen).values())
            assert posterior == pytest.approx(wanted, abs=1e-12)


def test_rows_whose_tables_do_not_fit_are_told() -> None:
    """Two threads share the memory, where there are rows for both; a row that needs no tables is answered."""
    graph = LDAG.from_edges([("a", "b"), ("b", "c")], states={name: range(30) for name in "abc"})
    table = np.random.default_rng(1).dirichlet(np.ones(30), 30).tolist()
    network = Network.from_parameters(graph, {"a": [table[0]], "b": table, "c": table})
    rows = np.array([[255, 255, 3], [255, 2, 3], [255, 255, 255]], dtype=np.uint8)
    sums = Sums(Model(network.ldag.structure, network.probabilities))
    assert sums.native.row_posteriors(0, rows, 1, 8 * 30)[1].tolist() == [930.0, 30.0, 30.0]
    assert np.isinf(sums.native.row_posteriors(0, rows, 1, 8 * 30 - 1)[1]).tolist() == [True, False, False]
    assert not np.isinf(sums.native.row_posteriors(0, rows, 2, 8 * 30)[1]).any()
    many = np.tile(rows, (6, 1))
    assert np.isinf(sums.native.row_posteriors(0, many, 2, 8 * 60 - 1)[1]).tolist() == [True, False, False] * 6
    assert not np.isinf(sums.native.row_posteriors(0, many, 2, 8 * 60)[1]).any()
    with pytest.raises(ValueError, match="one state per node in each row"):
        sums.native.row_posteriors(0, rows[:, :2].copy(), 1, 1e9)


def _model_of(network: Network) -> Model:
    return Model(network.ldag.structure, network.probabilities)


@given(st.integers(0, 1 << 30), st.lists(st.integers(5, 8), min_size=2, max_size=4), st.integers(2, 14), st.data())
@settings(deadline=None, max_examples=30)
def test_layered_networks(seed: int, widths: list[int], max_classes: int, data: st.DataObject) -> None:
    """The posteriors of all nodes, of one, and the probability of the findings, to 12 digits."""
    graph = simulate.layered_ldag(widths, n_parents=(4, 8), n_states=(2, 2), max_classes=max_classes, rng=seed)
    model = _model_of(simulate.random_network(graph, rng=seed))
    ends = list(accumulate(widths))
    layers = [range(end - width, end) for end, width in zip(ends, widths, strict=True)]
    seen = data.draw(st.dictionaries(st.integers(0, ends[-1] - 1), st.integers(0, 1), max_size=5))
    probability, posteriors = layer_posteriors(model, layers, seen)
    sums = Sums(model)
    log_probability, own = sums.marginals(seen, LARGE)
    np.testing.assert_allclose(
        [log_probability, sums.log_probability(seen, LARGE)[0]], np.log(probability), rtol=1e-12, atol=1e-12
    )
    for node, expected in enumerate(posteriors):
        np.testing.assert_allclose(own[node], expected, rtol=1e-12, atol=1e-300)
    target = data.draw(st.sampled_from([node for node in range(ends[-1]) if node not in seen]))
    np.testing.assert_allclose(sums.joint([target], seen, LARGE)[1], posteriors[target], rtol=1e-12)


def test_labels_save_work() -> None:
    """Four layers of ten with ten parents each: a fifth of the work of the same tables without classes."""
    model = _model_of(simulate.random_network(simulate.layered_ldag([10] * 4, n_parents=10, rng=1), rng=1))
    partitions = [family.partition for family in model.structure.families]
    plain = _native.Sums(
        list(model.structure.n_states),
        [list(family.parents) for family in model.structure.families],
        [Partition.singletons(partition.grid).to_native() for partition in partitions],
        [table[of.to_array().ravel()] for table, of in zip(model.probabilities, partitions, strict=True)],
    )
    for target, seen in ((39, {}), (0, {39: 1}), (15, {35: 0, 39: 1})):
        codes = [seen.get(node, -1) for node in range(40)]
        _, expected, most = plain.joint([target], codes, [], LARGE)
        _, own, least = Sums(model).native.joint([target], codes, [], LARGE)
        np.testing.assert_allclose(own, expected, rtol=1e-12)
        assert 5 * least < most
    for seen in ({39: 1}, {25: 0, 7: 1}, {22: 1, 4: 0}):  # the last two end where a layer has one node left
        codes = [seen.get(node, -1) for node in range(40)]
        log_expected, most = plain.log_probability(codes, [], LARGE)
        log_own, least = Sums(model).native.log_probability(codes, [], LARGE)
        assert log_own == pytest.approx(log_expected, rel=1e-12)
        assert 5 * least < most
