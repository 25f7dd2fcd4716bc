"""Amounts of memory, and sizes of circuits, as people write and read them."""

import re
from math import ceil

from ldag.checks import is_whole
from ldag.errors import ArgumentError, argument

UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def check_memory(limit: int | str) -> int:
    """Return a limit in bytes; a text such as "8 GB" has a unit, each 1024 of the one before."""
    if isinstance(limit, str):
        parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", limit.lower())
        if parts:
            return int(float(parts[1]) * 1024 ** UNITS[parts[2]])
    elif is_whole(limit) and limit > 0:
        return int(limit)
    raise ArgumentError(f"{argument('memory_limit')} must be a number of bytes or a text such as '8 GB', got {limit!r}")


def spell_bytes(n_bytes: float) -> str:
    """Return an amount that is not less, such as "2.4 GB"."""
    for unit in ("bytes", "KB", "MB", "GB", "TB"):
        if n_bytes < 1024 or unit == "TB":
            break
        n_bytes /= 1024
    if unit == "bytes":
        return f"{n_bytes:.0f} bytes"
    return f"{n_bytes:,.0f} {unit}" if n_bytes >= 100 or n_bytes == int(n_bytes) else f"{n_bytes + 0.05:.1f} {unit}"


MOST_ARGUMENTS = 2**31 - 2
"""No circuit has more: its arguments have numbers of 31 bits."""


def allow_size(needed: float) -> str:
    """Return what to do for a circuit of about so many arguments, rounded up to two digits; nothing if none helps."""
    step = 10.0 ** max(0, len(f"{needed:.0f}") - 2)
    size = ceil(needed / step) * int(step)
    return f"allow compile(max_size={size:_}), " if size <= MOST_ARGUMENTS else ""
