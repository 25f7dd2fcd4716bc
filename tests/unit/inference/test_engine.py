"""Questions that cannot be answered say why; limits, interruption and copies."""

import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

from ldag import LDAG, Network, simulate
from ldag.errors import ArgumentError, ImpossibleEvidence, LdagError, TooLarge
from ldag.inference import Engine, TablesTooLarge, TooManyGates, compile_circuit
from ldag.model import Model
from tests.interrupts import bound


def weather() -> Network:
    """Rain makes the street wet, surely; two, three and four states."""
    states = {"rain": ["no", "yes"], "street": ["dry", "damp", "wet"], "mood": ["a", "b", "c", "d"]}
    graph = LDAG.from_edges([("rain", "street"), ("street", "mood")], states=states)
    mood = [[0.4, 0.3, 0.2, 0.1], [0.25, 0.25, 0.25, 0.25], [0.1, 0.2, 0.3, 0.4]]
    return Network.from_parameters(
        graph, {"rain": [[0.75, 0.25]], "street": [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]], "mood": mood}
    )


def grid(side: int, seed: int = 1) -> Network:
    """Each node with the one above and the one to the left as parents."""
    name = [[f"x{i}_{k}" for k in range(side)] for i in range(side)]
    edges = [(name[i - 1][k], name[i][k]) for i in range(1, side) for k in range(side)]
    edges += [(name[i][k - 1], name[i][k]) for i in range(side) for k in range(1, side)]
    graph = LDAG.from_edges(edges, states={node: ["0", "1", "2"] for row in name for node in row})
    rng = np.random.default_rng(seed)
    tables = {v.name: rng.dirichlet([1.0] * 3, graph.partition(v.name).n_classes).tolist() for v in graph.variables}
    return Network.from_parameters(graph, tables)


def test_impossible_evidence_is_named() -> None:
    """All questions that condition on it refuse; the probability of an impossible event is zero."""
    network = weather()
    given = {"rain": "yes", "street": "dry"}
    message = r"rain.*yes.*street.*dry.* has probability zero in this network, so nothing follows from it"
    for ask in (network.marginals, network.most_probable):
        with pytest.raises(ImpossibleEvidence, match=message):
            ask(given)
    with pytest.raises(ImpossibleEvidence, match=message):
        network.query("mood", given)
    with pytest.raises(ImpossibleEvidence, match=message):
        network.log_probability({"mood": "a"}, given)
    assert network.probability(given) == 0.0
    assert network.log_probability(given) == -np.inf


