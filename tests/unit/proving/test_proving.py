"""Proofs: cuts hold for every acyclic graph, bounds for any prices, and the end equals brute force."""

import os
import signal
import time
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.proving import ParentChoice, bound_scores, load_highspy
from ldag.proving.branches import Proof
from ldag.proving.cuts import ClusterCut, OrderCut, find_order_cuts, find_worst_cluster, grow_clusters
from ldag.proving.families import FamilyTable, Flags, Reals, split_components
from ldag.proving.program import Program, WeighedCut, relax

pytest.importorskip("highspy")


def random_choices(n: int, seed: int, scale: float = 10.0) -> list[ParentChoice]:
    """Some parent sets of each node with random scores, larger ones the better, so that cycles tempt."""
    rng = np.random.default_rng(seed)
    choices = []
    for node in range(n):
        others = [1 << other for other in range(n) if other != node]
        sets = {0} | {int(sum(others[i] for i in np.flatnonzero(rng.random(n - 1) < 0.4))) for _ in range(8)}
        choices += [ParentChoice(node, parents, float(scale * rng.gamma(1 + parents.bit_count()))) for parents in sets]
    return choices


def without_empty_sets(choices: list[ParentChoice]) -> list[ParentChoice]:
    """Every node but the first needs parents, as where edges are required; a chain is always possible."""
    chain = [ParentChoice(c.node, 1 << (c.node - 1), c.score / 2) for c in choices if c.node and not c.parents]
    known = {(c.node, c.parents) for c in chain}
    return [c for c in choices if (c.parents or not c.node) and (c.node, c.parents) not in known] + chain


def best_of_orders(choices: list[ParentChoice], n: int) -> float:
    """The best score of an acyclic choice: over all orders, each node's best set of nodes before it."""
    best = -np.inf
    for order in permutations(range(n)):
        before, total = 0, 0.0
        for node in order:
            fitting = [c.score for c in choices if c.node == node and not c.parents & ~before]
            total += max(fitting, default=-np.inf)
            before |= 1 << node
        best = max(best, total)
    return best


def acyclic_choices(table: FamilyTable) -> list[list[int]]:
    """Every acyclic choice of a family for each node, as places in the table."""
    groups = [np.flatnonzero(table.nodes == node).tolist() for node in range(table.n_nodes)]
    return [list(chosen) for chosen in product(*groups) if is_acyclic(table.parents[list(chosen)])]


def is_acyclic(parents: Flags) -> bool:
    """Whether nodes without parents can be taken away until none is left."""
    left = list(range(len(parents)))
    while left:
        free = [node for node in left if not parents[node][left].any()]
        if not free:
            return False
        left = [node for node in left if node not in free]
    return True


def whole_table(choices: list[ParentChoice], n: int) -> FamilyTable:
    """All nodes as one component."""
    return FamilyTable.of_component(choices, (1 << n) - 1)


def ignore(value: float) -> None:
    """Be told nothing."""
    del value


def forever() -> float:
    """A moment that is far away."""
    return time.monotonic() + 60


@settings(max_examples=15, deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6), st.booleans())
def test_the_bound_is_the_best_score(n: int, seed: int, from_the_best: bool) -> None:
    """Over all orders of 3 to 6 nodes, known from the start or found on the way."""
    choices = random_choices(n, seed)
    best = best_of_orders(choices, n)
    empty = [next(c.score for c in choices if c.node == node and not c.parents) for node in range(n)]
    known = [best / n] * n if from_the_best and len(split_components(choices, n)) == 1 else empty
    told: list[float] = []
    bound = bound_scores(choices, known, forever(), told.append)
    assert bound.value == pytest.approx(best, abs=1e-5)
    assert min(told) >= best - 1e-6
    if known is empty and bound.better:
        kept = sum(empty) - sum(empty[choice.node] for choice in bound.better)
        assert kept + sum(choice.score for choice in bound.better) == pytest.approx(best, abs=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6))
def test_graphs_that_are_found_have_no_cycle(n: int, seed: int) -> None:
    """Where nodes need parents, an order may leave a node without a family; no graph is made of it."""
    choices = without_empty_sets(random_choices(n, seed))
    best = best_of_orders(choices, n)
    bound = bound_scores(choices, [-1.0] * n, forever(), ignore)
    assert bound.value == pytest.approx(best, abs=1e-5)
    parents = np.zeros((n, n), dtype=np.bool_)
    for choice in bound.better:
        parents[choice.node] = [choice.parents >> other & 1 for other in range(n)]
    assert is_acyclic(parents)
    assert sum(choice.score for choice in bound.better) == pytest.approx(best, abs=1e-5)


@settings(max_examples=15, deadline=None)
@given(st.integers(3, 4), st.integers(0, 10**6))
def test_cuts_hold_for_every_acyclic_choice_and_not_for_what_they_cut_off(n: int, seed: int) -> None:
    """Clusters grown, the worst of all, and cuts by orders of 3 or 4 nodes."""
    table = whole_table(random_choices(n, seed), n)
    acyclic = acyclic_choices(table)
    rng = np.random.default_rng(seed)
    solution = np.zeros(len(table.losses))
    for _ in range(2):  # a mixture of two choices, mostly with cycles
        for node in range(n):
            solution[rng.choice(np.flatnonzero(table.nodes == node))] += 0.5
    violated = {
        **grow_clusters(table, solution, forever(), least=1),
        **grow_clusters(table, solution, forever(), least=2),
        **find_worst_cluster(table, solution, forever(), least=1),
        **find_order_cuts(table, solution, forever(), size=n, links=1),
    }
    for cut, violation in violated.items():
        columns, weights = cut.weigh(table)
        weight = np.zeros(len(table.losses))
        weight[columns] = weights
        assert weight @ solution == pytest.approx(cut.least - violation, abs=1e-5)
        assert min(weight[chosen].sum() for chosen in acyclic) >= cut.least - 1e-12


