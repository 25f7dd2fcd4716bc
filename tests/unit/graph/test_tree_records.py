"""Trees given by hand: as nested mappings, in text and JSON, on nodes whose configurations nobody could list."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ldag import LDAG, Network
from ldag.errors import FormatError, GraphError, LdagError, TooLarge

STATES: dict[str, list[Any]] = {"smoke": ["no", "yes"], "heat": ["low", "mid", "high"], "alarm": [0, 1]}
EDGES = [("smoke", "alarm"), ("heat", "alarm")]
TREE: dict[str, Any] = {"smoke": {"yes": 0, "no": {"heat": {("low", "mid"): 1, "high": 0}}}}
ALARM = LDAG.from_edges(EDGES, states=STATES, trees={"alarm": TREE})

N = 40
LIST_EDGES = [(f"x{i}", "y") for i in range(N)]
LIST_STATES: dict[str, list[Any]] = {**{f"x{i}": [0, 1] for i in range(N)}, "y": ["no", "yes"]}


def decision_list(n: int = N) -> Any:
    """Return the tree of a list of decisions: the first of x0, x1, ... that is 1 decides."""
    tree: Any = n
    for number in reversed(range(n)):
        tree = {f"x{number}": {1: number, 0: tree}}
    return tree


LIST = LDAG.from_edges(LIST_EDGES, states=LIST_STATES, trees={"y": decision_list()})


def test_a_branch_may_be_for_several_states() -> None:
    """Low and mid heat act alike without smoke; high heat does what smoke does."""
    assert ALARM.partition("alarm").classes == (0, 0, 1, 1, 1, 1)
    assert ALARM.label("heat", "alarm") == {("yes",)}
    assert ALARM.label("smoke", "alarm") == {("high",)}
    assert not ALARM.is_csi_consistent("alarm")  # low and mid together are no label
    assert ALARM.labels_in_words() == (
        "smoke does not matter for alarm when heat is high",
        "heat does not matter for alarm when smoke is yes",
    )


def test_the_tree_is_kept() -> None:
    """The tree as given comes back, leaves numbered by their first configuration; the graph is the same by classes."""
    assert ALARM.as_tree("alarm").nested == {"smoke": {"no": {"heat": {("low", "mid"): 0, "high": 1}}, "yes": 1}}
    by_classes = LDAG.from_partitions({"alarm": (["smoke", "heat"], [0, 0, 1, 1, 1, 1])}, states=STATES)
    assert by_classes == ALARM
    assert hash(by_classes) == hash(ALARM)
    assert by_classes.with_tree("alarm", TREE).as_tree("alarm") == ALARM.as_tree("alarm")
    assert str(ALARM.as_tree("alarm")).splitlines() == [
        "alarm: 3 leaves for 2 classes (a smaller tree may exist)",
        "  smoke=no:",
        "    heat=low or heat=mid: p1",
        "    heat=high: p2",
        "  smoke=yes: p2",
    ]


def test_a_question_comes_again_for_the_states_that_are_left() -> None:
    """One state against the rest, and then another of the rest."""
    tree: dict[str, Any] = {"heat": {"mid": 0, ("low", "high"): {"heat": {"low": 1, "high": 2}}}}
    graph = LDAG.from_edges([("heat", "alarm")], states=STATES, trees={"alarm": tree})
    assert graph.partition("alarm").classes == (0, 1, 2)


@pytest.mark.parametrize("graph", [ALARM, LIST], ids=["alarm", "list"])
def test_files_keep_trees(graph: LDAG, tmp_path: Path) -> None:
    """The text form and JSON; the questions come back in their order."""
    for text, read in ((graph.to_text(), LDAG.from_text), (graph.to_json(), LDAG.from_json)):
        assert read(text) == graph
        assert read(text).as_tree(graph.edges[0][1]) == graph.as_tree(graph.edges[0][1])
    graph.save(tmp_path / "graph.json")
    assert LDAG.load(tmp_path / "graph.json") == graph


def test_the_text_form() -> None:
    """A line per branch, questions nested by braces."""
    assert ALARM.to_text().splitlines()[5:] == [
        "alarm ? smoke {",
        "  no: heat {",
        "    low, mid: p1",
        "    high: p2",
        "  }",
        "  yes: p2",
        "}",
    ]


def test_old_readers_are_told() -> None:
    """JSON with a tree is version 3; what has none is written as before."""
    assert '"version": 3' in ALARM.to_json()
    assert '"version": 1' in LDAG.from_edges(EDGES, states=STATES).to_json()


def test_other_formats_have_labels_or_say_why_not() -> None:
    """What fits is listed as labels and classes; what does not is refused, with the way out."""
    assert LDAG.from_dot(ALARM.to_dot()) == ALARM
    with pytest.raises(
        TooLarge, match=r"the parents of 'y' have 1,099,511,627,776 configurations; .* JSON keeps trees"
    ):
        LIST.to_dot()
    parameters: dict[str, Any] = {**{f"x{i}": [0.9, 0.1] for i in range(N)}, "y": [[0.5, 0.5]] * (N + 1)}
    network = Network.from_parameters(LIST, parameters)
    assert Network.from_json(network.to_json()) == network
    with pytest.raises(TooLarge, match=r"the full table of 'y' has .* JSON keeps its 41 classes"):
        network.to_format("bif")
    small = Network.from_parameters(
        ALARM, {"smoke": [0.5, 0.5], "heat": [0.2, 0.3, 0.5], "alarm": [[0.9, 0.1], [0, 1]]}
    )
    assert Network.from_format(small.to_format("bif"), "bif").ldag == LDAG.from_text(ALARM.to_text())


def test_forty_parents() -> None:
    """What does not need every configuration is answered; what does is refused with their number."""
    assert (LIST.dimension, LIST.dag_dimension) == (2 * N + 1, N + 2**N)
    assert LIST.csi_separated("x5", "y", context={"x1": 1})
    assert not LIST.csi_separated("x5", "y", context={"x1": 0})
    assert ("x0", "y") not in LIST.labelled_edges
    assert LIST.label_contexts("x2", "y") == ({"x0": 1}, {"x0": 0, "x1": 1})
    assert LIST.labels_in_words(3)[-1] == (
        "x39 does not matter for y when x0 is 1, or when x0 is 0 and x1 is 1, or when x0 is 0 and x1 is 0 and x2 is 1,"
        " or in 36 more cases"
    )
    assert LIST.context_graph({"x0": 1}).parents("y") == ("x0",)
    assert LIST.is_regular()
    assert LIST.is_csi_consistent()
    assert repr(LIST) == f"<LDAG: 41 variables, 40 edges, 81 parameters ({2**N - N - 1} saved by labels)>"
    for question in (lambda: LIST.partition("y"), lambda: LIST.label("x5", "y")):
        with pytest.raises(TooLarge, match=r"the 40 parents of 'y' have 1,099,511,627,776 configurations, too many"):
            question()
    steps = LIST.as_decision_graph("y").steps
    assert len(steps) == N + LIST.dimension - N
    assert [step[0] for step in steps if not isinstance(step, int)] == [f"x{number}" for number in range(N)]


def test_independence_in_a_context_is_decided() -> None:
    """Where x1 decides, x5 makes no difference, with a proof; elsewhere with a witness."""
    assert LIST.implies("x5", "y", context={"x0": 0, "x1": 1})
    context = {f"x{number}": 0 for number in range(N) if number != 5}
    assert not LIST.implies("x5", "y", context=context)


def test_a_tree_of_any_depth() -> None:
    """Two hundred and fifty states, asked one by one, of five variables: deeper than Python's recursion goes."""
    n = 5
    states = {**{f"x{i}": list(range(250)) for i in range(n)}, "y": [0, 1]}
    nested: Any = 1
    for number in range(n):
        chain: Any = nested
        for state in range(1, 250):
            chain = {f"x{number}": {state: 0, tuple(range(state)) if state > 1 else 0: chain}}
        nested = chain
    graph = LDAG.from_edges([(f"x{i}", "y") for i in range(n)], states=states, trees={"y": nested})
    assert graph.as_tree("y").n_leaves == n * 249 + 1
    assert LDAG.from_json(graph.to_json()) == graph
    assert LDAG.from_text(graph.to_text()) == graph
    assert str(graph.as_tree("y")).count("\n") == 2 * n * 249


