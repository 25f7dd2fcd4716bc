"""Response types: which configurations are alike, how many types there are, and programmes that are solved by hand."""

import numpy as np
import pytest

import ldag
from ldag.effects.programs import MOST_TYPES, ResponseTypes, TypeProgram, find_responses
from ldag.errors import MissingDependency, TooLarge


def responses_of(text: str, name: str) -> tuple[tuple[str, ...], list[int], list[bool]]:
    """The parents, rows and known rows of a node."""
    graph = ldag.LDAG.from_text(text)
    latent = frozenset(graph.schema.nodes(graph.latent))
    one = find_responses(graph.structure, latent, graph.schema.node(name))
    return tuple(graph.schema[p].name for p in one.parents), one.rows.tolist(), one.is_known.tolist()


def test_rows_are_classes_whatever_the_latents_are() -> None:
    """A label on an edge from an observed variable joins rows; where the latent vanishes, a row is known."""
    states = "latent L {0, 1}\nA {0, 1}\nX {0, 1}\n"
    everything = states + "L -> X\nL -> Y\nA -> Y\nX -> Y"
    assert responses_of(everything, "Y") == (("A", "X"), [0, 1, 2, 3], [False] * 4)
    assert responses_of(everything, "X") == ((), [0], [False])
    _, rows, known = responses_of(states + "L -> X\nL -> Y\nA -> Y : X=0\nX -> Y", "Y")
    assert rows[0] == rows[2]
    assert len(set(rows)) == 3
    assert known == [False] * 3
    _, rows, known = responses_of(states + "L -> X\nL -> Y : A=1\nA -> Y\nX -> Y", "Y")
    assert [known[row] for row in rows] == [False, False, True, True]


def test_a_latent_of_one_variable_alone_is_chance() -> None:
    """Nothing is confounded by it."""
    _, _, known = responses_of("latent L {0, 1}\nL -> Y\nX -> Y", "Y")
    assert known == [True, True]
    text = "latent L {0, 1}\nlatent K {0, 1}\nL -> Y\nK -> Y : X=1\nK -> X\nX -> Y"
    _, rows, known = responses_of(text, "Y")
    assert [known[row] for row in rows] == [False, True]


def test_a_latent_passes_its_parents_on() -> None:
    """What is above a latent is a parent of what is below, and matters only where the latent does."""
    text = "latent L {0, 1}\nB -> L\nL -> X\nL -> Y : A=1\nA -> Y"
    parents, rows, known = responses_of(text, "Y")
    assert parents == ("B", "A")
    by_cell = np.array(rows).reshape(2, 2)
    assert by_cell[0, 1] == by_cell[1, 1]
    assert by_cell[0, 0] != by_cell[1, 0]
    assert [known[row] for row in by_cell[:, 1]] == [True, True]
    assert [known[row] for row in by_cell[:, 0]] == [False, False]


def types_of(text: str, names: list[str]) -> ResponseTypes:
    """The types of a district."""
    graph = ldag.LDAG.from_text(text)
    latent = frozenset(graph.schema.nodes(graph.latent))
    nodes = graph.schema.nodes(names)
    return ResponseTypes(graph.structure.n_states, {v: find_responses(graph.structure, latent, v) for v in nodes})


def test_labels_make_types_fewer() -> None:
    """The instrument has 4 times 4; with A -> Y 2 times 16, and 2 times 4 where nothing is latent in A=1."""
    assert types_of("Z -> X\nX -> Y\nX <-> Y", ["X", "Y"]).n_types == 16
    assert types_of("Z {0, 1, 2}\nX {0, 1, 2}\nZ -> X\nX -> Y\nX <-> Y", ["X", "Y"]).n_types == 27 * 8
    text = "latent L {0, 1}\nA -> Y\nX -> Y\nL -> X\nL -> Y"
    assert types_of(text, ["X", "Y"]).n_types == 32
    assert types_of(text + " : A=1", ["X", "Y"]).n_types == 8


def test_too_many_types_are_refused_with_their_number() -> None:
    """2 to the 20 are taken; 2 to the 21 are not."""
    text = "Z {{{}}}\nX {{0, 1}}\nY {{0, 1}}\nZ -> X\nX -> Y\nX <-> Y"
    many = [types_of(text.format(", ".join(map(str, range(n)))), ["X", "Y"]) for n in (18, 19)]
    assert [one.n_types for one in many] == [MOST_TYPES, 2 * MOST_TYPES]
    many[0].check_size()
    with pytest.raises(TooLarge, match="2,097,152 response types, and at most 1,048,576"):
        many[1].check_size()


def test_a_programme_that_is_solved_by_hand() -> None:
    """Four types, the first two together 0.3, the middle two 0.4: the second has at most 0.3, the last at most 0.6."""
    first, middle = np.array([0, 1]), np.array([1, 2])
    program = TypeProgram(4, [first, middle], [np.array([1]), np.array([3])])
    shares, weights = np.array([0.3, 0.4]), np.ones(2)
    assert program.solve(shares, weights, np.array([1.0, 0.0])) == pytest.approx((0.0, 0.3, 0.0))
    assert program.solve(shares, weights, np.array([0.0, 1.0])) == pytest.approx((0.3, 0.6, 0.0))
    assert program.solve(shares, weights, np.array([-1.0, 1.0])) == pytest.approx((0.3, 0.3, 0.0))
    unknown = np.array([0.3, np.nan])
    assert program.solve(unknown, weights, np.array([0.0, 1.0])) == pytest.approx((0.0, 0.7, 0.0))


def test_shares_that_no_distribution_has_are_changed_as_little_as_possible() -> None:
    """Two types that have 0.8 each: 0.6 too much, taken where it weighs less; then all is as before."""
    program = TypeProgram(2, [np.array([0]), np.array([1])], [np.array([0])])
    low, high, change = program.solve(np.array([0.8, 0.8]), np.array([1.0, 3.0]), np.array([1.0]))
    assert (low, high, change) == pytest.approx((0.2, 0.2, 0.6), abs=1e-6)
    assert program.solve(np.array([0.3, 0.7]), np.ones(2), np.array([1.0])) == pytest.approx((0.3, 0.3, 0.0))


def test_types_that_nothing_tells_apart_are_one_column() -> None:
    """Of a million types, two columns are left."""
    half = np.arange(1 << 19)
    assert TypeProgram(1 << 20, [half], [half]).n_columns == 2


def test_the_solver_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the extra that installs it."""
    monkeypatch.setitem(__import__("sys").modules, "highspy", None)
    with pytest.raises(MissingDependency, match=r"bounding an effect needs .* pip install 'ldag\[bounds\]'"):
        TypeProgram(2, [np.array([0])], [np.array([1])])
