"""`Posterior`: graphs, networks and answers drawn from how probable graphs are, and what is printed and kept of it."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any, Self, TypeVar, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_seed, check_share, check_whole, tell_renamed
from ldag.data import AnyTable, Dataset, Reading, check_data
from ldag.errors import ArgumentError, counted, list_names
from ldag.formats import Context, DocumentRecord, read_document, read_variables, write_document, write_variables
from ldag.graph import LDAG
from ldag.model import Counts, Smoothing, class_counts, configuration_counts
from ldag.network import (
    Answer,
    Averaged,
    AveragedAnswer,
    Contrasts,
    DrawOptions,
    ImputeOptions,
    Network,
    Targets,
    contrast_draws,
    information_of_settings,
)
from ldag.uncertainty.agreement import SHOWN_EDGE, EffectSize, EffectSizes, label_lines
from ldag.uncertainty.bootstraps import Bootstrap
from ldag.uncertainty.chains import Diagnostics
from ldag.uncertainty.component import Component, likely_families
from ldag.uncertainty.design import DesignEffects
from ldag.uncertainty.drawn import DrawnFamilies, DrawnGraph
from ldag.uncertainty.families import FamilyLabels
from ldag.uncertainty.graph_posterior import GraphPosterior, PosteriorMethod
from ldag.uncertainty.mixtures import Mixture
from ldag.uncertainty.strata_posterior import STRATA_POSTERIOR, StrataPosterior
from ldag.uncertainty.whole_graphs import DirectionChances, adjust_for_parents, is_small, mean_answer

T = TypeVar("T")

N_MEMBERS = 500
"""Graphs drawn for an answer."""
N_SIZED = 100
"""Graphs drawn for the sizes of effects where parents alone do not tell them."""
CERTAIN = 0.99
"""Pairs that are joined, or not joined, as probably as that are counted as sure."""


_METHODS: dict[str, PosteriorMethod] = {"exact": "exact", "augmentation": "augmentation"}
"""How files name methods; that of chains has two names, as older ones say chains."""


class Posterior(GraphPosterior):
    """The posterior over labelled DAGs: how probable edges, labels and independencies are, and averaged answers.

    A frozen value, made by `posterior`. Probabilities are numbers with ``mc_error``, which is 0 where they are exact.
    """

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
        drawn = [one.structure for one in self._draw(check_whole(n, "n"), check_seed(rng))]
        graphs = {structure: self._graph(structure) for structure in dict.fromkeys(drawn)}
        return [graphs[structure] for structure in drawn]

    def sample_networks(self, n: int, rng: Rng = None) -> list[Network]:
        """Draw labelled DAGs with parameters, which are drawn too: each network is as probable as the data make it.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
        >>> chances = [net.query("pressure", {"smoking": "yes"})[">140"] for net in post.sample_networks(200, rng=1)]
        >>> mean = sum(chances) / len(chances)
        >>> abs(mean - post.query("pressure", {"smoking": "yes"})[">140"]) < 0.02, max(chances) - min(chances) > 0.05
        (True, True)
        """
        seed = check_seed(rng)
        generator = np.random.default_rng([seed, 1])
        drawn = self._draw(check_whole(n, "n"), seed)
        means = {one: self._network(one) for one in dict.fromkeys(drawn)}
        return [net for one in drawn for net in means[one].sample_parameters(1, generator)]

    def mixture(self, n: int = N_MEMBERS, rng: Rng = None) -> Mixture:
        """Draw graphs and return them as one network: equal ones are one member, with its share as weight.

        Each has the equivalent sample size that it was drawn with.
        """
        drawn = Counter(self._draw(check_whole(n, "n"), check_seed(rng)))
        return Mixture([self._network(one) for one in drawn], list(drawn.values()))

    @overload
    def impute(self, data: T, n: None = None, **options: Unpack[ImputeOptions]) -> T: ...
    @overload
    def impute(self, data: T, n: int, **options: Unpack[ImputeOptions]) -> list[T]: ...
    def impute(self, data: T, n: int | None = None, **options: Unpack[ImputeOptions]) -> T | list[T]:
        """Return a table with its gaps filled, as `Mixture.impute` does, by graphs that are drawn first.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("ucb"), kappa=0.3)
        >>> post.impute({"department": ["A", "F"], "admitted": [None, None]})["admitted"]
        ['Admitted', 'Rejected']
        """
        return self.mixture(rng=options.get("rng")).impute(data, n, **options)

    @overload  # type: ignore[override]  # what is returned follows from interval
    def query(
        self, targets: Targets, given: Context | None = None, *, interval: None = None, **more: Unpack[DrawOptions]
    ) -> Answer: ...
    @overload
    def query(
        self, targets: Targets, given: Context | None = None, *, interval: float, **more: Unpack[DrawOptions]
    ) -> AveragedAnswer: ...
    def query(
        self,
        targets: Targets,
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
        answer = mixture.query_draws(names, given, do, level, n_draws=2 * n_draws, rng=rng)
        if exact is not None:
            for key, mean in zip(list(answer), exact.reshape(-1).tolist(), strict=True):
                answer[key] = Averaged(mean, *answer[key][1:])
        if interval is not None:
            return answer
        return Answer(((key, value.mean) for key, value in answer.items()), answer.targets, answer.said)

    def contrast(
        self,
        event: Context,
        given: Context | None = None,
        *,
        do: Context,
        against: Context,
        interval: float = 0.95,
        n_draws: int = N_MEMBERS,
        rng: Rng = None,
    ) -> Contrasts:
        """Compare the probability of an event when variables are set one way and another.

        Returns the "difference", the "ratio" and the "odds ratio" of the two probabilities, each with a mean and an
        interval over graphs, labels and parameters. What is ``given`` is known after the variables were set.

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
        sides = (mixture.draw_answers(names, given, do=one, n_draws=2 * n_draws, rng=seed) for one in (do, against))
        first, second = (np.array([one[place] for one in drawn]) for drawn in sides)
        return contrast_draws(first, second, interval)

    def effects(self, target: str) -> EffectSizes:
        """Rank all variables by how much setting them changes a target, as a first look at what is worth asking.

        The size of an effect is what setting a variable, to each of its states equally often, would tell about the
        target, in nats (the Jensen-Shannon divergence of the target's distributions). It is averaged over what the
        variable's parents may be: given these, the effect is had by adjusting for them, and there is none on a target
        among them. This needs no draws of graphs; only where data have gaps, or of a file, are graphs drawn. Beside it
        stands the probability that there is a path of arrows from the variable to the target.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("ucb"))
        >>> [effect.variable for effect in post.effects("admitted")]
        ['department', 'gender']
        """
        node = self.schema.node(target, "target: ")
        others = [name for name in self.names if name != target]
        chances = {name: self.ancestor(name, target) for name in others}
        data = None if self.has_gaps else self.data
        sizes = (self._draw_sizes(target) if data is None else self._adjust_sizes(node, data)) if others else {}
        effects = [EffectSize(name, sizes[name], float(p), p.mc_error) for name, p in chances.items()]
        return EffectSizes(sorted(effects, key=lambda one: -round(one.size, 12)), target)

    def _adjust_sizes(self, target: int, data: Dataset) -> dict[str, float]:
        """Return the mean sizes of effects, by the posterior of every variable's parents."""
        sizes, n_states = {}, self.schema.n_states
        for node in self.schema.nodes(name for name in self.names if name != self.schema[target].name):
            shares: dict[tuple[tuple[int, ...], float], float] = {}
            for component in self._likely:
                for parents, probability in component.likely(node):
                    if target not in parents:
                        key = parents, component.setting.equivalent_sample_size
                        shares[key] = shares.get(key, 0.0) + component.weight * probability
            sizes[self.schema[node].name] = sum(
                share * information_of_settings(adjust_for_parents(data.columns, n_states, target, node, *family))
                for family, share in shares.items()
            )
        return sizes

    def _draw_sizes(self, target: str) -> dict[str, float]:
        """Return the mean sizes of effects in drawn graphs, with the means of their parameters."""
        mixture = self.mixture(N_SIZED)
        sizes = dict.fromkeys((name for name in self.names if name != target), 0.0)
        for member, share in zip(mixture.members, mixture.weights or (), strict=True):
            for name in sizes:
                settings = ({name: state} for state in self.schema[self.schema.node(name)].states)
                answers = [list(member.query(target, do=one).values()) for one in settings]
                sizes[name] += share * information_of_settings(np.array(answers))
        return sizes

    def log_likelihood(self, data: AnyTable, **reading: Unpack[Reading]) -> float:
        """Return the log probability of new data given those seen, everything averaged out: a ratio of evidences.

        A table is read with the states and cut points of the data seen.
        """
        known = self._log_evidence
        if self.data is None or self.evidence is None or known is None:
            raise ArgumentError(
                "log_likelihood needs the data and an exact posterior; use"
                " mixture(...).log_likelihood(..., integrate=True) instead"
            )
        more = check_data(data, self.schema, reading).aligned_to(self.schema)
        return self.evidence(self.data.merge(more.ungrouped())) - known

    def log_predictive(self, data: AnyTable, **reading: Unpack[Reading]) -> float:
        """Return the log probability of new data; the old name of `log_likelihood`."""
        tell_renamed("Posterior.log_predictive", "Posterior.log_likelihood")
        return self.log_likelihood(data, **reading)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which `load` can read once they are written as JSON.

        Parent sets less probable than one in ten billion are left out, and 1,000 DAGs are drawn and kept for questions
        about whole graphs. Counts of the families that are kept are in it: it tells about the data what they tell.
        """
        return {
            "format": "ldag posterior",
            "version": 2 if self.has_gaps else 1,
            "variables": write_variables(self.schema),
            "order": list(self.names),
            "prior": self.prior,
            "equivalent_sample_size": list(self.sizes),
            "method": self.method,
            "notes": list(self.notes),
            "settings": dict(self.settings),
            "n_observations": self.n_observations,
            "seconds": self.seconds,
            "log_evidence": self._log_evidence,
            "diagnostics": None if self.diagnostics is None else self.diagnostics.to_dict(),
            **self.families.to_dict(likely_families(self.components)),
            "directions": self._directions.to_dict(),
            **({} if self.design is None else {"design": self.design.to_dict()}),
            "components": [component.to_dict() for component in self.components],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returns."""
        schema, prior = read_variables(content["variables"]), content["prior"]
        diagnostics, directions = content["diagnostics"], content.get("directions")  # which older files do not have
        return cls(
            schema=schema,
            names=tuple(content["order"]),
            prior=prior,
            components=tuple(Component.from_dict(one, content) for one in content["components"]),
            families=(DrawnFamilies if "drawn" in content else FamilyLabels).from_dict(content, schema.n_states),
            method=_METHODS.get(content["method"], "chain"),
            diagnostics=None if diagnostics is None else Diagnostics.from_dict(diagnostics),
            notes=tuple(content["notes"]),
            settings=content["settings"],
            n_observations=content["n_observations"],
            seconds=content["seconds"],
            known_directions=None if directions is None else DirectionChances.from_dict(directions),
            design=DesignEffects.from_dict(content["design"]) if content.get("design") else None,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote. It holds no data, so `log_likelihood` cannot be asked of it."""
        return read_document(path, "posterior", cls.from_dict)

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        write_document(DocumentRecord("posterior", self.to_dict()), path)

    def summary(self) -> dict[str, object]:
        """Return what is printed as plain values."""
        return {
            "method": self.method,
            "limits": self.limits,
            "outside_limits": self.outside,
            "prior": self.prior,
            "kappas": [{"kappa": kappa, "probability": weight} for kappa, weight in self.kappas.items()],
            "equivalent_sample_sizes": [{"size": size, "probability": p} for size, p in self.sizes.items()],
            "structures": [{"structure": kind, "probability": p} for kind, p in self.structures.items()],
            "log_evidence": self._log_evidence,
            "edges": [
                edge._asdict() | {"determined": float(self.determined(edge.parent, edge.child))} for edge in self.edges
            ],
            "labels": [label._asdict() for label in self.labels()],
            "diagnostics": None if self.diagnostics is None else self.diagnostics.to_dict(),
            "unmixed": [{"parent": a, "child": b, "r_hat": r_hat} for (a, b), r_hat in self.unmixed.items()],
            "design": None if self.design is None else self.design.to_dict(),
            "notes": self.notes,
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        return f"<Posterior over graphs of {counted(len(self.schema), 'variable')}, {self.method}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        """Go through the lines of the printed form."""
        yield (
            f"Posterior over labelled DAGs of {counted(len(self.schema), 'variable')}, from"
            f" {self._rows_in_words()}{self._gaps_in_words()}"
        )
        yield f"limits: {self.limits}"
        if self.outside is not None:
            yield f"warning: {self.outside}"
        yield self._prior_line()
        yield f"method: {self.settings['why']}, {self.seconds:.2f} s"
        yield from (f"note: {note}" for note in self.notes)
        if self.diagnostics is not None:
            yield f"{'runs' if self.has_gaps else 'chains'}: {self.diagnostics}"
            yield from self._unmixed_lines()
        yield from self._edge_lines()
        yield from label_lines("labels: probability, and given the edge", self.labels(), self.variables)

    def _rows_in_words(self) -> str:
        if self.design is None:
            return counted(self.n_observations, "observation")
        return f"{counted(self.n_observations, 'row')} of {self.design.groups}"

    def _gaps_in_words(self) -> str:
        """Say that there are gaps, and how sure the numbers are."""
        if self.diagnostics is None or not self.has_gaps:
            return ""
        error = max(self.diagnostics.max_mc_error, 0.001)
        return f" with gaps; averaged over completed tables, Monte-Carlo error at most {error:.3f}"

    def _unmixed_lines(self) -> Iterator[str]:
        """Name the edges that runs disagree about, the worst first."""
        names = [f"{parent} -> {child} ({r_hat:.2f})" for (parent, child), r_hat in self.unmixed.items()]
        if names:
            yield f"the runs disagree about {list_names(names)}; R-hat in brackets"

    def _prior_line(self) -> str:
        evidence = "" if self._log_evidence is None else f", log evidence {self._log_evidence:.4f}"
        sizes = f"equivalent sample size {_spell_shares(self.sizes)}"
        if self.prior == "table":
            return f"prior: every DAG alike, no labels, {sizes}{evidence}"
        graphs = "every DAG alike" if self.prior == "normalised" else "DAGs with more labels weigh more"
        tables = f"; no labels ({self.structures['table']:.2f})" if "table" in self.structures else ""
        is_sum = max(len(self.sizes), len(self.kappas), len(self.structures)) > 1
        shares = " (in brackets: how probable the data make each)" * is_sum
        return f"prior: {self.prior} ({graphs}), kappa {_spell_shares(self.kappas)}{tables}; {sizes}{shares}{evidence}"

    def _edge_lines(self) -> Iterator[str]:
        pairs = []
        for a, b in combinations(self.names, 2):
            forth, back = float(self.edge(a, b)), float(self.edge(b, a))
            first, second = (a, b) if forth >= back else (b, a)
            pairs.append((min(forth + back, 1.0), first, second, max(forth, back), min(forth, back)))
        shown = sorted(
            (pair for pair in pairs if pair[0] >= SHOWN_EDGE), key=lambda pair: (-round(pair[0], 9), pair[1])
        )
        if shown:
            names = max(len(f"{first} - {second}") for _, first, second, _, _ in shown)
            design = "" if self.design is None else "   design effect"
            yield f"{'edges':<{names + 2}}  either way   ->     <-   determined ->     <-{design}"
            for either, first, second, forth, back in shown:
                sure = f"{self.determined(first, second):.2f}   {self.determined(second, first):.2f}"
                effect = self.design_effects.get((first, second), self.design_effects.get((second, first)))
                sure += "" if effect is None else f"   {effect:13.1f}"
                yield f"  {f'{first} - {second}':<{names}}  {either:10.2f}  {forth:.2f}   {back:.2f}         {sure}"
            how = f"from {self._directions.n_draws:,} drawn graphs" if self._directions.n_draws else "exact"
            yield f"determined: the direction follows from data and constraints ({how}); the rest is the share of DAGs"
            yield from () if self.design is None else self.design.lines()
        certain = sum(pair[0] >= CERTAIN for pair in pairs)
        absent = sum(pair[0] <= 1 - CERTAIN for pair in pairs)
        yield (
            f"of {counted(len(pairs), 'pair')}: {certain} surely joined, {absent} surely not (99 %),"
            f" {len(pairs) - certain - absent} uncertain"
        )

    def _exact_mean(
        self, targets: str | tuple[str, ...], given: Context | None, do: Context | None
    ) -> NDArray[np.float64] | None:
        """Return the mean of an answer where it needs no draws."""
        if given or not all(map(is_small, self._likely)):
            return None
        nodes, done = self.schema.nodes(targets, "targets: "), self.schema.context(do, "do: ")
        parts = [c.weight * mean_answer(c, self.families, nodes, done) for c in self._likely]
        return np.asarray(sum(parts))

    def _network(self, drawn: DrawnGraph) -> Network:
        """Return the network of a drawn graph, its parameters the means of their posterior."""
        graph = self._graph(drawn.structure)
        tables = []
        for variable, family in zip(graph.schema, graph.structure.families, strict=True):
            given = [self.schema.node(graph.schema[parent].name) for parent in family.parents]
            counts = self._count(drawn, self.schema.node(variable.name))
            cube = counts.reshape([self.schema.n_states[parent] for parent in sorted(given)] + [variable.n_states])
            order = [sorted(given).index(parent) for parent in given]
            in_order = cube.transpose([*order, len(order)]).reshape(-1, variable.n_states)
            tables.append(class_counts(in_order, family.partition))
        return Network.from_counts(graph, tables, Smoothing(drawn.size))

    def _count(self, drawn: DrawnGraph, node: int) -> Counts:
        """Return what was counted for a node of a drawn graph, by configuration of its parents."""
        family = drawn.structure.families[node]
        if drawn.counts is None:
            return self.families.count(node, family.parents)
        return configuration_counts(drawn.counts[node], family.partition)


def _spell_shares(shares: Mapping[float, float]) -> str:
    """Return numbers with their probabilities, where there are several."""
    if len(shares) == 1:
        return f"{next(iter(shares)):g}"
    return ", ".join(f"{number:g} ({share:.2f})" for number, share in shares.items() if share >= 0.005) or "any"


def unpack_document(record: DocumentRecord) -> Posterior | StrataPosterior | Bootstrap | Mixture:
    """Make of a document that was read what it holds."""
    kinds: dict[str, Callable[[Mapping[str, Any]], Posterior | StrataPosterior | Bootstrap | Mixture]] = {
        "posterior": Posterior.from_dict,
        STRATA_POSTERIOR: StrataPosterior.from_dict,
        "bootstrap": Bootstrap.from_dict,
        "mixture": Mixture.from_dict,
    }
    return record.unpack(kinds[record.kind])
