"""Exact inference by codes: sums over tables, and circuits that are compiled once and asked many times."""

from ldag.inference.circuit import (
    MAX_SIZE,
    UNOBSERVED,
    Circuit,
    Numbers,
    Rows,
    TooManyGates,
    compile_circuit,
)
from ldag.inference.completing import Completions, NothingFits, row_uniforms
from ldag.inference.em import CodedGaps, EMControl, EMResult, ImpossibleRow, run_em, run_em_from_random_starts
from ldag.inference.engine import Engine
from ldag.inference.rows import Predictor
from ldag.inference.sampling import estimate_by_weighting, sample_rows
from ldag.inference.sums import MEMORY_LIMIT, CodedFindings, Sums, TablesTooLarge

__all__ = [
    "MAX_SIZE",
    "MEMORY_LIMIT",
    "UNOBSERVED",
    "Circuit",
    "CodedFindings",
    "CodedGaps",
    "Completions",
    "EMControl",
    "EMResult",
    "Engine",
    "ImpossibleRow",
    "NothingFits",
    "Numbers",
    "Predictor",
    "Rows",
    "Sums",
    "TablesTooLarge",
    "TooManyGates",
    "compile_circuit",
    "estimate_by_weighting",
    "row_uniforms",
    "run_em",
    "run_em_from_random_starts",
    "sample_rows",
]
