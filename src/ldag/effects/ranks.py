"""A proof that an effect is not a function of the observed table: two ranks, exact modulo random primes.

The table and the effect are functions of the class parameters. If a direction changes the effect and not the table to
first order at a general point, then models near it share the table and differ in the effect. So the rank of the
derivatives of the table is compared with the rank together with those of the effect.

**One block at a time.** Families without latents are P(node | parents), and latents tie the others into blocks, whose
tables are functions of the observed table (Tian and Pearl 2002). So a direction leaves the table as it is iff it leaves
every block's as it is, and changes no family without latents: ranks are compared for each block.

**Few rows.** Instead of cells of a block's table, sums of all cells are taken, weighed by products of random weights,
one per state of each variable. Such weights span everything, so as many sums as the rank can be have the same rank as
the cells. A sum is worked out by summing out variables, however large the table is.

**Error.** A rank at a random point is at most the rank at a general one; a table's rank that comes out too small could
fake a proof, in no other way can it fail. Let r be the table's rank at a general point, d the number of factors and of
weighed variables, and N the number of states of everything in a block. Some minor of size r is a polynomial that is not
zero, of degree at most r d, with coefficients of absolute sum at most r! (2 N^2) ^ r. A random prime between 2^30 and
2^31, of which there are 50,697,537, divides them all with probability at most r log2(2 r N^2) / 30 / 50,697,537; if it
does not, then the minor is zero at a random point with probability at most r d / 2^30 (Schwartz and Zippel). Primes and
points are drawn until all of them fail with probability below 2 ** -60, and the largest ranks count.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import ceil, log2, prod

import numpy as np
from numpy.typing import NDArray

from ldag.effects.derivatives import ClassEntries, SumOfProducts
from ldag.effects.premises import free_latents, with_latent_states
from ldag.effects.results import Budget, EffectQuestion, RankProof
from ldag.model import CodedFamily, Partition, Structure
from ldag.reasoning import CodedEdge

SURENESS = 60
"""A proof is accepted once its error probability is below 2 ** -SURENESS, as for independencies."""
SIZES = (2, 3, 4, 5, 6, 8, 12, 16, 24, 32)
"""Numbers of states that latents get in turn: proofs mostly need 2 or 3, few need 5, and more cost little to try."""
N_FIRST_SIZES = 2
"""Sizes with all edges, before some are cut: they mostly do, and few edges are easier to grasp than many states."""
N_RANDOM_CUTS = 60
"""Random sets of edges to cut; each costs about as much as one size."""
N_PRIMES = 50_697_537
"""Primes between 2 ** 30 and 2 ** 31."""

Matrix = NDArray[np.int64]


@dataclass(frozen=True)
class RankAttempt:
    """What comparing ranks showed, and in words how far it went."""

    proof: RankProof | None
    tried: tuple[str, ...] = ()
    is_cut: bool = False
    """Whether the budget ended it."""


def prove_quickly(
    structure: Structure,
    latent: frozenset[int],
    question: EffectQuestion,
    budget: Budget,
    fixed: frozenset[int] = frozenset(),
) -> RankProof | None:
    """Compare ranks once, with latents of two states: most cases that have no formula end here."""
    check_case(question)
    free = sorted(free_latents(structure, latent) - fixed - set(question.do))
    test = RankTest(with_latent_states(structure, dict.fromkeys(free, SIZES[0])), latent, question)
    return None if _spell_excess(test, budget) else test.run(np.random.default_rng(0))


def attempt_rank_proof(
    structure: Structure,
    latent: frozenset[int],
    question: EffectQuestion,
    budget: Budget,
    fixed: frozenset[int] = frozenset(),
) -> RankAttempt:
    """Compare ranks with latents of more and more states, and where edges make no difference; tell how far that went.

    Models in which an edge makes no difference are models of the graph too. Latents that have many children can be
    recovered from them, unless some of these do not listen. Those that labels name keep their states, and so do
    ``fixed`` ones, which labels name in a part of the graph that the structure is without.
    """
    check_case(question)
    free = tuple(sorted(free_latents(structure, latent) - fixed - set(question.do)))
    done, n_simpler, excess, is_cut = 0, 0, "", False
    for cut, size in _simplifications(structure, latent, bool(free)):
        sized = with_latent_states(cut_edges(structure, cut), dict.fromkeys(free, size))
        test = RankTest(sized, latent, question)
        too_large = _spell_excess(test, budget)
        if too_large:
            excess, is_cut = excess if cut else too_large, True
            continue
        proof = test.run(np.random.default_rng(0))
        if proof is not None:
            return RankAttempt(replace(proof, cut=tuple(sorted(cut))))
        n_simpler, done = n_simpler + bool(cut), done if cut else max(done, size)
    return RankAttempt(None, (_tell_ranks(done, n_simpler, excess, is_sized=bool(free)),), is_cut)


def _tell_ranks(done: int, n_simpler: int, excess: str, *, is_sized: bool) -> str:
    """Say how far comparing ranks went: up to how many states, how often with fewer edges, and what ended it."""
    fewer = f"{n_simpler} times with edges cut"
    if not done:
        return f"ranks {fewer}, not with all edges, as {excess}"
    if not is_sized:
        return f"ranks with latent variables of their states, which labels or the question name, and {fewer}"
    more = f"with more {excess}" if excess else "more were not tried"
    return f"ranks with latent variables of up to {done} states ({more}), and {fewer}"


def _spell_excess(test: "RankTest", budget: Budget) -> str:
    """Say why a test is beyond the budget, if it is."""
    if test.n_columns > budget.n_parameters:
        return f"there are more than {budget.n_parameters} parameters"
    return f"a table has more than {budget.cells} cells" if test.largest > budget.cells else ""


def _simplifications(
    structure: Structure, latent: frozenset[int], has_free: bool
) -> Iterator[tuple[frozenset[CodedEdge], int]]:
    """Go through edges to cut, and numbers of states of free latents: the whole graph first, the largest at the end."""
    whole = frozenset[CodedEdge]()
    yield from ((whole, size) for size in (SIZES[:N_FIRST_SIZES] if has_free else SIZES[:1]))
    yield from ((cut, SIZES[0]) for cut in _edges_to_cut(structure, latent))
    yield from ((whole, size) for size in (SIZES[N_FIRST_SIZES:] if has_free else ()))


def _edges_to_cut(structure: Structure, latent: frozenset[int]) -> Iterator[frozenset[CodedEdge]]:
    """Go through sets of edges to cut: all from latents but two from one of them, then random ones."""
    from_latent = frozenset(edge for edge in structure.edges if edge[0] in latent)
    pairs = [
        frozenset({(node, a), (node, b)})
        for node in sorted(latent)
        for a, b in combinations(structure.children[node], 2)
    ]
    rng = np.random.default_rng(0)
    shares = [0.5 if edge in from_latent else 0.15 for edge in structure.edges]
    random = [
        frozenset(
            edge for edge, is_cut in zip(structure.edges, rng.random(len(shares)) < shares, strict=True) if is_cut
        )
        for _ in range(N_RANDOM_CUTS if from_latent else 0)
    ]
    yield from dict.fromkeys(cut for cut in (*(from_latent - pair for pair in pairs), *random) if cut)


def cut_edges(structure: Structure, cut: Iterable[CodedEdge]) -> Structure:
    """Return the structure of the models in which some edges make no difference; every label still holds."""
    families = list(structure.families)
    for child in {child for _, child in cut}:
        family = families[child]
        gone = tuple(axis for axis, parent in enumerate(family.parents) if (parent, child) in cut)
        classes = family.partition.to_array().reshape(family.partition.grid.n_states)
        joined = np.arange(family.partition.n_classes)
        before = joined[:0]
        while not np.array_equal(joined, before):  # the lowest class that lines along the cut parents lead to
            before = joined.copy()
            np.minimum.at(joined, classes, joined[classes].min(axis=gone, keepdims=True))
        kept = tuple(parent for axis, parent in enumerate(family.parents) if axis not in gone)
        whole = Partition.of(family.partition.grid, joined[classes])
        families[child] = CodedFamily.from_partition(kept, whole.without(gone)).regular()
    return Structure(structure.n_states, tuple(families))


def check_case(question: EffectQuestion) -> None:
    """Refuse what is no case: a treatment without a state, or given variables that are not fixed."""
    if question.given or set(question.do) - question.setting.keys():
        raise ValueError("one case is decided at a time: a state for every treatment, given variables in the context")


@dataclass(frozen=True, eq=False)
class RankTest:
    """The two ranks of one question about one structure, whose latents have their numbers of states."""

    structure: Structure
    latent: frozenset[int]
    question: EffectQuestion

    @cached_property
    def blocks(self) -> tuple["LatentBlock", ...]:
        """What latent variables tie together, where it bears on the effect."""
        nodes = latent_blocks(self.structure, self.latent)
        return tuple(LatentBlock(self.structure, self.latent, block) for block in nodes)

    @cached_property
    def effect(self) -> SumOfProducts:
        """P(target, context | do(setting)), a row per state of the target: the families above both but treatments."""
        return effect_polynomial(self.structure, self.question)

    @cached_property
    def affecting(self) -> tuple["LatentBlock", ...]:
        """Blocks with parameters that the effect depends on."""
        inside = {factor.node for factor in self.effect.factors}
        return tuple(block for block in self.blocks if inside.intersection(block.nodes))

    @property
    def n_columns(self) -> int:
        """ClassEntries of the largest block that counts."""
        return max((block.n_parameters for block in self.affecting), default=0)

    @property
    def largest(self) -> int:
        """Cells of the largest table that is made."""
        return max(self.effect.largest, *(block.table.largest for block in self.affecting), 1)

    def run(self, rng: np.random.Generator) -> RankProof | None:
        """Return a proof if the ranks differ in some block."""
        for block in self.affecting:
            ranks, more, n_draws = 0, 0, 0
            while n_draws < block.n_draws and (n_draws == 0 or more > ranks):
                low, high = self._compare(block, rng)
                ranks, more, n_draws = max(ranks, low), max(more, high), n_draws + 1
            if more > ranks:
                return self._prove(block, ranks, n_draws, rng)
        return None

    def _compare(self, block: "LatentBlock", rng: np.random.Generator) -> tuple[int, int]:
        """Draw a prime and a point, and return the rank of a block's table without and with the effect."""
        prime = draw_prime(rng)
        parameters = draw_modular_parameters(self.structure, prime, rng)
        rows = block.draw_rows(parameters, prime, rng)
        values, by_node = self.effect.differentiate(parameters, target_weights(self.structure, self.question), prime)
        top = block.columns({node: g % prime for node, g in by_node.items()}, len(values)) % prime
        bottom = top.sum(axis=0) % prime  # the probability of the context
        total = int(values.sum() % prime)
        gradient = (total * top - values[:, None] * bottom % prime) % prime
        return compare_ranks(rows, gradient, prime)

    def _prove(self, proving: "LatentBlock", rank: int, n_draws: int, rng: np.random.Generator) -> RankProof:
        """Return the proof, with the rank of the whole table."""
        tied = {node for block in self.blocks for node in block.nodes}
        seen = self.structure.ancestors(node for node in range(len(self.structure)) if node not in self.latent)
        rank += sum(self.structure.dimension(node) for node in seen - tied)
        for block in self.blocks:
            if block is not proving:
                prime = draw_prime(rng)
                rows = block.draw_rows(draw_modular_parameters(self.structure, prime, rng), prime, rng)
                rank += compare_ranks(rows, rows[:0], prime)[0]
        states = {node: self.structure.n_states[node] for node in sorted(self.latent)}
        n_parameters = sum(self.structure.dimension(node) for node in range(len(self.structure)))
        return RankProof(states, rank, n_parameters, n_draws, {**self.question.context, **self.question.setting})