WRONG: list[tuple[Any, str]] = [
    ({"smoke": {"yes": 0}}, r"^tree of 'alarm': the split on 'smoke' has no branch for the state 'no'$"),
    (
        {"smoke": {"yes": 0, "no": 1, "maybe": 2}},
        r"^tree of 'alarm': variable 'smoke' has no state 'maybe'; expected one of 'no', 'yes'$",
    ),
    ({"smoke": {"yes": 0, ("no", "yes"): 1}}, r"the split on 'smoke' names a state twice, 'yes'$"),
    ({"smoke": {"yes": 0, "no": 1, (): 2}}, r"a branch of the question about 'smoke' has no states$"),
    ({"smoke": {"yes": 0, "no": {"smoke": {"no": 1, "yes": 2}}}}, r"'smoke' is asked twice on one path: it is 'no'"),
    ({"heat": {"low": 0, ("mid", "high"): {"heat": {"low": 1, "mid": 1, "high": 2}}}}, r"it cannot be 'low' any more$"),
    ({"alarm": {0: 0, 1: 1}}, r"^tree of 'alarm': 'alarm' is not a parent; expected one of: smoke, heat$"),
    ({"age": {"old": 0}}, r"^tree of 'alarm': no variable 'age'"),
    ({"smoke": {"yes": 0, "no": 1}}, r"no question is about heat, which would make no difference; leave out the edge$"),
    ({"smoke": 1}, r"expected a tree for each state of 'smoke', got 1$"),
    ({"smoke": {"yes": -1, "no": 1}}, r"class numbers are between 0 and 2\^31 - 1, got -1$"),
    (7, r"no question is about smoke, heat, which would make no difference; leave out the edge$"),
]


