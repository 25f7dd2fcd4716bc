"""Exact inference by codes: compile a structure with probabilities to a circuit once, ask it many times."""

from ldag.inference.circuit import Circuit, Evidence, TooManyGates
from ldag.inference.engine import Engine
from ldag.inference.model import Model
from ldag.inference.prediction import Predictor
from ldag.inference.weighting import Weighted, weighted_estimate

__all__ = ["Circuit", "Engine", "Evidence", "Model", "Predictor", "TooManyGates", "Weighted", "weighted_estimate"]
