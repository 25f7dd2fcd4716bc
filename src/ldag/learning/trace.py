"""How the best score rose in a search: `Trace`."""

from collections.abc import Iterable

from ldag.drawing import Charted, Drawing, LineChart, Series, lay_out_charts
from ldag.formats import counted
from ldag.reporting import Figure, write_fragment


class Trace(tuple[tuple[int, float], ...], Charted):
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

    def chart(self) -> Drawing:
        """Return the curve; for the library itself."""
        left_out = self._n_steep()
        steps, scores = zip(*self[left_out:], strict=True) if self else ((), ())
        first = max(min(steps, default=1), 1)
        is_log = max(steps, default=1) > 30 * first
        series = Series("best score so far", [max(step, first) for step in steps], scores, kind="steps")
        head = f"the first rise, from {self[0][1]:,.0f}, is left out" if left_out else ""
        return lay_out_charts([LineChart(head, [series], "step", "score", log_x=is_log)], title="How the score rose")

    def _n_steep(self) -> int:
        """Return how many first points would hide the others: much further from the end than the middle one."""
        if len(self) < MANY:
            return 0
        limit = self.best - STEEP * (self.best - self[len(self) // 2][1])
        return sum(score < limit for _, score in self[: len(self) // 2])

    def __repr__(self) -> str:
        if len(self) <= SHOWN:
            return super().__repr__()
        (_, first), (step, last) = self[0], self[-1]
        return f"<Trace: {counted(len(self), 'improvement')}, from {first:.2f} to {last:.2f} at step {step:,}>"

    def _repr_html_(self) -> str:
        return write_fragment([Figure(self.to_svg())])


MANY, STEEP = 8, 20.0
"""A curve of so many points begins where the score is less than so many times as far from its end as half-way."""

SHOWN = 6
"""A trace with more points is summed up when it is shown."""
