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
from ldag.inference.rows import Predictor, complete_log_probabilities
from ldag.inference.sampling import LEAST_EFFECTIVE, estimate_by_weighting, sample_rows
from ldag.inference.sums import MEMORY_LIMIT, CodedFindings, Sums, TablesTooLarge
from ldag.inference.wide import has_wide

__all__ = [
    "LEAST_EFFECTIVE",
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
    "complete_log_probabilities",
    "estimate_by_weighting",
    "has_wide",
    "row_uniforms",
    "run_em",
    "run_em_from_random_starts",
    "sample_rows",
]
