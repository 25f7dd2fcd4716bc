"""The fewest starred tuples that cover exactly a set of configurations.

A *term* fixes one state on some axes and stars the others; its configurations make a box of the grid. A box
is *prime* when it lies inside the set and no more of its axes can be starred. A minimum cover needs only prime
boxes, so finding one is a set covering problem (Quine and McCluskey, here with any numbers of states). It is
solved by branch and bound: essential and dominated boxes and configurations go first, what falls apart is
solved part by part, and a Lagrangian relaxation bounds the rest. The relaxation contains the bound by
independent configurations, and runs on whole numbers, so that the bound is a proof on every machine.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ldag.model.partition import Grid

Term = tuple[int | None, ...]
"""One entry per axis: a state, or None (written ``*``) for any state."""

EXACT_SIZE = 256
"""Grids up to this size get a proven minimum, larger ones a greedy cover."""

MAX_NODES = 10_000
"""Branches the search looks at before it settles for the best cover it knows, without a proof."""

_UNIT = 1 << 12  # the cost of one box; multipliers are whole numbers, so sums of floats are exact
_Cells = NDArray[np.bool_]
_Values = NDArray[np.float64]


@dataclass(frozen=True)
class Cover:
    """Terms, sorted, whose union is the set; ``is_minimal`` says that no fewer terms can do it (proven)."""

    terms: tuple[Term, ...]
    is_minimal: bool


def minimal_cover(grid: Grid, cells: Iterable[int]) -> Cover:
    """Cover a set of configurations by as few terms as possible, and nothing outside it.

    Among the minimum covers, terms with fewer fixed states and then earlier ones are preferred, but not
    sought at all costs.

    Examples
    --------
    >>> minimal_cover(Grid((2, 3)), [0, 1, 2, 4]).terms
    ((0, None), (None, 1))
    """
    inside = np.zeros(grid.size, dtype=np.bool_)
    inside[list(cells)] = True
    if not inside.any():
        return Cover((), True)
    if np.count_nonzero(inside) == 1:
        codes = grid.configuration(int(np.argmax(inside)))
        return Cover((tuple(c if n > 1 else None for c, n in zip(codes, grid.n_states, strict=True)),), True)
    cube = inside.reshape(grid.n_states)
    if grid.size > EXACT_SIZE:
        terms = _greedy_terms(cube)
        return Cover(_sort(terms), len(terms) <= 2)  # one term would have been found if it were enough
    terms = _prime_terms(cube)
    search = _Search(_masks(grid, terms), grid.size)
    chosen = search.minimum(_mask(inside), (1 << len(terms)) - 1, len(terms) + 1)
    assert chosen is not None
    return Cover(_sort(terms[prime] for prime in search.preferred(chosen)), search.nodes_left > 0)


def _sort(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Sort terms by their entries, a star after every state."""
    return tuple(sorted(terms, key=lambda term: [(code is None, code or 0) for code in term]))


def _mask(members: _Cells) -> int:
    """Return a set as the bits of one integer."""
    return int.from_bytes(np.packbits(members, bitorder="little").tobytes(), "little")


