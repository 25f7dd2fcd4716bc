"""What is asked, sums or a circuit, and when one is compiled: by what things cost."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from ldag import LDAG, Network
from ldag.inference import MAX_SIZE, MEMORY_LIMIT, Engine, Predictor, TablesTooLarge, TooManyGates
from ldag.inference import rows as room
from ldag.inference.sums import SumsPlan
from ldag.model import Model
from tests.unit.inference.test_engine import weather


class Counted:
    """An engine over three nodes whose sums have a given cost, and whose circuits have a given size."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cost: float, size: int, n_bytes: float = 0.0) -> None:
        self.compiled: list[tuple[int, bool]] = []
        self.is_refusing = False
        self.size = size
        monkeypatch.setattr("ldag.inference.engine.compile_circuit", self.compile)
        network = weather()
        self.engine = Engine(Model(network.ldag.structure, network.probabilities))
        plan = SumsPlan(n_cells=1000.0, n_bytes=n_bytes, nodes=(), largest=0.0, cost=cost)
        self.engine.sums = SimpleNamespace(plan=plan)  # type: ignore[assignment]

    def compile(self, *_: object, max_size: int, all_orders: bool) -> SimpleNamespace:
        """Make no circuit but for its size, or refuse."""
        self.compiled.append((max_size, all_orders))
        if self.is_refusing:
            raise TooManyGates([0], max_size, 2 * max_size)
        return SimpleNamespace(shape=SimpleNamespace(size=self.size))

    def ask(self, n_rows: float = 1.0) -> bool:
        """Return whether a circuit is asked."""
        return self.engine._asks_circuit(MEMORY_LIMIT, n_rows)


def test_a_circuit_is_compiled_once_sums_would_have_paid_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling 1000 cells and three nodes costs 300 * 1000 + 200,000 * 3 = 900,000, three questions of 300,000."""
    asked = Counted(monkeypatch, cost=300_000.0, size=100)
    assert [asked.ask() for _ in range(4)] == [False, False, True, True]
    assert asked.compiled == [(MAX_SIZE, False)]
    later = Counted(monkeypatch, cost=299_999.0, size=100)
    assert [later.ask() for _ in range(4)] == [False, False, False, True]


def test_other_orders_are_tried_when_compiling_has_paid_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first order that is too large is not tried again before; then all orders are."""
    asked = Counted(monkeypatch, cost=900_000.0, size=100)
    asked.is_refusing = True
    assert not any(asked.ask() for _ in range(6))
    assert asked.compiled == [(MAX_SIZE, False), (MAX_SIZE, True)]
    before = Counted(monkeypatch, cost=900_000.0, size=100)
    before.is_refusing = True
    assert not any(before.ask() for _ in range(2))
    assert before.compiled == [(MAX_SIZE, False)]


@pytest.mark.parametrize(
    ("size", "n_rows", "asks"),
    [(200_000, 1.0, True), (200_001, 1.0, False), (200_001, 0.5, True), (100_000, 2.0, True), (100_001, 2.0, False)],
)
def test_what_costs_less_is_asked(monkeypatch: pytest.MonkeyPatch, size: int, n_rows: float, asks: bool) -> None:
    """A product of a circuit costs 5.5, so 200,000 of them cost what sums of 1,100,000 do; rows multiply that."""
    assert Counted(monkeypatch, cost=1_100_000.0, size=size).ask(n_rows=n_rows) is asks


@pytest.mark.parametrize("ask", [lambda engine: engine.joint([0], {}), lambda engine: engine.log_probability({0: 1})])
def test_joint_questions_cost_what_they_did_before(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[Engine], object]
) -> None:
    """Three nodes are not worth compiling before 600,000 were spent, so until then no order is looked for.

    Questions for a probability are counted with them.
    """
    asked = Counted(monkeypatch, cost=1e9, size=100)
    plan, costs = asked.engine.sums.plan, [300_000.0, 299_999.0, 0.5, 0.5, 300_000.0]
    answers = {
        "joint": lambda *_: (0.0, None, costs.pop(0)),
        "log_probability": lambda *_: (0.0, costs.pop(0)),
    }
    asked.engine.sums = SimpleNamespace(**answers)  # type: ignore[assignment]
    for _ in range(4):
        ask(asked.engine)
    asked.engine.sums = SimpleNamespace(plan=plan, **answers)  # type: ignore[assignment]
    ask(asked.engine)
    assert not asked.compiled
    assert not asked.engine._asks_circuit(MEMORY_LIMIT, 180_001 / 550, is_joint=True)  # 900,000 were spent on five
    assert asked.compiled == [(MAX_SIZE, False)]
    assert asked.engine._asks_circuit(MEMORY_LIMIT, 180_000 / 550, is_joint=True)


