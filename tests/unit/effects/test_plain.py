"""Effects in plain graphs: the classical cases by name, each formula checked on random models."""

import numpy as np
import pytest

from ldag.effects.formulas import Formula, Slot, evaluate, fix, free_axes, nodes_in
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.plain import identify_plain
from ldag.effects.results import Hedge
from ldag.effects.spelling import spell
from ldag.model import Schema, Variable
from tests.oracle.effects import NamedGraph, is_hedge, observed_source, random_parameters, read_graph, true_effect

VERMA = "A -> B, B -> C, C -> D, B <-> D"
NAPKIN = "W -> Z, Z -> X, X -> Y, W <-> X, W <-> Y"
BUTTERFLY = "A -> C, B -> C, C -> X, C -> Y, A -> X, B -> Y, X -> Y"
IN_TIME = "L -> X2, X1 -> L, X1 -> Y, L -> Y, X2 -> Y, X1 <-> X2"

IDENTIFIED = {
    "back-door": ("Z -> X, Z -> Y, X -> Y", "Y", "X", "", "sum_{Z} P(Z) P(Y | X, Z)"),
    "back-door in a stratum": ("Z -> X, Z -> Y, X -> Y", "Y", "X", "Z", "P(Y | X, Z)"),
    "front-door": ("X -> M, M -> Y, X <-> Y", "Y", "X", "", "sum_{M} P(M | X) sum_{X'} P(X') P(Y | X', M)"),
    "front-door by a chain": (
        "X -> M, M -> N, N -> Y, X <-> Y",
        *("Y", "X", ""),
        "sum_{N} P(N | X) sum_{X'} P(X') P(Y | X', N)",
    ),
    "front-door with a covariate": (
        "C -> X, C -> M, C -> Y, X -> M, M -> Y, X <-> Y",
        *("Y", "X", ""),
        "sum_{C, M} P(C) P(M | X, C) sum_{X'} P(X' | C) P(Y | X', C, M)",
    ),
    "front-door in a stratum": (
        "C -> X, C -> M, C -> Y, X -> M, M -> Y, X <-> Y",
        *("Y", "X", "C"),
        "sum_{M} P(M | X, C) sum_{X'} P(X' | C) P(Y | X', C, M)",
    ),
    "double front-door": (
        "X -> M, M -> Y, X <-> Y, X -> N, N -> Y",
        *("Y", "X", ""),
        "sum_{M, N} P(M | X) P(N | X) sum_{X'} P(X') P(Y | X', M, N)",
    ),
    "napkin": (
        NAPKIN,
        *("Y", "X", ""),
        "[sum_{W} P(W) P(X, Y | W, Z)] / [sum_{W} P(W) P(X | W, Z)] for any Z",
    ),
    "M-bias": ("X -> Y, X <-> M, M <-> Y", "Y", "X", "", "P(Y | X)"),
    "butterfly": (BUTTERFLY, "Y", "X", "", "sum_{C, B} P(C, B) P(Y | X, C, B)"),
    "verma": (VERMA, "D", "C", "", "sum_{B} P(B | A) P(D | C, A, B) for any A"),
    "verma, both": (VERMA, "D", "A C", "", "sum_{B} P(B | A') P(D | C, A', B) for any A'"),
    "treatments in time": (IN_TIME, "Y", "X1 X2", "", "sum_{L} P(L | X1) P(Y | X2, X1, L)"),
    "two outcomes": (
        "X -> M, M -> Y, X <-> Y, X -> V",
        *("Y V", "X", ""),
        "P(V | X) sum_{M} P(M | X) sum_{X'} P(X') P(Y | X', M)",
    ),
    "no effect": ("Y -> X, X <-> Y", "Y", "X", "", "P(Y)"),
    "no treatment of weight": ("X -> Z, Z <-> Y", "Y", "X", "", "P(Y)"),
    "confounded mediator, cut": ("X -> M, M -> Y, X <-> M", "Y", "X M", "", "P(Y | M)"),
    "given what comes after": (
        "X -> Y, X -> Z, Z <-> Y, W -> X, W -> Z",
        *("Y", "X", "Z"),
        "[P(Y | X) sum_{W} P(W) P(Z | X, Y, W)] / [sum_{W} P(W) P(Z | X, W)]",
    ),
}

HEDGES = {
    "bow": ("X -> Y, X <-> Y", "Y", "X", "", "X Y", "Y"),
    "instrument": ("Z -> X, X -> Y, X <-> Y", "Y", "X", "", "X Y", "Y"),
    "confounded mediator": ("X -> M, M -> Y, X <-> Y, X <-> M", "Y", "X", "", "X M", "M"),
    "front-door, broken below": ("X -> M, M -> Y, X <-> Y, M <-> Y", "Y", "X", "", "X M Y", "Y"),
    "front-door, broken by an arrow": ("X -> M, M -> Y, X -> Y, X <-> Y", "Y", "X", "", "X Y", "Y"),
    "M-bias, given the collider": ("X -> Y, X <-> M, M <-> Y", "Y", "X", "M", "X M Y", "M Y"),
    "two outcomes": ("X -> A, W -> B, A <-> W, W <-> X, X <-> B", "A B", "X", "", "X W A", "W A"),
    "above the target": ("X -> A, A -> B, B -> Y, X <-> A", "Y", "X", "", "X A", "A"),
    "through another": ("X -> A, X <-> B, A <-> B, A -> Y, B -> Y", "Y", "X", "", "X B A", "A B"),
    "second treatment in time": ("X1 -> L, L -> X2, X2 -> Y, L -> Y, X1 <-> L, L <-> Y", "Y", "X1 X2", "", "X1 L", "L"),
    "given what is below": ("X -> Y, Y -> Z, X <-> Z, Y <-> Z", "Y", "X", "Z", "X Y Z", "Z"),
}


