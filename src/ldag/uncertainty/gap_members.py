"""Members of bootstraps and averages where the data have gaps: by structural EM, or from completed tables."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ldag.data import Dataset
from ldag.graph import LDAG
from ldag.learning import AVAILABLE, GIVEN, EMGraph, GapControl, GapSearch, Plan
from ldag.model import ClassPosteriors, ClassTable, Smoothing, Structure
from ldag.progress import Deadline
from ldag.uncertainty.drawn import count_structure
from ldag.uncertainty.filling import GapFilling, fill_gaps

N_SWEEPS = 20
"""Parameters and gaps are drawn in turns so many times, from where EM ends, before a completed table is taken."""


def explain_gaps(plan: Plan, graph: LDAG | None, deadline: Deadline) -> EMGraph:
    """Return a graph with parameters by EM, learned by structural EM if none is given."""
    search = GapSearch(plan, plan.data.sorted(), GapControl(plan.n_jobs, deadline))
    if graph is None:
        return search.run().graph
    return search.explain(graph.structure.reordered([graph.schema.node(name) for name in plan.data.names]))


def learn_with_gaps(plan: Plan, data: Dataset, control: GapControl) -> Structure | None:
    """Learn a graph by structural EM: from a graph that is known, if there is one, and from available cases.

    None if it did not come to its end.
    """
    is_latent = any(variable.latent for variable in data.variables)
    starts = (GIVEN,) * (plan.problem.start is not None) + (AVAILABLE,) * (not is_latent)
    result = GapSearch(plan, data, replace(control, starts=starts)).run()
    return None if result.search.stopped else result.graph.structure


@dataclass(frozen=True, eq=False)
class Imputer:
    """Completes a table again and again, by its number: gaps and parameters drawn in turns under one graph."""

    data: Dataset
    structure: Structure
    probabilities: tuple[ClassTable, ...]
    smoothing: Smoothing
    seed: int

    @classmethod
    def of(cls, plan: Plan, graph: LDAG | None, smoothing: Smoothing, deadline: Deadline) -> "Imputer":
        """Prepare it, under a graph or one that is learned."""
        known = explain_gaps(plan, graph, deadline)
        return cls(plan.data.sorted(), known.structure, known.probabilities, smoothing, plan.seed)

    @cached_property
    def _filling(self) -> GapFilling:
        return fill_gaps(self.data)

    def complete(self, number: int) -> Dataset:
        """Return a completed table."""
        rng = np.random.default_rng([self.seed, number, 1])
        tables = self.probabilities
        for _ in range(N_SWEEPS):
            counts = count_structure(self.structure, self._filling.fill(self.structure, tables, rng).columns)
            pairs = zip(self.structure.families, counts, strict=True)
            tables = tuple(ClassPosteriors.of(f.partition, self.smoothing, own).draw(rng) for f, own in pairs)
        return self._filling.fill(self.structure, tables, rng)