@pytest.mark.parametrize(
    ("n_rows", "row_cost", "compiles"),
    [(10, 91_400.0, True), (10, 91_399.0, False), (100, 10_400.0, True), (100, 10_399.0, False)],
)
def test_rows_are_given_to_a_circuit_that_pays(
    monkeypatch: pytest.MonkeyPatch, n_rows: int, row_cost: float, compiles: bool
) -> None:
    """Of 1000 cells at 1.4 each: compiling costs 900,000, and rows must save as much."""
    asked = Counted(monkeypatch, cost=0.0, size=100)
    circuit = asked.engine.circuit_for_rows([0], n_rows, row_cost)
    assert (circuit is not None) is compiles
    assert bool(asked.compiled) is compiles


def test_rows_are_not_given_to_a_circuit_that_costs_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is one compiled where tables have more cells than rows cost: 1.4 for each product, as expected or not."""
    for size, pays in ((1000, True), (1001, False)):
        asked = Counted(monkeypatch, cost=0.0, size=size)
        asked.engine._spent = 1e12
        assert asked.engine.circuit_for_rows([0], 10, 1399.0) is None
        assert asked.compiled == []
        assert (asked.engine.circuit_for_rows([0], 10, 1400.0) is not None) is pays
        assert len(asked.compiled) == 1


def test_little_is_spent_on_deciding_about_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """No order is looked for before rows cost what compiling three nodes does at least."""
    asked = Counted(monkeypatch, cost=0.0, size=100)
    asked.engine.sums = SimpleNamespace()  # type: ignore[assignment]
    assert asked.engine.circuit_for_rows([0], 10, 59_999.0) is None
    with pytest.raises(AttributeError):
        asked.engine.circuit_for_rows([0], 10, 60_000.0)


def test_rows_pay_for_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those whose tables do not fit beside others are asked by themselves, and are no reason to."""
    asked = Counted(monkeypatch, cost=0.0, size=100)
    rows = np.full((2, 3), 255, dtype=np.uint8)
    rows[1, 2] = 3
    answers = np.array([[0.25, 0.75], [0.5, 0.5]])
    for is_large, cost, spent in (([False, False], 7.0, 7.0), ([False, True], np.inf, 9.0)):
        asked.engine.sums = SimpleNamespace(  # type: ignore[assignment]
            row_posteriors=lambda *_, large=is_large, cost=cost: (answers.copy(), np.array(large), cost),
            joint=lambda _, findings, __: (-np.inf if findings == {2: 3} else 0.0, np.zeros(2), 2.0),
        )
        posteriors, row_cost = asked.engine.row_posteriors(0, rows)
        assert asked.engine._spent == spent
        assert row_cost == cost / 2
        assert np.isnan(posteriors[1]).all() == is_large[1]


def test_sums_that_do_not_fit_neither_pay_nor_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled for their sake; a circuit that is there is asked, however large."""
    asked = Counted(monkeypatch, cost=900_000.0, size=10**9, n_bytes=MEMORY_LIMIT + 1.0)
    assert not asked.ask()
    assert asked.compiled == []
    asked.engine.compile()
    assert asked.ask()
    assert Counted(monkeypatch, cost=900_000.0, size=100, n_bytes=MEMORY_LIMIT).ask()


def test_joint_questions_need_a_row_for_each_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two nodes or more; the posterior of one node is a single pass."""
    asked = Counted(monkeypatch, cost=0.0, size=100)
    rows: list[float] = []

    def note(*arguments: float) -> bool:
        rows.append(arguments[1])
        raise InterruptedError

    monkeypatch.setattr(asked.engine, "_asks_circuit", note)
    asked.engine._spent = 600_000.0
    for nodes in ([0], [1, 2], [0, 1, 2]):
        with pytest.raises(InterruptedError):
            asked.engine.joint(nodes, {})
    states = asked.engine.model.structure.n_states
    assert rows == [1.0, states[1] * states[2], states[0] * states[1] * states[2]]


