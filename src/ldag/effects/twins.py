"""Two models of a graph with the same observed table and different effects, which anybody can check.

From a random model a walk goes where the effect grows and the table stays: along the gradient of the effect, projected
on the directions that do not change the table to first order, with steps back to the table after each step. Only the
parameters of one block change, in logarithms, so that they stay between 0 and 1; all labels hold, since parameters are
those of classes.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.effects.derivatives import FamilyFactor
from ldag.effects.premises import with_latent_states
from ldag.effects.ranks import LatentBlock, RankTest, attempt_rank_proof, check_case, cut_edges, target_weights
from ldag.effects.results import Budget, EffectQuestion, Twins
from ldag.model import Model, Structure, freeze
from ldag.reasoning import CodedEdge

CLEAR_DIFFERENCE = 0.05
"""Effects this far apart need no other model to walk from."""
FAR_DIFFERENCE = 0.1
"""Effects this far apart need no further step."""
SMALLEST_DIFFERENCE = 0.001
"""Effects nearer than this show nothing to a reader."""
SMALLEST_PROBABILITY = 0.01
"""No parameter is smaller, so that no cell of the table is empty."""
CLOSE = 1e-13
"""Cells of tables that differ by less are equal, up to rounding."""
LARGE = 2**9
"""Cells of a joint table that make a walk slow."""
N_STARTS = 4
"""Models to walk from; the first mostly does."""
N_DRAWN = 4
"""Models to choose one from that a walk starts at."""
N_STEPS = 30
"""Steps of one walk."""
SHORTEST_STEP = 0.02
"""A walk whose steps get shorter is at the border."""
N_CORRECTIONS = 12
"""Steps back to the table before a step counts as too long."""
SMALLEST_SLOPE = 1e-9
"""Singular values below this share of the largest are 0."""
MAX_ENTRIES = 2**24
"""Numbers in the largest matrix of derivatives, 128 MB."""

RealArray = NDArray[np.float64]


def find_twins(
    structure: Structure,
    latent: frozenset[int],
    question: EffectQuestion,
    latent_states: Mapping[int, int] | None = None,
    rng_seed: int = 0,
    cut: Iterable[CodedEdge] = (),
    fixed: frozenset[int] = frozenset(),
) -> Twins | None:
    """Return two models with one observed table and two effects, the effects as far apart as a few walks lead.

    ``latent_states`` and ``cut`` are those of a proof; without them, or where they lead nowhere, one is looked for, in
    which ``fixed`` latents keep their states.
    None: no walk leads away, the effects are too near, or the tables too large.
    """
    check_case(question)
    rng = np.random.default_rng(rng_seed)
    if latent_states is not None:
        twins = _find_in_submodel(structure, latent, question, latent_states, cut, rng)
        if twins is not None:
            return twins
    proof = attempt_rank_proof(structure, latent, question, Budget(), fixed).proof
    if proof is None or (proof.latent_states, proof.cut) == (latent_states, tuple(cut)):
        return None
    return _find_in_submodel(structure, latent, question, proof.latent_states, proof.cut, rng)


def _find_in_submodel(
    structure: Structure,
    latent: frozenset[int],
    question: EffectQuestion,
    latent_states: Mapping[int, int],
    cut: Iterable[CodedEdge],
    rng: np.random.Generator,
) -> Twins | None:
    """Walk where some edges make no difference, and return models of the whole graph."""
    sized = with_latent_states(structure, {v: n for v, n in latent_states.items() if n != structure.n_states[v]})
    test = _simplify(RankTest(cut_edges(sized, frozenset(cut)), latent, question), rng)
    best: Twins | None = None
    for _ in range(N_STARTS):
        twins = _walk_both_ways(test, rng)
        if twins is not None and (best is None or _difference(twins) > _difference(best)):
            best = twins
        if best is not None and _difference(best) >= CLEAR_DIFFERENCE:
            break
    if best is None or _difference(best) < SMALLEST_DIFFERENCE:
        return None
    first, second = (_extend_model(model, sized) for model in best.models)
    return replace(best, models=(first, second))


def extend_twins(twins: Twins, structure: Structure, latent: frozenset[int]) -> Twins:
    """Return the two models as models of a structure with more edges, which make no difference in them."""
    sizes = twins.models[0].structure.n_states
    sized = with_latent_states(structure, {v: sizes[v] for v in latent if sizes[v] != structure.n_states[v]})
    first, second = (_extend_model(model, sized) for model in twins.models)
    return replace(twins, models=(first, second))


def _simplify(test: RankTest, rng: np.random.Generator) -> RankTest:
    """Cut edges from latents that a proof can do without, half of them at a time, while tables are large."""
    n_cut = sum(node in test.latent for node, _ in test.structure.edges)
    while n_cut > 1 and any(prod(table_shape(block)) > LARGE for block in test.affecting):
        n_cut = (n_cut + 1) // 2
        edges = [edge for edge in test.structure.edges if edge[0] in test.latent]
        for at in range(0, len(edges), n_cut):
            simpler = RankTest(cut_edges(test.structure, edges[at : at + n_cut]), test.latent, test.question)
            if simpler.run(rng) is not None:
                test = simpler
    return test


def table_shape(block: LatentBlock) -> tuple[int, int]:
    """Return the cells of a block's observed table, and the states of its latents."""
    states = block.structure.n_states
    latents = block.variables - set(block.observed)
    return prod(states[v] for v in block.observed), prod(states[v] for v in latents)


