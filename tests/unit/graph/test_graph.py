"""The LDAG value: building, reading off, equality, closure, context graphs."""

from itertools import pairwise

import numpy as np
import pytest

from ldag import LDAG, Network, Variable, datasets
from ldag.errors import ArgumentError, GraphError, LdagError, NotDecided
from ldag.graph import find_thin_families
from ldag.model import State

BINARY: dict[str, list[State]] = {name: [0, 1] for name in "abcd"}
TERNARY = {"person": ["worker", "visitor", "spy"], "gender": ["male", "female"], "badge": ["no", "yes"]}
EDGES = [("person", "gender"), ("person", "badge"), ("gender", "badge")]


def guard(**labels: list[dict[str, str]]) -> LDAG:
    """The guard graph with a label on gender -> badge."""
    return LDAG.from_edges(EDGES, states=TERNARY, labels={("gender", "badge"): labels["label"]})


def test_parents_edges_and_variables_are_names() -> None:
    """What goes in as names comes out as names, in the order of the variables."""
    graph = guard(label=[{"person": "spy"}])
    assert [v.name for v in graph.variables] == ["person", "gender", "badge"]
    assert graph.variables[0].states == ("worker", "visitor", "spy")
    assert graph.parents("badge") == ("person", "gender")
    assert set(graph.edges) == set(EDGES)
    assert graph.label("gender", "badge") == {("spy",)}
    assert graph.label("person", "badge") == frozenset()


def test_partition_counts_the_last_parent_fastest() -> None:
    """Classes are numbered by first appearance over (person, gender)."""
    partition = guard(label=[{"person": "spy"}]).partition("badge")
    assert partition.parents == ("person", "gender")
    assert partition.classes == (0, 1, 2, 3, 4, 4)
    assert partition.n_classes == 5


def test_a_parent_that_a_context_does_not_name_is_a_star() -> None:
    """An unnamed parent may have any state; so may all of them."""
    states: dict[str, list[State]] = {**BINARY, "c": ["x", "y", "z"]}
    graph = LDAG.from_edges(
        [("a", "d"), ("b", "d"), ("c", "d")], states=states, labels={("a", "d"): [{"b": 1}], ("b", "d"): [{}]}
    )
    assert graph.label("a", "d") == {(1, "x"), (1, "y"), (1, "z")}
    assert len(graph.label("b", "d")) == 6


def test_equal_however_written() -> None:
    """The order of variables, edges and labels does not matter; the partition does."""
    first = LDAG.from_text("a -> c : b=0\nb -> c")
    second = LDAG.from_text("b -> c\na -> c : b=0")
    assert first == second
    assert hash(first) == hash(second)
    assert first != LDAG.from_text("a -> c : b=1\nb -> c")
    assert first != LDAG.from_text("a -> c\nb -> c")
    assert (first == "a -> c") is False


def test_equal_to_its_closure_but_not_to_another_graph() -> None:
    """A graph equals its maximal form; its regular form differs if an edge went."""
    graph = datasets.graph("nonregular")
    assert graph == graph.maximal()
    assert graph != graph.regular()
    assert len({graph, graph.maximal(), graph.regular()}) == 2


def test_regular_repeats_until_nothing_vanishes() -> None:
    """One class over two parents of three states: both edges go."""
    graph = LDAG.from_partitions(
        {"c": (["a", "b"], [5] * 9)}, states={"a": ["x", "y", "z"], "b": [1, 2, 3], "c": [0, 1]}
    )
    assert graph.regular().edges == ()
    assert graph.regular().dimension == graph.dimension


def test_partitions_take_parents_in_any_order() -> None:
    """Classes given over (b, a) are re-expressed over (a, b)."""
    states = {"a": [0, 1], "b": [0, 1, 2], "c": [0, 1]}
    given = LDAG.from_partitions({"c": (["b", "a"], [0, 1, 0, 2, 0, 3])}, states=states)
    assert given.partition("c").parents == ("a", "b")
    assert given.partition("c").classes == (0, 0, 0, 1, 2, 3)
    assert given.label("b", "c") == {(0,)}


