from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def counts(
    codes: NDArray[np.uint8],
    variables: Sequence[int],
    n_states: Sequence[int],
    weights: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]: ...
def weighted_counts(
    codes: NDArray[np.uint8],
    variables: Sequence[int],
    n_states: Sequence[int],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]: ...
