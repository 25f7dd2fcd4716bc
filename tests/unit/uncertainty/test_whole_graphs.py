"""How probable it is that the data determine an arrow."""

import copy
import json
import pickle
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, cast
from unittest import mock

import numpy as np
import pytest

import ldag
from ldag.uncertainty import whole_graphs

if TYPE_CHECKING:
    import pandas as pd

Arcs = frozenset[tuple[str, str]]


def table(n_rows: int = 150) -> ldag.Dataset:
    """Four columns of 3, 2, 4 and 2 states: a collider and an edge that is open."""
    rng = np.random.default_rng(7)
    a, b = rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)
    c = np.where(rng.random(n_rows) < 0.6, (a + b) % 4, rng.integers(0, 4, n_rows))
    d = np.where(rng.random(n_rows) < 0.4, c % 2, rng.integers(0, 2, n_rows))
    return ldag.read({name: column.astype(str) for name, column in zip("abcd", (a, b, c, d), strict=True)})


def all_dags(names: str) -> list[Arcs]:
    """Every DAG."""
    pairs = list(combinations(names, 2))
    dags = []
    for ways in product((None, 0, 1), repeat=len(pairs)):
        chosen = [(pair, way) for pair, way in zip(pairs, ways, strict=True) if way is not None]
        arcs = frozenset((pair[way], pair[1 - way]) for pair, way in chosen)
        left = set(names)
        while left:
            free = {node for node in left if not any(child == node and parent in left for parent, child in arcs)}
            if not free:
                break
            left -= free
        if not left:
            dags.append(arcs)
    return dags


def says(arcs: Arcs) -> tuple[object, object]:
    """What decides Markov equivalence: who is joined, and unjoined parents of one child."""
    joined = frozenset(map(frozenset, arcs))
    colliders = frozenset(
        (frozenset((a, b)), child)
        for (a, child), (b, other) in combinations(sorted(arcs), 2)
        if child == other and frozenset((a, b)) not in joined
    )
    return joined, colliders


