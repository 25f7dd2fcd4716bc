"""Trees of questions by number, flat and of any depth: what each asks, and where each state leads.

A question may come again for the states that are left, and several states may share a branch. Nodes are numbered depth
first, the branches of a question by their lowest state.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF = -1
"""What a leaf asks about."""

NOWHERE = -1
"""Where a state leads that was asked away above."""

StateBox = Mapping[int, int]
"""States by axis, as bits; an axis that is not named has all of them."""

Numbers32 = NDArray[np.int32]


class CodedBranch(NamedTuple):
    """States of a question's axis, as bits, and the node that they lead to."""

    states: int
    node: int


@dataclass(frozen=True, eq=False)
class CodedTree:
    """A tree of questions about axes with so many states.

    ``axes`` has what each node asks about, `LEAF` at a leaf; ``targets`` for each question an entry per state, the node
    it leads to or `NOWHERE`; ``classes`` a number per leaf, in the order of nodes.
    """

    n_states: tuple[int, ...]
    axes: Numbers32
    targets: Numbers32
    classes: Numbers32

    @classmethod
    def of(cls, n_states: Sequence[int], questions: Sequence[tuple[int, Sequence[int]] | int]) -> "CodedTree":
        """Make a tree from nodes in any order, the root first: an axis with a node per state, or the class of a leaf.

        Nodes are numbered depth first; questions that all possible states answer alike are left out.
        """
        axes: list[int] = []
        targets: list[list[int]] = []
        classes: list[int] = []
        todo: list[tuple[int, dict[int, int], tuple[int, int] | None]] = [(0, {}, None)]
        while todo:
            node, box, origin = todo.pop()
            given = questions[node]
            while not isinstance(given, int):  # down to what tells the states that are left apart
                axis, to = given
                left = box.get(axis, (1 << n_states[axis]) - 1)
                if len({to[state] for state in states_in(left)}) > 1:
                    break
                given = questions[to[states_in(left)[0]]]
            if origin is not None:
                question, states = origin
                for state in states_in(states):
                    targets[question][state] = len(axes)
            if isinstance(given, int):
                axes.append(LEAF)
                targets.append([])
                classes.append(given)
                continue
            branches: dict[int, int] = {}
            for state in states_in(left):
                branches[to[state]] = branches.get(to[state], 0) | 1 << state
            todo += [(next_node, {**box, axis: states}, (len(axes), states)) for next_node, states in branches.items()][
                ::-1
            ]
            axes.append(axis)
            targets.append([NOWHERE] * n_states[axis])
        flat = [target for row in targets for target in row]
        return cls.from_arrays(n_states, np.array(axes), np.array(flat, dtype=np.int32), np.array(classes))

    @classmethod
    def from_arrays(
        cls,
        n_states: Sequence[int],
        axes: NDArray[np.integer],
        targets: NDArray[np.integer],
        classes: NDArray[np.integer],
    ) -> "CodedTree":
        """Make a tree from what it consists of, numbered depth first already."""
        parts = [np.ascontiguousarray(part, dtype=np.int32) for part in (axes, targets, classes)]
        for part in parts:
            part.flags.writeable = False
        return cls(tuple(n_states), *parts)

    @classmethod
    def read(
        cls,
        n_states: Sequence[int],
        axes: NDArray[np.integer],
        targets: NDArray[np.integer],
        classes: NDArray[np.integer],
    ) -> "CodedTree":
        """Make a tree from what a file says it consists of, if that is a tree."""
        if not len(axes) or axes.min() < LEAF or axes.max() >= len(n_states):
            raise ValueError("a tree has nodes, which ask about its axes")
        sizes = np.where(axes == LEAF, 0, np.array([*n_states, 0])[axes])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        owners = np.repeat(np.arange(len(axes)), sizes)
        if len(targets) != starts[-1]:
            raise ValueError("every state of a question leads somewhere, or nowhere")
        owners, led_to = owners[targets != NOWHERE], targets[targets != NOWHERE]
        if (led_to <= owners).any():
            raise ValueError("branches of a tree lead to later nodes")
        pairs = np.unique(np.stack([owners, led_to]), axis=1)
        if sorted(pairs[1].tolist()) != list(range(1, len(axes))):
            raise ValueError("every node of a tree but the first is led to once")
        if len(classes) != int((axes == LEAF).sum()) or classes.min() < 0:
            raise ValueError("every leaf of a tree has a class")
        return cls.from_arrays(n_states, axes, targets, classes)

    def with_classes(self, classes: NDArray[np.integer]) -> "CodedTree":
        """Return the same questions with other numbers at the leaves."""
        return CodedTree.from_arrays(self.n_states, self.axes, self.targets, classes)

    @property
    def n_nodes(self) -> int:
        """Questions and leaves."""
        return len(self.axes)

    @property
    def n_leaves(self) -> int:
        """Leaves."""
        return len(self.classes)

    @cached_property
    def leaves(self) -> Numbers32:
        """The nodes that are leaves, ascending."""
        return np.flatnonzero(self.axes == LEAF).astype(np.int32)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the entries of each node begin in ``targets``, and the end."""
        sizes = np.where(self.axes == LEAF, 0, np.array([*self.n_states, 0])[self.axes])
        return np.concatenate([[0], np.cumsum(sizes)])

    @cached_property
    def class_of_node(self) -> Numbers32:
        """The class of each node that is a leaf, and -1."""
        numbers = np.full(self.n_nodes, -1, dtype=np.int32)
        numbers[self.leaves] = self.classes
        return numbers

    @cached_property
    def has_classes_apart(self) -> bool:
        """Whether no two leaves are of one class."""
        return len(np.unique(self.classes)) == len(self.classes)

    @cached_property
    def branches(self) -> tuple[tuple[CodedBranch, ...], ...]:
        """The branches of each node, by their lowest state; none of a leaf."""
        starts, targets = self.starts.tolist(), self.targets.tolist()
        every = []
        for node in range(self.n_nodes):
            own: dict[int, int] = {}
            for state, target in enumerate(targets[starts[node] : starts[node + 1]]):
                if target != NOWHERE:
                    own[target] = own.get(target, 0) | 1 << state
            every.append(tuple(CodedBranch(states, target) for target, states in own.items()))
        return tuple(every)

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """For each node the axes that it and what is below ask about, as bits."""
        asked = [0] * self.n_nodes
        axes = self.axes.tolist()
        for node in reversed(range(self.n_nodes)):
            if axes[node] != LEAF:
                asked[node] = 1 << axes[node]
                for branch in self.branches[node]:
                    asked[node] |= asked[branch.node]
        return tuple(asked)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of all configurations that come to each node."""
        shares = np.ones(self.n_nodes)
        left: list[StateBox] = [{}] * self.n_nodes
        axes = self.axes.tolist()
        for node, branches in enumerate(self.branches):
            for states, target in branches:
                of = left[node].get(axes[node], (1 << self.n_states[axes[node]]) - 1)
                shares[target] = shares[node] * states.bit_count() / of.bit_count()
                left[target] = {**left[node], axes[node]: states}
        return shares

    @cached_property
    def lowest(self) -> NDArray[np.uint8]:
        """The first configuration that comes to each leaf: a row per leaf, a column per axis."""
        rows = np.zeros((self.n_nodes, len(self.n_states)), dtype=np.uint8)
        for level in self.levels[1:]:
            above = self.above[level]
            rows[level] = rows[above]
            rows[level, self.axes[above]] = self._first_states[level]
        return rows[self.leaves]

    @cached_property
    def above(self) -> NDArray[np.intp]:
        """The node whose branch leads to each node; 0 for the root."""
        above = np.zeros(self.n_nodes, dtype=np.intp)
        is_led = self.targets != NOWHERE
        owners = np.repeat(np.arange(self.n_nodes), np.diff(self.starts))
        above[self.targets[is_led]] = owners[is_led]
        return above

    @cached_property
    def _first_states(self) -> NDArray[np.uint8]:
        """The lowest state that leads to each node from the one above."""
        states = np.zeros(self.n_nodes, dtype=np.uint8)
        is_led = np.flatnonzero(self.targets != NOWHERE)[::-1]  # the lowest comes last, and stays
        owners = np.repeat(np.arange(self.n_nodes), np.diff(self.starts))
        states[self.targets[is_led]] = is_led - self.starts[owners[is_led]]
        return states

    @cached_property
    def levels(self) -> tuple[NDArray[np.intp], ...]:
        """The nodes by their depth, the root first."""
        depths = np.zeros(self.n_nodes, dtype=np.intp)
        for node, above in enumerate(self.above.tolist()):
            depths[node] = depths[above] + 1 if node else 0
        order = np.argsort(depths, kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(depths))[:-1]))

    def boxes(self, leave_out: int = 0) -> Iterator[tuple[int, StateBox]]:
        """Go through the leaves, each with the states that lead to it, by axis.

        Nodes that ask about no axis but some (``leave_out``, as bits) and what is below are not gone into.
        """
        todo: list[tuple[int, StateBox]] = [(0, {})]
        axes = self.axes.tolist()
        while todo:
            node, box = todo.pop()
            if not self.asked[node] & ~leave_out:
                yield node, box
                continue
            todo += [(b.node, {**box, axes[node]: b.states}) for b in reversed(self.branches[node])]

    def find_leaf(self, codes: Sequence[int]) -> int:
        """Return the leaf, its number among the leaves, that a configuration comes to."""
        node = 0
        while (axis := int(self.axes[node])) != LEAF:
            node = int(self.targets[self.starts[node] + codes[axis]])
        return int(np.searchsorted(self.leaves, node))

    def restricted(self, context: Mapping[int, int]) -> "CodedTree":
        """Return the tree over the other axes where some have one state each; leaves keep their numbers."""
        kept = [axis for axis in range(len(self.n_states)) if axis not in context]
        return self._renamed({axis: new for new, axis in enumerate(kept)}, context, [self.n_states[a] for a in kept])

    def reordered(self, order: Sequence[int]) -> "CodedTree":
        """Return the tree over the axes in another order: new axis a is old axis order[a]."""
        return self._renamed({old: new for new, old in enumerate(order)}, {}, [self.n_states[axis] for axis in order])

    def with_states(self, places: Sequence[Sequence[int]]) -> "CodedTree":
        """Return the tree over states in another order: new state s of an axis is old state places[axis][s]."""
        return CodedTree.of(
            [len(of) for of in places],
            [
                number if axis == LEAF else (axis, [own[old] for old in places[axis]])
                for axis, own, number in self._nodes()
            ],
        )

    def _nodes(self) -> Iterator[tuple[int, list[int], int]]:
        """Go through the nodes: axis, targets, class."""
        starts, targets = self.starts.tolist(), self.targets.tolist()
        classes = self.class_of_node.tolist()
        for node, axis in enumerate(self.axes.tolist()):
            yield axis, targets[starts[node] : starts[node + 1]], classes[node]

    def _renamed(self, new: Mapping[int, int], fixed: Mapping[int, int], n_states: Sequence[int]) -> "CodedTree":
        questions: list[tuple[int, Sequence[int]] | int] = []
        axes = self.axes.tolist()
        skip = {  # a question whose answer is known leads where the answer does
            node: int(self.targets[self.starts[node] + fixed[axis]]) for node, axis in enumerate(axes) if axis in fixed
        }

        def settle(node: int) -> int:
            while node in skip and skip[node] != NOWHERE:
                node = skip[node]
            return node

        for axis, own, number in self._nodes():
            if axis == LEAF:
                questions.append(number)
            elif axis in fixed:
                questions.append(-1)  # nothing leads here
            else:
                questions.append((new[axis], [settle(target) if target != NOWHERE else NOWHERE for target in own]))
        root = settle(0)
        if root:
            questions[0] = questions[root]
        return CodedTree.of(n_states, questions)


