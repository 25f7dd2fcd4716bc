"""Trees grown from rows in plain Python: every step looks at every question of every leaf anew."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import inf, lgamma, prod

TIE = 1e-9


@dataclass(frozen=True)
class Problem:
    """Rows with weights, what every node may ask about, and how leaves are scored."""

    rows: Sequence[Sequence[int]]
    weights: Sequence[float]
    n_states: Sequence[int]
    candidates: Sequence[Sequence[int]]
    required: Sequence[Sequence[int]]
    max_parents: Sequence[int]
    max_leaves: Sequence[int]
    prior: str
    equivalent_sample_size: float
    log_kappa: float
    complete: bool
    ordered: Sequence[bool]
    levels: bool
    prices: Sequence[float]


@dataclass
class Place:
    """A node of a tree: the states of variables that come here, what it asks, and its branches."""

    left: dict[int, tuple[int, ...]]
    above: "Place | None" = None
    variable: int = -1
    branches: list["Place"] = field(default_factory=list)
    age: int = 0

    def leaves(self) -> Iterator["Place"]:
        """Go through the leaves."""
        if not self.branches:
            yield self
        for branch in self.branches:
            yield from branch.leaves()

    def preorder(self) -> Iterator["Place"]:
        """Go through all nodes, depth first."""
        yield self
        for branch in self.branches:
            yield from branch.preorder()


@dataclass
class Grown:
    """The tree of one node, and its steps: which places asked, by step, and what the step gained."""

    root: Place
    steps: list[tuple[list[Place], float]] = field(default_factory=list)


@dataclass(frozen=True)
class Split:
    """One question of one leaf."""

    gain: float
    leaf: Place
    variable: int
    branches: list[tuple[int, ...]]


Step = tuple[float, list[Split]]


class Grower:
    """Grows the trees of all nodes."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.nodes = range(len(problem.n_states))
        self.grown = [Grown(Place({v: tuple(range(k)) for v, k in enumerate(problem.n_states)})) for _ in self.nodes]

    def counts(self, node: int, place: Place) -> list[float]:
        """Add up the weights of the rows that come to a place, by state of the node."""
        sums = [0.0] * self.problem.n_states[node]
        for row, weight in zip(self.problem.rows, self.problem.weights, strict=True):
            if all(row[v] in states for v, states in place.left.items() if v != node):
                sums[row[node]] += weight
        return sums

    def shares(self, node: int, place: Place | None) -> list[float]:
        """Return the distribution that places below lean on, under the nested prior."""
        r = self.problem.n_states[node]
        if place is None:
            return [1 / r] * r
        size = r if place.above is None else self.problem.equivalent_sample_size
        counts, up = self.counts(node, place), self.shares(node, place.above)
        return [(n + size * share) / (sum(counts) + size) for n, share in zip(counts, up, strict=True)]

    def alphas(self, node: int, place: Place) -> list[float]:
        """Return the prior observations of a leaf, by state."""
        size, r = self.problem.equivalent_sample_size, self.problem.n_states[node]
        if self.problem.prior == "nested":
            return [1.0] * r if place.above is None else [size * share for share in self.shares(node, place.above)]
        volume = prod(len(s) / self.problem.n_states[v] for v, s in place.left.items() if v != node)
        return [size * (1.0 if self.problem.prior == "leaves" else volume) / r] * r

    def score(self, node: int, place: Place) -> float:
        """Return the log marginal likelihood of the rows of a leaf."""
        counts, alphas = self.counts(node, place), self.alphas(node, place)
        value = lgamma(sum(alphas)) - lgamma(sum(alphas) + sum(counts))
        return value + sum(lgamma(n + a) - lgamma(a) for n, a in zip(counts, alphas, strict=True))

    def cuts(self, states: tuple[int, ...], ordered: bool) -> Iterator[list[tuple[int, ...]]]:
        """Go through the ways to cut the states of a variable that are left, branches by their lowest states."""
        if len(states) < 2:
            return
        if self.problem.complete:
            yield [(state,) for state in states]
        elif ordered:
            yield from ([states[:i], states[i:]] for i in range(1, len(states)))
        else:
            for state in states[: 1 if len(states) == 2 else None]:
                yield sorted([(state,), tuple(s for s in states if s != state)])

    def split(self, node: int, leaf: Place, variable: int) -> Split | None:
        """Return the best way to ask about a variable, if some states are left."""
        best = None
        for branches in self.cuts(leaf.left[variable], self.problem.ordered[variable]):
            below = [Place({**leaf.left, variable: states}, leaf) for states in branches]
            price = (self.problem.n_states[node] - 1) * self.problem.log_kappa * (len(branches) - 1)
            gain = sum(self.score(node, place) for place in below) - self.score(node, leaf) + price
            if best is None or gain > best.gain + TIE:
                best = Split(gain, leaf, variable, branches)
        return best

    def varies(self, leaf: Place, node: int, variable: int) -> bool:
        """Whether rows of a leaf have different states of a variable."""
        one_by_one = [Place({**leaf.left, variable: (state,)}) for state in leaf.left[variable]]
        return sum(any(self.counts(node, place)) for place in one_by_one) > 1

    def asked(self, node: int) -> set[int]:
        """Return the variables that a tree asks about."""
        return {place.variable for place in self.grown[node].root.preorder()} - {-1}

    def is_above(self, ancestor: int, node: int) -> bool:
        """Whether an edge from the node to the ancestor would close a cycle."""
        parents = self.asked(node) | set(self.problem.required[node])
        return ancestor in parents or any(self.is_above(ancestor, parent) for parent in parents)

    def may_ask(self, node: int, variable: int, n_splits: int = 1) -> bool:
        """Whether a leaf, or so many, may ask about a variable; there has to be room for what is required, too."""
        sizes = self.problem.n_states
        if sizes[variable] == 1:
            return False
        grows = {v: sizes[v] - 1 if self.problem.complete else 1 for v in self.nodes}
        required = {v for v in self.problem.required[node] if sizes[v] > 1}
        asked = self.asked(node) | {variable}
        n_leaves = len(list(self.grown[node].root.leaves())) + n_splits * grows[variable]
        if n_leaves + sum(grows[v] for v in required - asked) > self.problem.max_leaves[node]:
            return False
        if variable in self.asked(node) | required:
            return True
        return len(asked | required) <= self.problem.max_parents[node] and not self.is_above(node, variable)

    def best_step(self, node: int) -> Step | None:
        """Return the best step of a node."""
        price, candidates = self.problem.prices[node], self.problem.candidates[node]
        leaves = sorted(
            (leaf for leaf in self.grown[node].root.leaves() if any(self.counts(node, leaf))),
            key=lambda leaf: [states[0] for _, states in sorted(leaf.left.items())],
        )
        splits = [
            split
            for leaf in leaves
            for variable in candidates
            if self.may_ask(node, variable) and (split := self.split(node, leaf, variable))
        ]
        most = max((split.gain for split in splits), default=-inf)
        best: Step | None = None
        if most - price > TIE:
            first = next(split for split in splits if split.gain >= most - TIE)
            best = first.gain - price, [first]
        level = self.best_level(node, [s for s in splits if self.varies(s.leaf, node, s.variable)])
        if level is not None and (best is None or level[0] > best[0] + TIE):
            return level
        return best

    def best_level(self, node: int, splits: Sequence[Split]) -> Step | None:
        """Return the best question for all leaves in which its variable varies."""
        if not self.problem.levels:
            return None
        levels = [[s for s in splits if s.variable == v] for v in self.problem.candidates[node]]
        steps = [
            (sum(s.gain for s in level) - self.problem.prices[node], level)
            for level in levels
            if len(level) > 1 and self.may_ask(node, level[0].variable, len(level))
        ]
        most = max((gain for gain, _ in steps), default=-inf)
        return next(step for step in steps if step[0] >= most - TIE) if most > TIE else None

    def best_required(self, node: int) -> Step | None:
        """Return the least bad question about a required variable that was never asked about."""
        leaves = sorted(
            self.grown[node].root.leaves(), key=lambda leaf: [states[0] for _, states in sorted(leaf.left.items())]
        )
        awaited = [v for v in self.problem.required[node] if v not in self.asked(node)]
        splits = [s for leaf in leaves for v in awaited if (s := self.split(node, leaf, v))]
        if not splits:
            return None
        most = max(split.gain for split in splits)
        first = next(split for split in splits if split.gain >= most - TIE)
        return first.gain - self.problem.prices[node], [first]

    def take(self, node: int, step: Step) -> None:
        """Cut the leaves of a step, in the order in which they came to be."""
        gain, splits = step[0], sorted(step[1], key=lambda split: split.leaf.age)
        for split in splits:
            split.leaf.variable = split.variable
            for states in split.branches:
                age = len(list(self.grown[node].root.preorder()))
                split.leaf.branches.append(Place({**split.leaf.left, split.variable: states}, split.leaf, age=age))
        self.grown[node].steps.append(([split.leaf for split in splits], gain))

    def run(self) -> list[Grown]:
        """Take the best step of all nodes as long as one gains; then what is required, and on from there."""
        while True:
            steps = {node: step for node in self.nodes if (step := self.best_step(node))}
            if steps:
                most = max(gain for gain, _ in steps.values())
                node = next(node for node, (gain, _) in steps.items() if gain >= most - TIE)
                self.take(node, steps[node])
                continue
            required = next(((node, step) for node in self.nodes if (step := self.best_required(node))), None)
            if required is None:
                return self.grown
            self.take(*required)


def flatten(problem: Problem, node: int, grown: Grown) -> tuple[list[int], list[int], list[list[float]], list[int]]:
    """Return axes, targets and counts of the nodes of a tree in depth-first order, and the places that asked."""
    grower = Grower(problem)
    places = list(grown.root.preorder())
    numbers = dict(zip(map(id, places), count(), strict=False))
    targets = [
        next((numbers[id(b)] for b in place.branches if state in b.left[place.variable]), -1)
        for place in places
        if place.branches
        for state in range(problem.n_states[place.variable])
    ]
    asked = [numbers[id(place)] for places_of_step, _ in grown.steps for place in places_of_step]
    return [p.variable for p in places], targets, [grower.counts(node, p) for p in places], asked


def log_marginal_likelihood(problem: Problem, node: int, grown: Grown) -> float:
    """Return the sum of the scores of all leaves."""
    grower = Grower(problem)
    return sum(grower.score(node, leaf) for leaf in grown.root.leaves())