@settings(max_examples=15, deadline=None)
@given(st.integers(3, 4), st.integers(0, 10**6))
def test_the_worst_cluster_is_the_worst(n: int, seed: int) -> None:
    """Of all sets of at least two nodes; what is grown is never worse."""
    table = whole_table(random_choices(n, seed), n)
    solution = np.random.default_rng(seed).random(len(table.losses))
    solution /= np.add.reduceat(solution, table.firsts)[table.nodes]
    clusters = [
        ClusterCut(tuple(np.flatnonzero(flags).tolist()), 1) for flags in product([0, 1], repeat=n) if sum(flags) > 1
    ]
    worst = max(1 - solution[cluster.weigh(table)[0]].sum() for cluster in clusters)
    found = find_worst_cluster(table, solution, forever(), least=1)
    assert max(found.values(), default=0.0) == pytest.approx(max(worst, 0.0), abs=2e-4)
    assert max(grow_clusters(table, solution, forever(), least=1).values(), default=0.0) <= max(worst, 0.0) + 1e-5


@settings(max_examples=15, deadline=None)
@given(st.integers(3, 4), st.integers(0, 10**6))
def test_any_prices_give_a_bound(n: int, seed: int) -> None:
    """Also for choices with a certain family, and where some families are excluded; prices are drawn at random."""
    table = whole_table(random_choices(n, seed), n)
    rng = np.random.default_rng(seed)
    cuts = []
    for _ in range(5):
        nodes = tuple(sorted(rng.choice(n, size=int(rng.integers(2, n + 1)), replace=False).tolist()))
        cut = ClusterCut(nodes, int(rng.integers(1, len(nodes))))
        cuts.append(WeighedCut(*cut.weigh(table), cut.least))
    alive = rng.random(len(table.losses)) < 0.8
    alive[table.firsts] = True
    relaxed = relax(table, alive, cuts, rng.exponential(5.0, len(cuts)))
    for chosen in acyclic_choices(table):
        if alive[chosen].all():
            loss = table.losses[chosen].sum()
            assert loss >= relaxed.loss - 1e-9
            assert (loss >= relaxed.with_family[chosen] - 1e-9).all()
    left = table.propagate(alive)
    for chosen in acyclic_choices(table):
        if alive[chosen].all():
            assert left is not None
            assert left[chosen].all()


def test_orders_weigh_what_the_cut_says() -> None:
    """A cluster of three as weights by order: one family without parents among them, in every order."""
    weights = np.zeros(3 << 3)
    weights[[0, 8, 16]] = 1.0
    cut = OrderCut.of((0, 2, 3), weights)
    table = whole_table(random_choices(4, 1), 4)
    assert cut.least == 1.0
    expected = ClusterCut((0, 2, 3), 1).weigh(table)
    assert [part.tolist() for part in cut.weigh(table)] == [part.tolist() for part in expected]


def test_cuts_that_are_not_needed_are_dropped() -> None:
    """The programme's value stays what it was."""
    table = whole_table(random_choices(5, 3), 5)
    program = Program(table, (), forever())
    alive = np.ones(len(table.losses), dtype=np.bool_)
    needed = ClusterCut((0, 1, 2, 3, 4), 1)
    program.add([needed, *(ClusterCut((0, node), 1) for node in range(1, 5))])
    assert program.add([needed]) == 0
    value = 0.0
    for _ in range(12):
        value = program.solve(alive)[1].loss
        program.drop_idle()
    assert len(program.cuts) < 5
    assert program.solve(alive)[1].loss == pytest.approx(value)


def test_an_interrupt_leaves_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was told last holds; and time that is up leaves one as well."""
    choices = random_choices(6, 5)
    best = best_of_orders(choices, 6)
    empty = [next(c.score for c in choices if c.node == node and not c.parents) for node in range(6)]
    assert bound_scores(choices, empty, time.monotonic() - 1, ignore).value >= best
    solve = Program.solve
    n_calls = 0

    def interrupted(self: Program, alive: Flags) -> tuple[Reals, object]:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 2:
            raise KeyboardInterrupt
        return solve(self, alive)

    monkeypatch.setattr(Program, "solve", interrupted)
    bound = bound_scores(choices, empty, forever(), ignore)
    assert bound.is_interrupted
    assert bound.value >= best - 1e-6


def test_ctrl_c_ends_the_solver() -> None:
    """It is sent from within; the exception comes once the solver has returned, and the handler is as before."""
    table = whole_table(random_choices(5, 3), 5)
    program = Program(table, (), forever())
    highs = program._highs
    highs.cbSimplexInterrupt.subscribe(lambda event: os.kill(os.getpid(), signal.SIGINT))  # noqa: ARG005
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            program.solve(np.ones(len(table.losses), dtype=np.bool_))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert highs.getModelStatus() == load_highspy().HighsModelStatus.kInterrupt


def test_branches_close_what_cuts_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any cuts but by branches alone, the end is the same."""
    monkeypatch.setattr("ldag.proving.branches.ALL", ())
    monkeypatch.setattr("ldag.proving.branches.CHEAP", ())
    choices = random_choices(5, 11)
    table = whole_table(choices, 5)
    proof = Proof(table, table.losses.sum(), forever(), ignore)
    proof.run()
    assert proof.n_branches > 0
    assert table.best - proof.loss == pytest.approx(best_of_orders(choices, 5), abs=1e-5)