def test_classes_beyond_labels_are_kept_and_said() -> None:
    """An exclusive-or table is no labelling, survives both file formats, and is_csi_consistent says so."""
    graph = LDAG.from_partitions({"c": (["a", "b"], [0, 1, 1, 0])}, states={n: [0, 1] for n in "abc"})
    assert not graph.is_csi_consistent("c")
    assert graph.is_csi_consistent("a")
    assert graph.label("a", "c") == frozenset()
    assert LDAG.from_text(graph.to_text()) == graph
    assert LDAG.from_json(graph.to_json()) == graph
    assert LDAG.from_dot(graph.to_dot()) == graph
    with pytest.raises(GraphError, match="the classes of 'c' go beyond labels"):
        graph.difference_from(LDAG.from_edges([("a", "c"), ("b", "c")], states={n: [0, 1] for n in "abc"}))
    assert graph.equivalence_class().members == (graph,)
    assert graph.essential_edges() == {("a", "c"), ("b", "c")}


def test_essential_edges_under_knowledge() -> None:
    """What cannot point the other way, and what follows from it; a graph that has such an arrow itself is refused."""
    graph = LDAG.from_edges([("a", "b"), ("b", "c"), ("b", "d")], states={n: [0, 1, 2] for n in "abcd"})
    assert graph.essential_edges() == frozenset()
    assert graph.essential_edges(forbidden=[("c", "b")]) == {("b", "c")}
    assert graph.essential_edges(forbidden=[("b", "a")]) == set(graph.edges)
    assert graph.cpdag(forbidden=[("b", "a")]).directed == set(graph.edges)
    assert len(graph.equivalence_class()) == 4
    assert len(graph.equivalence_class(forbidden=[("c", "b")])) == 3
    assert "hollow arrow" in graph.to_svg()
    assert "hollow arrow" not in graph.to_svg(forbidden=[("b", "a")])
    with pytest.raises(ArgumentError, match="the graph itself has the edge a -> b"):
        graph.essential_edges(forbidden=[("a", "b")])
    with pytest.raises(LdagError, match="no variable 'z'"):
        graph.essential_edges(forbidden=[("z", "b")])


def test_context_graph_keeps_labels_that_agree_with_the_context() -> None:
    """In the context b=0 the edge a -> d is gone; the label of c -> d is read at b=0."""
    graph = LDAG.from_edges(
        [("a", "d"), ("b", "d"), ("c", "d")],
        states=BINARY,
        labels={("a", "d"): [{"b": 0}], ("c", "d"): [{"b": 1}]},
    )
    inside = graph.context_graph({"b": 0})
    assert set(inside.edges) == {("b", "d"), ("c", "d")}
    assert inside.label("c", "d") == frozenset()
    assert set(graph.context_graph({"b": 1}).edges) == {("a", "d"), ("b", "d")}
    assert graph.context_graph({}) == graph
    assert graph.context_graph({"a": 1}).edges == graph.edges


def test_context_graph_of_a_label_over_several_variables() -> None:
    """A label is satisfied only if every completion of the context is in it."""
    graph = LDAG.from_edges(
        [("a", "d"), ("b", "d"), ("c", "d")], states=BINARY, labels={("a", "d"): [{"b": 0, "c": 0}]}
    )
    assert ("a", "d") in graph.context_graph({"b": 0}).edges
    assert ("a", "d") not in graph.context_graph({"b": 0, "c": 0}).edges
    assert graph.context_graph({"b": 0}).label("a", "d") == {(0, 0)}


def test_graph_is_frozen() -> None:
    """Nothing can be set."""
    with pytest.raises(AttributeError):
        guard(label=[]).dimension = 3  # type: ignore[misc]  # that it cannot be set is the point


def test_an_undecided_verdict_is_not_a_no() -> None:
    """Beyond the budget the verdict says so, and refuses to be taken for an answer."""
    graph = LDAG.from_text("a -> c\nb -> c\nc -> d")
    verdict = graph.implies("a", "b", "d", budget=1)
    assert not verdict.decided
    assert verdict.independent is None
    assert verdict.how == "not decided"
    assert "budget is 1" in verdict.explain()
    with pytest.raises(NotDecided, match="not decided"):
        bool(verdict)


