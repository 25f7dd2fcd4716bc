"""What cross-validation chooses from (`Candidate`, and the grid of all), and what it gives: `CrossValidation`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, log, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.data import Dataset
from ldag.drawing import Drawable
from ldag.errors import ArgumentError
from ldag.learning.structures import STRUCTURES, ClassKind, StructureKind
from ldag.model import PruningAverage, Smoothing, Spread
from ldag.scoring import PRIORS, Prior, check_priors, spread_of

USUAL_SIZE = 10.0
"""Where nothing can be held out to choose a size, and where that makes little difference."""

NEAR = 0.5
"""So many standard errors: sample sizes that differ by less on held-out data are taken for equal."""

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
    smoothing: Smoothing | PruningAverage | None = None
    prior: Prior = "labels"
    levels: bool | None = None
    """Of trees that are grown: whether all leaves may ask alike in one step."""

    @property
    def kind(self) -> ClassKind:
        """The structure and its prior."""
        return ClassKind(self.structure, self.prior)

    @property
    def of_parameters(self) -> Smoothing | PruningAverage:
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
        one = self.of_parameters
        own = (self.kappa, self.equivalent_sample_size, one.spread != "configurations", one.size, one.kappa or 0.0)
        return (*kind, *own) if self.levels is None else (*kind, not self.levels, *own)

    @property
    def name(self) -> str:
        """The structure, and how it was grown."""
        if self.levels is None:
            return self.structure
        return "grown by levels" if self.levels else "grown by leaves"

    def in_words(self) -> str:
        """Return the settings, to name a part of a checkpoint."""
        return f"{self.name}, {self.prior}, kappa {self.kappa!r}, sample size {self.equivalent_sample_size!r}"

    def to_dict(self) -> dict[str, object]:
        """Return the settings as plain values."""
        return {
            "structure": self.structure,
            "prior": self.prior,
            "kappa": self.kappa,
            "equivalent_sample_size": self.equivalent_sample_size,
            "parameters_sample_size": self.parameters_sample_size,
            "parameters_spread": self.parameters_spread,
            **({} if self.levels is None else {"levels": self.levels}),
            **({} if self.of_parameters.kappa is None else {"prunings_kappa": self.of_parameters.kappa}),
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
    smoothings: tuple[Smoothing | PruningAverage | None, ...] = (None,)
    races_kappas: bool = False

    @property
    def has_sizes_of_tables(self) -> bool:
        """Whether sample sizes are chosen with tables, which are quick: one kind of labels or trees, and more sizes."""
        if len(self.kinds) > 1 or len(self.sizes) == 1:
            return False
        return not STRUCTURES[self.kinds[0].structure].is_table and self.kinds[0].prior != "leaves"

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


@dataclass(frozen=True)
class HeldOutGroups:
    """Groups of rows that were held out as a whole: what they are, how many of how many rows.

    ``error`` is the standard error over groups, per observation, of how much better the best candidate predicts than
    plain tables; None where that is not known.
    """

    name: str
    nouns: str
    n_groups: int
    n_rows: int
    error: float | None = None

    @classmethod
    def of(cls, data: Dataset) -> "HeldOutGroups | None":
        """Return the groups of data that are cut into folds; None if no rows belong together."""
        groups = data.groups
        if groups is None or not data.is_grouped:
            return None
        return cls(groups.name, groups.nouns, len(groups), int(data.total))


MOST_CANDIDATES = 24
"""Candidates in print, the best ones."""


@dataclass(frozen=True, repr=False)
class CrossValidation(Drawable):
    """How well each candidate predicts: the log posterior predictive probability of every fold.

    ``scores`` has them by candidate (of ``n_folds``, those that a time limit left time for). Where more than kappa is
    chosen, bad candidates stop early: they have the first folds only, and their means are not comparable with those
    over all folds. ``tables`` has the folds of plain tables with the sample sizes of the best candidate; nothing if
    that has tables itself, or if searches were cut off on nearly all folds. ``left_out`` has structures that were not
    compared, as their families are too large; ``notes`` says which folds a time limit left out.

    By kappa, ``fold_scores``, ``mean`` (the paper's rho) and ``standard_error`` are those of the best candidate with
    that kappa.
    """

    scores: Mapping[Candidate, tuple[float, ...]]
    n_folds: int
    tables: tuple[float, ...] = ()
    left_out: tuple[StructureKind, ...] = ()
    notes: tuple[str, ...] = ()
    kind: ClassKind | None = None
    """What was asked for, where tables are compared with each other to choose its sample size, and not with it."""
    groups: HeldOutGroups | None = None
    """Rows that belong together, if any do: they are in one fold."""

    @property
    def best(self) -> Candidate:
        """The candidate with the best mean, of those with all folds; of equal ones that with the smallest kappa.

        Sample sizes that are behind by less than half a standard error give way to the one that is nearest to 10.
        Where structures are compared, another one than tables must be ahead of them by more than the folds scatter (a
        standard error as if they were independent), and growth of what is best without it: with so many settings, one
        is a little ahead by chance.
        """
        asked = [one for one in self.scores if self.kind in (None, one.kind) and one.levels is None]
        grown = [one for one in self.scores if one.levels is not None]
        if not asked:
            return min(grown, key=self._order)
        leader = self._lean(min(asked, key=self._order), asked)
        tables = [one for one in asked if STRUCTURES[one.structure].is_table]
        if tables and leader not in tables:
            rival = min(tables, key=self._order)
            has_folds = len(self.scores[rival]) >= len(self.scores[leader])
            leader = rival if has_folds and not self._is_ahead(leader, rival) else leader
        best = min(grown, key=self._order) if grown else leader
        return best if self._is_ahead(best, leader) else leader

    def _is_ahead(self, one: Candidate, other: Candidate) -> bool:
        """Whether a candidate is ahead of a simpler one by more than a standard error, on the folds that both have."""
        common = min(len(self.scores[one]), len(self.scores[other]))
        ahead = np.subtract(self.scores[one][:common], self.scores[other][:common])
        error = np.std(ahead, ddof=1) / sqrt(common) if common > 1 else 0.0
        return bool(ahead.mean() > error)

    def _lean(self, leader: Candidate, asked: Sequence[Candidate]) -> Candidate:
        """Return the candidate with the most usual sample size of those that differ from the leader in it, by chance.

        Measured on 44 tables, that predicts a little better than the leader does.
        """
        scores = self.scores[leader]
        alike = [
            one
            for one in sorted(asked, key=self._order)
            if (one.kind, one.kappa, len(self.scores[one])) == (leader.kind, leader.kappa, len(scores))
        ]
        best_of = {one.equivalent_sample_size: one for one in reversed(alike)}
        near = [one for one in best_of.values() if _is_near(np.array(scores) - self.scores[one])]
        return min(near, key=lambda one: abs(log(one.equivalent_sample_size / USUAL_SIZE)), default=leader)

    def _order(self, candidate: Candidate) -> tuple[object, ...]:
        """Order candidates: more folds, then a better mean."""
        scores = self.scores[candidate]
        return (-len(scores), -float(np.mean(scores)), candidate.rank)

    def ranking(self) -> list[Candidate]:
        """Return the candidates, the best first."""
        best = self.best
        return [best, *sorted((one for one in self.scores if one != best), key=self._order)]

    @property
    def best_kappa(self) -> float:
        """The kappa of the best candidate."""
        return self.best.kappa

    @property
    def fold_scores(self) -> dict[float, tuple[float, ...]]:
        """The folds of the best candidate with each kappa."""
        return {kappa: self.scores[candidate] for kappa, candidate in self._by_kappa().items()}

    def _by_kappa(self) -> dict[float, Candidate]:
        """Return the best candidate with each kappa."""
        asked = [one for one in self.scores if self.kind in (None, one.kind)]
        of_kappa = {kappa: [one for one in asked if one.kappa == kappa] for kappa in self._kappas()}
        return {kappa: min(ones, key=self._order) for kappa, ones in of_kappa.items()}

    def _kappas(self) -> list[float]:
        return list(dict.fromkeys(one.kappa for one in self.scores if self.kind in (None, one.kind)))

    @property
    def mean(self) -> dict[float, float]:
        """The mean over folds, by kappa (equation 12)."""
        return {kappa: float(np.mean(scores)) for kappa, scores in self.fold_scores.items()}

    @property
    def standard_error(self) -> dict[float, float]:
        """The standard error of the mean, by kappa.

        Folds are learned from nearly the same rows, so that their scatter alone would say too little: the variance of
        a mean over independent folds is enlarged by what they share (Nadeau and Bengio 2003, their corrected variance).
        """
        return {kappa: self._error(scores) for kappa, scores in self.fold_scores.items()}

    def _error(self, scores: Sequence[float]) -> float:
        """Return the standard error of a mean over folds, of whose rows each is tested for every n - 1 learned from."""
        if len(scores) < 2:
            return nan
        return float(np.std(scores, ddof=1)) * sqrt(1 / len(scores) + 1 / (self.n_folds - 1))

    def difference(self, candidate: Candidate) -> float:
        """Return how much better the best candidate is than another, in the mean over the folds that both have."""
        common = min(len(self.scores[candidate]), len(self.scores[self.best]))
        return float(np.mean(np.subtract(self.scores[self.best][:common], self.scores[candidate][:common])))

    @property
    def gain_over_tables(self) -> tuple[float, float] | None:
        """How much better the best candidate predicts a fold than plain tables, and the standard error of that.

        The error is that of a mean over overlapping folds, as in ``standard_error``; where rows belong together, over
        groups, enlarged alike. None if the best candidate has tables itself, or if searches on the folds were cut off.
        """
        if not self.tables:
            return None
        gains = np.array(self.scores[self.best][: len(self.tables)]) - self.tables
        if self.groups is None or self.groups.error is None:
            return float(gains.mean()), self._error(gains.tolist())
        size = self.groups.n_rows / self.n_folds
        return float(gains.mean()), self.groups.error * size * sqrt(1 + self.n_folds / (self.n_folds - 1))

    def behind(self, scores: Sequence[float]) -> tuple[float, float]:
        """Return by how much folds are worse than the best in the mean, and the standard error of that."""
        common = min(len(scores), len(self.scores[self.best]))
        differences = np.subtract(scores[:common], self.scores[self.best][:common])
        error = self._error(differences.tolist())
        return float(differences.mean()), 0.0 if isnan(error) else error

    def __repr__(self) -> str:
        means = ", ".join(f"{kappa:g}: {mean:.2f}" for kappa, mean in self.mean.items())
        return f"<CrossValidation: best kappa {self.best_kappa:g} (means {means})>"

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "CrossValidation":
        """Read what `to_dict` gave."""
        candidates = []
        for one in content["candidates"]:
            own = one["parameters_sample_size"], one.get("parameters_spread", "configurations")
            kappa = one.get("prunings_kappa")
            smoothing = Smoothing(*own) if kappa is None else PruningAverage(*own, kappa)
            prior = one.get("prior", "labels")
            candidates.append(
                Candidate(
                    one["kappa"], one["equivalent_sample_size"], one["structure"], smoothing, prior, one.get("levels")
                )
            )
        plain = [replace(one, smoothing=None) for one in candidates]
        if all(one.of_parameters == own.of_parameters for one, own in zip(candidates, plain, strict=True)):
            candidates = plain
        folds = (tuple(one["fold_scores"]) for one in content["candidates"])
        scores = dict(zip(candidates, folds, strict=True))
        left_out, notes = (tuple(content.get(name, ())) for name in ("left_out", "notes"))
        kind = ClassKind(*content["kind"]) if content.get("kind") else None
        groups = HeldOutGroups(**content["groups"]) if content.get("groups") else None
        return cls(scores, content["n_folds"], tuple(content["tables"]), left_out, notes, kind, groups)

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as plain values; the standard error of a single fold is None."""
        return {
            "best_kappa": self.best_kappa,
            "n_folds": self.n_folds,
            "mean": {str(kappa): mean for kappa, mean in self.mean.items()},
            "standard_error": {str(kappa): _or_none(error) for kappa, error in self.standard_error.items()},
            "fold_scores": {str(kappa): list(scores) for kappa, scores in self.fold_scores.items()},
            "best": self.best.to_dict(),
            "candidates": [one.to_dict() | {"fold_scores": list(scores)} for one, scores in self.scores.items()],
            "tables": list(self.tables),
            "left_out": list(self.left_out),
            "notes": list(self.notes),
            "kind": None if self.kind is None else list(self.kind),
            **({} if self.groups is None else {"groups": asdict(self.groups)}),
        }

    def __str__(self) -> str:
        others = {(one.structure, one.prior, one.equivalent_sample_size, one.smoothing) for one in self.scores}
        has_kappas_only = len(others) == 1 and len(set(map(len, self.scores.values()))) == 1
        lines = [self._kappas_in_words() if has_kappas_only else self._candidates_in_words()]
        if self.groups is not None:
            n_rows, n_groups = f"{self.groups.n_rows:,} rows", f"{self.groups.n_groups:,} {self.groups.nouns}"
            lines.append(f"{self.n_folds} folds of {n_rows} of {n_groups}; {self.groups.nouns} are in one fold each")
        if self.left_out:
            lines.append(f"left out, as the families of the best graph are too large: {', '.join(self.left_out)}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _candidates_in_words(self) -> str:
        with_parameters = any(one.smoothing is not None for one in self.scores)
        with_spread = any(one.parameters_spread != "configurations" for one in self.scores)
        with_prior = len({one.prior for one in self.scores}) > 1
        prior = f"{'prior':<10}  " if with_prior else ""
        parameters = "  parameters" if with_parameters else ""
        parameters += "      spread over" if with_spread else ""
        width = max(len(one.name) for one in self.scores)
        width = max(width, len("structure"))
        lines = [f"{'structure':<{width}}  {prior}   kappa  sample size{parameters}  folds  behind the best"]
        best, *_ = ranked = self.ranking()
        for candidate in ranked[:MOST_CANDIDATES]:
            size, of_parameters = candidate.equivalent_sample_size, candidate.parameters_sample_size
            numbers = f"{candidate.name:<{width}}  " + (f"{candidate.prior:<10}  " if with_prior else "")
            numbers += f"{candidate.kappa:>8g}  {size:>11g}"
            numbers += f"  {of_parameters:>10g}" if with_parameters else ""
            numbers += f"  {candidate.parameters_spread:>15}" if with_spread else ""
            behind = "best" if candidate == best else f"{self.difference(candidate):.2f}"
            lines.append(f"{numbers}  {len(self.scores[candidate]):>5}  {behind:>15}")
        if len(ranked) > MOST_CANDIDATES:
            lines.append(f"and {len(ranked) - MOST_CANDIDATES:,} more, on fewer folds or further behind")
        if self.kind is not None:
            lines.append(
                f"{self.kind.structure} has the sample size that tables, which are quick, predict best with, or as well"
            )
        elif STRUCTURES[best.structure].is_table and not STRUCTURES[min(ranked, key=self._order).structure].is_table:
            lines.append("tables are taken, unless others are ahead of them by more than a standard error")
        return "\n".join(lines)

    def _kappas_in_words(self) -> str:
        lines = [f"{'kappa':>8}  {'mean':>12}  {'std. error':>10}"]
        for kappa, mean in self.mean.items():
            mark = "  best" if kappa == self.best_kappa else ""
            lines.append(f"{kappa:>8g}  {mean:>12.2f}  {self.standard_error[kappa]:>10.2f}{mark}")
        return "\n".join(lines)


def _is_near(ahead: NDArray[np.float64]) -> bool:
    """Whether folds are ahead by less than half a standard error."""
    return len(ahead) > 1 and float(ahead.mean()) <= NEAR * float(np.std(ahead, ddof=1)) / sqrt(len(ahead))


def _or_none(number: float) -> float | None:
    """Return a number as JSON has it."""
    return None if isnan(number) else number


def check_kappas(kappas: Sequence[float]) -> tuple[float, ...]:
    """Check the kappas to compare."""
    if isinstance(kappas, str) or not isinstance(kappas, Sequence | np.ndarray) or not len(kappas):
        raise ArgumentError(f"kappas must be a list of numbers, got {kappas!r}")
    checked = tuple(check_priors(kappa, 1.0, "labels").kappa for kappa in kappas)
    if len(set(checked)) < len(checked):
        raise ArgumentError(f"kappas: each may be given once, got {list(kappas)}")
    return checked
