"""Two networks as one dynamic model by number, checked: what they are over, and that nothing points back in time."""

from collections.abc import Sequence
from dataclasses import dataclass

from ldag.dynamic.steps import CodedDynamics
from ldag.errors import ArgumentError, list_names
from ldag.formats import read_lag, read_step, spell_lag, spell_step
from ldag.model import Model, Schema, Variable
from ldag.network import Network


@dataclass(frozen=True)
class Columns:
    """What a dynamic network is over, by its names."""

    lags: int
    static: tuple[str, ...]
    changing: tuple[str, ...]

    @classmethod
    def of(cls, transition: Network) -> "Columns":
        """Tell them from a transition: what has lags changes, and all else is static."""
        parts = [(name, *read_lag(name)) for name in transition.ldag.schema.names]
        lags = max((lag for _, _, lag in parts), default=0)
        if not lags:
            raise ArgumentError(
                "transition: no variable is of a step before; call them x@-1 for x one step before, x@-2, ..."
            )
        lagged = dict.fromkeys(own for _, own, lag in parts if lag)
        changing = tuple(name for name, _, lag in parts if not lag and name in lagged)
        static = tuple(name for name, _, lag in parts if not lag and name not in lagged)
        return cls(lags, static, changing or tuple(lagged))

    def in_transition(self) -> list[dict[str, str]]:
        """Return by lag what each variable is called in the transition."""
        return [
            {name: name if name in self.static else spell_lag(name, lag) for name in (*self.static, *self.changing)}
            for lag in range(self.lags + 1)
        ]

    def in_first(self) -> list[dict[str, str]]:
        """Return by step what each variable is called in the first network."""
        names = (*self.static, *self.changing)
        if self.lags == 1:
            return [{name: name for name in names}]
        return [
            {name: name if name in self.static else spell_step(name, step) for name in names}
            for step in range(self.lags)
        ]


def check_networks(first: Network, transition: Network) -> Columns:
    """Check that two networks are those of one dynamic network, and return what it is over."""
    for what, net in (("first", first), ("transition", transition)):
        if not isinstance(net, Network):
            raise ArgumentError(f"{what} must be a Network, got {type(net).__name__}")
    columns = Columns.of(transition)
    _check_names("transition", transition.ldag.schema, columns.in_transition())
    _check_names("first", first.ldag.schema, columns.in_first())
    _check_states(first, transition, columns)
    _check_transition(transition, columns)
    _check_first(first, columns)
    return columns


def _check_names(what: str, schema: Schema, wanted: Sequence[dict[str, str]]) -> None:
    """Refuse names that are missing and names too many."""
    names = dict.fromkeys(name for one in wanted for name in one.values())
    missing = [name for name in names if name not in schema.names]
    others = [name for name in schema.names if name not in names]
    if not missing and not others:
        return
    wrong = f"{list_names(missing)} missing" if missing else f"{list_names(others)} too many"
    raise ArgumentError(f"{what}: expected the variables {list_names(list(names), 12)}; {wrong}")


def _check_states(first: Network, transition: Network, columns: Columns) -> None:
    """Refuse a variable that has different states at different times."""
    known: dict[str, Variable] = {}
    for what, net, names in (
        ("transition", transition, columns.in_transition()),
        ("first", first, columns.in_first()),
    ):
        for one in names:
            for name, spelled in one.items():
                variable = net.ldag.schema[net.ldag.schema.node(spelled)]
                other = known.setdefault(name, variable)
                if variable.states != other.states:
                    raise ArgumentError(
                        f"{what}: {spelled!r} has the states {variable.states}, and {other.name!r} has"
                        f" {other.states}; a variable has the same states, in the same order, at all times"
                    )


def _check_transition(transition: Network, columns: Columns) -> None:
    """Refuse edges into what is given in a transition."""
    for parent, child in transition.ldag.edges:
        if read_lag(child)[1] or child in columns.static:
            which = "static" if child in columns.static else "of a step before"
            raise ArgumentError(
                f"transition: the edge {parent} -> {child} points to what is given there: {child!r} is {which}; the"
                " first network says what it depends on"
            )


def _check_first(first: Network, columns: Columns) -> None:
    """Refuse edges that point back in time, or from what changes to what is static."""
    for parent, child in first.ldag.edges:
        if child in columns.static and parent not in columns.static:
            raise ArgumentError(
                f"first: the edge {parent} -> {child} points to {child!r}, which is static; nothing that changes does"
            )
        steps = [read_step(name) if name not in columns.static else None for name in (parent, child)]
        if columns.lags > 1 and steps[0] is not None and steps[1] is not None and steps[0][1] > steps[1][1]:
            raise ArgumentError(f"first: the edge {parent} -> {child} points back in time")


def code_networks(first: Network, transition: Network, columns: Columns) -> CodedDynamics:
    """Return a dynamic model by number; the variables of a slice are the static ones and then those that change."""

    def places(net: Network, names: Sequence[dict[str, str]]) -> list[list[int]]:
        return [[net.ldag.schema.node(spelled) for spelled in one.values()] for one in names]

    begins, follows = (Model(net.ldag.structure, net.probabilities) for net in (first, transition))
    in_first, in_step = places(first, columns.in_first()), places(transition, columns.in_transition())
    return CodedDynamics(begins, follows, in_first, in_step, range(len(columns.static)))
