"""How much graphs and networks agree: edges, labels, partitions, distributions."""

from ldag.comparing.divergence import entropy, kl_divergence, kl_divergence_estimate
from ldag.comparing.graphs import (
    Comparison,
    adjusted_rand,
    compare,
    label_precision_recall,
    structural_hamming_distance,
)
from ldag.comparing.result import EdgeLabels

__all__ = [
    "Comparison",
    "EdgeLabels",
    "adjusted_rand",
    "compare",
    "entropy",
    "kl_divergence",
    "kl_divergence_estimate",
    "label_precision_recall",
    "structural_hamming_distance",
]
