"""How the best score rose in a search: `Trace`."""

from collections.abc import Iterable

from ldag.drawing import Drawable
from ldag.formats import counted


class Trace(tuple[tuple[int, float], ...], Drawable):
    """Pairs (step, best score so far), one per improvement; a tuple that draws itself as a curve.

    Examples
    --------
    >>> import ldag
    >>> fit = ldag.learn(ldag.datasets.load("heart"), kappa=0.1, method="climb")
    >>> fit.trace[-1][1] == fit.trace.best
    True
    """

    @classmethod
    def of(cls, points: Iterable[tuple[int, float]]) -> "Trace":
        """Make a trace of pairs."""
        return cls((int(step), float(score)) for step, score in points)

    @property
    def best(self) -> float:
        """The last and best score."""
        return self[-1][1]

    def __repr__(self) -> str:
        if len(self) <= SHOWN:
            return super().__repr__()
        (_, first), (step, last) = self[0], self[-1]
        return f"<Trace: {counted(len(self), 'improvement')}, from {first:.2f} to {last:.2f} at step {step:,}>"


SHOWN = 6
"""A trace with more points is summed up when it is shown."""
