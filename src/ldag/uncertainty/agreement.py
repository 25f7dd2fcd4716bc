"""What many graphs say together, however they came about: how sure edges and labels are, and one graph for all."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ldag.checks import check_share
from ldag.data import Backend, make_frame
from ldag.drawing import Drawable
from ldag.errors import ArgumentError, counted
from ldag.formats import Context, Edge, EdgeRecord, edge_in_words
from ldag.graph import LDAG
from ldag.model import Schema, State, Variable
from ldag.network import Answer, AveragedAnswer, Targets

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

SHOWN_EDGE = 0.05
"""Pairs that are less probably joined are counted, not listed, when a posterior is printed."""
SHOWN_LABEL = 0.1
"""Labels that are less probable are not listed unless they are asked for."""


class Chance(float):
    """A probability; ``mc_error`` is the standard error of its estimate, 0 where it was computed exactly.

    Examples
    --------
    >>> half = Chance(0.5, 0.01)
    >>> half + 0, half.mc_error
    (0.5, 0.01)
    """

    mc_error: float

    def __new__(cls, value: float, mc_error: float = 0.0) -> "Chance":
        """Make a probability."""
        chance = super().__new__(cls, min(max(value, 0.0), 1.0))
        chance.mc_error = mc_error
        return chance


class EdgeChance(NamedTuple):
    """The probability of an edge, and of one between the two in either direction.

    Of graphs that were learned it is the share that has the edge; ``strength`` and ``direction`` are those of bnlearn.
    """

    parent: str
    child: str
    probability: float
    either_direction: float
    mc_error: float = 0.0

    @property
    def strength(self) -> float:
        """How probable it is that the two are joined."""
        return self.either_direction

    @property
    def direction(self) -> float:
        """How much of the strength counts for this direction; 0 if the two are never joined."""
        return self.probability / self.either_direction if self.either_direction else 0.0

    def as_strength(self) -> dict[str, object]:
        """Return the edge as plain values, in the words of bnlearn; for the library itself."""
        ends = {"parent": self.parent, "child": self.child}
        return {**ends, "strength": self.strength, "direction": self.direction}


class LabelChance(NamedTuple):
    """A label entry: the probability of edge and entry together, and of the entry given the edge."""

    parent: str
    child: str
    context: Context
    probability: float
    given_edge: float

    @property
    def share(self) -> float:
        """The share of learned graphs that have edge and entry."""
        return self.probability

    def as_share(self) -> dict[str, object]:
        """Return the entry as plain values, as it is said of learned graphs; for the library itself."""
        plain = self._asdict()
        return {"share" if name == "probability" else name: value for name, value in plain.items()}


class EdgeChances(tuple[EdgeChance, ...], Drawable):
    """All possible edges, the surest first: a tuple that draws itself as bars under a title."""

    title: str

    def __new__(cls, edges: Iterable[EdgeChance] = (), title: str = "How probable each edge is") -> "EdgeChances":
        """Take edges in their order."""
        chances = super().__new__(cls, edges)
        chances.title = title
        return chances

    def __repr__(self) -> str:
        likely = sum(edge.either_direction > 0.5 for edge in self) // 2
        return f"<EdgeChances: {counted(len(self) // 2, 'pair')}, {likely} joined above 0.5>"

    def one_per_pair(self) -> Iterator[EdgeChance]:
        """Go through the pairs, each in the direction that comes first."""
        seen: set[frozenset[str]] = set()
        for edge in self:
            pair = frozenset((edge.parent, edge.child))
            if pair not in seen:
                seen.add(pair)
                yield edge


class EffectSize(NamedTuple):
    """How much setting a variable changes a target, in nats, and the probability that there is a path of arrows."""

    variable: str
    size: float
    probability: float
    mc_error: float = 0.0
    """Of the probability; 0 where it is exact."""


class EffectSizes(tuple[EffectSize, ...], Drawable):
    """The effects of all other variables on a target, the largest first: a tuple that draws itself as bars."""

    target: str

    def __new__(cls, effects: Iterable[EffectSize], target: str) -> "EffectSizes":
        """Take effects in their order."""
        sizes = super().__new__(cls, effects)
        sizes.target = target
        return sizes

    def __getnewargs__(self) -> tuple[object, ...]:
        return tuple(self), self.target

    def __repr__(self) -> str:
        return f"<EffectSizes: of {counted(len(self), 'variable')} on {self.target}>"

    def __str__(self) -> str:
        width = max((len(effect.variable) for effect in self), default=0)
        lines = [f"  {one.variable:<{width}}  {one.size:.4f}  {one.probability:.2f}" for one in self]
        return "\n".join([f"effects on {self.target}: size in nats, probability of a path", *lines])

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {"target": self.target, "effects": [effect._asdict() for effect in self]}

    def to_frame(self, backend: Backend = "pandas") -> "IntoDataFrame":
        """Return a dataframe: variable, size, probability, mc_error."""
        names = np.array([effect.variable for effect in self], dtype=object)
        numbers = {name: np.array([getattr(one, name) for one in self]) for name in EffectSize._fields[1:]}
        return make_frame({"variable": names, **numbers}, backend)


def strongest_first(names: Sequence[str], arcs: Mapping[Edge, float], title: str) -> EdgeChances:
    """Return every ordered pair, given the share of every arc: the strongest pairs first."""
    edges = []
    for a, b in combinations(names, 2):
        forth, back = arcs.get((a, b), 0.0), arcs.get((b, a), 0.0)
        edges += [EdgeChance(a, b, forth, forth + back), EdgeChance(b, a, back, forth + back)]
    return EdgeChances(sorted(edges, key=lambda edge: (-round(edge.strength, 12), -round(edge.direction, 12))), title)


def label_lines(title: str, labels: Sequence[LabelChance], variables: Sequence[Variable]) -> Iterator[str]:
    """Go through the lines that say labels in words, if there are any."""
    if labels:
        yield title
    for label in labels:
        words = edge_in_words(EdgeRecord(label.parent, label.child, (label.context,)), variables)
        yield f"  {label.probability:.2f}  {label.given_edge:.2f}  {words}"


class Agreement(Drawable):
    """Many graphs over the same variables: `Posterior`, `Bootstrap` and `Mixture` are asked the same questions."""

    schema: Schema
    """The variables by number; for the library itself."""
    notes: tuple[str, ...]
    """What is to be known of how the graphs came about."""

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in the order of the data."""
        return self.schema.variables

    @property
    def edges(self) -> EdgeChances:
        """Every possible edge with how sure it is, the surest first."""
        raise NotImplementedError

    def edge(self, parent: str, child: str) -> Chance:
        """Return how sure an edge is."""
        raise NotImplementedError

    def joined(self, a: str, b: str) -> Chance:
        """Return how sure it is that two variables are joined, in either direction."""
        forth, back = self.edge(a, b), self.edge(b, a)
        return Chance(float(forth) + float(back), forth.mc_error + back.mc_error)

    def label(self, parent: str, child: str, *, context: Mapping[str, State]) -> Chance:
        """Return how sure it is that an edge vanishes in a context, given that there is the edge.

        An edge vanishes there if its label holds every configuration of the other parents that agrees with the context.
        """
        i, j = self._pair(parent, child)
        vanishing, edge = self._weigh_label(i, j, self._other_states(context, i, j))
        if not edge:
            raise ArgumentError(f"there is never an edge {parent} -> {child}, so it has no label")
        return Chance(vanishing / edge)

    def labels(self, threshold: float = SHOWN_LABEL) -> tuple[LabelChance, ...]:
        """Return the label entries by single variables whose edge and entry together are surer than that, surest first.

        Each context names one variable; others may have any state.
        """
        check_share(threshold, "threshold")
        labels, total = [], self._total_weight
        for i, j, k, code in self._label_candidates(threshold):
            vanishing, edge = self._weigh_label(i, j, {k: code})
            if vanishing / total > threshold:
                parent, child, other = (self.schema[node].name for node in (i, j, k))
                context = {other: self.schema[k].states[code]}
                labels.append(LabelChance(parent, child, context, vanishing / total, vanishing / edge))
        return tuple(sorted(labels, key=lambda label: -round(label.probability, 12)))

    def sums_labels(self, n_configurations: int) -> bool:
        """Whether families with so many configurations of parents have labels at all; for the library itself."""
        del n_configurations
        return True

    def consensus(self) -> LDAG:
        """Return one acyclic graph of what is surest."""
        raise NotImplementedError

    def query(
        self,
        targets: Targets,
        given: Context | None = None,
        *,
        do: Context | None = None,
        interval: float | None = None,
    ) -> Answer | AveragedAnswer:
        """Return the distribution of a variable, or the joint one of several; graphs without parameters refuse."""
        del targets, given, do, interval
        raise ArgumentError(
            "the graphs of a bootstrap have no parameters; ldag.average(data, by='bootstrap') learns networks from rows"
            " drawn again, which answer together"
        )

    def summary(self) -> dict[str, object]:
        """Return what is printed as plain values."""
        raise NotImplementedError

    def to_frame(self, backend: Backend = "pandas") -> "IntoDataFrame":
        """Return the edges as a dataframe, with the columns of bnlearn's ``boot.strength``."""
        return self._frame(backend, strength=lambda edge: edge.strength, direction=lambda edge: edge.direction)

    def _frame(self, backend: Backend, **columns: Callable[[EdgeChance], float]) -> "IntoDataFrame":
        """Return a row per edge: its ends, and numbers."""
        edges = self.edges
        ends = {
            "from": np.array([edge.parent for edge in edges], dtype=object),
            "to": np.array([edge.child for edge in edges], dtype=object),
        }
        numbers = {name: np.array([float(value(edge)) for edge in edges]) for name, value in columns.items()}
        return make_frame({**ends, **numbers}, backend)

    @property
    def _total_weight(self) -> float:
        """Return what all graphs weigh together."""
        return 1.0

    def _weigh_label(self, i: int, j: int, context: Mapping[int, int]) -> tuple[float, float]:
        """Return what graphs weigh whose edge vanishes in a context, and those that have the edge."""
        raise NotImplementedError

    def _label_candidates(self, threshold: float) -> Iterable[tuple[int, int, int, int]]:
        """Go through parent, child, another parent and its state wherever an edge may vanish as surely as that."""
        raise NotImplementedError

    def _pair(self, a: str, b: str) -> tuple[int, int]:
        """Return two different variables by number."""
        i, j = self.schema.node(a), self.schema.node(b)
        if i == j:
            raise ArgumentError(f"expected two different variables, got {a!r} twice")
        return i, j

    def _other_states(self, context: Mapping[str, State], i: int, j: int) -> dict[int, int]:
        """Return a context of variables other than the ends of an edge."""
        codes = self.schema.context(context, "context: ")
        if not codes or {i, j} & set(codes):
            parent, child = self.schema[i].name, self.schema[j].name
            end = next((f"{self.schema[n].name!r} is an end of the edge" for n in (i, j) if n in codes), "got none")
            raise ArgumentError(f"context must name variables other than {parent!r} and {child!r}; {end}")
        return codes
