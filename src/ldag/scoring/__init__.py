"""Scores: priors, families, whole graphs, and what labels gain."""

from ldag.scoring.families import family_log_predictive, score_family
from ldag.scoring.graphs import Score, class_gains, label_gains, log_predictive, order_columns, score
from ldag.scoring.priors import (
    PRIORS,
    Prior,
    Priors,
    check_equivalent_sample_size,
    check_priors,
    check_smoothing,
    priors_from,
    spread_of,
)

__all__ = [
    "PRIORS",
    "Prior",
    "Priors",
    "Score",
    "check_equivalent_sample_size",
    "check_priors",
    "check_smoothing",
    "class_gains",
    "family_log_predictive",
    "label_gains",
    "log_predictive",
    "order_columns",
    "priors_from",
    "score",
    "score_family",
    "spread_of",
]
