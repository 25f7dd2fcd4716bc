"""Proofs beyond exact search: an upper bound on the score of any graph, by linear programmes, cuts and branches.

One variable between 0 and 1 stands for each parent set of a node that beats all its subsets (any other set can be
replaced by such a subset, which scores as well and closes no cycle). A choice of one set for each node is a graph, and
cuts say what an acyclic one fulfils. Prices for the cuts, which the solver of a linear programme finds, give a bound
that holds for whatever prices, and exclude families with which no graph reaches the best score known. What gap is left
is closed by branches, with an edge and without it.
"""

from ldag.proving.branches import Bound as Bound
from ldag.proving.branches import bound_scores as bound_scores
from ldag.proving.families import ParentChoice as ParentChoice
from ldag.proving.families import bits_of as bits_of
from ldag.proving.solver import load_highspy as load_highspy
from ldag.proving.solver import run_highs as run_highs
from ldag.proving.solver import start_highs as start_highs
