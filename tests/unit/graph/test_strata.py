"""`StratifiedGraph`: texts, strata that are refused, and what it says, against enumeration of distributions."""

from itertools import combinations, product

import numpy as np
import pytest
from numpy.random import Generator

import ldag
from ldag import LDAG, StratifiedGraph
from ldag.errors import LdagError
from ldag.model import Grid
from ldag.simulate.partitions import by_lines
from tests.oracle.chordal import all_graphs, parents_along, perfect_orders
from tests.oracle.independence import is_independent, joint, random_parameters

NAMES = "abcde"


def _random_perfect(n: int, edges: frozenset[frozenset[int]], order: tuple[int, ...], rng: Generator) -> LDAG:
    """A perfect DAG along an order, with labels at random."""
    sizes = [int(size) for size in rng.choice([2, 2, 3, 4] if n < 5 else [2, 2, 2, 3], n)]
    partitions = {}
    for node, above in enumerate(parents_along(order, edges)):
        classes = by_lines(Grid(tuple(sizes[p] for p in above)), float(rng.random() * 0.8), rng).to_array()
        partitions[NAMES[node]] = ([NAMES[p] for p in above], classes.tolist())
    return LDAG.from_partitions(partitions, states={NAMES[v]: range(sizes[v]) for v in range(n)})


@pytest.mark.parametrize("n", [3, 4, 5])
def test_there_and_back(n: int) -> None:
    """Over all chordal graphs: arrows away and back is the same model, whichever order they followed."""
    rng = np.random.default_rng(n)
    n_strata = n_differ = 0
    for edges in all_graphs(n):
        if n == 5 and rng.random() < 0.7:
            continue
        orders = list(perfect_orders(n, edges))
        if not orders:
            continue
        graph = _random_perfect(n, edges, orders[rng.integers(len(orders))], rng)
        u = graph.to_undirected()
        again = u.to_ldag()
        assert {frozenset(edge) for edge in again.edges} == {frozenset(edge) for edge in graph.edges}
        assert again.dimension == graph.dimension == u.dimension
        assert again.equivalent_to(graph)
        assert again.to_undirected() == u == StratifiedGraph.from_text(u.to_text())
        assert StratifiedGraph.from_json(u.to_json()) == u
        assert hash(StratifiedGraph.from_json(u.to_json())) == hash(u)
        n_strata += len(u.strata)
        n_differ += set(again.edges) != set(graph.edges)
    assert n_strata > 3 or n == 3
    assert n_differ > 1


def test_every_realising_order_is_the_same_model() -> None:
    """On four nodes: all perfect orders that make the strata labels are CSI-equivalent, and score alike."""
    rng = np.random.default_rng(7)
    n_compared = 0
    for edges in all_graphs(4):
        orders = list(perfect_orders(4, edges))
        if len(edges) < 4 or not orders:
            continue
        graph = _random_perfect(4, edges, orders[rng.integers(len(orders))], rng)
        u = graph.to_undirected()
        if not u.strata:
            continue
        data = ldag.simulate.random_network(graph, rng=1).sample(200, rng=1)
        scores = set()
        for root in NAMES[:4]:
            try:
                other = u.to_ldag(root)
            except LdagError:
                continue
            assert other.parents(root) == ()
            assert other.equivalent_to(graph)
            assert other.to_undirected() == u
            n_compared += 1
            scores.add(round(ldag.score(other, data, kappa=0.1).total, 6))
        assert len(scores) == 1
        assert scores == {round(ldag.score(graph, data, kappa=0.1).total, 6)}
    assert n_compared > 20


@pytest.mark.parametrize("seed", range(4))
def test_independence_against_enumeration(seed: int) -> None:
    """What is decided holds in a distribution of the model at random, and what is not decided does not."""
    rng = np.random.default_rng(seed)
    edges = frozenset(map(frozenset, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]))
    orders = list(perfect_orders(4, edges))
    graph = _random_perfect(4, edges, orders[rng.integers(len(orders))], rng)
    u = graph.to_undirected()
    table = joint(graph, random_parameters(graph, rng))
    for a, b in combinations(NAMES[:4], 2):
        others = [name for name in NAMES[:4] if name not in (a, b)]
        for kinds in product(("out", "given", "fixed"), repeat=2):
            given = [name for name, kind in zip(others, kinds, strict=True) if kind == "given"]
            context = {name: 0 for name, kind in zip(others, kinds, strict=True) if kind == "fixed"}
            assert bool(u.independent(a, b, given, context)) == is_independent(graph, table, a, b, given, context)


