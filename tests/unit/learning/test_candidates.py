"""What cross-validation chooses from: which candidates there are, where a race begins, and what lies beside what."""

import pytest

from ldag.learning.cross_validation import Candidate, CandidateGrid
from ldag.learning.structures import ClassKind
from ldag.model import Smoothing

LABELS, TABLES, TREES = ClassKind("ldag", "labels"), ClassKind("table", "labels"), ClassKind("tree", "leaves")
PARAMETERS = ClassKind("ldag", "parameters")
KAPPAS = (0.5, 0.001, 0.3, 0.1)


def grid(*kinds: ClassKind, sizes: tuple[float, ...] = (1.0,)) -> CandidateGrid:
    """A grid with four kappas."""
    return CandidateGrid(kinds, KAPPAS, sizes)


def test_kappas_that_make_no_difference_to_one_of_several_are_one() -> None:
    """Tables have no labels to pay for; alone, they are asked with every kappa that was given."""
    assert grid(LABELS, TABLES).kappas_of(TABLES) == (1.0,)
    assert grid(LABELS, TABLES).kappas_of(LABELS) == KAPPAS
    assert grid(TABLES).kappas_of(TABLES) == KAPPAS


def test_leaves_have_a_size_of_their_own_where_sizes_are_compared() -> None:
    """One observation for every leaf; a size that was given stays."""
    compared = grid(LABELS, TREES, sizes=(0.5, 2.0))
    assert compared.sizes_of(TREES) == (1.0,)
    assert compared.sizes_of(LABELS) == (0.5, 2.0)
    assert grid(LABELS, TREES, sizes=(3.0,)).sizes_of(TREES) == (3.0,)


def test_candidates_are_every_choice_once() -> None:
    """Four kappas with two sizes, and tables with two sizes."""
    every = list(grid(LABELS, TABLES, sizes=(0.5, 2.0)))
    assert len(every) == len(set(every)) == 4 * 2 + 2


@pytest.mark.parametrize(
    ("kinds", "kappas", "sizes", "races_kappas", "is_raced"),
    [
        ((LABELS,), KAPPAS, (1.0,), False, False),
        ((LABELS,), KAPPAS, (1.0,), True, True),
        ((LABELS,), (0.1,), (1.0,), True, False),
        ((LABELS, TABLES), (0.1,), (1.0,), False, True),
        ((LABELS,), (0.1,), (0.5, 2.0), False, True),
    ],
)
def test_what_is_raced(
    kinds: tuple[ClassKind, ...],
    kappas: tuple[float, ...],
    sizes: tuple[float, ...],
    races_kappas: bool,
    is_raced: bool,
) -> None:
    """Whatever there is more to choose than kappa, and kappas if they are asked to be quick and there are several."""
    assert CandidateGrid(kinds, kappas, sizes, races_kappas=races_kappas).is_raced is is_raced


def test_a_race_begins_in_the_middle() -> None:
    """At the lower of two middle kappas and sizes, whatever their order."""
    first = grid(LABELS, TABLES, sizes=(0.5, 1.0, 2.0, 4.0)).first(LABELS, None)
    assert (first.kappa, first.equivalent_sample_size) == (0.1, 1.0)
    assert grid(LABELS, sizes=(0.5, 1.0, 2.0)).first(LABELS, None).equivalent_sample_size == 1.0


def test_a_race_goes_on_with_the_size_that_was_best() -> None:
    """If the next kind has it, too."""
    sizes = (0.5, 1.0, 2.0, 4.0)
    before = Candidate(0.5, 4.0, "table")
    assert grid(LABELS, TREES, sizes=sizes).first(LABELS, before).equivalent_sample_size == 4.0
    assert grid(LABELS, TREES, sizes=sizes).first(TREES, before).equivalent_sample_size == 1.0


def test_with_a_price_for_every_parameter_small_models_come_first() -> None:
    """If there are several kinds; alone, a kind begins in the middle as ever."""
    for kind in (PARAMETERS, TREES):
        assert grid(kind, LABELS).first(kind, None).kappa == 0.001
        assert grid(kind).first(kind, None).kappa == 0.1


def test_neighbours_are_one_step_away() -> None:
    """In kappa or in the sample size, in order of size, and none beyond the ends."""
    choices = grid(LABELS, sizes=(2.0, 0.5, 1.0))

    def beside(kappa: float, size: float) -> list[tuple[float, float]]:
        near = choices.neighbours(Candidate(kappa, size, "ldag"))
        return [(one.kappa, one.equivalent_sample_size) for one in near]

    assert beside(0.1, 1.0) == [(0.001, 1.0), (0.3, 1.0), (0.1, 0.5), (0.1, 2.0)]
    assert beside(0.001, 2.0) == [(0.1, 2.0), (0.001, 1.0)]
    assert beside(0.5, 0.5) == [(0.3, 0.5), (0.5, 1.0)]


def test_equal_candidates_are_decided_by_what_is_simplest() -> None:
    """The structure, then the prior, kappa, the sample size, and how parameters are smoothed."""
    ranked = [
        Candidate(0.5, 2.0, "table"),
        Candidate(0.5, 2.0, "tree"),
        Candidate(0.1, 2.0, "ldag"),
        Candidate(0.5, 1.0, "ldag"),
        Candidate(0.5, 2.0, "ldag", Smoothing(0.5, "configurations")),
        Candidate(0.5, 2.0, "ldag"),
        Candidate(0.5, 2.0, "ldag", Smoothing(1.0, "classes")),
        Candidate(0.1, 1.0, "ldag", prior="normalised"),
        Candidate(0.1, 1.0, "graph"),
    ]
    mixed = ranked[::2] + ranked[1::2]
    assert sorted(mixed, key=lambda one: one.rank) == ranked


def test_parameters_are_smoothed_as_in_the_search_unless_told() -> None:
    """Under leaves the size is that of every class."""
    assert Candidate(0.1, 3.0, "ldag").of_parameters == Smoothing(3.0, "configurations")
    assert Candidate(0.1, 3.0, "tree", prior="leaves").of_parameters == Smoothing(3.0, "classes")
    assert Candidate(0.1, 3.0, "ldag", Smoothing(0.5, "classes")).of_parameters == Smoothing(0.5, "classes")
    both = CandidateGrid((LABELS,), KAPPAS, (1.0,), (None, Smoothing(0.5, "configurations")))
    assert [one.smoothing for one in both.judged(Candidate(0.1, 1.0, "ldag"))] == list(both.smoothings)
