"""Graphs, networks and answers drawn from a posterior."""

from collections import Counter
from collections.abc import Iterable
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_seed, check_share, check_whole
from ldag.data import AnyTable, Dataset, Reading, check_data
from ldag.errors import ArgumentError
from ldag.formats import Context
from ldag.graph import LDAG
from ldag.model import Smoothing, Structure, class_counts
from ldag.network import Answer, Network
from ldag.uncertainty.chances import Averaged, AveragedAnswer
from ldag.uncertainty.enumeration import is_small, mean_answer
from ldag.uncertainty.mixture import Mixture
from ldag.uncertainty.statements import PosteriorStatements

N_MEMBERS = 500
"""Graphs drawn for an answer."""


class PosteriorAnswers(PosteriorStatements):
    """Draws, and questions averaged over them."""

    def sample(self, n: int, rng: Rng = None) -> list[LDAG]:
        """Draw labelled DAGs, each as probable as it is: independent draws where the posterior is exact.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
        >>> graphs = post.sample(1000, rng=1)
        >>> share = sum(("smoking", "pressure") in graph.edges for graph in graphs) / 1000
        >>> abs(share - post.edge("smoking", "pressure")) < 0.05
        True
        """
        made: dict[Structure, LDAG] = {}
        graphs = []
        for structure in self._draw(check_whole(n, "n"), check_seed(rng)):
            if structure not in made:
                made[structure] = self._graph(structure)
            graphs.append(made[structure])
        return graphs

    def sample_networks(self, n: int, rng: Rng = None) -> list[Network]:
        """Draw labelled DAGs with parameters, which are drawn too."""
        seed = check_seed(rng)
        generator = np.random.default_rng([seed, 1])
        known: dict[Structure, Network] = {}
        drawn = []
        for structure in self._draw(check_whole(n, "n"), seed):
            if structure not in known:
                known[structure] = self._network(structure)
            drawn += known[structure].sample_parameters(1, generator)
        return drawn

    def mixture(self, n: int = N_MEMBERS, rng: Rng = None) -> Mixture:
        """Draw graphs and return them as one network: equal ones are one member, with its share as weight."""
        drawn = Counter(self._draw(check_whole(n, "n"), check_seed(rng)))
        return Mixture([self._network(structure) for structure in drawn], list(drawn.values()))

    def query(
        self,
        targets: str | Iterable[str],
        given: Context | None = None,
        *,
        do: Context | None = None,
        interval: float | None = None,
        n_draws: int = N_MEMBERS,
        rng: Rng = None,
    ) -> Answer | AveragedAnswer:
        """Return the distribution of a variable, or the joint one of several, averaged over graphs and parameters.

        Parameters
        ----------
        targets, given, do
            As in `Network.query`.
        interval
            The posterior probability of an equal-tailed interval around every mean, such as 0.95; None for the means
            alone.
        n_draws
            Graphs to draw, each with its own parameters. Where there are few graphs and nothing is given, means are
            exact, and draws serve the interval only.
        rng
            Seed, or a numpy Generator; None is 0.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
        >>> mean, low, high = post.query("pressure", given={"smoking": "yes"}, interval=0.95, rng=1)[">140"]
        >>> low < mean < high
        True
        """
        names = targets if isinstance(targets, str) else tuple(targets)
        if interval is not None:
            check_share(interval, "interval", inside=True)
        mixture = self.mixture(n_draws, rng)
        exact = self._exact_mean(names, given, do)
        level = 0.5 if interval is None else interval
        answer = mixture.query_interval(names, given, do=do, interval=level, n_draws=2 * n_draws, rng=rng)
        if exact is not None:
            for key, mean in zip(list(answer), exact.reshape(-1).tolist(), strict=True):
                answer[key] = Averaged(mean, *answer[key][1:])
        if interval is not None:
            return answer
        return Answer(((key, value.mean) for key, value in answer.items()), answer.targets, answer.said)

    def contrast(
        self,
        event: Context,
        *,
        do: Context,
        against: Context,
        interval: float = 0.95,
        n_draws: int = N_MEMBERS,
        rng: Rng = None,
    ) -> dict[str, Averaged]:
        """Compare the probability of an event when variables are set one way and another.

        Returns the "difference" and the "ratio" of the two probabilities, each with a mean and an interval over graphs,
        labels and parameters.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
        >>> both = post.contrast({"pressure": ">140"}, do={"smoking": "yes"}, against={"smoking": "no"}, rng=1)
        >>> both["difference"].mean < 0 < both["difference"].high + 1e-9
        True
        """
        check_share(interval, "interval", inside=True)
        names = tuple(event)
        if not names:
            raise ArgumentError("event must name at least one variable and its state")
        codes = self.schema.context(event, "event: ")
        place = tuple(codes[self.schema.node(name)] for name in names)
        mixture = self.mixture(n_draws, rng)
        seed = check_seed(rng)
        first, second = (
            np.array([drawn[place] for drawn in mixture.draw_answers(names, do=one, n_draws=2 * n_draws, rng=seed)])
            for one in (do, against)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            return {"difference": _summary(first - second, interval), "ratio": _summary(first / second, interval)}

    def log_predictive(self, data: AnyTable, **reading: Unpack[Reading]) -> float:
        """Return the log probability of new data given those seen, everything averaged out: a ratio of evidences.

        A table is read with the states and cut points of the data seen.
        """
        if self.data is None or self.evidence is None or self.log_evidence is None:
            raise ArgumentError(
                "log_predictive needs the data and an exact posterior; use mixture(...).log_predictive(...) instead"
            )
        more = check_data(data, self.schema, reading).aligned_to(self.schema)
        return self.evidence(_joined(self.data, more)) - self.log_evidence

    def _exact_mean(
        self, targets: str | tuple[str, ...], given: Context | None, do: Context | None
    ) -> NDArray[np.float64] | None:
        """Return the mean of an answer where it needs no draws."""
        if given or not all(map(is_small, self.components)):
            return None
        nodes, done = self.schema.nodes(targets, "targets: "), self.schema.context(do, "do: ")
        parts = [c.weight * mean_answer(c, self.families, nodes, done) for c in self.components]
        return np.asarray(sum(parts))

    def _network(self, structure: Structure) -> Network:
        """Return the network of a structure, its parameters the means of their posterior."""
        graph = self._graph(structure)
        tables = []
        for variable, family in zip(graph.schema, graph.structure.families, strict=True):
            given = [self.schema.node(graph.schema[parent].name) for parent in family.parents]
            counts = self.families.count(self.schema.node(variable.name), tuple(sorted(given)))
            cube = counts.reshape([self.schema.n_states[parent] for parent in sorted(given)] + [variable.n_states])
            order = [sorted(given).index(parent) for parent in given]
            in_order = cube.transpose([*order, len(order)]).reshape(-1, variable.n_states)
            tables.append(class_counts(in_order, family.partition))
        return Network.from_counts(graph, tables, Smoothing(self.priors.equivalent_sample_size))


def _summary(values: NDArray[np.float64], interval: float) -> Averaged:
    low, high = np.quantile(values, [(1 - interval) / 2, (1 + interval) / 2])
    return Averaged(float(values.mean()), float(low), float(high))


def _joined(data: Dataset, more: Dataset) -> Dataset:
    """Return the rows of both."""
    first, second = (np.ones(d.n_rows, dtype=np.int64) if d.weights is None else d.weights for d in (data, more))
    both = np.concatenate([first, second])
    weights = both.astype(np.int64) if first.dtype == second.dtype == np.int64 else both.astype(np.float64)
    return Dataset.from_codes(data.schema, np.concatenate([data.codes, more.codes], axis=1), weights)
