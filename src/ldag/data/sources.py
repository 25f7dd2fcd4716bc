"""What a table may be given as, for annotations."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

    from ldag.data.dataset import Dataset

Cells = Sequence[object] | NDArray[np.generic]
"""One column of a table."""

AnyTable: TypeAlias = (
    "str | PathLike[str] | Sequence[str | PathLike[str]] | IntoFrame | NDArray[np.generic] "
    "| Mapping[str, Cells] | Dataset"
)
"""Data in any form."""