def test_strata_are_what_they_say() -> None:
    """In every context of a stratum its ends are independent, whatever the left-out variables are."""
    rng = np.random.default_rng(3)
    orders = list(perfect_orders(4, (edges := frozenset(map(frozenset, combinations(range(4), 2))))))
    n_left_out = 0
    for _ in range(20):
        graph = _random_perfect(4, edges, orders[rng.integers(len(orders))], rng)
        table = joint(graph, random_parameters(graph, rng))
        u = graph.to_undirected()
        told = dict(zip(u.edges, u.strata_in_words(), strict=True))
        for (a, b), contexts in u.strata.items():
            left_out = [name for name in NAMES[:4] if told[a, b].endswith("left out)") and name in told[a, b][-14:]]
            n_left_out += bool(left_out)
            for context in contexts:
                given = [name for name in NAMES[:4] if name not in (a, b, *context, *left_out)]
                assert is_independent(graph, table, a, b, given, context)
    assert n_left_out


def test_text() -> None:
    """What is printed: edges in words, cliques, separators, and no arrow."""
    u = StratifiedGraph.from_text(
        'smoking {no, yes}\nprotein {"<3", ">3"}\nsmoking - pressure : protein=">3"\nprotein - pressure\n'
        "smoking - protein\nprotein - family"
    )
    assert str(u) == (
        "smoking - protein\nsmoking - pressure, independent when protein is >3\nprotein - pressure\nprotein - family\n"
        "cliques: {smoking, protein, pressure}, {protein, family}\nseparators: {protein}\n\n"
        "4 variables, 8 parameters (1 saved by strata)"
    )
    assert repr(u) == "<StratifiedGraph: 4 variables, 4 edges, 8 parameters>"
    assert u.separators == (("protein",),)
    assert u.strata == {("smoking", "pressure"): ({"protein": ">3"},)}
    assert '"smoking" -- "pressure" [label="protein=\\">3\\""];' in u.to_dot()
    assert "proof" in u.independent("smoking", "family", "protein").explain() or u.independent(
        "smoking", "family", "protein"
    )


def test_from_edges() -> None:
    """Edges and strata may be named from either end."""
    states = {name: [0, 1] for name in "abcd"}
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"), ("d", "b"), ("d", "c")]
    u = StratifiedGraph.from_edges(edges, states=states, strata={("a", "c"): [{"b": 1}]}, without={("c", "a"): ["d"]})
    assert u == StratifiedGraph.from_text("a - b - c\nb - d - a\nc - d\na - c without d : b=1")
    assert "a - c, independent when b is 1 (d left out)" in str(u)
    with pytest.raises(LdagError, match="strata: there is no edge a - e"):
        StratifiedGraph.from_edges(edges, states=states, strata={("a", "e"): [{"b": 1}]})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no variables"),
        ("a - a", "joins two variables, got 'a' twice"),
        ("a - b\nb - a", "the edge 'b' - 'a' is given twice, first at line 1"),
        ("a -> b", "a stratified graph has no arrows"),
        ("latent a\na - b", "has no latent variables"),
        ("a - b - c : a=1", "a chain of edges cannot have a stratum"),
        ("a - b - c - d\na - d", r"not chordal: a - d - c - b - a has no edge across; add one, such as a - c"),
        ("a - b : c=1", "no variable is a neighbour of both"),
        ("a - b - c - a\nc - d\na - b : d=1", "is given twice"),
        ("a - b : d=1\nb - c - a\nc - d", "names 'd', which is not a neighbour of both; expected: c"),
        ("a - b without c : c=1\nb - c - a\na - d - b\nc - d", "not a neighbour of both that it is about; expected: d"),
        ("a - b : c=1\nb - c - a\nd", r"^$"),
        ("a - b : c=2, c=1", "twice"),
        ("a - b : *\nb - c - a", "is all there is: then a and b have no edge"),
        ("a - b : c=1 ; c=0\nb - c - a", "a and b are independent in every context: then they have no edge"),
        (
            "a - b : c=1, d=1\nc - d: a=1, b=1\na - c\na - d\nb - c\nb - d",
            "the strata of a - b and c - d overlap: the edges of one clique that have strata must share a variable",
        ),
        ("a - b : c=1\nb - c - a\na - d - b", "the stratum of a - b is about c and d, which are not neighbours"),
        ("b - c : d=1\nb - d : c=1\nc - d\nb - e : f=1\nb - f: e=1\ne - f", "b - c, b - d, b - e, b - f do not fit"),
        ("a - b : c=1\nb - c : a=1\na - c : b=1", "the strata of a - b, b - c, a - c do not fit together"),
    ],
)
def test_bad_graphs(text: str, message: str) -> None:
    """Each is one error that names the edges; the fitting one is none."""
    if message == "^$":
        StratifiedGraph.from_text(text)
        return
    with pytest.raises(LdagError, match=message):
        StratifiedGraph.from_text(text)


