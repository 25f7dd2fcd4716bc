"""What cross-validation chooses from: `Candidate`, one choice of settings, and the grid of all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ldag.learning.structures import STRUCTURES, StructureKind


@dataclass(frozen=True)
class Candidate:
    """One choice of the settings that cross-validation can compare; `learn` says what they mean.

    ``parameters_sample_size`` is None if parameters are smoothed as they are in the search.
    """

    kappa: float
    equivalent_sample_size: float
    structure: StructureKind
    parameters_sample_size: float | None = None

    @property
    def sizes(self) -> tuple[float, float]:
        """The equivalent sample sizes of the search and of the parameters."""
        of_search, of_parameters = self.equivalent_sample_size, self.parameters_sample_size
        return of_search, of_search if of_parameters is None else of_parameters

    @property
    def rank(self) -> tuple[object, ...]:
        """What decides between equal candidates: the simplest structure, then the smallest kappa and sample sizes."""
        return (tuple(STRUCTURES).index(self.structure), self.kappa, *self.sizes)

    def in_words(self) -> str:
        """Return the settings, to name a part of a checkpoint."""
        return f"{self.structure}, kappa {self.kappa!r}, sample size {self.equivalent_sample_size!r}"

    def to_dict(self) -> dict[str, object]:
        """Return the settings as plain values."""
        return {
            "structure": self.structure,
            "kappa": self.kappa,
            "equivalent_sample_size": self.equivalent_sample_size,
            "parameters_sample_size": self.sizes[1],
        }


@dataclass(frozen=True)
class CandidateGrid:
    """All candidates: every structure with every kappa it depends on and every sample size.

    Every search is judged under all of ``parameters_sizes``, which costs next to nothing; the candidates that are
    searched have None for it.
    """

    structures: tuple[StructureKind, ...]
    kappas: tuple[float, ...]
    sizes: tuple[float, ...]
    parameters_sizes: tuple[float | None, ...] = (None,)
    without_kappa: tuple[StructureKind, ...] = ()

    @property
    def is_raced(self) -> bool:
        """Whether there is more than kappa to choose: then bad candidates stop early."""
        return len(self.structures) > 1 or len(self.sizes) > 1

    def kappas_of(self, structure: StructureKind) -> tuple[float, ...]:
        """Return the kappas of a structure; where they make no difference, there is one."""
        return (1.0,) if structure in self.without_kappa else self.kappas

    def __iter__(self) -> Iterator[Candidate]:
        for structure in self.structures:
            for kappa in self.kappas_of(structure):
                for size in self.sizes:
                    yield Candidate(kappa, size, structure)

    def first(self, structure: StructureKind, before: Candidate | None) -> Candidate:
        """Return where to begin with a structure: in the middle, or at the sample size that was best before.

        Not at the best kappa: where trees take a high one, labels often over-fit with it, and take long.
        """
        kappas = self.kappas_of(structure)
        size = self.sizes[(len(self.sizes) - 1) // 2] if before is None else before.equivalent_sample_size
        return Candidate(kappas[(len(kappas) - 1) // 2], size, structure)

    def neighbours(self, candidate: Candidate) -> list[Candidate]:
        """Return the candidates of the same structure that are one step away."""
        kappas = _beside(sorted(self.kappas_of(candidate.structure)), candidate.kappa)
        sizes = _beside(sorted(self.sizes), candidate.equivalent_sample_size)
        return [
            *(replace(candidate, kappa=kappa) for kappa in kappas),
            *(replace(candidate, equivalent_sample_size=size) for size in sizes),
        ]

    def judged(self, candidate: Candidate) -> list[Candidate]:
        """Return a candidate that was searched with every size for its parameters."""
        return [replace(candidate, parameters_sample_size=size) for size in self.parameters_sizes]


def _beside(values: Sequence[float], value: float) -> list[float]:
    """Return the values next to one of them."""
    place = values.index(value)
    return [values[at] for at in (place - 1, place + 1) if 0 <= at < len(values)]