def _extend_model(model: Model, structure: Structure) -> Model:
    """Return the same distribution as a model of a structure with more edges and classes."""
    tables = []
    for own, family, rows in zip(model.structure.families, structure.families, model.probabilities, strict=True):
        axes = [family.parents.index(parent) for parent in own.parents]
        classes = own.partition.over(family.partition.grid, axes)
        tables.append(freeze(rows[classes[family.partition.first]]))
    return Model(structure, tuple(tables))


def _difference(twins: Twins) -> float:
    return abs(twins.effects[0] - twins.effects[1])


def _draw_start(test: RankTest, is_plain: bool, rng: np.random.Generator) -> list[RealArray]:
    """Draw one distribution per class of every node, away from the border.

    Unless it is to be plain, nodes on a way from a treatment to the target nearly copy each other, since an effect is
    lost on a long way otherwise.
    """
    structure = test.structure
    tables = [
        0.2 / n + 0.8 * rng.dirichlet(np.ones(n), size=family.partition.n_classes)
        for n, family in zip(structure.n_states, structure.families, strict=True)
    ]
    for parent, node in () if is_plain else _find_way(structure, test.question):
        family, n = structure.families[node], structure.n_states[node]
        axis = family.parents.index(parent)
        states = [family.partition.grid.configuration(int(index))[axis] for index in family.partition.first]
        tables[node] = 0.2 * tables[node] + 0.8 * np.eye(n)[np.array(states) % n]
    return tables


def _find_way(structure: Structure, question: EffectQuestion) -> list[CodedEdge]:
    """Return the edges of a shortest way from a treatment to the target; none if there is no way."""
    before: dict[int, int] = {}
    todo = list(question.do)
    for node in todo:
        if node in question.target:
            way = [(before[node], node)]
            while way[-1][0] in before:
                way.append((before[way[-1][0]], way[-1][0]))
            return way
        new = [child for child in structure.children[node] if child not in before and child not in question.do]
        before.update(dict.fromkeys(new, node))
        todo.extend(new)
    return []


