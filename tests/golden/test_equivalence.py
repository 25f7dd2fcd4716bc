"""Known numbers of equivalence classes, and the examples of the theory."""

import numpy as np
import pytest

from ldag.model import Structure
from ldag.reasoning import compare_structures, equivalence_class, essential_edges
from tests.oracle import equivalence as oracle

# Nodes of the heart data: smoking, mental work, physical work, pressure, protein, family.
SMOKING, MENTAL, PHYSICAL, PRESSURE, PROTEIN, FAMILY = range(6)


def generator() -> Structure:
    """Return the 10-node model of the paper's experiments (its node k is k - 1 here)."""
    one_based: dict[int, dict[int, list[dict[int, int]]]] = {
        2: {1: []},
        3: {1: [], 2: [{1: 0}]},
        4: {1: [{3: 1}], 3: []},
        5: {1: [], 4: [{1: 0}], 8: [{1: 0}]},
        7: {
            2: [{3: 1, 4: 1, 6: 0}],
            3: [{2: 0, 4: 1, 6: 1}, {2: 1, 6: 1}],
            4: [{2: 1, 3: 1}],
            6: [{2: 1, 3: 1}],
        },
        8: {4: [], 7: []},
        9: {5: [{8: 1}], 8: []},
        10: {6: [], 7: [{6: 1}], 8: [{6: 1}], 9: [{6: 1}]},
    }
    labels = {
        child - 1: {
            parent - 1: [{node - 1: code for node, code in context.items()} for context in contexts]
            for parent, contexts in parents.items()
        }
        for child, parents in one_based.items()
    }
    return oracle.structure_of([2] * 10, labels)


@pytest.mark.parametrize(("n_states", "n_structures", "n_classes"), [((2, 2, 2), 97, 53), ((3, 2, 2), 169, 97)])
def test_all_ldags_on_three_nodes(n_states: tuple[int, ...], n_structures: int, n_classes: int) -> None:
    """The classes found are those with equal CSIs, by exact algebra on random members of the models."""
    structures = oracle.regular_maximal_structures(n_states)
    number = {structure: position for position, structure in enumerate(structures)}
    found = [equivalence_class(structure, 1000) for structure in structures]
    assert all(f.is_complete and len(f.members) == len(set(f.members)) for f in found)
    by_search = [frozenset(number[member] for member in f.members) for f in found]
    assert (len(structures), len(set(by_search))) == (n_structures, n_classes)
    assert all(position in group for position, group in enumerate(by_search))
    rng = np.random.default_rng(7)
    by_algebra = oracle.classes_of(
        [oracle.implied_statements(oracle.random_joint(structure, rng)) for structure in structures]
    )
    assert set(by_search) == by_algebra


def test_compare_tells_the_classes_apart() -> None:
    """Each of the 97 LDAGs on three binary nodes differs from one member of every other class."""
    structures = oracle.regular_maximal_structures((2, 2, 2))
    representatives: list[Structure] = []
    for structure in structures:
        equal = [other for other in representatives if compare_structures(other, structure) is None]
        assert len(equal) <= 1
        if not equal:
            representatives.append(structure)
    assert len(representatives) == 53


def test_special_examples_are_equivalent() -> None:
    """The two LDAGs of the paper that imply independences only by cases have one set of CSIs."""
    a = oracle.structure_of((2, 2, 2, 2), {0: {1: [{2: 0}], 2: [], 3: [{2: 1}]}, 3: {2: []}})
    b = oracle.structure_of((2, 2, 2, 2), {0: {1: [{2: 0}], 2: []}, 3: {0: [{2: 1}], 2: []}})
    assert compare_structures(a, b) is None
    found = equivalence_class(a, 100)
    assert found.is_complete
    assert set(found.members) == oracle.equivalence_class(b)
    assert b in found.members


def test_heart_optimum_has_three_orientations() -> None:
    """At kappa 0.1, only the edges of mental work turn."""
    heart = oracle.structure_of(
        [2] * 6,
        {
            PHYSICAL: {MENTAL: []},
            PROTEIN: {MENTAL: []},
            SMOKING: {PHYSICAL: [], PROTEIN: []},
            PRESSURE: {SMOKING: [{PROTEIN: 1}], PROTEIN: [{SMOKING: 0}]},
        },
    )
    found = equivalence_class(heart, 100)
    assert (len(found.members), found.is_complete) == (3, True)
    turning = {(MENTAL, PHYSICAL), (MENTAL, PROTEIN)}
    assert essential_edges(heart) == (frozenset(heart.edges) - turning, frozenset())


def test_generator_of_the_experiments() -> None:
    """The model has the published dimensions, and a changed label or a lost edge is seen."""
    model = generator()
    assert sum(model.dag_dimension(node) for node in range(10)) == 60
    assert sum(model.dimension(node) for node in range(10)) == 40
    found = equivalence_class(model, 1000)
    assert found.is_complete
    for member in found.members:
        assert compare_structures(model, member) is None
        assert oracle.csi_equivalent(model, member)
    families = list(model.families)
    families[6] = type(families[6]).table(families[6].parents, families[6].partition.grid)
    difference = compare_structures(model, Structure(model.n_states, tuple(families)))
    assert difference is not None
    assert difference.kind == "skeleton"
    assert difference.nodes == (1, 6)
    assert difference.context == {2: 1, 3: 1, 5: 0}
