"""What cross-validation chooses from: `Candidate`, one choice of settings, and the grid of all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ldag.learning.structures import STRUCTURES, ClassKind, StructureKind
from ldag.model import Smoothing, Spread
from ldag.scoring import PRIORS, Prior, spread_of

LEAF_SIZES = (1.0,)
"""What cross-validation takes for every leaf in a search: on NLTCS, alarm, child and insurance, 0.5 to 4 were about as
good, with the parameters smoothed apart."""


@dataclass(frozen=True)
class Candidate:
    """One choice of the settings that cross-validation can compare; `learn` says what they mean.

    ``smoothing`` is None if parameters are smoothed as they are in the search.
    """

    kappa: float
    equivalent_sample_size: float
    structure: StructureKind
    smoothing: Smoothing | None = None
    prior: Prior = "labels"

    @property
    def kind(self) -> ClassKind:
        """The structure and its prior."""
        return ClassKind(self.structure, self.prior)

    @property
    def of_parameters(self) -> Smoothing:
        """How parameters are smoothed."""
        own = Smoothing(self.equivalent_sample_size, spread_of(self.prior))
        return own if self.smoothing is None else self.smoothing

    @property
    def parameters_sample_size(self) -> float:
        """How many observations the prior over parameters counts for."""
        return self.of_parameters.size

    @property
    def parameters_spread(self) -> Spread:
        """How these are spread."""
        return self.of_parameters.spread

    @property
    def rank(self) -> tuple[object, ...]:
        """What decides between equal candidates: the simplest structure, then the smallest kappa and sample sizes."""
        kind = (tuple(STRUCTURES).index(self.structure), PRIORS.index(self.prior))
        size, spread = self.of_parameters
        return (*kind, self.kappa, self.equivalent_sample_size, spread == "classes", size)

    def in_words(self) -> str:
        """Return the settings, to name a part of a checkpoint."""
        return f"{self.structure}, {self.prior}, kappa {self.kappa!r}, sample size {self.equivalent_sample_size!r}"

    def to_dict(self) -> dict[str, object]:
        """Return the settings as plain values."""
        return {
            "structure": self.structure,
            "prior": self.prior,
            "kappa": self.kappa,
            "equivalent_sample_size": self.equivalent_sample_size,
            "parameters_sample_size": self.parameters_sample_size,
            "parameters_spread": self.parameters_spread,
        }


@dataclass(frozen=True)
class CandidateGrid:
    """All candidates: every structure and prior with every kappa it depends on and every sample size.

    Every search is judged under all of ``smoothings``, which costs next to nothing; the candidates that are
    searched have None for it.
    """

    kinds: tuple[ClassKind, ...]
    kappas: tuple[float, ...]
    sizes: tuple[float, ...]
    smoothings: tuple[Smoothing | None, ...] = (None,)
    races_kappas: bool = False

    @property
    def is_raced(self) -> bool:
        """Whether bad candidates stop early: if there is more than kappa to choose, or that is to be quick."""
        return self.has_more_than_kappas or (self.races_kappas and len(self.kappas) > 1)

    @property
    def has_more_than_kappas(self) -> bool:
        """Whether there is anything else to choose."""
        return len(self.kinds) > 1 or len(self.sizes) > 1

    def kappas_of(self, kind: ClassKind) -> tuple[float, ...]:
        """Return the kappas of a kind; where they make no difference to one of several, there is one."""
        return self.kappas if kind.has_kappa or len(self.kinds) == 1 else (1.0,)

    def sizes_of(self, kind: ClassKind) -> tuple[float, ...]:
        """Return the sample sizes of a kind."""
        return LEAF_SIZES if kind.prior == "leaves" and len(self.sizes) > 1 else self.sizes

    def __iter__(self) -> Iterator[Candidate]:
        for kind in self.kinds:
            for kappa in self.kappas_of(kind):
                for size in self.sizes_of(kind):
                    yield Candidate(kappa, size, kind.structure, prior=kind.prior)

    def first(self, kind: ClassKind, before: Candidate | None) -> Candidate:
        """Return where to begin with a kind: in the middle, or at the sample size that was best before.

        Not at the best kappa: where trees take a high one, labels often over-fit with it, and take long. With a price
        for every parameter, small models come first, which are soon found.
        """
        kappas, sizes = self.kappas_of(kind), self.sizes_of(kind)
        size = sizes[(len(sizes) - 1) // 2]
        if before is not None and before.equivalent_sample_size in sizes:
            size = before.equivalent_sample_size
        has_price = kind.prior in ("parameters", "leaves")
        place = 0 if has_price and len(self.kinds) > 1 else (len(kappas) - 1) // 2
        return Candidate(sorted(kappas)[place], size, kind.structure, prior=kind.prior)

    def neighbours(self, candidate: Candidate) -> list[Candidate]:
        """Return the candidates of the same kind that are one step away."""
        kappas = _beside(sorted(self.kappas_of(candidate.kind)), candidate.kappa)
        sizes = _beside(sorted(self.sizes_of(candidate.kind)), candidate.equivalent_sample_size)
        return [
            *(replace(candidate, kappa=kappa) for kappa in kappas),
            *(replace(candidate, equivalent_sample_size=size) for size in sizes),
        ]

    def judged(self, candidate: Candidate) -> list[Candidate]:
        """Return a candidate that was searched with every smoothing of its parameters."""
        return [replace(candidate, smoothing=smoothing) for smoothing in self.smoothings]


def _beside(values: Sequence[float], value: float) -> list[float]:
    """Return the values next to one of them."""
    place = values.index(value)
    return [values[at] for at in (place - 1, place + 1) if 0 <= at < len(values)]
