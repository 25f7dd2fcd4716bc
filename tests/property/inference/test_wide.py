"""Families known by trees answer as their configurations do, and where these cannot be listed."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import Network
from ldag.errors import TooLarge
from ldag.inference import Completions, Engine, Predictor, Sums, compile_circuit, sample_rows
from ldag.model import CodedFamily, Model, Partition, Structure
from tests.oracle.inference import Joint
from tests.oracle.question_trees import draw_list, draw_network, find_class
from tests.property.inference.test_engine import compare, contexts

SETTINGS = settings(deadline=None, max_examples=60)

SIZES = st.lists(st.integers(2, 4), min_size=2, max_size=5)
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(params=[False, True], ids=["listed", "walked"], scope="module")
def walks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Small families are listed where that is quicker; here also as if they were too wide for that."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param:
            patch.setattr("ldag.inference.wide.LISTED", 0)
        yield


def list_classes(model: Model) -> Model:
    """The same model with a class number for every configuration."""
    families = tuple(
        CodedFamily.from_partition(f.parents, Partition.of(f.partition.grid, f.partition.to_array()))
        for f in model.structure.families
    )
    return replace(model, structure=Structure(model.structure.n_states, families))


def model_of(network: Network) -> Model:
    """The network by numbers."""
    return Model(network.ldag.structure, network.probabilities)


@given(SIZES, SEEDS)
@SETTINGS
def test_rows_walk_down_the_tree(n_states: list[int], seed: int) -> None:
    """The classes of rows, by the native walk and by a plain one; leaves share classes, branches have many states."""
    rng = np.random.default_rng(seed)
    for family in draw_network(rng, n_states).ldag.structure.families:
        sizes = family.partition.grid.n_states
        codes = rng.integers(0, np.array(sizes, dtype=int)[:, None], (len(sizes), 50), dtype=np.uint8)
        classes = family.partition.classes_of_rows(codes)
        tree = family.partition.as_tree()
        if tree is not None:
            assert classes.tolist() == [find_class(tree, row) for row in codes.T.tolist()]


@pytest.mark.usefixtures("walks")
@given(st.data(), SIZES, SEEDS)
@SETTINGS
def test_answers_equal_enumeration(data: st.DataObject, n_states: list[int], seed: int) -> None:
    """Posteriors, joint posteriors, explanations; also with variables set from outside."""
    network = draw_network(np.random.default_rng(seed), n_states)
    done = data.draw(contexts(network))
    known = {name: state for name, state in data.draw(contexts(network)).items() if name not in done}
    compare(network, known, done if data.draw(st.booleans()) else None)


@pytest.mark.usefixtures("walks")
@given(st.data(), SIZES, SEEDS)
@SETTINGS
def test_circuits_equal_enumeration(data: st.DataObject, n_states: list[int], seed: int) -> None:
    """Compiled with nothing or something known for good, by value or by class."""
    network = draw_network(np.random.default_rng(seed), n_states)
    joint = Joint(network)
    known = data.draw(contexts(network))
    fixed = network.ldag.schema.context(known)
    nodes = range(len(n_states))
    for fixing, by_class in ((None, False), (None, True), (fixed, False)):
        circuit = compile_circuit(model_of(network), nodes, fixing, by_class=by_class)
        logs, posteriors = circuit.marginals(circuit.row(fixed))
        assert np.exp(logs[0]) == pytest.approx(joint.probability(known), abs=1e-12)
        for name in () if np.isneginf(logs[0]) else set(joint.names) - set(known):
            node = network.ldag.schema.node(name)
            expected = list(joint.posterior([name], known).values())
            assert posteriors[0, circuit.columns(node)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.usefixtures("walks")
@given(SIZES, SEEDS)
@SETTINGS
def test_tables_rows_and_samples_are_those_of_the_configurations(n_states: list[int], seed: int) -> None:
    """Sums, predictions, expected counts of rows with gaps, and every single row that is drawn."""
    rng = np.random.default_rng(seed)
    model = model_of(draw_network(rng, n_states))
    listed = list_classes(model)
    rows = sample_rows(model.structure, model.probabilities, 40, seed % 2**32).T
    assert np.array_equal(rows, sample_rows(listed.structure, listed.probabilities, 40, seed % 2**32).T)
    gaps = np.where(rng.random(rows.shape) < 0.3, np.uint8(255), rows)
    for row in gaps[:3]:
        findings = {node: code for node, code in enumerate(row.tolist()) if code != 255}
        for answer, expected in zip(
            Sums(model).marginals(findings, 1e9)[1], Sums(listed).marginals(findings, 1e9)[1], strict=True
        ):
            assert answer == pytest.approx(expected, abs=1e-12)
    hidden = gaps.copy()
    hidden[:, -1] = 255
    shares = Predictor(Engine(model)).posteriors(len(n_states) - 1, hidden)
    assert shares == pytest.approx(Predictor(Engine(listed)).posteriors(len(n_states) - 1, hidden), abs=1e-12)
    logs, counts = Completions(model.structure).expected_counts(model.probabilities, gaps)
    expected_logs, expected_counts = Completions(listed.structure).expected_counts(model.probabilities, gaps)
    assert logs == pytest.approx(expected_logs, abs=1e-9)
    for own, other in zip(counts, expected_counts, strict=True):
        assert own == pytest.approx(other, abs=1e-9)


@pytest.mark.usefixtures("walks")
def test_a_circuit_of_many_configurations() -> None:
    """Twelve variables of two to four states, 36,864 configurations: every posterior, by enumeration."""
    sizes = [2, 3, 4, 2, 2, 3, 2, 2, 4, 2, 2, 2]
    model = model_of(draw_network(np.random.default_rng(5), sizes, most_leaves=20))
    joint = np.ones(sizes)
    for node, family in enumerate(model.structure.families):
        members = (*family.parents, node)
        cells = model.probabilities[node][family.partition.to_array()].reshape([sizes[member] for member in members])
        joint = joint * cells.reshape([n if other in members else 1 for other, n in enumerate(sizes)])
    given_last = joint[..., 1]
    circuit = compile_circuit(model, range(12))
    _, posteriors = circuit.marginals(circuit.row({11: 1}))
    for node in range(11):
        expected = given_last.sum(axis=tuple(other for other in range(11) if other != node)) / given_last.sum()
        assert posteriors[0, circuit.columns(node)] == pytest.approx(expected, abs=1e-12)


def first_on(network: Network, n: int) -> tuple[list[float], list[list[float]]]:
    """How probable it is that each variable is the first that is on (the last: none is), and what follows then."""
    on = [network.parameters(f"x{i:02}")[0][1] for i in range(n)]
    shares = [float(np.prod([1 - p for p in on[:i]])) * p for i, p in enumerate([*on, 1.0])]
    rows = np.zeros((n + 1, n), dtype=np.uint8)
    rows[np.arange(n), np.arange(n)] = 1
    classes = network.ldag.structure.families[n].partition.classes_of_rows(np.ascontiguousarray(rows.T))
    return shares, [list(network.parameters("y")[number]) for number in classes.tolist()]


def test_a_decision_list_of_forty() -> None:
    """2^40 configurations in closed form: forwards, backwards, joint, drawn and given all the others."""
    network = draw_list(np.random.default_rng(1), 40)
    shares, rows = first_on(network, 40)
    total = sum(share * row[0] for share, row in zip(shares, rows, strict=True))
    assert network.query("y")["a"] == pytest.approx(total, abs=1e-12)
    assert network.compile().size < 5000
    assert network.query("y")["a"] == pytest.approx(total, abs=1e-12)
    first = shares[0] * rows[0][0] / total
    assert network.query("x00", {"y": "a"})["on"] == pytest.approx(first, abs=1e-12)
    assert network.query(["x00", "y"])["on", "a"] == pytest.approx(shares[0] * rows[0][0], abs=1e-12)
    drawn = network.sample_columns(20_000, rng=1, given={"y": "a"})
    assert set(drawn["y"].tolist()) == {"a"}
    assert np.mean(drawn["x00"] == "on") == pytest.approx(first, abs=4 * 0.5 / 20_000**0.5)
    assert network.query("y", do={"x00": "on"})["a"] == pytest.approx(rows[0][0], abs=1e-12)


@pytest.mark.parametrize("n", [40, 90])
def test_a_variable_given_all_others_at_any_number_of_parents(n: int) -> None:
    """A walk down each tree of the blanket, and no more: predictions and probabilities of rows."""
    network = draw_list(np.random.default_rng(2), n)
    rows = network.sample_columns(200, rng=3)
    _, by_first = first_on(network, n)
    on = np.array([rows[f"x{i:02}"] == "on" for i in range(n)])
    first = np.where(on.any(axis=0), on.argmax(axis=0), n)
    expected = np.array([by_first[place] for place in first.tolist()])
    assert network.predict_proba({**rows}, "y") == pytest.approx(expected, abs=1e-12)
    chances = np.array([network.parameters(f"x{i:02}")[0][1] for i in range(n)])[:, None]
    logs = np.log(np.where(on, chances, 1 - chances)).sum(axis=0)
    logs += np.log(np.where(rows["y"] == "a", expected[:, 0], expected[:, 1]))
    assert network.log_likelihood(rows, by_row=True) == pytest.approx(logs, abs=1e-9)
    half = {name: column for name, column in rows.items() if name != "x00"}
    on[0] = True
    with_on = np.where(rows["y"] == "a", by_first[0][0], by_first[0][1]) * chances[0]
    on[0] = False
    later = np.where(on.any(axis=0), on.argmax(axis=0), n)
    with_off = np.array([by_first[place][0 if y == "a" else 1] for place, y in zip(later, rows["y"], strict=True)])
    with_off *= 1 - chances[0]
    assert network.predict_proba(half, "x00")[:, 1] == pytest.approx(with_on / (with_on + with_off), abs=1e-12)


def test_what_does_not_fit_names_what_does() -> None:
    """A question beyond tables and circuits is refused, with the largest table and what samples; those answer."""
    rng = np.random.default_rng(4)
    network = draw_network(rng, [2] * 60, most_leaves=400)
    with pytest.raises(TooLarge, match=r"the largest has [\d,]+ cells, over v\d\d.* and \d+ more.*estimate\(\.\.\.\)"):
        network.query("v00", {"v59": "s0"})
    assert sum(network.estimate("v50", n_samples=5000, rng=1).probabilities.values()) == pytest.approx(1)


def test_estimates_are_within_four_standard_errors() -> None:
    """In 99 of 100 questions to networks of trees that can be answered exactly."""
    n_near = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        network = draw_network(rng, rng.integers(2, 5, 8).tolist())
        row = {name: column[0] for name, column in network.sample_columns(1, rng=seed).items()}
        target, *seen = rng.permutation(list(row)).tolist()[:4]
        known = {name: row[name] for name in seen}
        estimate = network.estimate(target, known, n_samples=20_000, rng=seed)
        exact = network.query(target, known)
        n_near += all(
            abs(p - exact[s]) <= 4 * estimate.standard_errors[s] + 1e-12 for s, p in estimate.probabilities.items()
        )
    assert n_near >= 99
