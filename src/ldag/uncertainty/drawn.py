"""Labelled graphs drawn together with what was counted for them, and what these say about labels."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag._native import Columns
from ldag.data import count_family
from ldag.model import ClassPosteriors, ClassTable, CodedFamily, Grid, Partition, Smoothing, Structure, class_counts
from ldag.uncertainty.families import FamilyLabels, LabelPosterior, Lines, Setting

N_KEPT = 1000
"""Of the drawn graphs, how many a file has."""


@dataclass(frozen=True)
class DrawnGraph:
    """A structure, and the equivalent sample size of the setting that it was drawn with."""

    structure: Structure
    size: float
    completion: str | None = None
    """Which completion of a table with gaps it was drawn for."""
    counts: tuple[ClassTable, ...] | None = field(default=None, compare=False)
    """What was counted there, by node, a row per class; None: what there is in the data."""

    def posteriors(self) -> tuple[ClassPosteriors, ...]:
        """Return the posteriors of the parameters."""
        assert self.counts is not None
        pairs = zip(self.structure.families, self.counts, strict=True)
        return tuple(ClassPosteriors.of(family.partition, Smoothing(self.size), counts) for family, counts in pairs)


def count_structure(structure: Structure, columns: Columns) -> tuple[ClassTable, ...]:
    """Count the families of a structure, a row per class."""
    return tuple(
        class_counts(
            count_family(columns, structure.n_states, node, family.parents).astype(np.float64), family.partition
        )
        for node, family in enumerate(structure.families)
    )


@dataclass(frozen=True, eq=False)
class DrawnLabels:
    """The labels that were drawn for one family, with how often each was."""

    grid: Grid
    partitions: Mapping[Partition, int]

    def all_inside(self, lines: Lines) -> float:
        """Return the share in which each of these lines lies inside a class; 0 of a family that was never drawn."""
        total = sum(self.partitions.values())
        inside = sum(
            number
            for partition, number in self.partitions.items()
            if all(partition.labels[axis][line] for axis, line in lines)
        )
        return inside / total if total else 0.0

    def mean_distributions(self) -> NDArray[np.float64]:
        """Nothing asks for it: there are drawn graphs instead."""
        raise NotImplementedError

    def draw(self, n_draws: int, seed: int) -> NDArray[np.int32]:
        """Nothing asks for it: there are drawn graphs instead."""
        raise NotImplementedError


@dataclass(eq=False)
class DrawnFamilies(FamilyLabels):
    """Answers about labels from graphs that were drawn, as with gaps there is no one table to count."""

    drawn: tuple[DrawnGraph, ...] = ()

    @cached_property
    def _partitions(self) -> dict[tuple[int, tuple[int, ...]], Counter[Partition]]:
        by_family: dict[tuple[int, tuple[int, ...]], Counter[Partition]] = {}
        for structure, number in Counter(one.structure for one in self.drawn).items():
            for node, family in enumerate(structure.families):
                by_family.setdefault((node, family.parents), Counter())[family.partition] += number
        return by_family

    def of(self, node: int, parents: tuple[int, ...], setting: Setting) -> LabelPosterior:
        """Return the labels that were drawn for a family, under whatever setting: sums over settings are the same."""
        del setting
        return DrawnLabels(self.grid(parents), self._partitions.get((node, parents), {}))

    def draw_graphs(self, n_draws: int, seed: int) -> list[DrawnGraph]:
        """Draw some of the graphs: different ones as long as there are enough."""
        rng = np.random.default_rng([seed, n_draws])
        chosen = rng.choice(len(self.drawn), size=n_draws, replace=n_draws > len(self.drawn))
        return [self.drawn[place] for place in chosen.tolist()]

    def keep_counts(self, kept: Iterable[tuple[int, tuple[int, ...]]]) -> None:
        """Do nothing: every graph has its counts."""

    def to_dict(self, kept: Iterable[tuple[int, tuple[int, ...]]]) -> dict[str, object]:
        """Return as plain values some of the drawn graphs, evenly chosen."""
        del kept
        places = np.linspace(0, len(self.drawn) - 1, min(N_KEPT, len(self.drawn))).round().astype(int)
        return {**super().to_dict(()), "drawn": pack_drawn([self.drawn[place] for place in places.tolist()])}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], n_states: tuple[int, ...]) -> "DrawnFamilies":
        """Read what `to_dict` returns."""
        known = FamilyLabels.from_dict(content, n_states)
        drawn = tuple(unpack_drawn(content["drawn"], n_states))
        return cls(n_states, None, known.max_configurations, known.label_rules, drawn=drawn)


def pack_drawn(drawn: Iterable[DrawnGraph]) -> dict[str, Any]:
    """Return drawn graphs as plain values, every different family once."""
    places: dict[tuple[int, CodedFamily], int] = {}
    graphs = []
    for one in drawn:
        assert one.counts is not None
        own = [places.setdefault(family, len(places)) for family in enumerate(one.structure.families)]
        counts = [table.ravel().tolist() for table in one.counts]
        graphs.append({"families": own, "size": one.size, "completion": one.completion, "counts": counts})
    families = [{"parents": list(f.parents), "classes": f.partition.to_array().tolist()} for _, f in places]
    return {"families": families, "graphs": graphs}


def unpack_drawn(packed: Mapping[str, Any], n_states: tuple[int, ...]) -> Iterable[DrawnGraph]:
    """Go through what `pack_drawn` returns."""
    families = []
    for one in packed["families"]:
        grid = Grid(tuple(n_states[parent] for parent in one["parents"]))
        families.append(CodedFamily.from_partition(tuple(one["parents"]), Partition.of(grid, one["classes"])))
    for graph in packed["graphs"]:
        structure = Structure(n_states, tuple(families[place] for place in graph["families"]))
        counts = tuple(
            np.array(table, dtype=np.float64).reshape(-1, n) for table, n in zip(graph["counts"], n_states, strict=True)
        )
        yield DrawnGraph(structure, float(graph["size"]), graph["completion"], counts)