@dataclass(frozen=True, eq=False)
class LatentBlock:
    """Nodes whose families latent variables tie together, and the table that these make of the observed variables."""

    structure: Structure
    latent: frozenset[int]
    nodes: tuple[int, ...]

    @cached_property
    def variables(self) -> frozenset[int]:
        """The nodes and their parents."""
        return frozenset(v for node in self.nodes for v in (node, *self.structure.parents(node)))

    @cached_property
    def observed(self) -> tuple[int, ...]:
        """Observed variables, which the table is of, ascending."""
        return tuple(sorted(self.variables - self.latent))

    @cached_property
    def table(self) -> SumOfProducts:
        """Sums of the table's cells, weighed."""
        return SumOfProducts.of(self.structure, self.nodes, self.observed)

    @cached_property
    def n_parameters(self) -> int:
        """Free parameters of the families."""
        return sum(self.structure.dimension(node) for node in self.nodes)

    @cached_property
    def max_rank(self) -> int:
        """What the rank cannot exceed."""
        return min(self.n_parameters, prod(self.structure.n_states[v] for v in self.observed))

    @cached_property
    def n_draws(self) -> int:
        """Draws after which too small a rank in all of them is less probable than 2 ** -SURENESS; see above."""
        rank, degree = self.max_rank, len(self.nodes) + len(self.observed)
        bits = 1 + log2(rank) + 2 * sum(log2(self.structure.n_states[v]) for v in self.variables)
        error = rank * bits / 30 / N_PRIMES + rank * degree / 2**30
        return ceil(SURENESS / -log2(error))

    def draw_rows(self, parameters: ClassEntries, prime: int, rng: np.random.Generator) -> Matrix:
        """Return the derivatives of as many weighed sums of cells as the rank may be."""
        weights = {v: rng.integers(prime, size=(self.max_rank, self.structure.n_states[v])) for v in self.observed}
        return self.columns(self.table.differentiate(parameters, weights, prime)[1], self.max_rank) % prime

    def columns(self, gradients: ClassEntries, n_rows: int) -> Matrix:
        """Return derivatives by the free parameters, the last state of each class being what is left."""
        parts = [
            (g[..., :-1] - g[..., -1:]).reshape(n_rows, -1)
            if (g := gradients.get(node)) is not None
            else np.zeros((n_rows, self.structure.dimension(node)), dtype=np.int64)
            for node in self.nodes
        ]
        return np.concatenate(parts, axis=1)