def test_what_is_done_is_never_impossible() -> None:
    """The street is dried in the rain: it no longer depends on it."""
    answer = weather().query("mood", {"rain": "yes"}, do={"street": "dry"})
    assert answer == pytest.approx({"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.1})


def test_questions_that_make_no_sense() -> None:
    """A target that is given, a variable that is observed and set, no target."""
    network = weather()
    with pytest.raises(ArgumentError, match="'mood' is a target and has its state given"):
        network.query(["rain", "mood"], {"mood": "a"})
    with pytest.raises(ArgumentError, match="'mood' is a target and has its state given"):
        network.query("mood", do={"mood": "a"})
    with pytest.raises(ArgumentError, match="'rain' is both observed and set; name it in given or in do"):
        network.marginals({"rain": "no"}, do={"rain": "no"})
    with pytest.raises(ArgumentError, match="name at least one target"):
        network.query([])


@pytest.mark.parametrize(
    ("given", "word"), [({"snow": "no"}, "snow"), ({"rain": "perhaps"}, "perhaps"), ({"street": 0}, "street")]
)
def test_unknown_names_are_shown(given: dict[str, str | int], word: str) -> None:
    """Variables and states."""
    with pytest.raises(LdagError, match=word):
        weather().query("mood", given)
    with pytest.raises(LdagError, match="snow"):
        weather().query("snow")


def test_a_circuit_too_large_names_the_step() -> None:
    """And what to do; nothing is kept of it, and a larger limit works."""
    network = grid(6)
    with pytest.raises(TooLarge) as refused:
        network.compile(max_size=3000)
    text = str(refused.value)
    assert text.startswith("exact inference needs sums and products with more than 3,000 arguments: 'x")
    assert "has to be summed out of a function of x" in text
    needed = re.search(r"allow compile\(max_size=([\d_]+)\), or use estimate\(\.\.\.\), which samples$", text)
    assert needed is not None
    assert network.compile(max_size=int(needed[1])).size > 1000


def test_a_family_too_large_names_its_node() -> None:
    """Also where it has no parents, and is summed out of nothing else."""
    graph = LDAG.from_edges([], states={"a": ["0", "1", "2"], "b": ["0", "1", "2"]})
    network = Network.from_parameters(graph, {name: [[0.5, 0.3, 0.2]] for name in "ab"})
    with pytest.raises(TooLarge, match="more than 1 arguments already for 'b'; observe"):
        network.compile(max_size=1)


def test_what_was_refused_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same circuit is compiled once to be refused; a larger limit is another question."""
    calls = []

    def refuse(*arguments: object, max_size: int, **_: object) -> None:
        calls.append(arguments)
        raise TooManyGates([0], max_size, 2 * max_size)

    monkeypatch.setattr("ldag.inference.engine.compile_circuit", refuse)
    network = weather()
    engine = Engine(Model(network.ldag.structure, network.probabilities))
    for _ in range(2):
        with pytest.raises(TooManyGates):
            engine.compile(100)
    assert len(calls) == 1
    with pytest.raises(TooManyGates):
        engine.compile(101)
    assert len(calls) == 2
    with pytest.raises(TooManyGates):
        engine.compile(101, all_orders=False)  # fewer orders than were tried
    assert len(calls) == 2
    for limit in (0, 8):  # sums are refused too, then; with evidence, a circuit for it is tried
        with pytest.raises(TablesTooLarge):
            engine.marginals([0], {1: 0}, limit)
    assert len(calls) == 4


def test_tables_too_large_are_refused_by_their_size() -> None:
    """The error names the largest table and the memory that would do, before any work; with that it answers."""
    network = grid(5)
    with pytest.raises(TooLarge) as refused:
        network.marginals({"x0_0": "1"}, memory_limit="2 KB")
    text = str(refused.value)
    found = re.search(r"tables of (.*?), and memory_limit is 2 KB: the largest has (.*) cells, over (x.*?);", text)
    assert found is not None
    assert int(found[2].replace(",", "")) == 3 ** len(found[3].split(", "))
    assert f"allow memory_limit={found[1]!r}, or use estimate(...), which samples" in text
    assert network.marginals({"x0_0": "1"}, memory_limit=found[1])["x0_0"]["1"] == 1.0


def test_hopeless_circuits_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels do not help enough here, which is known from the order: the error has the clique, and comes at once."""
    graph = simulate.layered_ldag([24] * 3, n_parents=9, max_classes=8, rng=1)
    network = simulate.random_network(graph, rng=1)
    monkeypatch.delattr("ldag._native.compile_circuit")
    for _ in range(2):
        with pytest.raises(TooLarge, match=r"memory_limit is 2 GB: the largest has [\d,]+ cells, over x.*allow memory"):
            network.marginals()
    with pytest.raises(TooLarge) as refused:
        network.compile()
    text = str(refused.value)
    assert re.search(r"more than 30,000,000 arguments: 'x.*has to be summed out of a function of x", text)
    assert text.endswith("observe some of these variables, or use estimate(...), which samples")  # no size helps


def test_circuits_that_need_more_are_refused_with_the_size_that_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any of it is made: what labels leave is known from the order."""
    network = simulate.random_network(simulate.layered_ldag([24] * 3, n_parents=5, max_classes=5, rng=1), rng=1)
    monkeypatch.delattr("ldag._native.compile_circuit")
    with pytest.raises(TooLarge, match=r"allow compile\(max_size=(3[1-9]|[4-9]\d|\d\d\d)(_000){2}\), or use"):
        network.compile()


def test_circuits_that_zeros_make_small_are_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where most rows are certain most contexts do not come about: the circuit is far smaller than it seems."""
    network = grid(6)
    rng = np.random.default_rng(1)
    tables = [
        np.where(rng.random((len(table), 1)) < 0.7, np.eye(3)[rng.integers(3, size=len(table))], table)
        for table in network.probabilities
    ]
    model = Model(network.ldag.structure, tuple(tables))
    monkeypatch.setattr("ldag.inference.circuit.TRIED", 0)
    assert compile_circuit(model, range(36), max_size=20_000).shape.size < 10_000
    monkeypatch.setattr("ldag.inference.circuit.ARGUMENTS_WITH_ZEROS", 3.0)
    with pytest.raises(TooManyGates):  # as it would seem without zeros
        compile_circuit(model, range(36), max_size=20_000)


def test_circuits_at_the_border_are_counted_with_care(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few contexts show too few products where there are labels; with more of them a refusal needs no compiling."""
    network = simulate.random_network(simulate.layered_ldag([12] * 3, n_parents=5, max_classes=5, rng=2), rng=2)
    model = Model(network.ldag.structure, network.probabilities)
    monkeypatch.setattr("ldag.inference.circuit.TRIED", 0)
    assert compile_circuit(model, range(36), max_size=200_000).shape.size > 30_000
    monkeypatch.delattr("ldag._native.compile_circuit")
    with pytest.raises(TooManyGates) as refused:
        compile_circuit(model, range(36), max_size=140_000)
    assert 140_000 < refused.value.needed < 400_000


def test_subsets_too_large_can_be_bounded() -> None:
    """The most probable states of some need larger tables than those of all; the error names the bound."""
    network = grid(5)
    some = ["x0_0", "x4_4", "x2_2"]
    with pytest.raises(TooLarge, match="or use bound_most_probable"):
        network.most_probable(of=some, memory_limit="2 KB")
    found = network.bound_most_probable(some)
    best = network.most_probable(of=some)
    assert network.probability(found.states) == pytest.approx(found.probability)
    assert found.probability <= network.probability(best) + 1e-12 <= found.at_most + 2e-12


@pytest.mark.parametrize("limit", [0, -1, "much", "8 XB", 1.5])
def test_memory_limits_are_bytes(limit: object) -> None:
    """Or texts with a unit."""
    with pytest.raises(ArgumentError, match="memory_limit must be a number of bytes or a text such as '8 GB'"):
        weather().query("mood", memory_limit=limit)  # type: ignore[call-overload]


def test_joint_distributions_have_a_limit() -> None:
    """In cells."""
    network = grid(5)
    with pytest.raises(TooLarge, match=r"has 1,594,323 cells; at most 1,048,576 are listed"):
        network.query([variable.name for variable in network.variables][:13])


def test_codes_of_states_fit_a_byte() -> None:
    """255 states work, 256 are refused wherever a variable is made."""
    n_states = 255
    graph = LDAG.from_edges([("a", "b")], states={"a": [str(i) for i in range(n_states)], "b": ["0", "1"]})
    tables = {
        "a": [[1 / n_states] * n_states],
        "b": [[i / (n_states - 1), 1 - i / (n_states - 1)] for i in range(n_states)],
    }
    network = Network.from_parameters(graph, tables)
    assert network.query("b", {"a": "254"}) == pytest.approx({"0": 1.0, "1": 0.0})
    assert network.most_probable({"b": "0"})["a"] == "254"
    assert network.query("a", {"b": "0"})["254"] == pytest.approx(2 / 255)
    with pytest.raises(ArgumentError, match="'a' has 256 states; at most 255 are possible"):
        LDAG.from_edges([], states={"a": range(256)})


def test_a_network_is_pickled_without_its_circuits() -> None:
    """After questions; the copy answers the same."""
    network = weather()
    answer = network.marginals({"mood": "d"})
    network.query("mood", do={"rain": "yes"})
    copy = pickle.loads(pickle.dumps(network))
    assert "asking" in vars(network)
    assert "asking" not in vars(copy)
    assert copy.marginals({"mood": "d"}) == answer


def test_the_smallest_of_several_orders_is_kept() -> None:
    """No order alone gives a smaller circuit."""
    network = grid(3)
    model = Model(network.ldag.structure, network.probabilities)
    nodes = range(len(model.structure))
    sizes = []
    for skipped in range(3):
        with pytest.MonkeyPatch.context() as patch:
            native = compile_circuit.__globals__["_native"].improve_orders
            patch.setattr(
                "ldag.inference.circuit._native.improve_orders",
                lambda *a, skipped=skipped, native=native: native(*a)[skipped : skipped + 1],
            )
            sizes.append(compile_circuit(model, nodes).shape.size)
    assert compile_circuit(model, nodes).shape.size == min(sizes)


INTERRUPT = """
import os, signal, sys, threading, time
import numpy as np
sys.path.insert(0, {root!r})
from ldag.inference.circuit import compile_circuit
from tests.unit.inference.test_engine import grid
network = grid({side})
{before}
sent = []
threading.Timer(0.3, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT))).start()
try:
    {call}
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
"""


def interrupted(call: str, side: int, before: str = "") -> float:
    """Seconds from Ctrl-C to KeyboardInterrupt, in a process of its own."""
    root = __file__.rsplit("/tests/", 1)[0]
    code = INTERRUPT.format(root=root, side=side, call=call, before=before)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, preexec_fn=bound)
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def test_compiling_can_be_interrupted() -> None:
    """At once."""
    assert interrupted("network.compile(max_size=10**9)", 11) < 2


def test_looking_for_an_order_can_be_interrupted() -> None:
    """At once, too: three thousand nodes with parents anywhere."""
    before = """
from ldag import _native
rng = np.random.default_rng(0)
parents = [sorted(rng.choice(i, min(i, 4), replace=False).tolist()) for i in range(3000)]
"""
    assert interrupted("_native.elimination_orders([2] * 3000, parents, [255] * 3000, 10, 0, 3)", 2, before) < 2


def test_one_row_can_be_interrupted() -> None:
    """The thread that asks works on it itself."""
    before = "rows = np.array([[255] * 168 + [1]], dtype=np.uint8)"
    assert interrupted("network.asking.engine().sums.row_posteriors(0, rows, 1e12)", 13, before) < 2


def test_evaluation_can_be_interrupted() -> None:
    """Many rows, on all threads."""
    before = """
network.compile()
circuit = network.asking.engine()._whole
rows = np.full((2_000_000, 25), 255, dtype=np.uint8)
"""
    assert interrupted("circuit.log_probabilities(rows, n_threads=0)", 5, before) < 2


def test_a_set_of_targets_is_refused() -> None:
    """The states of the answer would be in no order."""
    with pytest.raises(ArgumentError, match="a set has no order, and the answer has one; give a list"):
        weather().query({"rain", "mood"})
