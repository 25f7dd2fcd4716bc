"""Numbers that say how sure they are: probabilities with a Monte-Carlo error, and means with an interval."""

from typing import NamedTuple

from ldag.network import StateMapping


class Chance(float):
    """A probability; ``mc_error`` is the standard error of its estimate, 0 where it was computed exactly.

    Examples
    --------
    >>> half = Chance(0.5, 0.01)
    >>> half + 0, half.mc_error
    (0.5, 0.01)
    """

    mc_error: float

    def __new__(cls, value: float, mc_error: float = 0.0) -> "Chance":
        """Make a probability."""
        made = super().__new__(cls, min(max(value, 0.0), 1.0))
        made.mc_error = mc_error
        return made


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
        return "\n".join(f"{text:<{width}}  {value}" for text, value in zip(shown, self.values(), strict=True))