def latent_blocks(structure: Structure, latent: frozenset[int]) -> tuple[tuple[int, ...], ...]:
    """Return groups of nodes whose families latent variables tie together, each ascending.

    The observed table is a product of one table per group, each a function of the observed table, and of families
    without latents, which are P(node | parents). Latents without observed descendants count for nothing.
    """
    heard = structure.ancestors(node for node in range(len(structure)) if node not in latent)
    groups: list[tuple[set[int], list[int]]] = []
    for node in sorted(heard):
        ties = latent.intersection((node, *structure.parents(node)))
        if ties:
            touching = [group for group in groups if group[0] & ties]
            groups = [group for group in groups if not group[0] & ties]
            merged = set(ties).union(*(group[0] for group in touching))
            groups.append((merged, sorted([node, *(n for group in touching for n in group[1])])))
    return tuple(tuple(nodes) for _, nodes in sorted(groups, key=lambda group: group[1]))


def effect_polynomial(structure: Structure, question: EffectQuestion) -> SumOfProducts:
    """Return P(target, context | do(setting)) as a sum over the families above target and context but treatments."""
    families = list(structure.families)
    above = set()
    todo = [*question.target, *question.context]
    while todo:
        node = todo.pop()
        if node not in above and node not in question.do:
            above.add(node)
            todo.extend(families[node].parents)
    return SumOfProducts.of(structure, sorted(above), question.target, {**question.context, **question.setting})