def test_root() -> None:
    """A root that the strata do not allow is an error with those they do."""
    u = StratifiedGraph.from_text("a - b : c=1\nb - c : a=1\na - c")
    assert u.to_ldag("a").parents("a") == ()
    with pytest.raises(LdagError, match="realises the strata begins with 'b'; expected one of a, c"):
        u.to_ldag("b")
    with pytest.raises(LdagError, match="root: no variable 'x'"):
        u.to_ldag("x")


def test_what_has_immoralities() -> None:
    """Such a graph has no reading without arrows; its moral graph is a picture."""
    collider = LDAG.from_text("a -> c\nb -> c")
    with pytest.raises(LdagError, match="not perfect: a -> c <- b are two parents without an edge between them"):
        collider.to_undirected()
    moral = collider.moral_graph()
    assert moral.to_text() == "a - b\na - c\nc - b\n"
    assert moral.added == (("a", "b"),)
    with pytest.raises(LdagError, match="'h' is latent"):
        LDAG.from_text("latent h {0, 1}\nh -> a").to_undirected()


def test_what_labels_cannot_say() -> None:
    """Classes beyond labels have no strata."""
    graph = LDAG.from_partitions(
        {"b": (["a"], [0, 1]), "c": (["a", "b"], [0, 1, 1, 0])}, states={n: [0, 1] for n in "abc"}
    )
    with pytest.raises(LdagError, match="classes of 'c' go beyond labels"):
        graph.to_undirected()


def test_files(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Text and JSON come back; a wrong file is an error with its name."""
    u = StratifiedGraph.from_text("a - b - c\na - c : b=1")
    for name in ("u.json", "u.txt"):
        u.save(tmp_path / name)
        assert StratifiedGraph.load(tmp_path / name) == u
    with pytest.raises(LdagError, match=r"got a stratified graph; StratifiedGraph\.load reads it"):
        LDAG.load(tmp_path / "u.json")
    u.save(tmp_path / "u.dot")
    assert (tmp_path / "u.dot").read_text() == u.to_dot()
    (tmp_path / "bad.txt").write_text("a -> b")
    with pytest.raises(LdagError, match=r"bad\.txt: line 1: expected '-'"):
        StratifiedGraph.load(tmp_path / "bad.txt")
    with pytest.raises(LdagError, match="format: expected 'ldag stratified graph', got 'ldag'"):
        StratifiedGraph.from_json(u.to_ldag().to_json())


def test_comparison() -> None:
    """Edges and strata that differ are named, and graphs that say the same are known to."""
    u = StratifiedGraph.from_text("a - b - c\na - c : b=1\nc - d")
    v = StratifiedGraph.from_text("a - b - c\na - c : b=0\nb - d")
    result = ldag.compare(u, v)
    assert (result.missing_edges, result.extra_edges) == ((("c", "d"),), (("b", "d"),))
    assert result.differing_strata == (("a", "c"),)
    assert not result.is_same_model
    assert "a - c are independent in the first if b is 1, in the second if b is 0" in str(result)
    assert ldag.compare(u, u).is_same_model
    # given c=0 the three others are independent of each other, whichever of them is the last
    one, other = map(StratifiedGraph.from_text, TWO)
    assert one != other
    assert ldag.compare(one, other).is_same_model
    with pytest.raises(LdagError, match="is compared with another one"):
        ldag.compare(u, u.to_ldag())  # type: ignore[call-overload]


TWO = (
    "a - c - b\nd - c\na - b without d : c=0\na - d : c=0\nb - d : c=0",
    "a - c - b\nd - c\na - d without b : c=0\na - b : c=0\nb - d : c=0",
)
"""Two ways to say one model."""
