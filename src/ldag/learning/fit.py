"""What learning gives: `Fit`."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from os import PathLike
from typing import Any

from ldag.constraints import search_space
from ldag.data import Dataset, describe_size
from ldag.drawing import Presentable
from ldag.errors import ArgumentError, by_door, counted, list_names, option
from ldag.formats import MOST_CASES, Edge, brief_conditions, list_contexts
from ldag.graph import LDAG, EdgeDirections, find_thin_families, is_told_by_labels
from ldag.hook import take
from ldag.learning.certificate import Certificate, certify
from ldag.learning.checkpoint import fingerprint
from ldag.learning.cross_validation import Candidate, CrossValidation
from ldag.learning.em_graphs import StructuralEM
from ldag.learning.fold_results import AverageGain, gain_in_words
from ldag.learning.folds import has_folds, usual_folds
from ldag.learning.plan import make_plan
from ldag.learning.searches import Trace
from ldag.learning.settings import Settings
from ldag.learning.structures import ClassKind, StructureKind
from ldag.model import CodedTree, Counts, PruningAverage, Smoothing, Spread, State, class_counts, state_order
from ldag.network import Network
from ldag.progress import Progress, check_progress, check_time_limit
from ldag.scoring import Prior, Score, class_gains, label_gains

SHOWN_CLASSES = 12
"""Classes of a node, or contexts of a label, that are printed at most."""

MANY_STATES = "cut or group the states of variables that have many"
FEWER = "limit the parents, or average several networks"
ALIKE = (
    "cross-validation takes rows as independent, and if several are of one person or thing, predicts well by"
    " recognising it; then name the column that says so with {groups}, or limit the parents"
)
"""What to do about too many parameters."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Fit(Presentable):
    """A learned graph, its score, and how it was found."""

    graph: LDAG
    score: Score
    method: str
    trace: Trace
    cv: CrossValidation | None
    settings: Settings
    seconds: float
    stopped: bool
    n_steps: int
    n_accepted: int
    promise: str
    em: StructuralEM | None = None
    """How gaps were dealt with: rounds, starts and the bound each ended at; None where there are none."""
    average_gain: AverageGain | None = None
    """How much better `average` predicts held-out rows than this; None without folds, if it would take long, or if data
    have gaps."""
    notes: tuple[str, ...] = ()
    """What was left out of the table, and limits of the library that may have kept a better graph from being found."""
    data: Dataset = field(repr=False, compare=False)
    counts: tuple[Counts, ...] = field(repr=False, compare=False)
    """Those of every node, a row per configuration of its parents, expected ones where there are gaps; for the library
    itself."""

    @property
    def ldag(self) -> LDAG:
        """The graph."""
        return self.graph

    @property
    def kappa(self) -> float:
        """The price of labels, given or chosen."""
        return self.score.priors.kappa

    @property
    def prior(self) -> Prior:
        """What kappa is paid for, given or chosen."""
        return self.score.priors.prior

    @property
    def equivalent_sample_size(self) -> float:
        """How many observations the prior over parameters counts for."""
        return self.score.priors.equivalent_sample_size

    @property
    def structure(self) -> StructureKind:
        """Which classes were allowed, given or chosen."""
        return self.cv.best.structure if self.cv is not None else self.settings.first_structure

    @property
    def parameters_sample_size(self) -> float:
        """The size of ``smoothing``."""
        return self.smoothing.size

    @property
    def parameters_spread(self) -> Spread:
        """The spread of ``smoothing``."""
        return self.smoothing.spread

    @property
    def smoothing(self) -> Smoothing | PruningAverage:
        """How many observations the prior counts for in the parameters of ``network``, and how they are spread.

        Where all prunings of grown trees are averaged, also what a parameter more costs one (``kappa``).
        """
        if self.cv is not None:
            return self.cv.best.of_parameters
        given = self.settings.smoothings()[0]
        return self.score.priors.smoothing if given is None else given

    @property
    def held_out_gain(self) -> tuple[float, float] | None:
        """How much better an observation left out is predicted than by plain tables, and the standard error of that.

        In nats, the mean over the folds of the cross-validation; plain tables are learned with the same sample sizes.
        None without a cross-validation, and where the graph has plain tables itself.
        """
        gain = None if self.cv is None else self.cv.gain_over_tables
        if gain is None or self.cv is None:
            return None
        size = self.n_observations / self.cv.n_folds
        return gain[0] / size, gain[1] / size

    @property
    def n_observations(self) -> float:
        """Number of observations, or the sum of the weights if they are real numbers."""
        return self.data.total

    @cached_property
    def network(self) -> Network:
        """The graph with its parameters: the means of their posterior, by the prior of ``smoothing``.

        Where there are gaps, by EM, which goes on from the expected counts of the search.
        """
        families = self.graph.structure.families
        tables = [class_counts(counts, f.partition) for counts, f in zip(self.counts, families, strict=True)]
        smoothing = self.smoothing
        if isinstance(smoothing, PruningAverage):
            network = Network.from_counts(self.graph, tables, smoothing.of_leaves, "averaged", smoothing.kappa)
        else:
            network = Network.from_counts(self.graph, tables, smoothing)
        if self.em is not None:
            size, spread = smoothing.size, smoothing.spread
            jobs = self.settings.n_jobs
            network = Network.from_data(
                self.graph, self.data, equivalent_sample_size=size, spread=spread, start=network, n_jobs=jobs
            )
        return replace(network, origin=self._origin())

    def _origin(self) -> dict[str, object]:
        """Return where the network comes from, as its file keeps it."""
        return {
            "kappa": self.kappa,
            "prior": self.prior,
            "equivalent_sample_size": self.equivalent_sample_size,
            "score": self.score.total,
            "method": self.method,
            "settings": {name: value for name, value in self.settings.to_dict().items() if value is not None},
            "constraints": "" if self.settings.constraints is None else self.settings.constraints.to_text(),
            "forbidden": sorted(map(list, self.forbidden)),
            "trace": [list(point) for point in self.trace],
            "cross_validation": None if self.cv is None else self.cv.to_dict(),
            "version": version("ldag"),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "data": {"digest": fingerprint(self.data.sorted()), "observations": self.n_observations},
        }

    @cached_property
    def forbidden(self) -> frozenset[Edge]:
        """The opposites of the edges that the constraints let point one way only."""
        constraints = self.settings.constraints
        if constraints is None:
            return frozenset()
        schema = self.graph.schema
        space = search_space(schema, constraints, self.settings.max_parents, self.settings.decomposable)
        return frozenset((schema[i].name, schema[j].name) for i, j in space.ruled_out(self.graph.structure))

    @cached_property
    def directions(self) -> EdgeDirections:
        """Which edges are ``essential``, which ``reversible``, and which ``undecided``, under the constraints.

        An edge is essential if it points the same way in every graph that says the same and satisfies the constraints.
        """
        return self.graph.edge_directions(self.forbidden)

    def essential_edges(self) -> frozenset[Edge]:
        """Return the edges whose direction follows from the data and the constraints, as `LDAG.essential_edges` does.

        Examples
        --------
        >>> import ldag
        >>> known = ldag.Constraints(forbidden=[("physical", "mental")])
        >>> fit = ldag.learn(ldag.datasets.load("heart"), kappa=0.1, constraints=known)
        >>> sorted(fit.essential_edges() - fit.ldag.essential_edges())
        [('mental', 'physical')]
        """
        return self.graph.essential_edges(forbidden=self.forbidden)

    @cached_property
    def label_gains(self) -> Mapping[tuple[str, str], float]:
        """For each edge (parent, child) with a label, how much worse the score would be without that label."""
        return label_gains(self.graph, self.counts, self.score.priors)

    @cached_property
    def class_gains(self) -> Mapping[str, float]:
        """For each node whose configurations share distributions, how much worse a full table would score."""
        return class_gains(self.graph, self.counts, self.score.priors)

    def _save_file(self, path: str | PathLike[str]) -> None:
        self.network.save(path)

    def __repr__(self) -> str:
        graph = self.graph
        return (
            f"<Fit: {counted(len(graph.variables), 'variable')}, {counted(len(graph.edges), 'edge')},"
            f" {counted(graph.dimension, 'parameter')}, score {self.score.total:.2f}"
            f" (sample size {self.equivalent_sample_size:g}), by {self.method}>"
        )

    def certify(
        self, *, time_limit: float = 120.0, max_parents: int | None = None, progress: Progress = None
    ) -> Certificate:
        """Bound the score of every graph that could have been learned: a proof of optimality, or of the gap.

        By linear programmes (HiGHS, ``pip install 'ldag[certify]'``), for more variables than an exact search takes.

        Parameters
        ----------
        time_limit
            Seconds for the proof; the bound that is there by then is returned.
        max_parents
            Only graphs with at most so many parents of a variable; None is the limit that was learned with.
        progress
            As in `learn`: None shows the gap on a terminal and in a notebook only.

        Examples
        --------
        >>> import ldag
        >>> fit = ldag.learn(ldag.datasets.load("heart"), kappa=0.1, method="climb")
        >>> fit.certify().is_optimal
        True
        """
        if self.em is not None:
            raise ArgumentError(
                "a certificate is about scores of families that add up, and with gaps these depend on the graph; learn"
                f" from a table without gaps, such as that of {by_door('fit.network.impute(...)', 'ldag impute')}"
            )
        limit = check_time_limit(time_limit)
        settings = self.settings if max_parents is None else self.settings.with_(max_parents=max_parents)
        chosen = Candidate(self.kappa, self.equivalent_sample_size, self.structure, prior=self.prior)
        plan = make_plan(self.data, settings).choose(chosen)
        return certify(plan, self.score, self.graph.edges, limit or 0.0, check_progress(progress))

    def average(self, n: int | None = None, **options: Any) -> Any:
        """Learn several networks from the same data, with the sample sizes, constraints and seed of this fit.

        Returns a `Mixture`, which answers as a network does, and often predicts new rows much better than one.

        Parameters
        ----------
        n
            How many networks; 40 unless said otherwise.
        **options
            Those of `ldag.average`. Without arrows, which could follow an order, members differ in their rows.

        Examples
        --------
        >>> import ldag
        >>> many = ldag.learn(ldag.datasets.load("heart"), kappa=0.1).average(5)
        >>> round(many.query("pressure", given={"smoking": "yes"})[">140"], 1)
        0.4
        """
        by = {"by": "bootstrap"} if self.settings.decomposable else {}
        return take("uncertainty").average(self, **({} if n is None else {"n": n}), **(by | options))

    def to_dict(self) -> dict[str, object]:
        """Return what was learned, and how, as plain values."""
        graph = self.graph
        return {
            "score": self.score.total,
            "log_marginal_likelihood": self.score.log_marginal_likelihood,
            "log_prior": self.score.log_prior,
            "prior": self.prior,
            "kappa": self.kappa,
            "equivalent_sample_size": self.equivalent_sample_size,
            "parameters_sample_size": self.parameters_sample_size,
            "parameters_spread": self.parameters_spread,
            "structure": self.structure,
            "method": self.method,
            "edges": [list(edge) for edge in graph.edges],
            "essential_edges": [list(edge) for edge in graph.edges if edge in self.directions.essential],
            "labels": [
                {
                    "edge": list(edge),
                    "contexts": self._entries_of(edge),
                    "gain": self.label_gains.get(edge),
                }
                for edge in graph.labelled_edges
            ],
            "class_gains": dict(self.class_gains),
            "labels_in_words": list(graph.labels_in_words()),
            "dimension": graph.dimension,
            "dag_dimension": graph.dag_dimension,
            "lower_bound": self.score.is_lower_bound,
            "em": None if self.em is None else self.em.to_dict(),
            "seconds": self.seconds,
            "stopped": self.stopped,
            "promise": self.promise,
            "notes": list(self.notes),
            "data_notes": list(self.data.notes),
            "settings": self.settings.to_dict(),
            "average_gain": None if self.average_gain is None else self.average_gain._asdict(),
            "held_out_gain": None if self.held_out_gain is None else self.held_out_gain[0],
            "cross_validation": None if self.cv is None else {str(k): v for k, v in self.cv.mean.items()},
        }

    def _entries_of(self, edge: Edge) -> list[object]:
        """Return the configurations of a label, or where a tree tells it, contexts."""
        if self._tree_of(edge[1]) is not None:
            return [*list_contexts(self.graph.label_contexts(*edge))]
        return [list(entry) for entry in sorted(self.graph.label(*edge), key=_entry_order)]

    def _tree_of(self, name: str) -> CodedTree | None:
        return self.graph.structure.families[self.graph.schema.node(name)].partition.as_tree()

    def _grown_in_words(self) -> list[str]:
        """Return what was grown: how many questions and leaves there are, and who has most parents."""
        graph = self.graph
        trees = {name: tree for name in graph.schema.names if (tree := self._tree_of(name)) is not None}
        n_leaves = sum(tree.n_leaves for tree in trees.values())
        n_questions = sum(tree.n_nodes - tree.n_leaves for tree in trees.values())
        widest = max(graph.schema.names, key=lambda name: len(graph.parents(name)))
        n_parents = counted(len(graph.parents(widest)), "parent")
        leaves = counted(n_leaves, "leaf", "leaves")
        lines = [f"{counted(n_questions, 'question')}, {leaves}; at most {n_parents} ({widest})"]
        return [*lines, "one by one: fit.ldag.edges, fit.ldag.as_tree(NODE), fit.ldag.labels_in_words(3)"]

    def __str__(self) -> str:
        graph, score = self.graph, self.score
        lines = [
            f"LDAG learned from {self.describe_rows()}",
            f"score {score.total:.2f} = log marginal likelihood {score.log_marginal_likelihood:.2f}"
            f" + log prior {round(score.log_prior, 2) + 0.0:.2f} ({self.assumed_in_words()})",
            *self.describe_graph(),
            *([self._average_in_words()] if len(graph.variables) > 1 and not self.settings.decomposable else []),
            *self.describe_search(),
        ]
        return "\n".join(lines)

    def describe_rows(self) -> str:
        """Say what was learned from, and where rows belong together, that choices were made on groups not seen."""
        variables, groups = counted(len(self.graph.variables), "variable"), self.data.groups
        if groups is None or not self.data.is_grouped:
            return f"{counted(self.n_observations, 'observation')} of {variables}"
        chosen = "" if self.cv is None else f"; chosen on {groups.nouns} not seen"
        return f"{counted(self.n_observations, 'row')} of {groups.in_words}, {variables}{chosen}"

    def assumed_in_words(self) -> str:
        """Say what the score depends on besides graph and data."""
        kappa = f"kappa {self.kappa:g}" + (", chosen by cross-validation" if "kappa" in self._chosen() else "")
        return f"sample size {self.equivalent_sample_size:g}, {kappa}{', lower bound' * self.score.is_lower_bound}"

    def describe_graph(self, given: Collection[str] = ()) -> Iterator[str]:
        """Go through what is said about the graph: edges, labels, classes, and how it does on held-out data.

        Parameters of variables that are given, and have no parents, do not count.
        """
        graph = self.graph
        n_given = sum(graph.schema[graph.schema.node(name)].n_states - 1 for name in given)
        is_grown = self.settings.search.grows
        is_told = all(is_told_by_labels(graph, name) for name in graph.schema.names)
        without = "without labels" if is_told else "in full tables"
        parameters = "" if is_grown else f" ({graph.dag_dimension - n_given:,} {without})"
        yield f"{counted(len(graph.edges), 'edge')}, {counted(graph.dimension - n_given, 'parameter')}{parameters}"
        is_undirected = self.settings.decomposable
        if is_undirected:
            yield from (f"  {line}" for line in graph.to_undirected().describe(self.label_gains))
        else:
            yield from self._grown_in_words() if is_grown else self._edges_in_words()
        if graph.labelled_edges and not (is_grown or is_undirected):
            yield "labels"
            yield from (f"  {sentence}" for sentence in self._labels_with_gains())
        yield from [] if is_grown else self._classes_in_words()
        if self.class_gains:
            gains = ", ".join(f"{node} {gain:.2f}" for node, gain in self.class_gains.items())
            yield f"better than full tables by: {gains}"
        yield from self._held_out_in_words()

    def describe_search(self) -> Iterator[str]:
        """Go through what is said about the search: what it promises, and its notes."""
        if self.label_gains or self.class_gains:
            yield "gains are not certainties; a posterior tells how probable each edge and label is"
        if self.em is not None:
            yield str(self.em)
        yield f"search: {self.method}, {self.seconds:.2f} s; {self.promise}"
        yield from (f"note: {note}" for note in self.notes)

    def _chosen(self) -> dict[str, str]:
        """Return the settings that cross-validation chose, in words."""
        if self.cv is None:
            return {}
        values = {
            "structure": self.structure,
            "prior": self.prior,
            "kappa": f"{self.kappa:g}",
            "equivalent_sample_size": f"{self.equivalent_sample_size:g}",
            "smoothing": self.smoothing.in_words(),
        }
        if self.cv.best.levels is not None:
            return {**values, "structure": self.cv.best.name, "prior": self.prior}
        has_kappa = ClassKind(self.structure, self.prior).has_kappa
        given = {name: getattr(self.settings, name) for name in values}
        given["smoothing"] = "cv" if len(self.settings.smoothings()) > 1 else None
        return {name: value for name, value in values.items() if given[name] == "cv" and (has_kappa or name != "kappa")}

    def _held_out_in_words(self) -> list[str]:
        """Return what cross-validation chose and what it says of unseen data, and a warning of too many parameters."""
        lines = []
        chosen = self._chosen()
        if chosen.keys() - {"kappa"}:
            words = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in chosen.items())
            lines.append(f"chosen by cross-validation: {words}")
        if self.held_out_gain is not None:
            groups = None if self.cv is None else self.cv.groups
            over = groups.nouns if groups is not None and groups.error is not None else None
            lines.append(gain_in_words(*self.held_out_gain, over))
        thin = find_thin_families(self.graph, self.data.n_seen)
        if thin:
            lines.append(
                f"warning: {list_names(thin)}: more parameters than a third of the"
                f" {describe_size(self.data, 'observation')}, which can hardly carry them; {self._advice()}"
            )
        return lines

    def _average_in_words(self) -> str:
        """Say what an average gains, or that it was not measured."""
        call, gain, data = by_door("fit.average()", "ldag average"), self.average_gain, self.data
        if gain is None:
            is_measured = not (data.has_gaps or self.settings.search.grows) and has_folds(data, usual_folds(data))
            measures = " and measures by how much" * is_measured
            return f"several networks often predict better than one: {call} learns them{measures}"
        return f"an average of {gain.n_members} networks predicts {gain.in_words()}" + f": {call}" * gain.is_better

    def _advice(self) -> str:
        """Say what may lead to fewer parameters, as far as it was not done."""
        if not self.graph.edges:
            return MANY_STATES
        if self.settings.equivalent_sample_size == "cv":
            return FEWER if self.data.is_grouped else ALIKE.format(groups=option("groups", "person"))
        has_labels = self.graph.dimension < self.graph.dag_dimension and ClassKind(self.structure, self.prior).has_kappa
        lower = "a lower kappa, " if has_labels and self.settings.kappa != "cv" else ""
        structure = "" if self.settings.structure == "cv" else "structure and "
        return f"try {lower}fewer parents, or choose {structure}equivalent sample size by cross-validation"

    def _edges_in_words(self) -> Iterator[str]:
        """Go through the edges; those that an equivalent graph has the other way round say so."""
        for edge in self.graph.edges:
            parent, child = edge
            known = "   (direction not decided)" if edge in self.directions.undecided else ""
            yield f"  {parent} -> {child}" + ("   (or the other way)" if edge in self.directions.reversible else known)

    def _labels_with_gains(self) -> Iterator[str]:
        """Go through the labels in words, each with what it gains."""
        sentences = self.graph.labels_in_words(MOST_CASES, self.counts)
        for edge, sentence in zip(self.graph.labelled_edges, sentences, strict=True):
            yield f"{sentence} (gains {self.label_gains[edge]:.2f})" if edge in self.label_gains else sentence
        if sentences != self.graph.labels_in_words():
            yield "all cases of a label: ldag explain MODEL NODE, or fit.ldag.labels_in_words()"

    def _classes_in_words(self) -> list[str]:
        """Return the classes of the nodes whose labels do not tell everything."""
        lines = []
        for variable, family in zip(self.graph.variables, self.graph.structure.families, strict=True):
            if is_told_by_labels(self.graph, variable.name):
                continue
            name, partition = variable.name, family.partition
            lines.append(f"  {name}: {partition.n_classes} classes of {partition.grid.size} configurations")
            shared = [rule for rule in self.graph.reduced_cpt(name).rules if rule.is_shared]
            for rule in shared[:SHOWN_CLASSES]:
                when = brief_conditions(rule.contexts, self.graph.variables, "when")
                lines.append(f"    {name} is distributed alike {when}")
            if len(shared) > SHOWN_CLASSES:
                lines.append(f"    and {len(shared) - SHOWN_CLASSES} more such classes")
        return ["classes", *lines] if lines else []


def _entry_order(entry: tuple[State, ...]) -> list[tuple[int, float, str]]:
    """Return what the entries of a label are sorted by."""
    return [state_order(state) for state in entry]
