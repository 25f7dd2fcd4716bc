"""Scores: priors, families, whole graphs, and what labels gain."""

from ldag.scoring.bounds import ExpectedCounts as ExpectedCounts
from ldag.scoring.bounds import expect_configurations as expect_configurations
from ldag.scoring.families import PRIORS as PRIORS
from ldag.scoring.families import NodeScore as NodeScore
from ldag.scoring.families import Prior as Prior
from ldag.scoring.families import Priors as Priors
from ldag.scoring.families import check_equivalent_sample_size as check_equivalent_sample_size
from ldag.scoring.families import check_priors as check_priors
from ldag.scoring.families import check_smoothing as check_smoothing
from ldag.scoring.families import family_log_predictive as family_log_predictive
from ldag.scoring.families import priors_from as priors_from
from ldag.scoring.families import score_family as score_family
from ldag.scoring.families import spread_of as spread_of
from ldag.scoring.graphs import Score as Score
from ldag.scoring.graphs import check_trees as check_trees
from ldag.scoring.graphs import class_gains as class_gains
from ldag.scoring.graphs import label_gains as label_gains
from ldag.scoring.graphs import log_predictive as log_predictive
from ldag.scoring.graphs import order_columns as order_columns
from ldag.scoring.graphs import score as score