def test_independencies_of_the_guard() -> None:
    """The label, one statement per entry; on request, everything pairwise."""
    graph = datasets.graph("guard")
    assert {str(i) for i in graph.independencies()} == {
        "badge ⊥ gender | person=visitor",
        "badge ⊥ gender | person=spy",
    }
    assert {str(i) for i in graph.independencies(1)} == {
        "gender ⊥ badge | person=visitor",
        "gender ⊥ badge | person=spy",
    }


def test_verdict_on_sets_of_variables() -> None:
    """Several variables on a side; the label of a chain's middle."""
    graph = LDAG.from_text("a -> b\nb -> c\nc -> d")
    assert graph.implies(["a"], ["c", "d"], given="b").how == "d-separation"
    assert not graph.implies(["a", "c"], "d")


def test_difference_names_a_context() -> None:
    """Two labels differ: the context in which they do is found."""
    first, second = guard(label=[{"person": "spy"}]), guard(label=[{"person": "visitor"}])
    difference = first.difference_from(second)
    assert difference is not None
    assert difference.context in ({"person": "spy"}, {"person": "visitor"})
    assert "gender and badge are adjacent" in str(difference)
    assert not first.equivalent_to(second)


def test_equivalence_does_not_depend_on_the_order_of_states() -> None:
    """Graphs are compared by names of states."""
    states = {**TERNARY, "person": ["spy", "worker", "visitor"]}
    other = LDAG.from_edges(EDGES, states=states, labels={("gender", "badge"): [{"person": "spy"}]})
    assert guard(label=[{"person": "spy"}]).equivalent_to(other)
    assert not guard(label=[{"person": "visitor"}]).equivalent_to(other)


def test_equivalence_class_reports_its_limit() -> None:
    """A complete DAG on five nodes has 120 members; asking for 10 gives 10 and says so."""
    names = "abcde"
    graph = LDAG.from_edges(
        [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]], states={n: [0, 1] for n in names}
    )
    everything = graph.equivalence_class()
    assert (len(everything), everything.is_complete) == (120, True)
    assert everything[0] == graph
    some = graph.equivalence_class(limit=10)
    assert (len(some), some.is_complete) == (10, False)
    assert graph.essential_edges() == frozenset()


def test_undeclared_states_are_zero_and_one_or_what_labels_mention() -> None:
    """The text form needs no declarations; an undeclared variable with other states gets one more, "other"."""
    graph = LDAG.from_text('a -> c : b=">3"\nb -> c')
    assert {v.name: v.states for v in graph.variables} == {"a": (0, 1), "c": (0, 1), "b": (">3", "other")}


def test_states_are_found_by_spelling() -> None:
    """A context may give the state 1 as "1", as it comes from a command line."""
    graph = datasets.graph("cases")
    assert graph.csi_separated("2", "4", "1", {"3": "0"})


def test_a_variable_that_never_varies_depends_on_nothing() -> None:
    """A node with one state has no use for parents: regular forms drop them, and graphs with and without agree."""
    with_edge = LDAG.from_text("a {0, 1}\nb {x}\nc {0, 1}\na -> b\nc -> b")
    without = LDAG.from_text("a {0, 1}\nb {x}\nc {0, 1}")
    assert not with_edge.is_regular()
    assert with_edge.regular().edges == ()
    assert with_edge.equivalent_to(without)
    assert with_edge.essential_edges() == frozenset()
    assert with_edge.implies("a", "c", "b")


def test_states_one_and_true_are_different() -> None:
    """Graphs over 0 and 1 and over False and True are not equal, as their states are not."""
    numbers = LDAG.from_edges([], states={"a": [0, 1]})
    booleans = LDAG.from_edges([], states={"a": [False, True]})
    assert numbers != booleans
    with pytest.raises(GraphError, match="cannot tell the states 1 and True of 'a' apart"):
        LDAG.from_edges([], states={"a": [0, 1, True]})


def test_numpy_states_are_plain_values() -> None:
    """Unique values of a column can be given as states."""
    graph = LDAG.from_edges([], states={"a": np.unique([2, 0, 1])})  # type: ignore[dict-item]  # arrays work too
    assert graph.variables[0].states == (0, 1, 2)
    assert type(graph.variables[0].states[0]) is int