@pytest.mark.parametrize(("tree", "message"), WRONG, ids=[message[:40] for _, message in WRONG])
def test_wrong_trees(tree: Any, message: str) -> None:
    """One clear error each, which begins with the place."""
    with pytest.raises(LdagError, match=message):
        LDAG.from_edges(EDGES, states=STATES, trees={"alarm": tree})


def test_a_tree_and_a_label_of_one_node() -> None:
    """One of them says it all."""
    with pytest.raises(GraphError, match="'alarm' has a label and a tree; one of them says it all"):
        LDAG.from_edges(EDGES, states=STATES, labels={("smoke", "alarm"): [{"heat": "high"}]}, trees={"alarm": TREE})


WRONG_TEXT = [
    ("a -> y\ny ? a {\n  0: p1\n", r"line 2: the tree of 'y' is not closed; '}' is missing"),
    ("a -> y\ny ? a {\n  0: p1\n  1: b\n}", r"line 4: expected '{' after the variable that is asked about"),
    ("a -> y\ny ? a {\n  0 p1\n", r"line 3: expected ',' and a state, or ':' and where these states lead, got 'p1'"),
    ("a -> y\ny ? a {\n}", r"questions\[0\] has no branches"),
    (
        "a -> y\ny ? a {\n  0: p1\n  1: p2\n}\ny ? a {\n  0: p1\n  1: p2\n}",
        r"the tree of 'y' is given twice, first at line 2",
    ),
    ("a -> y\ny ? a {\n  0: p1\n  1: p2\n} x", r"line 5: expected the end of the line after '}', got 'x'"),
]


@pytest.mark.parametrize(("text", "message"), WRONG_TEXT, ids=[message[:40] for _, message in WRONG_TEXT])
def test_wrong_text(text: str, message: str) -> None:
    """The line is named."""
    with pytest.raises(FormatError, match=message):
        LDAG.from_text(text)


def test_damaged_json_is_never_a_crash() -> None:
    """Every number and name of the tree's part replaced by every other: an error, or a graph that can be written."""
    text = ALARM.to_json()
    start = text.index('"trees"')
    words = [
        '"smoke"',
        '"heat"',
        '"alarm"',
        '"low"',
        '"yes"',
        '"ask"',
        '"states"',
        '"class"',
        "0",
        "1",
        "2",
        "[]",
        "{}",
    ]
    n_read = 0
    for old, new in product(words, words):
        for place in range(start, len(text)):
            if text.startswith(old, place):
                try:
                    LDAG.from_json(text[:place] + new + text[place + len(old) :]).to_json()
                    n_read += 1
                except LdagError:
                    pass
    assert n_read
