"""Exact inference by codes: compile a structure with probabilities to a circuit once, ask it many times."""

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
from ldag.inference.weighting import Weighted, weighted_estimate
from ldag.model import Model

__all__ = [
    "MAX_SIZE",
    "MAX_STATES",
    "UNOBSERVED",
    "Circuit",
    "Engine",
    "Evidence",
    "Model",
    "Numbers",
    "Predictor",
    "Rows",
    "TooManyGates",
    "Weighted",
    "compile_circuit",
    "sample_rows",
    "weighted_estimate",
]
