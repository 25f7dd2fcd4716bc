"""What is learned from a panel: what series begin with, and how every slice follows from the ones before."""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from math import fsum
from pathlib import Path
from typing import Any

from ldag.checks import check_path
from ldag.constraints import Constraints, PanelRules
from ldag.data import AnyTable, Dataset, Reading, Slices, check_data, cut_slices, describe_data
from ldag.drawing import Presentable
from ldag.dynamic.door import DynamicNetwork
from ldag.errors import ArgumentError, argument, counted, list_names, option, say_decomposable
from ldag.formats import say_lags
from ldag.graph import LDAG
from ldag.hook import Printable
from ldag.learning import LEAST_SECONDS, Deadline, Fit, Progress, Settings, learn_with
from ldag.scoring import NodeScore, Score, score

SHARE_OF_FIRST = 0.3
"""Of the time there is, at most so much is for the first slice, which is the smaller table."""

FIRST, TRANSITION = "first slice", "transition"


@dataclass(frozen=True, repr=False)
class DynamicScore(Printable):
    """How well both graphs explain a panel: the sum of the first slice and the transition.

    Of the transition, the shares of what was before and of what is static are left out: they are given there.
    """

    parts: Mapping[str, float]
    per_node: Mapping[str, Mapping[str, NodeScore]]
    log_marginal_likelihood: float
    log_prior: float
    is_lower_bound: bool

    @classmethod
    def of(cls, first: Score, transition: Fit, changing: Iterable[str]) -> "DynamicScore":
        """Add up the scores of the parts.

        What is given has no parents, so that the likelihood of what was seen of it is known: a lower bound of the
        whole, less that, is a lower bound of what follows.
        """
        second, fit = transition.score, transition
        own = {name: second.per_node[name] for name in changing}
        likelihood = fsum(one.log_marginal_likelihood for one in own.values())
        if second.entropy is not None:
            likelihood = second.log_marginal_likelihood - fsum(
                _score_seen(fit.data.select([name]), fit.equivalent_sample_size)
                for name in fit.data.names
                if name not in own
            )
        prior = fsum(one.log_prior for one in own.values())
        return cls(
            {FIRST: first.total, TRANSITION: likelihood + prior},
            {FIRST: first.per_node, TRANSITION: own},
            first.log_marginal_likelihood + likelihood,
            first.log_prior + prior,
            first.is_lower_bound or second.is_lower_bound,
        )

    @property
    def total(self) -> float:
        """Log marginal likelihood plus log prior."""
        return self.log_marginal_likelihood + self.log_prior

    def to_dict(self) -> dict[str, object]:
        """Return the score as plain values."""
        return {
            "score": self.total,
            "log_marginal_likelihood": self.log_marginal_likelihood,
            "log_prior": self.log_prior,
            "lower_bound": self.is_lower_bound,
            "parts": dict(self.parts),
            "per_node": {
                part: {name: asdict(one) for name, one in nodes.items()} for part, nodes in self.per_node.items()
            },
        }

    def __str__(self) -> str:
        parts = " + ".join(f"{name} {value:.2f}" for name, value in self.parts.items())
        return f"score {self.total:.2f} = {parts}{' (lower bound)' * self.is_lower_bound}"


def _score_seen(column: Dataset, equivalent_sample_size: float) -> float:
    """Return the log marginal likelihood of the cells that were seen of one variable by itself."""
    alone = LDAG.from_edges([], states={v.name: v.states for v in column.variables})
    if not column.counts(column.names[0], observed=True).any():
        return 0.0
    if column.has_gaps:
        column = column.complete_rows()
    alike = score(alone, column.ungrouped(), kappa=1, equivalent_sample_size=equivalent_sample_size)
    return alike.log_marginal_likelihood