def _bits(mask: int) -> Iterator[int]:
    """Yield the members of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _prime_terms(cube: _Cells) -> list[Term]:
    """Return the prime boxes of a set: fewest fixed states first, then in the order of `_sort`."""
    boxes = cube  # becomes an array over all boxes: the last entry of an axis is the star
    for axis in range(cube.ndim):
        boxes = np.concatenate([boxes, boxes.all(axis=axis, keepdims=True)], axis=axis)
    prime = boxes.copy()
    for axis, n in enumerate(cube.shape):
        np.moveaxis(prime, axis, 0)[:n] &= ~np.moveaxis(boxes, axis, 0)[n]
    rows = np.argwhere(prime).tolist()
    terms = [tuple(None if code == n else code for code, n in zip(row, cube.shape, strict=True)) for row in rows]
    return sorted(terms, key=lambda term: -term.count(None))


def _masks(grid: Grid, terms: list[Term]) -> list[int]:
    """Return the configurations of each term."""
    having = _state_masks(grid)
    masks = []
    for term in terms:
        mask = (1 << grid.size) - 1
        for axis, code in enumerate(term):
            if code is not None:
                mask &= having[axis][code]
        masks.append(mask)
    return masks


@lru_cache(maxsize=128)
def _state_masks(grid: Grid) -> list[list[int]]:
    """Return the configurations that have each state of each axis; kept, because one family asks for many covers."""
    return [[_mask(_states(grid, axis) == code) for code in range(n)] for axis, n in enumerate(grid.n_states)]


def _states(grid: Grid, axis: int) -> NDArray[np.int64]:
    """Return the state of one axis in every configuration."""
    return np.arange(grid.size) // grid.strides[axis] % grid.n_states[axis]


class _Search:
    """Branch and bound for one set covering problem.

    A sub-problem is a pair of bit sets: the cells still to cover and the primes still allowed.
    """

    def __init__(self, cells_of: list[int], n_cells: int) -> None:
        self.cells_of = cells_of
        self.primes_of = [0] * n_cells
        for prime, cells in enumerate(cells_of):
            for cell in _bits(cells):
                self.primes_of[cell] |= 1 << prime
        self.prices: _Values = np.zeros(n_cells)  # where the next relaxation starts
        self.nodes_left = MAX_NODES

    def minimum(self, cells: int, primes: int, limit: int) -> list[int] | None:
        """Return a minimum cover if one has fewer than ``limit`` primes, else None."""
        chosen: list[int] = []
        reduced = self._reduce(cells, primes, chosen)
        if reduced is None or len(chosen) >= limit:
            return None
        cells, primes = reduced
        parts = [_Relaxation(self, part, primes) for part in self._parts(cells, primes)]
        spare = limit - len(chosen)  # what is left when every part takes only its bound
        for part in parts:
            part.improve(spare)
            spare -= part.bound
            if spare <= 0:
                return None
        for part in parts:
            solved = self._branch(part, primes, spare + part.bound)
            if solved is None:
                return None
            chosen += solved
            spare -= len(solved) - part.bound
        return chosen

    def preferred(self, chosen: list[int]) -> list[int]:
        """Exchange primes of a cover for earlier ones, as long as the cover stays one."""
        changed = True
        while changed:
            changed = False
            for position, prime in enumerate(chosen):
                others = 0
                for other in chosen[:position] + chosen[position + 1 :]:
                    others |= self.cells_of[other]
                own = self.cells_of[prime] & ~others
                earlier = next(p for p, cells in enumerate(self.cells_of) if not own & ~cells)
                if earlier < prime:
                    chosen[position] = earlier
                    changed = True
        return chosen

    def _reduce(self, cells: int, primes: int, chosen: list[int]) -> tuple[int, int] | None:
        """Take essential primes, drop dominated primes and cells, until nothing changes; None if infeasible."""
        before = (-1, -1)
        while (cells, primes) != before:
            before = (cells, primes)
            for cell in _bits(cells):
                if not cells >> cell & 1:
                    continue
                left = self.primes_of[cell] & primes
                if not left:
                    return None
                if not left & (left - 1):
                    prime = left.bit_length() - 1
                    chosen.append(prime)
                    cells &= ~self.cells_of[prime]
                    primes ^= left
            primes = self._undominated_primes(cells, primes)
            cells = self._hardest_cells(cells, primes)
        return cells, primes

    def _undominated_primes(self, cells: int, primes: int) -> int:
        """Drop every prime whose cells another prime covers too; of equals the first stays."""
        for prime in _bits(primes):
            own = self.cells_of[prime] & cells
            better = primes ^ (1 << prime)
            for cell in _bits(own):
                better &= self.primes_of[cell]
                if not better:
                    break
            if any(other < prime or self.cells_of[other] & cells != own for other in _bits(better)):
                primes ^= 1 << prime
        return primes

    def _hardest_cells(self, cells: int, primes: int) -> int:
        """Drop every cell that is covered whenever some other cell is; of equals the first stays."""
        for cell in _bits(cells):
            if cells >> cell & 1:
                implied = cells ^ (1 << cell)
                for prime in _bits(self.primes_of[cell] & primes):
                    implied &= self.cells_of[prime]
                    if not implied:
                        break
                cells &= ~implied
        return cells

    def _parts(self, cells: int, primes: int) -> list[int]:
        """Split the cells into sets that share no prime, the smallest first."""
        parts = []
        while cells:
            part, new = 0, cells & -cells
            while new:
                part |= new
                reached = 0
                for cell in _bits(new):
                    reached |= self.primes_of[cell]
                new = 0
                for prime in _bits(reached & primes):
                    new |= self.cells_of[prime]
                new &= cells & ~part
            parts.append(part)
            cells &= ~part
        return sorted(parts, key=int.bit_count)

    def _branch(self, relaxed: "_Relaxation", primes: int, limit: int) -> list[int] | None:
        """Solve an irreducible, connected sub-problem whose bound is below ``limit``; as `minimum`."""
        self.nodes_left -= 1
        best = None
        rounded = relaxed.rounded()
        if len(rounded) < limit:
            best, limit = rounded, len(rounded)
        if relaxed.bound >= limit:
            return best
        for prime in relaxed.too_costly(limit):
            primes &= ~(1 << prime)
        for prime in relaxed.branches(primes):
            if self.nodes_left <= 0:
                break
            primes &= ~(1 << prime)
            rest = self.minimum(relaxed.cells & ~self.cells_of[prime], primes, limit - 1)
            if rest is not None:
                best, limit = [prime, *rest], len(rest) + 1
                if relaxed.bound >= limit:
                    break
        return best


class _Relaxation:
    """The Lagrangian relaxation of a sub-problem: a price per cell, and the bound that the prices prove."""

    def __init__(self, search: _Search, cells: int, primes: int) -> None:
        self.search = search
        self.cells = cells
        self.members = list(_bits(cells))
        reached = 0
        for cell in self.members:
            reached |= search.primes_of[cell]
        self.primes = list(_bits(reached & primes))
        width = (len(search.primes_of) + 7) // 8
        packed = b"".join(search.cells_of[prime].to_bytes(width, "little") for prime in self.primes)
        bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8).reshape(-1, width), axis=1, bitorder="little")
        self.covers: _Values = bits[:, self.members].astype(np.float64)
        self.prices: _Values = np.zeros(len(self.members))
        self.costs: _Values = np.full(len(self.primes), float(_UNIT))
        self.value = 0.0

    @property
    def bound(self) -> int:
        """A number of primes that every cover needs."""
        return -int(-self.value // _UNIT)

    def improve(self, limit: int, n_iter: int = 60) -> None:
        """Raise the bound by subgradient steps; stop when it reaches ``limit``."""
        prices = self.search.prices[self.members]
        pace, stalled = 1.0, 0
        for _ in range(n_iter):
            costs = _UNIT - self.covers @ prices
            value = float(prices.sum() + np.minimum(costs, 0.0).sum())
            if value > self.value:
                self.value, self.prices, self.costs, stalled = value, prices, costs, 0
                if self.bound >= limit:
                    break
            else:
                stalled += 1
                if stalled >= 4:
                    pace, stalled, prices = pace / 2, 0, self.prices
                    continue
            slope = 1.0 - (costs < 0) @ self.covers
            norm = float(slope @ slope)
            if norm == 0:
                break
            step = pace * max(limit * _UNIT - value, _UNIT) / norm
            prices = np.maximum(np.floor(prices + step * slope), 0.0)
        self.search.prices[self.members] = self.prices

    def rounded(self) -> list[int]:
        """Return a cover made greedily by the prices, without superfluous primes."""
        left = self.prices + 1.0
        rows: list[int] = []
        while left.any():
            row = int(np.argmax(self.covers @ left))
            rows.append(row)
            left = np.where(self.covers[row] > 0, 0.0, left)
        times = self.covers[rows].sum(axis=0)
        kept = []
        for row in rows:
            if times[self.covers[row] > 0].min() > 1:
                times -= self.covers[row]
            else:
                kept.append(self.primes[row])
        return kept

    def too_costly(self, limit: int) -> list[int]:
        """Return the primes that no cover with fewer than ``limit`` primes contains."""
        costly = self.value + np.maximum(self.costs, 0.0) > (limit - 1) * _UNIT
        return [self.primes[row] for row in np.flatnonzero(costly).tolist()]

    def branches(self, primes: int) -> list[int]:
        """Return the primes of one cell, the cheapest first: a cell with the fewest and then the largest."""
        cells_of, cells = self.search.cells_of, self.cells

        def rank(options: int) -> tuple[int, int]:
            sizes = sum((cells_of[prime] & cells).bit_count() for prime in _bits(options))
            return options.bit_count(), -sizes

        options = min((self.search.primes_of[cell] & primes for cell in self.members), key=rank)
        cost = dict(zip(self.primes, self.costs.tolist(), strict=True))
        return sorted(_bits(options), key=lambda prime: (cost[prime], prime))


def _greedy_terms(cube: _Cells) -> list[Term]:
    """Cover a set by prime boxes, each grown from the first cell left; superfluous ones are dropped."""
    left = cube.copy()
    boxes = []
    for cell in np.argwhere(cube).tolist():
        if left[tuple(cell)]:
            boxes.append(_grow(cube, left, cell))
            left[boxes[-1]] = False
    times = np.zeros(cube.shape, dtype=np.int64)
    for box in boxes:
        times[box] += 1
    kept = []
    for box in sorted(boxes, key=lambda box: times[box].size):
        if times[box].min() > 1:
            times[box] -= 1
        else:
            kept.append(box)
    return [tuple(None if isinstance(part, slice) else part for part in box) for box in kept]


def _grow(cube: _Cells, left: _Cells, cell: list[int]) -> tuple[int | slice, ...]:
    """Star axes of a cell while its box stays inside; first those that gain the most uncovered cells."""
    box: tuple[int | slice, ...] = tuple(cell)
    axes = list(range(cube.ndim))
    while True:
        wider = {axis: (*box[:axis], slice(None), *box[axis + 1 :]) for axis in axes}
        axes = [axis for axis in axes if cube[wider[axis]].all()]
        if not axes:
            return box
        best = max(axes, key=lambda axis: (np.count_nonzero(left[wider[axis]]), -axis))
        box = wider[best]
        axes.remove(best)