def test_sixteen_circuits_of_parts_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was made first goes when another comes."""
    asked = Counted(monkeypatch, cost=0.0, size=100)
    network = Network.from_parameters(
        LDAG.from_edges([], states={f"v{i:02}": [0, 1] for i in range(18)}),
        {f"v{i:02}": [[0.5, 0.5]] for i in range(18)},
    )
    engine = Engine(Model(network.ldag.structure, network.probabilities))
    for node in range(16):
        engine.circuit_over([node])
    engine.circuit_over([0])
    assert len(asked.compiled) == 16
    engine.circuit_over([16])
    engine.circuit_over([1])
    assert len(asked.compiled) == 17
    engine.circuit_over([0])
    assert len(asked.compiled) == 18


def refused_of(n_cells: float) -> TablesTooLarge:
    """Tables that do not fit into 7,000 bytes."""
    return TablesTooLarge([0], n_cells, 8.0 * n_cells, 7_000.0)


@pytest.mark.parametrize(("n_cells", "tries"), [(MAX_SIZE, True), (MAX_SIZE + 1, False)])
def test_circuits_in_place_of_tables_need_labels_or_few_cells(
    monkeypatch: pytest.MonkeyPatch, n_cells: int, tries: bool
) -> None:
    """With a parameter for more than half of the cells a circuit is no smaller; an argument takes up to 70 bytes."""
    asked = Counted(monkeypatch, cost=0.0, size=100)
    asked.is_refusing = True
    monkeypatch.setattr(asked.engine, "_share", lambda: 0.51)
    with pytest.raises(TablesTooLarge):
        asked.engine._instead([0], {}, refused_of(n_cells))
    assert asked.compiled == ([(100, False)] if tries else [])
    monkeypatch.setattr(asked.engine, "_share", lambda: 0.5)
    asked.engine._refused.clear()
    with pytest.raises(TablesTooLarge):
        asked.engine._instead([0], {}, refused_of(n_cells))
    assert asked.compiled == [(100, False)] * (2 if tries else 1)


def test_the_share_counts_different_parameters_that_are_not_zero() -> None:
    """Of the weather: 0.75, 0.25; 0.5, 1; and four, of 2 + 6 + 12 cells."""
    network = weather()
    engine = Engine(Model(network.ldag.structure, network.probabilities))
    assert engine._share() == pytest.approx((2 + 2 + 5) / (2 + 6 + 12))


def test_evidence_makes_a_circuit_where_none_for_all_evidence_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The states that are given are put in before compiling; without any there is nothing to put in."""
    asked = Counted(monkeypatch, cost=0.0, size=100)
    fixed: list[dict[int, int]] = []

    def compile_given(*arguments: dict[int, int], max_size: int, **_: object) -> SimpleNamespace:
        fixed.append(arguments[2])
        if not arguments[2]:
            raise TooManyGates([0], max_size, 2 * max_size)
        return SimpleNamespace(given=str)

    monkeypatch.setattr("ldag.inference.engine.compile_circuit", compile_given)
    with pytest.raises(TooManyGates):
        asked.engine._circuit_for([0, 1], {1: (0.5, 0.25, 0.25)})
    assert str(asked.engine._circuit_for([0, 1], {0: 1, 1: (0.5, 0.25, 0.25)})) == "{0: 1, 1: (0.5, 0.25, 0.25)}"
    assert fixed == [{}, {0: 1}]


@pytest.mark.parametrize(
    ("n_rows", "n_patterns", "alike"), [(7, 1, False), (8, 1, True), (16, 2, True), (15, 2, False)]
)
def test_eight_rows_with_the_same_gaps_are_looked_at_together(
    monkeypatch: pytest.MonkeyPatch, n_rows: int, n_patterns: int, alike: bool
) -> None:
    """On average; where there are fewer, every row is asked by itself."""
    network = weather()
    predictor = Predictor(Engine(Model(network.ldag.structure, network.probabilities)))
    rows = np.full((n_rows, 3), 255, dtype=np.uint8)
    rows[: n_patterns - 1, 2] = 1
    looked: list[int] = []
    relevant = predictor._relevant

    def note(target: int, missing: np.ndarray) -> object:
        looked.append(len(missing))
        return relevant(target, missing)

    monkeypatch.setattr(predictor, "_relevant", note)
    predictor.posteriors(0, rows)
    assert looked == ([n_patterns] if alike else [])


def test_the_first_64_rows_tell_what_rows_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then twice as many each time, until a circuit costs less; equal rows are asked once."""
    graph = LDAG.from_edges([], states={"a": range(20), "b": range(20), "c": range(20), "d": [0, 1]})
    tables = {name: [[1 / 20] * 20] for name in "abc"} | {"d": [[0.25, 0.75]]}
    network = Network.from_parameters(graph, tables)
    engine = Engine(Model(network.ldag.structure, network.probabilities))
    codes = np.indices((20, 20, 20)).reshape(3, -1)[:, :700]
    rows = np.full((701, 4), 255, dtype=np.uint8)
    rows[:700, :3] = codes.T
    rows[700] = rows[0]
    asked: list[tuple[int, int]] = []
    circuit = engine.compile()

    def choose(nodes: list[int], left: int, cost: float) -> object:
        asked.append((left, nodes[0]))
        assert cost == 3.0
        return circuit if len(asked) == 3 else None

    def answer(_: int, some: np.ndarray) -> tuple[np.ndarray, float]:
        return np.full((len(some), 2), 0.5), 3.0

    monkeypatch.setattr(engine, "circuit_for_rows", choose)
    monkeypatch.setattr(engine, "row_posteriors", answer)
    monkeypatch.setattr(room, "ALIKE", 10_000)
    shares = Predictor(engine).posteriors(3, rows)
    assert asked == [(700 - 64, 3), (700 - 64 - 128, 3), (700 - 64 - 128 - 256, 3)]
    assert (shares[:, 0] == 0.5).sum() == 64 + 128 + 256 + 1  # the last row is the first again
    np.testing.assert_allclose(shares[shares[:, 0] != 0.5], [[0.25, 0.75]] * (700 - 64 - 128 - 256))