def states_in(states: int) -> list[int]:
    """Return the states that are given as bits, ascending."""
    listed = []
    while states:
        low = states & -states
        listed.append(low.bit_length() - 1)
        states ^= low
    return listed


class Reader(NamedTuple):
    """Somebody on the way down a tree, who knows the states of some axes."""

    tree: CodedTree
    node: int = 0
    known: Mapping[int, int] = {}

    def settled(self) -> "Reader":
        """Answer questions about what is known."""
        tree, node = self.tree, self.node
        while (axis := int(tree.axes[node])) in self.known:
            node = int(tree.targets[tree.starts[node] + self.known[axis]])
        return Reader(tree, node, self.known)


def compare_trees(readers: Sequence[Reader], box: StateBox | None = None) -> Iterator[tuple[StateBox, tuple[int, ...]]]:
    """Go through regions in which every reader comes to one class, with these classes; all trees are over one grid."""
    todo: list[tuple[StateBox, tuple[Reader, ...]]] = [(box or {}, tuple(readers))]
    while todo:
        region, given = todo.pop()
        now = tuple(reader.settled() for reader in given)
        place = next((i for i, reader in enumerate(now) if reader.tree.axes[reader.node] != LEAF), None)
        if place is None:
            yield region, tuple(int(tree.class_of_node[node]) for tree, node, _ in now)
            continue
        tree, node, known = now[place]
        axis = int(tree.axes[node])
        left = region.get(axis, (1 << tree.n_states[axis]) - 1)
        for states, target in reversed(tree.branches[node]):
            if states & left:
                further = (*now[:place], Reader(tree, target, known), *now[place + 1 :])
                todo.append(({**region, axis: states & left}, further))


def regions_without(tree: CodedTree, axis: int, box: StateBox | None = None) -> Iterator[tuple[StateBox, bool]]:
    """Go through regions of the other axes, and tell whether an axis makes no difference there: together, everything.

    A region in which it does may have some configurations in which it does not, unless leaves share a class.
    """
    todo: list[tuple[int, StateBox]] = [(0, box or {})]
    while todo:
        node, region = todo.pop()
        own = int(tree.axes[node])
        if not tree.asked[node] >> axis & 1:
            yield region, True
        elif own != axis:
            left = region.get(own, (1 << tree.n_states[own]) - 1)
            todo += [
                (b.node, {**region, own: b.states & left}) for b in reversed(tree.branches[node]) if b.states & left
            ]
        elif tree.has_classes_apart:
            yield region, False
        else:
            readers = [Reader(tree, node, {axis: state}) for state in range(tree.n_states[axis])]
            for part, classes in compare_trees(readers, region):
                yield part, len(set(classes)) == 1