def target_weights(structure: Structure, question: EffectQuestion) -> dict[int, Matrix]:
    """Return weights with a row for each state of the target, which pick that state."""
    grid = structure.grid(question.target)
    codes = np.array([grid.configuration(index) for index in range(grid.size)]).T
    return {
        v: (own[:, None] == np.arange(structure.n_states[v])).astype(np.int64)
        for v, own in zip(question.target, codes, strict=True)
    }


def draw_modular_parameters(structure: Structure, prime: int, rng: np.random.Generator) -> dict[int, Matrix]:
    """Draw every class's distribution modulo a prime; its entries sum to 1."""
    drawn = {}
    for node, family in enumerate(structure.families):
        table = rng.integers(prime, size=(family.partition.n_classes, structure.n_states[node]))
        table[:, -1] = (1 - table[:, :-1].sum(axis=1)) % prime
        drawn[node] = table
    return drawn


def compare_ranks(rows: Matrix, more: Matrix, prime: int) -> tuple[int, int]:
    """Return the rank of some rows modulo a prime, and the rank together with more of them."""
    matrix = np.concatenate([rows, more]).astype(np.int64)
    ranks = [0, 0]
    for at in range(len(matrix)):
        places = np.flatnonzero(matrix[at])
        if len(places):
            pivot = places[0]
            row = matrix[at, pivot:] * pow(int(matrix[at, pivot]), -1, prime) % prime
            below = np.flatnonzero(matrix[at + 1 :, pivot]) + at + 1
            scale = prime - matrix[below, pivot]
            matrix[below, pivot:] = (matrix[below, pivot:] + scale[:, None] * row) % prime
            ranks[0] += at < len(rows)
            ranks[1] += 1
    return ranks[0], ranks[1]


def draw_prime(rng: np.random.Generator) -> int:
    """Draw a prime between 2 ** 30 and 2 ** 31."""
    return next(number for number in _odd_numbers(rng) if _is_prime(number))


def _odd_numbers(rng: np.random.Generator) -> Iterator[int]:
    while True:
        yield int(rng.integers(2**29, 2**30)) * 2 + 1


def _is_prime(number: int) -> bool:
    """Tell whether an odd number is prime, by the test of Miller and Rabin; these bases decide below 3,215,031,751."""
    twos = (number - 1 & -(number - 1)).bit_length() - 1
    for base in (2, 3, 5, 7):
        power = pow(base, number - 1 >> twos, number)
        squares = [power := pow(power, 2, number) if step else power for step in range(twos)]
        if squares[0] != 1 and number - 1 not in squares:
            return False
    return True
