"""Numbers that say how sure they are: probabilities with a Monte-Carlo error, and means with an interval."""

from ldag.network import Averaged, AveragedAnswer

__all__ = ["Averaged", "AveragedAnswer", "Chance"]


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
