"""What a report is about: a network with what is known of it."""

from dataclasses import dataclass
from functools import cached_property

from ldag.data import Dataset, check_data
from ldag.formats import MOST_CASES, Edge
from ldag.graph import LDAG, EdgeDirections, family_counts
from ldag.inference import CodedGaps
from ldag.learning import Fit
from ldag.model import Counts
from ldag.network import Network
from ldag.presenting.undirected import is_undirected
from ldag.scoring import expect_configurations
from ldag.uncertainty import Agreement, Mixture, StrataPosterior


@dataclass(frozen=True)
class Subject:
    """What a report is about; what is None was not done."""

    network: Network
    data: Dataset | None = None
    fit: Fit | None = None
    sureness: Agreement | StrataPosterior | None = None
    why_not_sure: str = ""
    mixture: Mixture | None = None
    """The networks that answer together, if there are several; the network is then one that stands for them."""

    @property
    def graph(self) -> LDAG:
        """The graph."""
        return self.network.ldag

    @cached_property
    def is_undirected(self) -> bool:
        """Whether the model was learned without arrows."""
        return is_undirected(self.network)

    @cached_property
    def counts(self) -> tuple[Counts, ...] | None:
        """How many rows have each state of each node, by the configurations of its parents; None without data."""
        if self.fit is not None:
            return self.fit.counts
        if self.data is None:
            return None
        data = check_data(self.data, self.graph.schema).aligned_to(self.graph.schema)
        if data.has_gaps:
            table = CodedGaps.of(data.codes, data.schema.n_states, data.weights)
            return expect_configurations(self.graph.structure, self.network.probabilities, table)
        return tuple(counts for _, counts, _ in family_counts(self.graph, data))

    @cached_property
    def exceptions(self) -> dict[Edge, str]:
        """The labels in words, as short as people can read."""
        told = zip(self.graph.labelled_edges, self.graph.labels_in_words(MOST_CASES, self.counts), strict=True)
        if not self.is_undirected:
            return dict(told)
        return {
            (a, b): text.replace(f"{a} does not matter for {b}", f"{a} and {b} are independent")
            for (a, b), text in told
        }

    @cached_property
    def directions(self) -> EdgeDirections:
        """The arrows whose direction follows from the data and the constraints, and the others."""
        return self.graph.edge_directions(self.network.forbidden)

    @property
    def constraints(self) -> str:
        """The constraints that the graph was learned under, one on each line."""
        kept = (self.network.origin or {}).get("constraints")
        return kept.strip() if isinstance(kept, str) else ""
