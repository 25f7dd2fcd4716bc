"""Contexts that are told by boxes, so that there may be more of them than anybody could list."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from operator import eq
from typing import overload

from ldag.formats.record import Context
from ldag.model import State

MOST_JOINED = 64
"""Up to so many contexts are joined as well as they can be; more are told by boxes as they are."""


class Boxes(Sequence[Context]):
    """The contexts in boxes, each of which has the states that some variables may have; listed where asked for only.

    Examples
    --------
    >>> boxes = Boxes([{"plan": ("basic", "plus"), "age": ("old",)}])
    >>> len(boxes), boxes[1], boxes
    (2, {'plan': 'plus', 'age': 'old'}, <Boxes: 2 contexts in 1 box>)
    """

    def __init__(self, boxes: Iterable[Mapping[str, Sequence[State]]]) -> None:
        self.boxes = tuple(boxes)

    @property
    def n_contexts(self) -> int:
        """How many contexts there are, which may be more than a sequence can be long."""
        return sum(prod(map(len, box.values())) for box in self.boxes)

    @property
    def is_small(self) -> bool:
        """Whether there are so few that they can be listed and joined."""
        return self.n_contexts <= MOST_JOINED

    def __iter__(self) -> Iterator[Context]:
        for box in self.boxes:
            for states in product(*box.values()):
                yield dict(zip(box, states, strict=True))

    def __len__(self) -> int:
        return self.n_contexts

    def __bool__(self) -> bool:
        return bool(self.boxes)

    @overload
    def __getitem__(self, place: int) -> Context: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Context, ...]: ...
    def __getitem__(self, place: int | slice) -> Context | tuple[Context, ...]:
        if isinstance(place, slice) or place < 0:
            return tuple(self)[place]
        for context in islice(self, place, None):
            return context
        raise IndexError(f"there are {self.n_contexts:,} contexts, got the place {place}")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Boxes):
            return self.boxes == other.boxes or (self.n_contexts == other.n_contexts and tuple(self) == tuple(other))
        if isinstance(other, Sequence):
            return self.n_contexts == len(other) and all(map(eq, self, other))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # like the mappings that it has

    def __repr__(self) -> str:
        n, several = len(self.boxes), "" if self.n_contexts == 1 else "s"
        return f"<Boxes: {self.n_contexts:,} context{several} in {n:,} {'box' if n == 1 else 'boxes'}>"


def list_contexts(contexts: Sequence[Context]) -> list[dict[str, object]]:
    """Return contexts as plain values; of many in boxes, the boxes, with a list where a variable may have more states.

    Examples
    --------
    >>> list_contexts(Boxes([{"plan": tuple(range(50)), "age": ("old",), "size": (1, 2)}]))[0]["size"]
    [1, 2]
    """
    if not isinstance(contexts, Boxes) or contexts.is_small:
        return [dict(context) for context in contexts]
    return [
        {name: states[0] if len(states) == 1 else list(states) for name, states in box.items()}
        for box in contexts.boxes
    ]
