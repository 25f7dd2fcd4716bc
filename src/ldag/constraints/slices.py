"""Constraints on a panel, in the names of its columns, as constraints on the tables it is cut into.

A plain name is a variable of the same slice, whichever that is, and ``x@-1`` is x one step before. Nothing points back
in time, and nothing that changes points to what is static.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import cast

from ldag.constraints.given import EVERY, Constraints
from ldag.errors import ArgumentError, UnknownVariable, argument
from ldag.formats import Context, Edge, read_lag, spell_lag, spell_step

Rename = Callable[[str], str | None]
"""What a name is called in a table; None if the table has no such variable."""


@dataclass(frozen=True)
class PanelRules:
    """Constraints on a panel with so many lags, checked."""

    given: Constraints
    lags: int
    static: tuple[str, ...]
    changing: tuple[str, ...]
    instantaneous: bool = True

    def __post_init__(self) -> None:
        for child in (*self._children(), *(child for _, child in self._forward_edges())):
            if read_lag(child)[1]:
                raise ArgumentError(
                    f"{child!r} was before, and nothing points to it; constraints are on what points to now"
                )
        for parent, child in self._forward_edges():
            if child in self.static and parent not in self.static:
                raise ArgumentError(
                    f"the edge {parent} -> {child} is required, but {child!r} is static, and nothing that changes"
                    " points to it"
                )
            if not self.instantaneous and child in self.changing and parent in self.changing:
                raise ArgumentError(
                    f"the edge {parent} -> {child} is required, but {argument('instantaneous')} is False; require"
                    f" {spell_lag(parent, 1)} -> {child}"
                )
        for names in (*self.given.tiers, [*self.given.order]):
            for name in names:
                if name != EVERY and read_lag(name)[1]:
                    raise ArgumentError(
                        f"tiers and orders are of one slice; leave out {name!r}, which was before all of it"
                    )
        for name in self._names():
            self._check_name(name)

    def _check_name(self, name: str) -> None:
        """Refuse a name that no slice has."""
        own, lag = read_lag(name)
        known = (*self.changing, *self.static)
        if own not in known:
            raise UnknownVariable(own, known, "constraints: ")
        if lag and own in self.static:
            raise ArgumentError(f"constraints: {own!r} is static, so that there is no {name!r}; write {own!r}")
        if lag > self.lags:
            raise ArgumentError(f"constraints: {name!r} is {lag} steps before, and {argument('lags')} is {self.lags}")

    def _forward_edges(self) -> Iterator[Edge]:
        """Go through the edges that must be there."""
        yield from self.given.required
        for (parent, child), label in self.given.labels.items():
            yield parent, child
            yield from ((name, child) for context in label for name in context)

    def _children(self) -> Iterator[str]:
        yield from self.given.allowed_parents
        yield from (name for name in self._limits if name != EVERY)

    def _names(self) -> Iterator[str]:
        for edge in (*self._forward_edges(), *self.given.forbidden, *self.given.unlabelled):
            yield from edge
        yield from self._children()
        for names in (*self.given.allowed_parents.values(), *self.given.tiers, self.given.order):
            yield from (name for name in names if name != EVERY)

    @property
    def _limits(self) -> Mapping[str, int]:
        return cast("Mapping[str, int]", self.given.max_parents)

    def of_windows(self) -> Constraints:
        """Return the constraints on windows: what was before, and what is static, has no parents."""
        before = [spell_lag(name, lag) for lag in range(1, self.lags + 1) for name in self.changing]
        allowed: dict[str, list[str]] = {name: [] for name in (*before, *self.static)}
        given = self._translate([lambda name: name])
        for name in self.changing:
            own = given.allowed_parents.get(name)
            if not self.instantaneous:
                everything = (*before, *self.static)
                own = everything if own is None else [one for one in own if one in everything]
            if own is not None:
                allowed[name] = [*own]
        required = [edge for edge in given.required if edge[1] in self.changing]
        labels = {edge: label for edge, label in given.labels.items() if edge[1] in self.changing}
        return _replace(given, required=required, labels=labels, allowed_parents=allowed)

    def of_first(self) -> Constraints:
        """Return the constraints on the first slices: static, then slice by slice."""
        if self.lags == 1:
            given = self._translate([lambda name: None if read_lag(name)[1] else name])
            slices = [[*self.changing]]
        else:
            given = self._translate([self._rename_at(step) for step in range(self.lags)])
            slices = [[spell_step(name, step) for name in self.changing] for step in range(self.lags)]
        return _replace(given, tiers=[list(self.static), *slices])

    def _rename_at(self, step: int) -> Rename:
        def rename(name: str) -> str | None:
            own, lag = read_lag(name)
            if own in self.static:
                return own
            return spell_step(own, step - lag) if lag <= step else None

        return rename

    def _translate(self, renames: Sequence[Rename]) -> Constraints:
        """Return the constraints in other names, once for each slice; tiers and the order as edges that they forbid."""
        given = self.given

        def edges(these: Iterable[Edge]) -> list[Edge]:
            every = ((rename(parent), rename(child)) for parent, child in these for rename in renames)
            named = [(parent, child) for parent, child in every if parent is not None and child is not None]
            return list(dict.fromkeys(named))

        labels: dict[Edge, list[Context]] = {}
        allowed: dict[str, list[str]] = {}
        limits = {EVERY: self._limits[EVERY]} if EVERY in self._limits else {}
        for rename in renames:
            for (parent, child), contexts in given.labels.items():
                edge = rename(parent), rename(child)
                named = [{rename(name): state for name, state in context.items()} for context in contexts]
                if None not in edge and not any(None in context for context in named):
                    labels[cast("Edge", edge)] = cast("list[Context]", named)
            for child, names in given.allowed_parents.items():
                own = (rename(name) for name in names)
                allowed[cast("str", rename(child))] = [name for name in own if name is not None]
            limits |= {cast("str", rename(child)): n for child, n in self._limits.items() if child != EVERY}
        forbidden = edges((*given.forbidden, *self._against_order()))
        return Constraints(
            required=edges(given.required),
            forbidden=forbidden,
            allowed_parents=allowed,
            max_parents=limits,
            unlabelled=edges(given.unlabelled),
            labels=labels,
        )

    def _against_order(self) -> Iterator[Edge]:
        """Go through the edges within a slice that point to an earlier tier, or against the order."""
        in_a_tier = {name for tier in self.given.tiers for name in tier}
        others = [name for name in (*self.changing, *self.static) if name not in in_a_tier]
        tiers = [[one for name in tier for one in (others if name == EVERY else [name])] for tier in self.given.tiers]
        for early, late in combinations(tiers, 2):
            yield from ((high, low) for low, high in product(early, late))
        yield from ((late, early) for early, late in combinations(self.given.order, 2))


def _replace(constraints: Constraints, **changes: object) -> Constraints:
    return Constraints(**{**vars(constraints), **changes})
