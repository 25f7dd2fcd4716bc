"""Distributions as products of kernels: sums over some of their variables, and conditionals, in short form.

Every kernel is a distribution of its nodes given what else it reads. A sum over nodes that nothing else reads vanishes;
probabilities are joined where the graph says that their product is one probability; what stands above and below
a fraction alike is left out of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ldag.effects.formulas import Formula, Probability, Slot, add_up, make_quotient, multiply, slots, take_anywhere
from ldag.effects.mixed_graphs import MixedGraph, NodeSet, m_separated


@dataclass(frozen=True, eq=False)
class Kernel:
    """A distribution of ``nodes``, given other variables: all of what it reads."""

    nodes: NodeSet
    reads: NodeSet
    formula: Formula

    @property
    def given(self) -> NodeSet:
        """What it is conditioned on."""
        return self.reads - self.nodes


@dataclass(frozen=True)
class KernelSum:
    """Kernels that a sum cannot be taken apart into, and what is summed over."""

    kernels: tuple[Kernel, ...]
    over: NodeSet


@dataclass(frozen=True)
class ObservedJoint:
    """The table that formulas read: the observed variables, in the context of ``base``.

    Treatments stand first behind a bar. Nodes that are ``early`` come before others wherever the graph allows, and stay
    among what a probability is conditioned on.
    """

    graph: MixedGraph
    do: NodeSet = frozenset()
    base: tuple[Slot, ...] = ()
    early: NodeSet = frozenset()

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Causes before effects."""
        return self.graph.order(self.early)

    def probability(self, of: Iterable[int], given: Iterable[int]) -> Kernel:
        """Return P(of | given) without the given variables that make no difference."""
        nodes, condition = frozenset(of), frozenset(given)
        return self._write(nodes, condition & (self.graph.reach(nodes, condition) | self.early))

    def after(self, node: int, before: NodeSet) -> Kernel:
        """Return the probability of a node given all nodes before it in an order, of which all nodes above them are."""
        return self._write(frozenset([node]), self.graph.pillow(node, before) | (self.early & before))

    def _write(self, nodes: NodeSet, kept: NodeSet) -> Kernel:
        return Kernel(nodes, nodes | kept, self._spell(nodes, kept))

    def _spell(self, nodes: NodeSet, given: NodeSet) -> Probability:
        ordered = sorted(given, key=lambda node: (node not in self.do, node))
        return Probability(slots(sorted(nodes)), (*slots(ordered), *self.base))

    def sum_out(self, kernels: Sequence[Kernel], gone: NodeSet) -> list[Kernel]:
        """Return the sum of a product of kernels over nodes, as a product again."""
        return [self._add_up(part) for part in _take_apart(kernels, gone)]

    def leave_out(self, kernels: Sequence[Kernel], idle: NodeSet) -> list[Kernel]:
        """Bind variables whose states do not matter to a product of kernels, though some of the kernels read them."""
        result: list[Kernel] = []
        for group in _groups(kernels, idle):
            if not _all_read(group) & idle:
                result += group
                continue
            formula = take_anywhere(idle, self.product(group))
            result.append(Kernel(_all_nodes(group), _all_read(group) - idle, formula))
        return result

    def condition(self, kernels: Sequence[Kernel], nodes: NodeSet, given: NodeSet) -> Kernel:
        """Return the conditional distribution of some of the kernels' nodes given others of them."""
        everything = _all_nodes(kernels)
        above = _take_apart(kernels, everything - nodes - given)
        below = _take_apart(kernels, everything - given) if given else []
        top = [self._add_up(part) for part in above if part not in below]
        bottom = [self._add_up(part) for part in below if part not in above]
        for kernel in tuple(bottom):
            for i, other in enumerate(top):
                quotient = self._cancel(other, kernel)
                if quotient is not None:
                    top[i] = quotient
                    bottom.remove(kernel)
                    break
        formula = make_quotient(self.product(top), self.product(bottom))
        return Kernel(nodes, _all_read([*top, *bottom]), formula)

    def product(self, kernels: Sequence[Kernel]) -> Formula:
        """Return a product, in which P(a | s) P(b | a, s) is P(a, b | s), unless more is conditioned on the same."""
        waiting: dict[NodeSet, list[Kernel]] = {}
        for kernel in kernels:
            if isinstance(kernel.formula, Probability):
                waiting.setdefault(kernel.given, []).append(kernel)
        after = {}
        for kernel in kernels:
            if isinstance(kernel.formula, Probability) and len(waiting.get(kernel.reads, ())) == 1:
                after[kernel] = waiting[kernel.reads].pop()
        heads = set(kernels) - set(after.values())
        return multiply(self._write_chain(kernel, after) for kernel in kernels if kernel in heads)

    def _write_chain(self, head: Kernel, after: Mapping[Kernel, Kernel]) -> Formula:
        """Write a product of kernels, each conditioned on all of those before it, as one probability."""
        if head not in after:
            return head.formula
        nodes, last = head.nodes, head
        while last in after:
            last = after[last]
            nodes |= last.nodes
        return self._spell(nodes, head.given)

    def _add_up(self, part: KernelSum) -> Kernel:
        """Write a sum of a product: over one variable after the other where that leaves a probability."""
        kernels, over = list(part.kernels), set(part.over)
        largest = max(len(kernel.reads) for kernel in kernels)
        is_shorter = True
        while is_shorter:
            is_shorter = False
            for node in sorted(over, reverse=True):
                inside = [kernel for kernel in kernels if node in kernel.reads]
                joined = self._join(inside, node, largest)
                if joined is not None:
                    place = kernels.index(inside[-1])
                    kernels[place] = joined
                    kernels = [kernel for kernel in kernels if kernel not in inside]
                    over.remove(node)
                    is_shorter = True
        nodes = _all_nodes(kernels) - over
        reads = _all_read(kernels) - over
        return Kernel(nodes, reads, add_up(over, self.product(kernels)))

    def _join(self, kernels: Sequence[Kernel], node: int, largest: int) -> Kernel | None:
        """Return the sum over a node of a product of probabilities, if that is one, and of no more variables."""
        if not all(isinstance(kernel.formula, Probability) for kernel in kernels):
            return None
        nodes = _all_nodes(kernels)
        given = _all_read(kernels) - nodes
        if len(nodes) - 1 + len(given) > largest:
            return None
        before = given
        for kernel in sorted(kernels, key=lambda kernel: len(kernel.given & nodes)):
            if not kernel.given <= before or not m_separated(
                self.graph, kernel.nodes, before - kernel.given, kernel.given
            ):
                return None
            before |= kernel.nodes
        return self.probability(nodes - {node}, given)

    def _cancel(self, top: Kernel, bottom: Kernel) -> Kernel | None:
        """Return P(a, b | s) / P(b | s) as P(a | b, s), if that is what they are."""
        if not (isinstance(top.formula, Probability) and isinstance(bottom.formula, Probability)):
            return None
        if not (bottom.nodes < top.nodes and bottom.given <= top.given):
            return None
        if not m_separated(self.graph, bottom.nodes, top.given - bottom.given, bottom.given):
            return None
        return self.probability(top.nodes - bottom.nodes, top.given | bottom.nodes)


