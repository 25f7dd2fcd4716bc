"""Short forms by name: which rule, which variables, which formula."""

import numpy as np
import pytest

from ldag.effects.formulas import Slot, evaluate, nodes_in
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.short_forms import find_short_form
from ldag.effects.spelling import spell
from ldag.model import Schema, Variable
from tests.oracle.effects import NamedGraph, observed_source, random_parameters, read_graph, true_effect

FRONT_DOOR = "X -> M, M -> Y, X <-> Y"

FORMS = {
    "no effect": ("Y -> X, X <-> Y", "Y", "X", "", "no effect", "", "P(Y)"),
    "no effect, given a cause": ("C -> X, C -> Y, X <-> Y", "Y", "X", "C", "no effect", "", "P(Y | C)"),
    "direct": ("X -> Y, Z -> Y", "Y", "X", "", "direct", "", "P(Y | X)"),
    "direct in a stratum": ("Z -> X, Z -> Y, X -> Y", "Y", "X", "Z", "direct", "", "P(Y | X, Z)"),
    "one of two treatments is idle": ("X -> Y, V -> Z, V <-> Y", "Y", "X V", "", "direct", "", "P(Y | X)"),
    "M-bias": ("X -> Y, X <-> M, M <-> Y", "Y", "X", "", "direct", "", "P(Y | X)"),
    "back-door": ("Z -> X, Z -> Y, X -> Y", "Y", "X", "", "adjustment", "Z", "sum_{Z} P(Z) P(Y | X, Z)"),
    "near the target": (
        "A -> X, A -> B, B -> Y, X -> Y",
        *("Y", "X", "", "adjustment", "B"),
        "sum_{B} P(B) P(Y | X, B)",
    ),
    "one for two": (
        "A -> X, A -> B, A -> C, B -> Y, C -> Y, X -> Y",
        *("Y", "X", "", "adjustment", "A"),
        "sum_{A} P(A) P(Y | X, A)",
    ),
    "butterfly": (
        "A -> C, B -> C, C -> X, C -> Y, A -> X, B -> Y, X -> Y",
        *("Y", "X", "", "adjustment", "B C"),
        "sum_{C, B} P(C, B) P(Y | X, C, B)",
    ),
    "within a stratum": (
        "Z -> X, Z -> Y, X -> Y, C -> Z, C -> Y",
        *("Y", "X", "C", "adjustment", "Z"),
        "sum_{Z} P(Z | C) P(Y | X, Z, C)",
    ),
    "two treatments": (
        "Z -> X, Z -> V, Z -> Y, X -> Y, V -> Y",
        *("Y", "X V", "", "adjustment", "Z"),
        "sum_{Z} P(Z) P(Y | X, V, Z)",
    ),
    "front-door": (FRONT_DOOR, "Y", "X", "", "front-door", "M", "sum_{M} P(M | X) sum_{X'} P(X') P(Y | X', M)"),
    "front-door in a stratum": (
        f"{FRONT_DOOR}, C -> X, C -> M, C -> Y",
        *("Y", "X", "C", "front-door", "M"),
        "sum_{M} P(M | X, C) sum_{X'} P(X' | C) P(Y | X', M, C)",
    ),
    "front-door with a covariate": (
        f"{FRONT_DOOR}, C -> X, C -> M, C -> Y",
        *("Y", "X", "", "front-door", "M"),
        "sum_{M, C} P(C) P(M | X, C) sum_{X'} P(X' | C) P(Y | X', M, C)",
    ),
    "double front-door": (
        f"{FRONT_DOOR}, X -> N, N -> Y",
        *("Y", "X", "", "front-door", "M N"),
        "sum_{M, N} P(M, N | X) sum_{X'} P(X') P(Y | X', M, N)",
    ),
}