def ask(graph: NamedGraph, target: str, do: str, given: str) -> Formula | Hedge:
    """Identify an effect by names."""
    mixed = MixedGraph.project([family.parents for family in graph.structure.families], graph.latent)
    return identify_plain(mixed, graph.numbers(target), graph.numbers(do), graph.numbers(given))


def write(graph: NamedGraph, formula: Formula, taken: str) -> str:
    """Write a formula over the names of a graph; bound copies of some variables get a prime."""
    schema = Schema(tuple(Variable(name, (0, 1)) for name in graph.names))
    return spell(schema, formula, graph.numbers(taken))


@pytest.mark.parametrize("name", IDENTIFIED)
def test_classical_effects(name: str) -> None:
    """The formula is the short one, and on models of 2 and of 3 states it gives what an intervention does."""
    text, target, do, given, expected = IDENTIFIED[name]
    for seed, n_states in enumerate((2, 3)):
        graph = read_graph(text, otherwise=n_states)
        formula = ask(graph, target, do, given)
        assert not isinstance(formula, Hedge)
        assert write(graph, formula, do) == expected
        roles = [graph.numbers(names) for names in (target, do, given)]
        nodes = [node for role in roles for node in role]
        assert free_axes(formula) <= {(node, 0) for node in nodes}
        parameters = random_parameters(graph.structure, np.random.default_rng(seed))
        source = observed_source(graph.structure, graph.latent, parameters)
        truth = true_effect(graph.structure, parameters, roles[0], roles[1], roles[2])
        assert np.allclose(evaluate(formula, source).over(nodes, source.n_states)[0], truth, atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", HEDGES)
def test_classical_hedges(name: str) -> None:
    """The hedge is the smallest one, and a hedge by definition."""
    text, target, do, given, outer, inner = HEDGES[name]
    graph = read_graph(text)
    hedge = ask(graph, target, do, given)
    assert isinstance(hedge, Hedge)
    assert hedge.outer == frozenset(graph.numbers(outer))
    assert hedge.inner == frozenset(graph.numbers(inner))
    assert is_hedge(graph, hedge.outer, hedge.inner, hedge.do, hedge.target)
    assert hedge.do >= frozenset(graph.numbers(do))
    assert hedge.target >= frozenset(graph.numbers(target))


def test_every_probability_is_in_the_context() -> None:
    """The slots of the base stand behind every bar."""
    graph = read_graph("X -> M, M -> Y, X <-> Y, C")
    x, m, y, c = graph.numbers("X M Y C")
    mixed = MixedGraph.of([x, m, y], [(x, m), (m, y)], [(x, y)])
    formula = identify_plain(mixed, [y], [x], base=(Slot(c, 0, 1),))
    assert not isinstance(formula, Hedge)
    expected = "sum_{M} P(M | X, C=1) sum_{X'} P(X' | C=1) P(Y | X', M, C=1)"
    assert write(graph, formula, "X") == expected


def test_early_variables_stay_conditions() -> None:
    """Also where the graph says that they make no difference: that may be true in their context alone."""
    graph = read_graph("X -> M, M -> Y, X <-> Y, C -> Y")
    x, y, c = graph.numbers("X Y C")
    mixed = MixedGraph.project([family.parents for family in graph.structure.families], graph.latent)
    formula = identify_plain(mixed, [y, c], [x], early=[c])
    assert not isinstance(formula, Hedge)
    assert write(graph, fix(formula, {c: 1}), "X") == (
        "P(C=1) sum_{M} P(M | X, C=1) sum_{X'} P(X' | C=1) P(Y | X', M, C=1)"
    )


def test_a_formula_reads_no_more_than_it_must() -> None:
    """Causes of the treatment that nothing else depends on are not read."""
    graph = read_graph("A -> Z, Z -> X, Z -> Y, X -> Y, A -> X, Y -> D")
    formula = ask(graph, "Y", "X", "")
    assert not isinstance(formula, Hedge)
    assert nodes_in(formula) == frozenset(graph.numbers("X Y Z"))


def test_tables_grow_no_larger() -> None:
    """What is summed over disappears in one probability where another one reads as many variables anyway."""
    fan = "W -> A, W -> B, W -> C"
    graph = read_graph(f"X -> Y, A -> Y, B -> Y, C -> Y, {fan}")
    formula = ask(graph, "Y", "X", "")
    assert not isinstance(formula, Hedge)
    assert write(graph, formula, "X") == "P(Y | X)"
    graph = read_graph(f"X -> A, {fan}")
    formula = ask(graph, "A B C", "X", "")
    assert not isinstance(formula, Hedge)
    assert write(graph, formula, "X") == "sum_{W} P(W) P(A | X, W) P(B | W) P(C | W)"
