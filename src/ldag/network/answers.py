"""Answers of a network: mappings from states to probabilities which are shown as bars."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from ldag.drawing import Drawable
from ldag.formats import Edge
from ldag.hook import Printable
from ldag.inference import Circuit
from ldag.model import State

AnswerKey = State | tuple[State, ...]
AnswerValue = TypeVar("AnswerValue")


class StateMapping(dict[AnswerKey, AnswerValue], Drawable):
    """A dict from a state, or a tuple of states of several variables, to a number; and what was asked."""

    targets: tuple[str, ...] = ()
    said: str = ""
    range: Mapping[AnswerKey, tuple[float, float]] | None = None
    """Where variables of a learned network are set: the least and the greatest value over all graphs that say the same
    as its own and satisfy the constraints it was learned under."""
    undetermined: tuple[Edge, ...] = ()
    """The arrows which the range is wide for, whose direction is not determined."""
    notes: tuple[str, ...] = ()
    """What is to be known of the numbers, such as strata that the data hardly visit."""

    def __init__(
        self, values: Iterable[tuple[AnswerKey, AnswerValue]] = (), targets: Iterable[str] = (), said: str = ""
    ) -> None:
        """Make an answer of pairs; ``targets`` are the variables asked for, ``said`` what was given, in words."""
        super().__init__(values)
        self.targets, self.said = tuple(targets), said


class Answer(StateMapping[float]):
    """Probabilities by state, or by tuples of states of several variables: a dict that draws itself as bars.

    Examples
    --------
    >>> import ldag
    >>> answer = ldag.simulate.guard().query("badge")
    >>> answer == dict(answer), list(answer)
    (True, ['no', 'yes'])
    >>> answer.save_picture("badge.svg")  # doctest: +SKIP
    """


class Averaged(NamedTuple):
    """A mean, and the limits of an interval around it."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.4f} ({self.low:.4f} to {self.high:.4f})"


class AveragedAnswer(StateMapping[Averaged]):
    """By state, or tuple of states, the mean of its probability and an interval."""

    def __str__(self) -> str:
        shown = [", ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in self]
        width = max(map(len, shown), default=0)
        lines = [f"{text:<{width}}  {value}" for text, value in zip(shown, self.values(), strict=True)]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


class Contrasts(dict[str, Averaged], Printable):
    """Comparisons of two settings by name: difference, ratio, odds ratio, each with a mean and an interval."""

    notes: tuple[str, ...] = ()
    """As in `Answer`."""

    def __str__(self) -> str:
        width = max(map(len, self), default=0)
        lines = [f"{name:<{width}}  {value}" for name, value in self.items()]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


class Marginals(dict[str, dict[State, float]], Drawable):
    """The distribution of every variable, by name: a dict that draws itself as bars."""

    said: str = ""
    range: Mapping[str, Mapping[AnswerKey, tuple[float, float]]] | None = None
    """As in `Answer`, by variable, of those whose state is not given."""
    undetermined: tuple[Edge, ...] = ()
    standard_errors: Mapping[str, Mapping[State, float]] | None = None
    """By variable and state, where the answer is an estimate."""

    def __init__(self, values: Mapping[str, dict[State, float]], said: str = "") -> None:
        """Make it of distributions by name; ``said`` is what was given, in words."""
        super().__init__(values)
        self.said = said


@dataclass(frozen=True)
class Compiled:
    """What became of a network: a circuit whose gates are sums of products. ``size`` counts the products."""

    n_gates: int
    size: int
    seconds: float
    circuit: Circuit = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, object]:
        """Return the circuit as plain lists; `ldag.inference.Circuit.to_dict` says how it is evaluated.

        Nodes have the numbers of the network's variables.
        """
        return {"n_gates": self.n_gates, "size": self.size, "circuit": self.circuit.to_dict()}


@dataclass(frozen=True, repr=False)
class Estimated(Printable):
    """A posterior estimated by likelihood weighting; ``effective_size`` is what the samples are worth."""

    probabilities: Answer
    standard_errors: Answer
    effective_size: float

    def __repr__(self) -> str:
        return f"<Estimated: {self.probabilities}, as good as {self.effective_size:,.0f} independent samples>"

    def __str__(self) -> str:
        rows = [
            (", ".join(map(str, state)) if isinstance(state, tuple) else str(state), p, self.standard_errors[state])
            for state, p in self.probabilities.items()
        ]
        width = max(len(text) for text, _, _ in rows)
        lines = [f"{text:<{width}}  {p:.4f} ± {error:.4f}" for text, p, error in rows]
        return "\n".join([*lines, f"as good as {self.effective_size:,.0f} independent samples"])