NONE = {
    "bow": ("X -> Y, X <-> Y", "Y", "X", ""),
    "napkin": ("W -> Z, Z -> X, X -> Y, W <-> X, W <-> Y", "Y", "X", ""),
    "broken front door": ("X -> M, M -> Y, X <-> Y, M <-> Y", "Y", "X", ""),
    "a front door with a way past it": ("X -> M, M -> Y, X -> Y, X <-> Y", "Y", "X", ""),
    "M-bias, given the collider": ("X -> Y, X <-> M, M <-> Y", "Y", "X", "M"),
    "a condition below": ("X -> Y, X -> Z, Z <-> Y, W -> X, W -> Z", "Y", "X", "Z"),
}


def project(graph: NamedGraph) -> MixedGraph:
    """The latent projection."""
    return MixedGraph.project([family.parents for family in graph.structure.families], graph.latent)


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    """The rule that people would name, a smallest set, and a formula that is exact on a model of 3 states."""
    text, *names, rule, adjusted, expected = FORMS[name]
    graph = read_graph(text, otherwise=3)
    target, do, given = map(graph.numbers, names)
    answer = find_short_form(project(graph), target, do, given)
    assert answer is not None
    assert answer[:2] == (rule, tuple(sorted(graph.numbers(adjusted))))
    schema = Schema(tuple(Variable(name, (0, 1)) for name in graph.names))
    assert spell(schema, answer[2], do) == expected
    parameters = random_parameters(graph.structure, np.random.default_rng(1))
    source = observed_source(graph.structure, graph.latent, parameters)
    values = evaluate(answer[2], source).over([*target, *do, *given], source.n_states)[0]
    assert np.allclose(values, true_effect(graph.structure, parameters, target, do, given), atol=1e-12, rtol=0)


@pytest.mark.parametrize("name", NONE)
def test_what_has_no_short_form(name: str) -> None:
    """Not identified, or only by the complete rules."""
    text, *names = NONE[name]
    graph = read_graph(text)
    target, do, given = map(graph.numbers, names)
    assert find_short_form(project(graph), target, do, given) is None


def test_the_context_stands_in_every_probability() -> None:
    """As in the complete rules."""
    graph = read_graph("Z -> X, Z -> Y, X -> Y, C")
    x, y, z, c = graph.numbers("X Y Z C")
    answer = find_short_form(MixedGraph.of([x, y, z], [(z, x), (z, y), (x, y)]), [y], [x], base=(Slot(c, 0, 1),))
    assert answer is not None
    schema = Schema(tuple(Variable(name, (0, 1)) for name in graph.names))
    assert spell(schema, answer[2]) == "sum_{Z} P(Z | C=1) P(Y | X, Z, C=1)"


def test_front_doors_have_few_mediators() -> None:
    """Three are left to the complete rules, and so are two among many variables."""
    three = read_graph(f"{FRONT_DOOR}, X -> N, N -> Y, X -> O, O -> Y")
    assert find_short_form(project(three), three.numbers("Y"), three.numbers("X")) is None
    for n_between, is_tried in ((11, True), (12, False)):
        chain = ", ".join(f"M{i} -> M{i + 1}" for i in range(n_between - 1))
        two = read_graph(f"X -> M0, {chain}, M{n_between - 1} -> Y, X <-> Y, X -> N, N -> Y")
        answer = find_short_form(project(two), two.numbers("Y"), two.numbers("X"))
        assert (answer is not None and answer[0] == "front-door") == is_tried


def test_covariates_of_a_front_door_are_few() -> None:
    """C blocks what joins X and M, and D what joins M and Y; E is not needed."""
    graph = read_graph("X -> M, M -> Y, X <-> Y, C -> X, C -> M, D -> M, D -> Y, E -> X, E -> Y", otherwise=2)
    answer = find_short_form(project(graph), graph.numbers("Y"), graph.numbers("X"))
    assert answer is not None
    assert answer[:2] == ("front-door", graph.numbers("M"))
    assert nodes_in(answer[2]) == frozenset(graph.numbers("X M Y C D"))
