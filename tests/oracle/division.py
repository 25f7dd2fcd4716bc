"""What a further parent brings to a family if it does nothing but divide its classes, part by part."""

from collections.abc import Iterator, Sequence
from itertools import chain
from math import floor, lgamma

from tests.oracle.family import Classes, Problem


class Division:
    """A family with one more parent, and the classes it has without."""

    def __init__(self, grown: Problem, axis: int, classes: Classes, *, divides_in_two: bool) -> None:
        self.grown = grown
        self.axis = axis
        self.classes = classes
        self.divides_in_two = divides_in_two
        self.n_states = grown.n_states[axis]

    def score(self) -> float:
        """Return the sum over the classes, each as it scores most."""
        return sum(max(sum(map(self.part, parts)) for parts in self.ways(members)) for members in self.classes)

    def ways(self, members: Sequence[int]) -> Iterator[list[list[int]]]:
        """Yield the cells of a class as one part, as one for each state, and as one state and the others."""
        others = [cell[: self.axis] + cell[self.axis + 1 :] for cell in self.grown.cells]
        distinct = sorted(set(others))
        inside = {distinct[cell] for cell in members}
        by_state: list[list[int]] = [[] for _ in range(self.n_states)]
        for number, cell in enumerate(self.grown.cells):
            if others[number] in inside:
                by_state[cell[self.axis]].append(number)
        yield [[*chain(*by_state)]]
        yield by_state
        if self.divides_in_two:
            for state in range(self.n_states):
                yield [by_state[state], [*chain(*by_state[:state], *by_state[state + 1 :])]]

    def part(self, cells: Sequence[int]) -> float:
        """Return the score of a part of the cells that rows visit and of as many others as about serve it best."""
        rows = [self.grown.counts[cell] for cell in cells if sum(self.grown.counts[cell]) > 0]
        if not rows:
            return 0.0
        sums = [sum(column) for column in zip(*rows, strict=True)]
        n_further = sum(1 for n in sums if n > 0) - 1
        size = len(rows)
        if n_further:
            cost = -self.grown.class_lost
            wanted = len(cells) if n_further >= cost * len(cells) else floor(n_further / cost + 0.5)
            size = max(size, wanted)
        alpha = self.grown.equivalent_sample_size * size / (len(sums) * len(self.grown.counts))
        value = lgamma(len(sums) * alpha) - lgamma(sum(sums) + len(sums) * alpha)
        value += sum(lgamma(n + alpha) - lgamma(alpha) for n in sums)
        return value + self.grown.class_lost * (size - 1)
