"""How much graphs and networks agree: edges, labels, partitions, distributions."""

from ldag.comparing.divergence import entropy as entropy
from ldag.comparing.divergence import kl_divergence as kl_divergence
from ldag.comparing.divergence import kl_divergence_estimate as kl_divergence_estimate
from ldag.comparing.graphs import Comparison as Comparison
from ldag.comparing.graphs import EdgeLabels as EdgeLabels
from ldag.comparing.graphs import adjusted_rand as adjusted_rand
from ldag.comparing.graphs import label_precision_recall as label_precision_recall
from ldag.comparing.graphs import structural_hamming_distance as structural_hamming_distance
from ldag.comparing.undirected import UndirectedComparison as UndirectedComparison
from ldag.comparing.undirected import compare as compare