def _walk_both_ways(test: RankTest, rng: np.random.Generator) -> Twins | None:
    """Walk from a model to a smaller and to a larger effect: of a few, from the one where the effect changes most."""
    slopes: list[tuple[float, int, Fibre]] = []
    for number in range(N_DRAWN):
        start = _draw_start(test, number % 2 == 0, rng)
        walks = [walk for block in test.affecting if (walk := Fibre(test, block, start)).is_small]
        slopes.extend((*walk.steepest(), walk) for walk in walks)
    if not slopes or max(slope for slope, _, _ in slopes) < SMALLEST_SLOPE:
        return None
    _, cell, walk = max(slopes, key=lambda slope: slope[0])
    ends = [(float(walk.effect(walk.start)[0][cell]), walk.start)] * 2
    for side, sign in enumerate((-1, 1)):
        for effect, point in walk.points(cell, sign):
            ends[side] = (effect, point)
            if ends[1][0] - ends[0][0] >= FAR_DIFFERENCE:
                break
        if ends[1][0] - ends[0][0] >= FAR_DIFFERENCE:
            break
    question = test.question
    states = test.structure.grid(question.target).configuration(cell)
    return Twins(
        (walk.model(ends[0][1]), walk.model(ends[1][1])),
        dict(question.setting),
        dict(question.context),
        dict(zip(question.target, states, strict=True)),
        (ends[0][0], ends[1][0]),
    )