def test_rules_keep_names_with_commas() -> None:
    """A comma in a name or a state is not an AND."""
    graph = LDAG.from_edges(
        [("a, b", "c"), ("d", "c")],
        states={"a, b": ["x, y", "z"], "d": [0, 1], "c": [0, 1]},
        labels={("d", "c"): [{"a, b": "x, y"}]},
    )
    assert '"a, b"="x, y"' in str(graph.reduced_cpt("c"))


def test_a_chain_of_sixty_has_a_visible_witness() -> None:
    """However long the path, the witness shows the dependence in ordinary numbers."""
    names = [f"x{i}" for i in range(60)]
    graph = LDAG.from_edges(list(pairwise(names)), states={name: [0, 1, 2] for name in names})
    witness = graph.implies("x0", "x59").witness
    assert witness is not None
    assert abs(witness.probabilities[0] - witness.probabilities[1]) > 0.1


def test_verdicts_are_values() -> None:
    """Equal questions give equal verdicts, which print as what they say."""
    first, second = (datasets.graph("guard").implies("gender", "badge") for _ in range(2))
    assert first == second
    assert len({first, second}) == 1
    assert repr(first) == "<Verdict: gender ⊥̸ badge (witness)>"


def test_errors_share_one_root() -> None:
    """Everything refused is an LdagError."""
    with pytest.raises(LdagError):
        LDAG.from_text("a -> a")


def test_ranges_of_a_measurement_are_printed_everywhere() -> None:
    """Rules, trees, pictures, labels and the classes of a network say cut points, not names of bins."""
    age = Variable.of_bins("age", [18, 40, 65])
    edges = [("age", "ill"), ("sex", "ill")]
    labels = {("sex", "ill"): [{"age": age.states[2]}, {"age": age.states[3]}]}
    two = {"sex": ("f", "m"), "ill": ("no", "yes")}
    graph = LDAG.from_edges(edges, states={"age": age, **two}, labels=labels)
    assert graph.labels_in_words() == ("sex does not matter for ill when age > 40",)
    rules = [str(rule) for rule in graph.reduced_cpt("ill").rules]
    assert rules[0] == "age <= 18 and sex=f"
    assert rules[2] == "18 < age <= 40 and sex=f"
    assert rules[4:] == ["40 < age <= 65", "age > 65"]
    assert "  18 < age <= 40:\n    sex=f: p3" in str(graph.as_tree("ill"))
    assert "not if age &gt; 40<" in graph.to_svg()
    net = Network.from_data(graph, {"age": [10, 20, 50, 70], "sex": list("fmfm"), "ill": ["no", "yes"] * 2})
    assert "18 < age <= 40 and sex=m" in str(net.classes("ill"))


def test_old_names_of_changed_copies_warn() -> None:
    """`from_tree` and `from_table` are no constructors; for one release they call what replaced them."""
    guard = datasets.graph("guard")
    with pytest.warns(DeprecationWarning, match="LDAG.from_tree is now with_tree"):
        assert guard.from_tree("badge", guard.as_tree("badge")) == guard
    table = np.array([[0.9, 0.1], [0.8, 0.2], [0.5, 0.5], [0.5, 0.5], [0.1, 0.9], [0.1, 0.9]])
    with pytest.warns(DeprecationWarning, match="LDAG.from_table is now with_table"):
        assert guard.from_table("badge", table) == guard.with_table("badge", table)


def test_a_graph_describes_itself() -> None:
    """Lines under headings for people, the same as plain values for programs."""
    described = datasets.graph("nonregular").describe()
    assert "Edges\n  2 -> 1\n" in str(described)
    assert "4 -> 1 never matters" in described.sections["Parameters"][-1]
    assert repr(described) == "<Description: Variables>"
    assert described.to_dict()["dag_dimension"] == 11


def test_families_that_rows_can_hardly_carry() -> None:
    """More than a third as many parameters as rows; many columns alone are no reason to warn."""
    many = LDAG.from_edges([("c0", "c1"), ("c1", "c2")], states={f"c{number}": [0, 1] for number in range(199)})
    assert many.dimension > 100
    assert find_thin_families(many, 100) == ()
    graph = LDAG.from_edges([("a", "d"), ("b", "d"), ("a", "c")], states=BINARY)
    assert find_thin_families(graph, 12) == ()
    assert find_thin_families(graph, 11) == ("d",)
    assert find_thin_families(graph, 5) == ("c", "d")