@dataclass(frozen=True, kw_only=True, repr=False)
class DynamicFit(Presentable):
    """What was learned from a panel: ``first``, the fit of what series begin with, and ``transition``, of what follows.

    In the transition, ``x@-1`` is x one step before. Both are fits as of any table: ``ldag.posterior(fit.transition)``,
    ``ldag.bootstrap(fit.transition)`` and ``fit.transition.certify()`` tell how sure the edges over time are.
    """

    first: Fit
    transition: Fit
    lags: int
    static: tuple[str, ...]
    changing: tuple[str, ...]
    data: Dataset = field(repr=False, compare=False)

    @property
    def ldag(self) -> LDAG:
        """The graph of the transition."""
        return self.transition.graph

    @cached_property
    def score(self) -> DynamicScore:
        """The sum of both parts."""
        return DynamicScore.of(self.first.score, self.transition, self.changing)

    @cached_property
    def network(self) -> DynamicNetwork:
        """Both graphs with their parameters: the means of their posteriors."""
        groups, times = self.data.groups, self.data.times
        return DynamicNetwork(
            self.first.network,
            self.transition.network,
            groups=None if groups is None else groups.name,
            clock=None if times is None else times.clock,
        )

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.first.seconds + self.transition.seconds

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        self.network.save(path)

    def to_dict(self) -> dict[str, object]:
        """Return what was learned, and how, as plain values."""
        return {
            "lags": self.lags,
            "static": list(self.static),
            **self.score.to_dict(),
            "first": self.first.to_dict(),
            "transition": self.transition.to_dict(),
        }

    def __repr__(self) -> str:
        n = counted(len(self.changing), "variable")
        return f"<DynamicFit: {n} over time, {counted(self.lags, 'lag')}, score {self.score.total:.2f}>"

    def __str__(self) -> str:
        of_groups = "" if self.data.groups is None else f" of {self.data.groups.in_words}"
        before = "the step before" if self.lags == 1 else f"the {self.lags} steps before"
        lines = [
            f"Dynamic LDAG learned from {counted(self.data.total, 'row')}{of_groups}, {counted(self.lags, 'lag')}",
            str(self.score),
            *([f"static: {list_names(self.static)}"] * bool(self.static)),
            *self._describe(FIRST, "what series begin with", self.first),
            *self._describe(TRANSITION, f"how a step follows from {before}", self.transition),
            *(f"note: {note}" for note in describe_data(self.data)),
        ]
        return "\n".join(lines)

    def _describe(self, part: str, what: str, fit: Fit) -> Iterator[str]:
        """Go through what is said about a part."""
        yield f"{part}, {what}: score {self.score.parts[part]:.2f} ({fit.assumed_in_words()})"
        given = [name for name in fit.graph.schema.names if name not in self.changing] if fit is self.transition else []
        told = {f"note: {note}" for note in describe_data(self.data)}
        lines = (*fit.describe_graph(given), *fit.describe_search())
        yield from (f"  {say_lags(line)}" for line in lines if line not in told)


@dataclass(frozen=True)
class Slicing:
    """How a panel is cut, as `learn` explains it."""

    lags: int | None = None
    static: Iterable[str] | None = None
    instantaneous: bool = True

    def __post_init__(self) -> None:
        if self.lags is None:
            given = "static" if self.static is not None else "instantaneous"
            raise ArgumentError(f"{argument(given)} is for rows in order of time; give {option('lags', 1)}, too")
        if not isinstance(self.instantaneous, bool):
            raise ArgumentError(f"{argument('instantaneous')} must be True or False, got {self.instantaneous!r}")

    def cut(self, data: Dataset, constraints: Constraints | None) -> tuple[Slices, PanelRules]:
        """Cut a panel into the tables that are learned from, with the rules of both."""
        assert self.lags is not None
        slices = cut_slices(data, self.lags, self.static)
        given = constraints or Constraints()
        return slices, PanelRules(given, self.lags, slices.static, slices.changing, self.instantaneous)


def check_has_arrows(decomposable: bool) -> None:
    """Refuse graphs without arrows where steps of time order variables."""
    if decomposable:
        raise ArgumentError(
            f"{argument('lags')} is for arrows from one step to the next, and with {say_decomposable()} there are none;"
            " leave one of the two out"
        )


def learn_panel(
    data: AnyTable,
    settings: Settings,
    slicing: Mapping[str, Any],
    *,
    progress: Progress = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    deadline: Deadline | None = None,
    reading: Reading | None = None,
) -> DynamicFit:
    """Learn both graphs, with the options of `Slicing`; the checkpoint of the first slice stands beside the other."""
    if settings.method_option("start") is not None:
        raise ArgumentError(f"{argument('start')} is one graph, and {argument('lags')} learns two; leave it out")
    check_has_arrows(settings.decomposable)
    slices, rules = Slicing(**slicing).cut(check_data(data, reading=reading), settings.constraints)
    deadline = Deadline.after(settings.time_limit) if deadline is None else deadline
    run = partial(learn_with, progress=progress, executor=executor)
    beside = None
    if checkpoint is not None:
        path = Path(check_path(checkpoint))
        beside = path.with_name(f"{path.stem}.first{path.suffix}")
    share = deadline.share(SHARE_OF_FIRST)
    first = run(slices.first, settings.with_(constraints=rules.of_first()), deadline=share, checkpoint=beside)
    if first.stopped and not share.is_over:  # somebody wants what there is
        deadline = deadline.within(LEAST_SECONDS)
    transition = run(
        slices.windows, settings.with_(constraints=rules.of_windows()), deadline=deadline, checkpoint=checkpoint
    )
    return DynamicFit(
        first=first,
        transition=transition,
        lags=slices.lags,
        static=slices.static,
        changing=slices.changing,
        data=slices.panel,
    )
