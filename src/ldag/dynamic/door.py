"""Networks over time: what series begin with, how a step follows from those before, and questions about both."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_generator, check_text, check_whole
from ldag.data import AnyTable, Clock, Dataset, name_times, state_columns
from ldag.drawing import Drawable, Presentable
from ldag.dynamic import asking
from ldag.dynamic.asking import Asked, Likely
from ldag.dynamic.coding import Columns, check_networks
from ldag.dynamic.histories import CodedSeries, read_histories
from ldag.errors import ArgumentError, counted
from ldag.formats import DocumentRecord, Edge, network_of, read_document, read_lag, read_step, write_document
from ldag.model import Schema, State, Variable
from ldag.network import Marginals, Network

History: TypeAlias = "AnyTable | CodedSeries | None"
"""What was seen of one series; None: nothing yet."""
Several: TypeAlias = list[str] | tuple[str, ...] | None
"""Several variables; None: all of them."""


@dataclass(frozen=True)
class RolledUp(Drawable):
    """A network over time with one box for each variable: which depends on which, and how many steps before."""

    names: tuple[str, ...]
    edges: Mapping[Edge, tuple[int, ...]]
    """Lags by edge; 0 is the same step, or of what is static."""


@dataclass(frozen=True, repr=False)
class DynamicNetwork(Presentable):
    """A network over time: ``first`` is over what series begin with, ``transition`` over a step and those before.

    In the transition ``x@-1`` is x one step before; only variables without a lag have parameters that count there.
    ``groups`` and ``clock`` are the columns of the panel that it was learned from: whose rows are, and when they were.
    """

    first: Network
    transition: Network
    groups: str | None = None
    clock: Clock | None = None

    @classmethod
    def from_networks(
        cls, first: Network, transition: Network, *, groups: str | None = None, time: str | Clock | None = None
    ) -> Self:
        """Put a dynamic network together.

        Parameters
        ----------
        first
            A network over what series begin with: static variables, and ``x`` where the transition looks one step
            back, or ``x@0``, ``x@1``, ... where it looks further.
        transition
            A network over static variables, ``x`` and ``x@-1``, ``x@-2``, ..., x so many steps before. Nothing points
            to what is static or of before; the parameters of these do not count.
        groups, time
            The columns of tables that say whose a row is, and when it was. Which difference is one step, a history
            says by its most common one; learned networks know that of their panel.

        Examples
        --------
        >>> import ldag
        >>> states = {"rain": ["no", "yes"], "rain@-1": ["no", "yes"]}
        >>> first = ldag.LDAG.from_edges([], states={"rain": ["no", "yes"]})
        >>> transition = ldag.LDAG.from_edges([("rain@-1", "rain")], states=states)
        >>> weather = ldag.DynamicNetwork.from_networks(
        ...     ldag.Network.from_parameters(first, {"rain": [0.7, 0.3]}),
        ...     ldag.Network.from_parameters(
        ...         transition, {"rain@-1": [0.5, 0.5], "rain": [[0.9, 0.1], [0.4, 0.6]]}
        ...     ),
        ... )
        >>> [round(step["rain"]["yes"], 3) for step in weather.forecast({"rain": ["no", "yes"]}, steps=2)]
        [0.6, 0.4]
        """
        check_networks(first, transition)
        clock = time if time is None or isinstance(time, Clock) else Clock(check_text(time))
        return cls(first, transition, None if groups is None else check_text(groups), clock)

    @cached_property
    def _columns(self) -> Columns:
        return Columns.of(self.transition)

    @property
    def lags(self) -> int:
        """How many steps before may matter."""
        return self._columns.lags

    @property
    def changing(self) -> tuple[str, ...]:
        """The variables that have a value at every step."""
        return self._columns.changing

    @property
    def static(self) -> tuple[str, ...]:
        """The variables that have one value for a whole series."""
        return self._columns.static

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables: static ones, then those that change."""
        schema = self.transition.ldag.schema
        return tuple(schema[schema.node(name)] for name in (*self.static, *self.changing))

    @property
    def dimension(self) -> int:
        """Number of free parameters: those of the first network, and those of what changes in the transition."""
        structure, schema = self.transition.ldag.structure, self.transition.ldag.schema
        return self.first.dimension + sum(structure.dimension(schema.node(name)) for name in self.changing)

    @cached_property
    def _asked(self) -> Asked:
        return Asked.of(self.first, self.transition, self._columns, self.groups, self.clock)

    def __getstate__(self) -> dict[str, object]:
        return {name: self.__dict__[name] for name in ("first", "transition", "groups", "clock")}

    def to_dict(self) -> dict[str, object]:
        """Return both networks and what the columns of tables are called, as plain values."""
        parts = {"first": json.loads(self.first.to_json()), "transition": json.loads(self.transition.to_json())}
        return {"groups": self.groups, "clock": None if self.clock is None else asdict(self.clock), **parts}

    def summary(self) -> dict[str, object]:
        """Return what it says as plain values, as ``ldag show`` prints it."""
        return {
            "lags": self.lags,
            "static": list(self.static),
            "changing": list(self.changing),
            "dimension": self.dimension,
            "first": self.first.describe().to_dict(),
            "transition": self.transition.describe().to_dict(),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returns."""
        first, transition = (Network.from_model(network_of(content[part])) for part in ("first", "transition"))
        clock = content["clock"]
        known = None if clock is None else Clock(**{**clock, "order": tuple(clock["order"])})
        return cls.from_networks(first, transition, groups=content["groups"], time=known)

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        write_document(DocumentRecord("dynamic network", self.to_dict()), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file (.json) that `save` wrote."""
        return read_document(path, "dynamic network", cls.from_dict)

    def read_series(self, source: AnyTable) -> list[CodedSeries]:
        """Return the series of a table, each of which is a history; for the library itself."""
        return read_histories(source, self._asked.schema, self.groups, self.clock)

    def filter(self, history: History) -> list[Marginals]:
        """Return at each step the distribution of every variable given the history up to there.

        Parameters
        ----------
        history
            What was seen of one series: rows in order of time, in anything that `ldag.read` takes. Columns are
            variables; those without a column, and cells that are missing, are summed out. Columns of groups and of
            times may be there: a wave that the times show to be missing is a step of which nothing was seen.
        """
        return asking.filter_history(self._asked, history)

    def smooth(self, history: History) -> list[Marginals]:
        """Return at each step the distribution of every variable given all of the history; as in `filter`."""
        return asking.smooth_history(self._asked, history)

    def forecast(
        self,
        history: History = None,
        *,
        steps: int = 1,
        variables: str | Iterable[str] | None = None,
        method: Literal["exact", "sample"] = "exact",
        n_samples: int = 20_000,
        rng: Rng = None,
    ) -> list[Marginals]:
        """Return the distributions of variables at the steps to come, given a history.

        Parameters
        ----------
        history
            As in `filter`; None is a series of which nothing was seen yet.
        steps
            How many steps ahead.
        variables
            Which variables; all by default.
        method
            "exact", or "sample" where more would have to be carried from step to step than fits: series are drawn
            and weighted by how probable each makes the history (particles); the answers have ``standard_errors``.
        n_samples, rng
            For "sample": how many series, and their seed.
        """
        names = self._check_variables(variables)
        check_whole(steps, "steps", 1)
        if method == "exact":
            return asking.forecast_exactly(self._asked, history, steps, names)
        if method != "sample":
            raise ArgumentError(f"method must be 'exact' or 'sample', got {method!r}")
        return asking.forecast_by_sampling(
            self._asked, history, steps, names, check_whole(n_samples, "n_samples"), check_generator(rng)
        )

    def _check_variables(self, variables: str | Iterable[str] | None) -> tuple[str, ...]:
        schema = Schema(self.variables)
        names = schema.names if variables is None else variables
        return tuple(schema[node].name for node in schema.nodes(names, "variables: "))

    @overload
    def most_probable_path(self, history: History, x: str) -> list[State]: ...
    @overload
    def most_probable_path(self, history: History, x: Several = None) -> list[dict[str, State]]: ...
    def most_probable_path(self, history: History, x: str | Several = None) -> list[State] | list[dict[str, State]]:
        """Return the states over time that are most probable together, given the history.

        Parameters
        ----------
        history
            As in `filter`.
        x
            A variable, whose states over time are returned, or several, whose states are returned by name; the others
            are summed out. By default, all variables.
        """
        if isinstance(x, str):
            (name,) = self._check_variables(x)
            return [step[name] for step in asking.find_most_probable(self._asked, history, (name,))]
        names = None if x is None else self._check_variables(x)
        return asking.find_most_probable(self._asked, history, names)

    def log_likelihood(self, panel: AnyTable, *, by_series: bool = False) -> "float | dict[State | None, float]":
        """Return how probable a panel is under this network, as a logarithm; minus infinity if it is impossible.

        Parameters
        ----------
        panel
            Rows in order of time, with the column of groups where there are several series. Of gaps, and of waves that
            the times show to be missing, all states are summed over.
        by_series
            A number for every series, by its label, instead of the sum.
        """
        likely: Likely = asking.sum_logs(self._asked, panel)
        return likely if by_series else float(np.sum([*likely.values()]))

    def rolled_up(self) -> RolledUp:
        """Return the picture with one box for each variable, and the lags on its edges."""
        edges: dict[Edge, list[int]] = {}
        for parent, child in self.transition.ldag.edges:
            name, lag = read_lag(parent)
            edges.setdefault((name, child), []).append(lag)
        for parent, child in self.first.ldag.edges:
            if parent in self.static:
                edges.setdefault((parent, (read_step(child) or (child, 0))[0]), [0])
        return RolledUp((*self.static, *self.changing), {edge: tuple(sorted(lags)) for edge, lags in edges.items()})

    def unroll(self, n: int) -> Network:
        """Return the ordinary network over so many steps, in which ``x@0`` is x at the first step, ``x@1`` at the next.

        Examples
        --------
        >>> import ldag
        >>> dynamic = ldag.DynamicNetwork.load("weather.json")  # doctest: +SKIP
        >>> dynamic.unroll(3).query("rain@2", do={"rain@0": "yes"})  # doctest: +SKIP
        """
        return asking.unroll(self._asked, check_whole(n, "n", 1))

    def sample(self, n: int, *, length: int, rng: Rng = None) -> Dataset:
        """Draw series from the beginning: a panel with a group for each, and their steps as times.

        Parameters
        ----------
        n
            How many series.
        length
            How many steps each has.
        rng
            Seed, or a numpy Generator; None is 0. More series of one length with the same seed begin with the same.
        """
        check_whole(n, "n", 1)
        check_whole(length, "length", 1)
        return asking.draw_panel(self._asked, n, length, check_generator(rng))

    def sample_columns(self, n: int, *, length: int, rng: Rng = None) -> dict[str, NDArray[np.generic]]:
        """Draw the same series as numpy arrays: groups, steps, and the states of every variable."""
        drawn = self.sample(n, length=length, rng=rng)
        return {**name_times(drawn.groups, drawn.times), **state_columns(drawn.schema, drawn.codes)}

    def __repr__(self) -> str:
        static = f", {len(self.static)} static" if self.static else ""
        return (
            f"<DynamicNetwork: {counted(len(self.changing), 'variable')} over time{static},"
            f" {counted(self.lags, 'lag')}, {counted(self.dimension, 'parameter')}>"
        )

    def __str__(self) -> str:
        before = "the step before" if self.lags == 1 else f"the {self.lags} steps before"
        return "\n".join(
            [
                f"Dynamic network: {counted(len(self.changing), 'variable')} over time,"
                f" {counted(len(self.static), 'static one')}, {counted(self.lags, 'lag')},"
                f" {counted(self.dimension, 'parameter')}",
                "what series begin with",
                *(f"  {line}" for line in str(self.first).splitlines()),
                f"how a step follows from {before}",
                *(
                    f"  {line}"
                    for name in self.changing
                    for line in self.transition.classes(name).to_text(16).splitlines()
                ),
            ]
        )
