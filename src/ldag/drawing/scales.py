"""Axes of charts: from numbers to places, and the round numbers to write beside them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

from ldag.errors import ArgumentError

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """An axis from its smallest to its largest number, straight or logarithmic."""

    low: float
    high: float
    is_log: bool = False

    @classmethod
    def over(cls, values: Iterable[float], *, is_log: bool = False, margin: float = 0.05) -> "Scale":
        """Return the scale that holds all values, with some room at both ends."""
        numbers = [value for value in values if isfinite(value)]
        if is_log and any(value <= 0 for value in numbers):
            raise ArgumentError(f"a logarithmic axis needs numbers above 0, got {min(numbers)!r}")
        low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0) if not is_log else (1.0, 10.0)
        if is_log:
            room = max(log10(high / low) * margin, 0.02)
            return cls(low / 10**room, high * 10**room, True)
        room = (high - low) * margin or max(abs(high) * margin, 0.5)
        return cls(low - room, high + room)

    def place(self, value: float) -> float:
        """Return where a number stands: 0 at the low end, 1 at the high end."""
        if self.is_log:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, wanted: int = 5) -> tuple[float, ...]:
        """Return round numbers on the axis.

        Examples
        --------
        >>> Scale(0, 1).ticks(), Scale(0.003, 0.6, True).ticks()
        ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.003, 0.01, 0.03, 0.1, 0.3))
        """
        return self._log_ticks(wanted) if self.is_log else self._straight_ticks(wanted)

    def _straight_ticks(self, wanted: int) -> tuple[float, ...]:
        rough = (self.high - self.low) / max(wanted, 1)
        power = 10.0 ** floor(log10(rough))
        step = next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return tuple(round(number * step, 12) + 0.0 for number in range(first, last + 1))

    def _log_ticks(self, wanted: int) -> tuple[float, ...]:
        """Return powers of ten, or 1, 2 and 5 times them where there are few."""
        for leads in ((1,), (1, 3), (1, 2, 5)):
            powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
            ticks = [lead * 10.0**power for power in powers for lead in leads]
            inside = tuple(float(f"{tick:.6g}") for tick in ticks if self.low <= tick <= self.high)
            if len(inside) >= min(wanted, 3):
                return inside
        return inside


def spell_ticks(ticks: Sequence[float]) -> list[str]:
    """Return numbers as an axis shows them: no more digits than are needed, thousands set off.

    Examples
    --------
    >>> spell_ticks([0.0, 0.05, 0.1]), spell_ticks([250, 8000]), spell_ticks([-0.5, 0.5])
    (['0', '0.05', '0.1'], ['250', '8,000'], ['−0.5', '0.5'])
    """
    return [f"{tick:,.6g}".replace("-", "−") if abs(tick) < 1e6 else f"{tick:.3g}" for tick in ticks]


def number_text(value: float) -> str:
    """Return a number as people read it in a table.

    Examples
    --------
    >>> number_text(1841), number_text(12.3456), number_text(0.012345)
    ('1,841', '12.35', '0.0123')
    """
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 10 else f"{value:.3g}"