def brute_force(data: ldag.Dataset, forbidden: set[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Weigh all DAGs without forbidden arcs by their scores; an arc counts if all that say the same have it."""
    names = "".join(data.names)
    states = {name: data.states(name) for name in names}
    dags = [arcs for arcs in all_dags(names) if not arcs & forbidden]
    families: dict[tuple[str, tuple[str, ...]], float] = {}
    scores = []
    for arcs in dags:
        score = 0.0
        for node in names:
            parents = tuple(sorted(parent for parent, child in arcs if child == node))
            if (node, parents) not in families:
                graph = ldag.LDAG.from_edges([(parent, node) for parent in parents], states=states)
                per_node = ldag.score(graph, data, kappa=1.0).per_node
                families[node, parents] = per_node[node].log_marginal_likelihood
            score += families[node, parents]
        scores.append(score)
    weights = np.exp(np.array(scores) - max(scores))
    classes: dict[object, Arcs] = {}
    for arcs in dags:
        classes[says(arcs)] = classes.get(says(arcs), arcs) & arcs
    chances: dict[tuple[str, str], float] = {}
    for weight, arcs in zip(weights / weights.sum(), dags, strict=True):
        for arc in classes[says(arcs)]:
            chances[arc] = chances.get(arc, 0.0) + weight
    return chances


@pytest.mark.parametrize("tiers", [(), (("c",), ("a", "b", "d")), (("d", "a"), ("c", "b"))])
def test_agrees_with_all_equivalence_classes(tiers: tuple[tuple[str, ...], ...]) -> None:
    """Of all 543 DAGs or those that tiers allow; exact without labels, and never more than the edge itself."""
    data = table()
    later = {name: place for place, tier in enumerate(tiers) for name in tier}
    forbidden = {(a, b) for a in later for b in later if later[a] > later[b]}
    expected = brute_force(data, forbidden)
    post = ldag.posterior(data, structure="table", equivalent_sample_size=1, constraints=ldag.Constraints(tiers=tiers))
    for a, b in ((a, b) for a in data.names for b in data.names if a != b):
        chance = post.determined(a, b)
        assert chance == pytest.approx(expected.get((a, b), 0.0), abs=1e-9)
        assert chance.mc_error == 0.0
        assert chance <= post.edge(a, b) + 1e-9
    assert "(exact)" in str(post)
    frame = cast("pd.DataFrame", post.to_frame())
    assert frame["determined"].tolist() == [post.determined(e.parent, e.child) for e in post.edges]


def test_labelled_graphs_are_drawn_and_asked() -> None:
    """The share of draws in which the edge is essential, with its error; files have the same numbers."""
    post = ldag.posterior(table(), kappa=0.3)
    drawn = post.sample(1000)
    for a, b in (("a", "c"), ("c", "a"), ("c", "d")):
        share = np.mean([(a, b) in graph.essential_edges() for graph in drawn])
        assert post.determined(a, b) == pytest.approx(share)
        assert post.determined(a, b).mc_error == pytest.approx(np.sqrt(share * (1 - share) / 1000))
    assert "(from 1,000 drawn graphs)" in str(post)


def test_a_tree_has_no_direction() -> None:
    """Where variables have one parent at most, no data tell the direction, whatever the share of DAGs is."""
    post = ldag.posterior(table(), structure="table", max_parents=1)
    assert max(float(post.determined(a, b)) for a in "abcd" for b in "abcd" if a != b) == 0.0
    assert post.edge("a", "c") > 0.5 or post.edge("c", "a") > 0.5


def test_files_copies_and_pickles_say_the_same(tmp_path: Path) -> None:
    """All of it: print, draws, predictions."""
    data = table()
    post = ldag.posterior(data, kappa=0.3)
    post.save(tmp_path / "post.json")
    assert ldag.Posterior.load(tmp_path / "post.json").determined("a", "c") == post.determined("a", "c")
    for again in (pickle.loads(pickle.dumps(post)), copy.copy(post), copy.deepcopy(post)):
        assert str(again) == str(post)
        assert again.sample(20, rng=3) == post.sample(20, rng=3)
        assert again.log_likelihood(data) == post.log_likelihood(data)
    loaded = ldag.Posterior.load(tmp_path / "post.json")
    assert str(pickle.loads(pickle.dumps(loaded))) == str(post)
    chains = ldag.posterior(data, kappa=0.3, method="chain", n_iter=200)
    assert pickle.loads(pickle.dumps(chains)).sample(20, rng=3) == chains.sample(20, rng=3)


def test_an_arrow_is_determined_at_most_as_often_as_it_is_there() -> None:
    """Also where drawn graphs have it more often than it is probable."""
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, n, 300).astype(str) for name, n in zip("abcdef", (2, 3, 4, 2, 3, 2), strict=True)}
    post = ldag.posterior(ldag.read(columns), kappa=0.3, max_parents=2)
    assert all(post.determined(edge.parent, edge.child) <= edge.probability for edge in post.edges)


def test_older_files_have_neither_directions_nor_limits(tmp_path: Path) -> None:
    """Their directions are counted in 500 of the graphs that they keep, and their edges summed over parent sets."""
    post = ldag.posterior(table(), kappa=0.3, max_parents=2)
    content = post.to_dict()
    for name in ("directions", "label_rules"):
        del content[name]
    for name in ("limits", "max_configurations"):
        del content["settings"][name]
    for component in content["components"]:
        del component["edges"]
    path = tmp_path / "post.json"
    path.write_text(json.dumps(content))
    old = ldag.Posterior.load(path)
    assert "(from 500 drawn graphs)" in str(old)
    assert old.limits == "at most 2 parents of a variable"
    assert old.edge("a", "c") == pytest.approx(float(post.edge("a", "c")), abs=1e-8)
    assert float(old.determined("a", "c")) == pytest.approx(float(post.determined("a", "c")), abs=0.1)


def test_arrows_that_are_not_decided_in_200_steps_count_as_free() -> None:
    """Equal graphs are looked at once."""
    states = {name: [0, 1] for name in "abc"}
    structure = ldag.LDAG.from_edges([("a", "b"), ("b", "c")], states=states).structure
    told = frozenset({(0, 1)}), frozenset({(1, 2)})
    with mock.patch.object(whole_graphs, "essential_edges", return_value=told) as look:
        chances = whole_graphs.draw_directions([structure] * 4, None)
    look.assert_called_once_with(structure, (), 200)
    assert chances.probabilities.tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
    assert chances.n_draws == 4
