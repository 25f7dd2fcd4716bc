"""Wrong graphs and wrong questions, each with the error it must give."""

import re
from collections.abc import Callable

import pytest

from ldag import LDAG, LdagError, Variable, datasets

ABC = {name: [0, 1] for name in "abc"}
GUARD = datasets.graph("guard")


def edges(*pairs: tuple[str, str], **labels: list[dict[str, object]]) -> Callable[[], object]:
    """A graph over a, b, c; a label is given as a_b=[...]."""
    given = {(name[0], name[2]): contexts for name, contexts in labels.items()}
    return lambda: LDAG.from_edges(list(pairs), states=ABC, labels=given)  # type: ignore[arg-type]  # wrong on purpose


def text(content: str) -> Callable[[], object]:
    """A graph from text."""
    return lambda: LDAG.from_text(content)


def call(function: Callable[..., object], *args: object, **kwargs: object) -> Callable[[], object]:
    """Any call."""
    return lambda: function(*args, **kwargs)


WRONG: list[tuple[Callable[[], object], str]] = [
    (edges(("a", "b"), ("b", "c"), ("c", "a")), "the edges form a cycle, .* -> .* -> .* -> .*; remove or reverse"),
    (edges(("a", "a")), "the edges form a cycle, a -> a"),
    (text("x -> y\ny -> z\nz -> y"), "cycle, (y -> z -> y|z -> y -> z)"),
    (edges(("a", "x")), "no variable 'x'; expected one of 'a', 'b', 'c'"),
    (edges(("a", "b"), ("a", "b")), "the edge a -> b is given twice"),
    (edges(("a", "c"), ("b", "c"), b_a=[{"c": 0}]), "a label for b -> a, but no such edge"),
    (edges(("a", "c"), ("b", "c"), c_a=[{"b": 0}]), "a label for c -> a, but no such edge; there is a -> c"),
    (edges(("a", "b"), a_b=[{"c": 0}]), "a -> b can carry no label: 'a' is the only parent of 'b'"),
    (text("a -> b : c=0\na -> c"), "line 1: the edge a -> b can carry no label"),
    (
        edges(("a", "c"), ("b", "c"), a_c=[{"a": 0}]),
        "names 'a', .* not one of the other parents of 'c'; expected: b",
    ),
    (edges(("a", "c"), ("b", "c"), a_c=[{"c": 0}]), "names 'c', which is not one of the other parents of 'c'"),
    (edges(("a", "c"), ("b", "c"), a_c=[{"bb": 0}]), "the label of a -> c: no variable 'bb'; did you mean 'b'?"),
    (edges(("a", "c"), ("b", "c"), a_c=[{"b": 2}]), "variable 'b' has no state 2; expected one of '0', '1'"),
    (text("b {no, yes}\na -> c : b=yess\nb -> c"), "line 2: variable 'b' has no state 'yess'; did you mean 'yes'?"),
    (edges(("a", "c"), ("b", "c"), a_c=["b"]), "a context in the label of a -> c must be a mapping"),  # type: ignore[list-item]
    (edges(("a", "c"), ("b", "c"), a_c={"b": 0}), "the label of a -> c must be a list"),  # type: ignore[arg-type]
    (call(LDAG.from_edges, ["ab"], states=ABC), r"an edge is a pair \(parent, child\), got 'ab'"),
    (call(LDAG.from_edges, [("a", "b", "c")], states=ABC), "an edge is a pair"),
    (call(LDAG.from_edges, "ab", states=ABC), "edges must be a list"),
    (call(LDAG.from_edges, [], states=["a"]), "states must be a mapping"),
    (call(LDAG.from_edges, [], states={"a": "yes"}), "the states of 'a' must be a list, got 'yes'"),
    (call(LDAG.from_edges, [], states={"a": []}), "variable 'a' has no states"),
    (call(LDAG.from_edges, [], states={"a": [0, 0]}), "variable 'a' has the state 0 twice"),
    (call(LDAG.from_edges, [], states={"a": [None, 1]}), "a state is a string, a finite number or a boolean, got None"),
    (call(LDAG.from_edges, [], states={"a": [float("nan")]}), "a finite number"),
    (call(LDAG.from_edges, [], states={" ": [1]}), "a variable needs a non-empty name"),
    (call(LDAG.from_edges, [], states={3: [1]}), "a variable needs a non-empty name, got 3"),
    (call(LDAG.from_edges, [], states=ABC, labels={"ab": []}), "labels are given by edge"),
    (
        call(LDAG.from_partitions, {"c": (["a", "b"], [0, 1])}, states=ABC),
        "one number for each of the 4",
    ),
    (call(LDAG.from_partitions, {"c": (["a"], [0.5, 1])}, states=ABC), "must be whole 64-bit numbers"),
    (call(LDAG.from_partitions, {"c": (["c"], [0, 1])}, states=ABC), "'c' is named as its own parent"),
    (call(LDAG.from_partitions, {"c": (["a", "a"], [0] * 4)}, states=ABC), "variable 'a' is named twice"),
    (call(LDAG.from_partitions, {"c": [0, 1, 2]}, states=ABC), r"must be a pair \(parents, classes\)"),
    (call(LDAG.from_partitions, {"z": ([], [0])}, states=ABC), "partitions: no variable 'z'"),
    (
        call(LDAG.from_partitions, {"a": (["b"], [0, 1]), "b": (["a"], [0, 1])}, states=ABC),
        "the edges form a cycle",
    ),
    (
        text("\n".join(f"p{i} -> x" for i in range(30))),
        "the 30 parents of 'x' have 1,073,741,824 configurations; at most 16,777,216",
    ),
    (
        text("\n".join(f"p{i} {{1}}\np{i} -> x" for i in range(40))),
        "'x' has 40 parents; at most 32 are possible without a tree",
    ),
    (call(LDAG.from_edges, [(["a"], "b")], states=ABC), "an edge is a pair of names"),
    (call(LDAG.from_partitions, {"c": (["a"], [0, 10**30])}, states=ABC), "must be whole 64-bit numbers"),
    (call(Variable, "x", None), "the states of 'x' must be a list, got None"),
    (call(Variable, "x", "no"), "the states of 'x' must be a list, got 'no'"),
    (call(LDAG.from_text, None), "expected text, got None"),
    (call(LDAG.from_json, 3), "expected text, got 3"),
    (call(LDAG.load, None), "expected a path, got None"),
    (call(GUARD.save, 7), "expected a path, got 7"),
    (call(GUARD.with_tree, "badge", 10**20), "class numbers are between 0 and"),
    (call(GUARD.with_tree, "badge", {"gender": {"male": 0}}), "no branch for the state 'female'"),
    (call(GUARD.with_tree, "badge", {"age": {"old": 0}}), "no variable 'age'"),
    (
        call(GUARD.with_tree, "gender", {"badge": {"no": 0, "yes": 1}}),
        "'badge' is not a parent; expected one of: person",
    ),
    (call(GUARD.with_tree, "badge", {"gender": {"male": {"gender": {}}, "female": 1}}), "is asked twice on one path"),
    (call(GUARD.with_tree, "badge", "person"), "expected a class number or"),
    (call(GUARD.with_table, "badge", [[0.5, 0.5]]), "must have 6 rows .* and 2 columns"),
    (call(GUARD.with_table, "badge", [[0.5, 0.6]] * 6), "row 0 of the table of 'badge' must be probabilities"),
    (call(GUARD.with_table, "badge", "x"), "the table of 'badge' must hold numbers"),
    (call(GUARD.with_table, "badge", [[0.5, 0.5]] * 6, -1), "tolerance must be a number, 0 or more"),
    (call(GUARD.with_table, "badge", [[0.5, 0.5]] * 6, True), "tolerance must be a number, 0 or more"),
    (call(GUARD.parents, "bage"), "no variable 'bage'; did you mean 'badge'?"),
    (call(GUARD.label, "badge", "gender"), "there is no edge badge -> gender; there is gender -> badge"),
    (call(GUARD.label, "gender", "person"), "there is no edge gender -> person; there is person -> gender"),
    (
        call(GUARD.context_graph, {"person": "spi"}),
        "context: variable 'person' has no state 'spi'; did you mean",
    ),
    (call(GUARD.context_graph, "person=spy"), "context: a context maps variables to states"),
    (call(GUARD.implies, "gender", "gender"), "variable 'gender' is in both a and b"),
    (call(GUARD.implies, "gender", "badge", "badge"), "variable 'badge' is in both b and given"),
    (call(GUARD.implies, "gender", "badge", "person", {"person": "spy"}), "in both given and context"),
    (call(GUARD.implies, [], "badge"), "a must name at least one variable"),
    (call(GUARD.implies, "gender", ["badge", "badge"]), "b: variable 'badge' is named twice"),
    (call(GUARD.implies, "gender", "height"), "b: no variable 'height'"),
    (call(GUARD.implies, 3, "badge"), "names must be a list, got 3"),
    (call(GUARD.implies, "gender", "badge", budget=0), "budget must be a whole number, 1 or more"),
    (call(GUARD.implies, "gender", "badge", budget=True), "budget must be a whole number, 1 or more"),
    (call(GUARD.independencies, -1), "max_given must be a whole number, 0 or more, got -1"),
    (call(GUARD.equivalence_class, 0), "limit must be a whole number, 1 or more"),
    (call(GUARD.equivalent_to, datasets.graph("heart")), "the graphs are over different variables"),
    (call(GUARD.equivalent_to, "guard"), "expected another LDAG, got 'guard'"),
    (
        call(LDAG.from_edges([], states={"a": [0, 1]}).equivalent_to, LDAG.from_edges([], states={"a": [0, 2]})),
        "the graphs give 'a' different states",
    ),
    (text("a -> c : b=x ; b=other\nb -> c"), "the states of 'b' are not declared; add a line such as"),
    (text("a -> c\nb -> c\nc | d=0 ; a=1"), "line 3: a class of 'c': no variable 'd'"),
    (text("a -> c\nb -> c\nd | a=1"), "line 3: "),
    (text("a -> c : zzz=*\nb -> c"), "line 1: the label of a -> c: no variable 'zzz'"),
    (text("a -> c : a=*\nb -> c"), "line 1: the label of a -> c names 'a', which is not one of the other parents"),
    (text("a -> c\nb -> c\nc | q=*"), "line 3: a class of 'c': no variable 'q'"),
    (call(datasets.graph, "gard"), "no example graph 'gard'; did you mean 'guard'?"),
    (call(datasets.load, "hart"), "no data set 'hart'; did you mean 'heart'?"),
]


@pytest.mark.parametrize(("attempt", "message"), WRONG, ids=[message[:60] for _, message in WRONG])
def test_wrong_input_gets_one_clear_error(attempt: Callable[[], object], message: str) -> None:
    """Each mistake raises an LdagError whose text names it."""
    with pytest.raises(LdagError) as caught:
        attempt()
    assert re.search(message, str(caught.value)), str(caught.value)
