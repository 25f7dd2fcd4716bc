"""Exact inference by codes: sums over tables, and circuits that are compiled once and asked many times."""

from ldag.inference.circuit import (
    MAX_SIZE,
    MAX_STATES,
    UNOBSERVED,
    Circuit,
    Evidence,
    Numbers,
    Rows,
    TooManyGates,
    compile_circuit,
)
from ldag.inference.engine import Engine
from ldag.inference.rows import Predictor
from ldag.inference.sampling import sample_rows
from ldag.inference.sums import MEMORY_LIMIT, CodedFindings, Sums, SumsPlan, TablesTooLarge
from ldag.inference.weighting import Weighted, estimate_by_weighting
from ldag.model import Model

__all__ = [
    "MAX_SIZE",
    "MAX_STATES",
    "MEMORY_LIMIT",
    "UNOBSERVED",
    "Circuit",
    "CodedFindings",
    "Engine",
    "Evidence",
    "Model",
    "Numbers",
    "Predictor",
    "Rows",
    "Sums",
    "SumsPlan",
    "TablesTooLarge",
    "TooManyGates",
    "Weighted",
    "compile_circuit",
    "estimate_by_weighting",
    "sample_rows",
]