@dataclass(frozen=True, eq=False)
class Fibre:
    """The models that share the table of one block with a given model, all else being equal.

    A point is a vector of logarithms, one for each parameter of the block's families.
    """

    test: RankTest
    block: LatentBlock
    given: list[RealArray]
    """The model: parameters of every node."""

    @cached_property
    def start(self) -> RealArray:
        """The point of the given model."""
        return np.asarray(np.log(np.concatenate([self.given[node].reshape(-1) for node in self.block.nodes])))

    @cached_property
    def _first(self) -> NDArray[np.int64]:
        """The first parameter of every class."""
        sizes = [np.full(len(self.given[node]), self.given[node].shape[1]) for node in self.block.nodes]
        return np.concatenate([[0], np.cumsum(np.concatenate(sizes))[:-1]])

    @cached_property
    def _cells(self) -> tuple[int, int]:
        return table_shape(self.block)

    @property
    def is_small(self) -> bool:
        """Whether the derivatives fit into memory."""
        n_observed, n_latent = self._cells
        return n_observed * max(len(self.start), n_latent * len(self.block.nodes)) <= MAX_ENTRIES

    @cached_property
    def _entries(self) -> NDArray[np.int64]:
        """Which parameter every node contributes to every cell of the joint table, latents fastest."""
        structure, observed = self.test.structure, self.block.observed
        variables = (*observed, *sorted(self.block.variables - set(observed)))
        rows, offset = [], 0
        for node in self.block.nodes:
            factor = FamilyFactor.of(structure, node, {})
            order = np.argsort([variables.index(v) for v in factor.scope])
            shape = [structure.n_states[v] if v in factor.scope else 1 for v in variables]
            table = factor.entries.transpose(order).reshape(shape) + offset
            rows.append(np.broadcast_to(table, [structure.n_states[v] for v in variables]).reshape(-1))
            offset += self.given[node].size
        return np.array(rows)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where in the matrix of derivatives every cell of the joint table counts for every node."""
        n_observed, n_latent = self._cells
        return (np.repeat(np.arange(n_observed), n_latent) * len(self.start) + self._entries).reshape(-1)

    def _by_class(self, entries: RealArray) -> RealArray:
        """Return for every parameter the sum of the last axis over its class."""
        sums = np.add.reduceat(entries, self._first, axis=-1)
        return np.asarray(np.repeat(sums, np.diff([*self._first, len(self.start)]), axis=-1))

    def probabilities(self, point: RealArray) -> RealArray:
        """Return the parameters at a point."""
        raised = np.exp(point - point.max())
        return np.asarray(raised / self._by_class(raised))

    def table(self, point: RealArray) -> RealArray:
        """Return the block's observed table at a point."""
        return np.asarray(self._joint(point).reshape(self._cells).sum(axis=1))

    def _joint(self, point: RealArray) -> RealArray:
        return np.asarray(self.probabilities(point)[self._entries].prod(axis=0))

    def derivatives(self, point: RealArray) -> RealArray:
        """Return the derivatives of the table by the point, a row per cell."""
        weights = np.broadcast_to(self._joint(point), self._entries.shape).reshape(-1)
        n_cells, n_columns = self._cells[0], len(self.start)
        counted = np.bincount(self._places, weights, minlength=n_cells * n_columns)
        shares = np.asarray(counted, dtype=np.float64).reshape(n_cells, n_columns)
        return shares - self.probabilities(point) * self._by_class(shares)

    def effect(self, point: RealArray) -> tuple[RealArray, RealArray]:
        """Return the effect, an entry per state of the target, and its derivatives by the point."""
        test, inside = self.test, self.probabilities(point)
        parameters = dict(enumerate(self._tables(inside)))
        values, by_node = test.effect.differentiate(parameters, target_weights(test.structure, test.question), None)
        parts = [
            by_node[node].reshape(len(values), -1) if node in by_node else np.zeros((len(values), table.size))
            for node in self.block.nodes
            for table in [self.given[node]]
        ]
        slopes = inside * np.concatenate(parts, axis=1)
        slopes = slopes - inside * self._by_class(slopes)
        total = values.sum()
        return values / total, (slopes - np.outer(values / total, slopes.sum(axis=0))) / total

    def _tables(self, inside: RealArray) -> list[RealArray]:
        """Return the parameters of every node when the block's are these."""
        tables, at = list(self.given), 0
        for node in self.block.nodes:
            tables[node] = inside[at : at + tables[node].size].reshape(tables[node].shape)
            at += tables[node].size
        return tables

    def model(self, point: RealArray) -> Model:
        """Return the model of a point."""
        return Model(self.test.structure, tuple(freeze(table) for table in self._tables(self.probabilities(point))))

    def _row_space(self, derivatives: RealArray) -> tuple[RealArray, RealArray]:
        """Return directions that change the table, a row each, and how much they do."""
        n_rows, n_columns = derivatives.shape
        if n_rows >= n_columns:
            _, slopes, rows = np.linalg.svd(np.linalg.qr(derivatives, mode="r"))
        else:  # the singular values of a small square are quicker to find than those of an oblong
            basis, small = np.linalg.qr(derivatives.T)
            _, slopes, turned = np.linalg.svd(small.T)
            rows = turned @ basis.T
        kept = slopes > SMALLEST_SLOPE * slopes[0]
        return rows[kept], slopes[kept]

    def steepest(self) -> tuple[float, int]:
        """Return how fast the effect changes along the fibre at the start, and for which state of the target."""
        rows, _ = self._row_space(self.derivatives(self.start))
        gradient = self.effect(self.start)[1]
        lengths = np.linalg.norm(gradient - gradient @ rows.T @ rows, axis=1)
        return float(lengths.max()), int(lengths.argmax())

    def points(self, cell: int, sign: int) -> Iterator[tuple[float, RealArray]]:
        """Walk from the start while the effect grows (sign 1) or falls (sign -1), as far as the border."""
        point, length, goal = self.start, 1.0, self.table(self.start)
        effects, gradients = self.effect(point)
        for _ in range(N_STEPS):
            derivatives = self.derivatives(point)
            rows, slopes = self._row_space(derivatives)
            direction = gradients[cell] - gradients[cell] @ rows.T @ rows
            direction *= sign / max(np.abs(direction).max(), SMALLEST_SLOPE)
            new, length = None, 2 * length
            while new is None and length > SHORTEST_STEP:
                length /= 2
                new = self._return(point + length * direction, goal, derivatives, rows, slopes)
            before = effects[cell]
            if new is None:
                return
            effects, gradients = self.effect(new)
            if sign * (effects[cell] - before) <= 0:
                return
            point, length = new, 1.5 * length
            yield float(effects[cell]), point

    def _return(
        self, point: RealArray, goal: RealArray, derivatives: RealArray, rows: RealArray, slopes: RealArray
    ) -> RealArray | None:
        """Go back to the table by Newton's steps, with derivatives from nearby; None: it fails, or meets the border."""
        last = np.inf
        for _ in range(N_CORRECTIONS):
            miss = self.table(point) - goal
            size = float(np.abs(miss).max())
            if size < CLOSE:
                return point if self.probabilities(point).min() >= SMALLEST_PROBABILITY else None
            if size > 0.5 * last:
                return None
            last = size
            point = point - (miss @ derivatives @ rows.T / slopes**2) @ rows
        return None
