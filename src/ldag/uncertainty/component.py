"""The posterior over DAGs under one setting, by number, however it was computed, and labelled DAGs drawn from it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.errors import ArgumentError
from ldag.model import CodedFamily, Partition, Structure
from ldag.uncertainty.families import FamilyLabels, Setting

ParentSet = tuple[int, ...]
Floats = NDArray[np.float64]
Drawn = NDArray[np.uint32]
"""DAGs, a row each: for every node the number of its parent set."""

NEGLIGIBLE = 1e-14
"""DAGs less probable than this change no answer that is shown."""

KEPT_SET = 1e-10
"""Parent sets less probable than this are not asked for their labels, nor written: a file answers as before."""


N_KEPT = 1000
"""DAGs that are drawn and written, so that questions about whole graphs can be asked of a file."""


@dataclass(frozen=True, eq=False)
class Component:
    """Parent sets by node with their probabilities, edges and ancestors (from, to), and DAGs to draw."""

    setting: Setting
    weight: float
    sets: tuple[tuple[ParentSet, ...], ...]
    probabilities: tuple[Floats, ...]
    edges: Floats
    ancestors: Floats
    log_evidence: float | None
    draw: Callable[[int, int], Drawn]
    log_weights: tuple[Floats, ...] | None = None

    @classmethod
    def ruled_out(cls, setting: Setting, n_nodes: int, log_evidence: float | None) -> "Component":
        """Return what is kept of a setting that has no probability worth mentioning."""
        none: tuple[tuple[ParentSet, ...], ...] = ((),) * n_nodes
        nothing = np.zeros((n_nodes, n_nodes))
        dags = KeptDags(np.empty((0, n_nodes), dtype=np.uint32), is_all=True)
        return cls(setting, 0.0, none, (np.empty(0),) * n_nodes, nothing, nothing, log_evidence, dags)

    def likely(self, node: int) -> Iterator[tuple[ParentSet, float]]:
        """Go through the parent sets of a node that have any probability worth mentioning."""
        for place in np.flatnonzero(self.probabilities[node] > KEPT_SET).tolist():
            yield self.sets[node][place], float(self.probabilities[node][place])

    def to_dict(self) -> dict[str, object]:
        """Return what is kept as plain values: the likely parent sets, and DAGs made of these."""
        kept = [np.flatnonzero(p > KEPT_SET) for p in self.probabilities]
        drawn = self.draw(N_KEPT if self.weight else 0, 0)
        inside = np.all([np.isin(drawn[:, node], own) for node, own in enumerate(kept)], axis=0)
        return {
            **self.setting._asdict(),
            "weight": self.weight,
            "log_evidence": self.log_evidence,
            "parent_sets": [
                [{"parents": list(parents), "probability": p} for parents, p in self.likely(node)]
                for node in range(len(self.sets))
            ],
            "edges": self.edges.tolist(),
            "ancestors": self.ancestors.tolist(),
            "dags": [np.searchsorted(own, drawn[inside, node]).tolist() for node, own in enumerate(kept)],
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], content: Mapping[str, Any]) -> "Component":
        """Read what `to_dict` returns; older files have one prior and one sample size, in the content around it."""
        sets = tuple(tuple(tuple(s["parents"]) for s in own) for own in given["parent_sets"])
        chances = tuple(np.array([s["probability"] for s in own], dtype=np.float64) for own in given["parent_sets"])
        edges = given.get("edges")  # which older files do not have
        return cls(
            Setting(
                given.get("prior", content["prior"]),
                float(given["kappa"]),
                float(given.get("equivalent_sample_size", content["equivalent_sample_size"])),
            ),
            float(given["weight"]),
            sets,
            chances,
            sum_edges(sets, chances) if edges is None else np.array(edges, dtype=np.float64),
            np.array(given["ancestors"], dtype=np.float64),
            given["log_evidence"],
            KeptDags(np.array(given["dags"], dtype=np.uint32).T, is_all=True),
        )


@dataclass(frozen=True, eq=False)
class KeptDags:
    """DAGs that were drawn before; with ``is_all`` they are all there is, and no more can be drawn."""

    dags: Drawn
    is_all: bool

    def __call__(self, n_draws: int, seed: int) -> Drawn:
        """Draw some of them."""
        if self.is_all and n_draws > len(self.dags):
            raise ArgumentError(
                f"the file holds {len(self.dags):,} drawn graphs of a setting, and {n_draws:,} are asked for; draw from"
                " the posterior itself, or ask for fewer"
            )
        rng = np.random.default_rng(seed)
        if self.is_all:
            return self.dags[rng.permutation(len(self.dags))[:n_draws]]
        return self.dags[rng.choice(len(self.dags), size=n_draws, replace=n_draws > len(self.dags))]


@dataclass(frozen=True)
class NoDags:
    """No DAGs to draw: where there are gaps, graphs are kept with what was counted for them."""

    n_nodes: int

    def __call__(self, n_draws: int, seed: int) -> Drawn:
        """Return none."""
        del n_draws, seed
        return np.empty((0, self.n_nodes), dtype=np.uint32)


def likely_families(components: Iterable[Component]) -> dict[tuple[int, ParentSet], None]:
    """Return, each once, the families whose counts are kept and written: nodes with their likely parents."""
    return {
        (node, parents): None for one in components for node in range(len(one.sets)) for parents, _ in one.likely(node)
    }


def sum_edges(sets: Sequence[Sequence[ParentSet]], probabilities: Sequence[Floats]) -> Floats:
    """Return the probability of every edge (from, to)."""
    edges = np.zeros((len(sets), len(sets)))
    for node, (own, chances) in enumerate(zip(sets, probabilities, strict=True)):
        parents = np.fromiter(chain.from_iterable(own), dtype=np.int64)
        np.add.at(edges[:, node], parents, np.repeat(chances, [len(one) for one in own]))
    return np.minimum(edges, 1.0)


def draw_labelled_dags(
    components: Sequence[Component], families: FamilyLabels, n_draws: int, seed: int
) -> list[tuple[Structure, float]]:
    """Draw settings, DAGs, and then the labels of each family; structures that are drawn twice are the same object.

    With each comes the equivalent sample size of its setting, which its parameters need.
    """
    rng = np.random.default_rng([seed, n_draws])
    weights = np.array([component.weight for component in components])
    numbers = rng.multinomial(n_draws, weights / weights.sum())
    drawn: list[tuple[Structure, float]] = []
    known: dict[tuple[CodedFamily, ...], Structure] = {}
    for component, number in zip(components, numbers.tolist(), strict=True):
        if number:
            size = component.setting.equivalent_sample_size
            drawn += [(structure, size) for structure in _draw_from(component, families, number, seed, known)]
    return [drawn[place] for place in rng.permutation(len(drawn)).tolist()] if len(components) > 1 else drawn


def _draw_from(
    component: Component,
    families: FamilyLabels,
    number: int,
    seed: int,
    known: dict[tuple[CodedFamily, ...], Structure],
) -> list[Structure]:
    dags = component.draw(number, seed)
    columns = [_draw_families(component, families, node, dags[:, node], seed) for node in range(dags.shape[1])]
    return [known.setdefault(chosen, Structure(families.n_states, chosen)) for chosen in zip(*columns, strict=True)]


def _draw_families(
    component: Component,
    families: FamilyLabels,
    node: int,
    chosen: NDArray[np.uint32],
    seed: int,
) -> list[CodedFamily]:
    """Return a family for each drawn parent set, its labels drawn."""
    drawn: dict[int, CodedFamily] = {}
    for number in np.unique(chosen).tolist():
        places = np.flatnonzero(chosen == number)
        parents = component.sets[node][number]
        grid = families.grid(parents)
        own_seed = int(np.random.SeedSequence([seed, node, number]).generate_state(1, np.uint64)[0] >> 1)
        rows = families.of(node, parents, component.setting).draw(len(places), own_seed)
        same: dict[bytes, CodedFamily] = {}
        for place, classes in zip(places.tolist(), rows, strict=True):
            key = classes.tobytes()
            if key not in same:
                same[key] = CodedFamily.from_partition(parents, Partition.of(grid, classes))
            drawn[place] = same[key]
    return [drawn[place] for place in range(len(chosen))]
