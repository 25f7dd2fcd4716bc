"""Answers of a network: mappings from states to probabilities which are shown as bars."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from ldag.drawing import Drawable
from ldag.formats import Edge
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


class Marginals(dict[str, dict[State, float]], Drawable):
    """The distribution of every variable, by name: a dict that draws itself as bars."""

    said: str = ""
    range: Mapping[str, Mapping[AnswerKey, tuple[float, float]]] | None = None
    """As in `Answer`, by variable, of those whose state is not given."""
    undetermined: tuple[Edge, ...] = ()

    def __init__(self, values: Mapping[str, dict[State, float]], said: str = "") -> None:
        """Make it of distributions by name; ``said`` is what was given, in words."""
        super().__init__(values)
        self.said = said
