"""Which columns are close to each other, in the most literal way: probabilities of every cell."""

from math import log

import numpy as np
from numpy.typing import NDArray


def closeness(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> float:
    """How much more likely two columns are if they depend on each other, less the parameters that this takes."""
    states, others = np.unique(first), np.unique(second)
    gain = 0.0
    for a in states:
        for b in others:
            n = int(((first == a) & (second == b)).sum())
            if n:
                gain += n * log(n * len(first) / (int((first == a).sum()) * int((second == b).sum())))
    return gain - (len(states) - 1) * (len(others) - 1)
