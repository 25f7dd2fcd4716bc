"""Networks over time: what series begin with, and how a step follows from those before."""

from dataclasses import dataclass

from ldag.formats import read_lag
from ldag.network import Network


@dataclass(frozen=True)
class DynamicNetwork:
    """A network over time: ``first`` is over what series begin with, ``transition`` over a step and those before.

    In the transition ``x@-1`` is x one step before; only variables without a lag have parameters that count there.
    Groups and times are the columns of the panel that it was learned from.
    """

    first: Network
    transition: Network
    groups: str | None = None
    times: str | None = None

    @property
    def lags(self) -> int:
        """How many steps before may matter."""
        return max(lag for _, lag in map(read_lag, self.transition.ldag.schema.names))

    @property
    def changing(self) -> tuple[str, ...]:
        """The variables that have a value at every step."""
        lagged = dict.fromkeys(name for name, lag in map(read_lag, self.transition.ldag.schema.names) if lag)
        return tuple(lagged)

    @property
    def static(self) -> tuple[str, ...]:
        """The variables that have one value for a whole series."""
        names = self.transition.ldag.schema.names
        return tuple(name for name in names if not read_lag(name)[1] and name not in self.changing)