def _take_apart(kernels: Sequence[Kernel], gone: NodeSet) -> list[KernelSum]:
    """Take the sum of a product apart; a distribution of what is summed over and read nowhere else is 1."""
    rest = list(kernels)
    while (idle := next((f for f in rest if f.nodes <= gone and not _is_read(f, rest)), None)) is not None:
        rest.remove(idle)
    return [KernelSum(group, _all_read(group) & gone) for group in _groups(rest, gone)]


def _is_read(kernel: Kernel, kernels: Iterable[Kernel]) -> bool:
    return any(kernel.nodes & other.reads for other in kernels if other is not kernel)


def _all_nodes(kernels: Iterable[Kernel]) -> NodeSet:
    return frozenset[int]().union(*(kernel.nodes for kernel in kernels))


def _all_read(kernels: Iterable[Kernel]) -> NodeSet:
    return frozenset[int]().union(*(kernel.reads for kernel in kernels))


def _groups(kernels: Sequence[Kernel], shared: NodeSet) -> Iterator[tuple[Kernel, ...]]:
    """Group kernels that read something in common, of some variables, in the order of the first of each group."""
    rest = list(kernels)
    while rest:
        group = [rest[0]]
        while more := [f for f in rest if f not in group and f.reads & shared & _all_read(group)]:
            group += more
        yield tuple(kernel for kernel in rest if kernel in group)
        rest = [kernel for kernel in rest if kernel not in group]
