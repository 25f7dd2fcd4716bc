"""The network door: `Network`."""

from dataclasses import dataclass
from typing import Any, TypeVar, Unpack, overload

from numpy.typing import NDArray

from ldag.checks import Rng, check_share, check_whole, tell_renamed
from ldag.data import state_columns
from ldag.errors import ArgumentError, TooLarge, counted
from ldag.formats import Context
from ldag.graph import Description
from ldag.inference import MEMORY_LIMIT, Numbers
from ldag.model import Schema, State
from ldag.network.arguments import Findings, Targets
from ldag.network.imputing import By, Imputation, ImputeOptions, complete_rows, impute_table
from ldag.network.influence import (
    BoundedStates,
    Contrast,
    Explanation,
    ParameterInfluence,
    bound_states,
    contrast_answers,
    explain_findings,
    mutual_information,
    rank_parameters,
)
from ldag.network.prediction import RowTable, Unseen, predict_rows, row_log_probabilities
from ldag.network.questions import Questions
from ldag.network.views import ClassParameters, ConditionalTable, NodeParameters

T = TypeVar("T")

TABLE_LIMIT = 1 << 20
"""The largest table that `cpt` makes, in cells, unless told otherwise."""

EXPECTED_ROWS = (
    "The data had gaps: rows are expected ones, and the intervals, which take them for real ones, are too narrow"
)

CLASSES_SHOWN = 16
"""Classes per node in the print of a whole network."""


@dataclass(frozen=True, eq=False, repr=False)
class Network(Questions):
    """A labelled DAG with parameters: for every class of a node the distribution of its states.

    A frozen value. Build one with `from_data`, `from_parameters` or `load`, or take ``fit.network``. A network
    estimated from data keeps the Dirichlet posterior of its parameters, so that it can learn from more. Two networks
    are equal when their graphs (variables in the same order), probabilities and posteriors are.
    """

    def contrast(
        self,
        event: Context,
        given: Findings | None = None,
        *,
        do: Context,
        against: Context,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> dict[str, Contrast]:
        """Compare the probability of an event when variables are set one way and another.

        Returns the "difference", the "ratio" and the "odds ratio" of the two probabilities. In a learned network each
        has a range over all graphs that say the same and satisfy the constraints, and a `GraphWarning` names the arrows
        that make it wide, as in `query`. Intervals that know of other graphs come from `Posterior.contrast`.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> both = net.contrast({"pressure": ">140"}, do={"smoking": "yes"}, against={"smoking": "no"})
        >>> round(both["difference"].value, 3)
        -0.078
        """
        return contrast_answers(self.asking, event, given, do, against, memory_limit)

    def bound_most_probable(
        self, of: Targets, given: Findings | None = None, *, do: Context | None = None
    ) -> BoundedStates:
        """Bound what `most_probable` with ``of`` finds, where its tables are too large: posteriors are enough for this.

        The variable whose state is surest gets that state, which is given from then on, until all have one: together
        they are as probable as ``probability`` says, and no other states can be more probable than ``at_most``, the
        least of the probabilities of each variable's most probable state (the bound by single variables).

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> bound = net.bound_most_probable(["smoking", "protein"], {"pressure": ">140"})
        >>> bound.states, round(bound.probability, 4), round(bound.at_most, 4)
        ({'smoking': 'no', 'protein': '<3'}, 0.3518, 0.5427)
        """
        return bound_states(self.asking, of, given, do)

    def explain(
        self, target: str, given: Findings, *, state: State | None = None, do: Context | None = None
    ) -> Explanation:
        """Tell which findings moved the distribution of a variable, and by how much.

        Parameters
        ----------
        target
            The variable.
        given
            Findings, as in `query`.
        state
            The state to explain; by default the one that is most probable given all findings.
        do
            As in `query`.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> print(net.explain("pressure", {"smoking": "yes", "protein": "<3"}))
        pressure is <140: probability 0.5723 before, 0.6738 given all findings
          smoking is yes  +0.0766  (alone 0.6093, all but this 0.5972)
          protein is <3   +0.0645  (alone 0.5972, all but this 0.6093)
        """
        return explain_findings(self.asking, target, given, state, do)

    def mutual_information(
        self,
        a: Targets,
        b: Targets,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> float:
        """Return how much one or several variables tell about others, in nats, given what is known.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> round(net.mutual_information("smoking", "pressure"), 5)
        0.00256
        """
        first, second = ([names] if isinstance(names, str) else list(names) for names in (a, b))
        asked = self.asking.ask(given, do, memory_limit)
        self.asking.warn_of_directions(asked.done)
        nodes = self.asking.find_targets([*first, *second], asked)
        if not first or not second:
            raise ArgumentError("name at least one variable on each side")
        return mutual_information(self.asking.joint(nodes, asked), len(first))

    def sensitivity(
        self, event: Context, given: Context | None = None, *, do: Context | None = None, n: int = 10
    ) -> tuple[ParameterInfluence, ...]:
        """Return the parameters that the probability of an event depends on most, with its derivatives by them.

        Parameters
        ----------
        event, given, do
            As in `probability`; states only.
        n
            How many to return, the greatest derivatives first.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> print(net.sensitivity({"pressure": ">140"}, {"smoking": "yes"}, n=1)[0])
        P(pressure is <140 | smoking is yes and protein is <3) = 0.6738: derivative -0.5236
        """
        check_whole(n, "n")
        return rank_parameters(self.asking, event, given, do, self.probability(event, given, do=do), n)

    def predict(
        self,
        data: RowTable,
        target: str,
        *,
        unseen: Unseen = "error",
    ) -> NDArray[Any]:
        """Return the most probable state of a variable in every row; of equally probable ones the first.

        The parameters are those of `predict_proba`.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> net.predict({"smoking": ["yes", "no"], "mental": ["yes", None]}, "physical").tolist()
        ['no', 'no']
        """
        best = self.predict_proba(data, target, unseen=unseen).argmax(axis=1)
        variable = self.ldag.schema[self.ldag.schema.node(target)]
        return state_columns(Schema((variable,)), best[None])[target]

    def predict_proba(
        self,
        data: RowTable,
        target: str,
        *,
        unseen: Unseen = "error",
    ) -> Numbers:
        """Return the posterior of a variable given the other cells of every row: a column per state, in their order.

        Parameters
        ----------
        data
            Rows, in anything that `ldag.read` takes. Columns are variables of the network; those that have no column,
            and cells that are missing, are summed out. A column of the target is not looked at. An array has a column
            for each variable in order, with or without the target. A `Dataset` gives a prediction per different row.
        target
            The variable to predict.
        unseen
            What to do with a state that the network does not know: refuse the table, or take the cell as missing.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> net.predict_proba({"smoking": ["yes", None]}, "pressure").round(4).tolist()
        [[0.6093, 0.3907], [0.5723, 0.4277]]
        """
        return predict_rows(self.asking, data, target, unseen)

    @overload
    def impute(self, data: T, n: None = None, **options: Unpack[ImputeOptions]) -> T: ...
    @overload
    def impute(self, data: T, n: int, **options: Unpack[ImputeOptions]) -> list[T]: ...
    def impute(
        self,
        data: T,
        n: int | None = None,
        *,
        by: By = "row",
        proper: bool = False,
        rng: Rng = None,
        unseen: Unseen = "error",
    ) -> T | list[T]:
        """Return a table with its gaps filled: with what is most probable, or ``n`` times with draws.

        Parameters
        ----------
        data
            A table in memory: of pandas, polars or pyarrow, a mapping of columns, an array with a column for each
            variable in order, or a `Dataset`. The same kind comes back, its rows in their order and its other columns
            as they were. A variable without a column gets none; `predict_proba` tells of it.
        n
            How many tables to draw; None fills one with what is most probable.
        by
            "row": the most probable completion of each row (with what has no column); "cell": the most probable state
            of each cell by itself.
        proper
            Draw the parameters too, as the rules for multiple imputation ask: the rows are the data, and the prior is
            that of the network.
        rng
            Seed of the draws; equal seeds give equal draws, in whatever order rows and columns are.
        unseen
            What to do with a state that the network does not know: refuse the table, or take the cell as a gap.

        Notes
        -----
        A measurement that was cut gets the text of a bin, not a number: its column then has both in pandas, and texts
        in polars and pyarrow. Of a `Dataset` with real weights, each different row is drawn once.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> rows = {"smoking": ["yes", None], "mental": [None, "no"], "id": [7, 8]}
        >>> net.impute(rows)
        {'smoking': ['yes', 'yes'], 'mental': ['no', 'no'], 'id': [7, 8]}
        >>> [table["smoking"][1] for table in net.impute(rows, 6, rng=1)]
        ['yes', 'no', 'no', 'yes', 'no', 'yes']
        """
        how = Imputation.check(n, by, proper, rng)
        return impute_table(self.ldag.schema, data, how, unseen, lambda rows: complete_rows(self.asking, rows, how))

    def row_log_probabilities(self, data: RowTable, target: str, *, unseen: Unseen = "error") -> Numbers:
        """Use `log_likelihood` with ``by_row=True``, and leave out the column of the target."""
        tell_renamed("Network.row_log_probabilities(data, target)", "log_likelihood(data, by_row=True)")
        return row_log_probabilities(self.asking, data, target, unseen)

    def classes(self, node: str) -> NodeParameters:
        """Return the classes of a node: for each its contexts in words, and its distribution.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> net.classes("mental")[0].distribution["yes"] > 0.4
        True
        """
        number = self.ldag.schema.node(node)
        states = self.ldag.schema[number].states
        rules = self.ldag.reduced_cpt(node)
        parts = [
            ClassParameters(
                rule,
                states,
                tuple(self.probabilities[number][rule.number].tolist()),
                self._of_posterior("prior", number, rule.number),
                self._of_posterior("counts", number, rule.number),
            )
            for rule in sorted(rules.rules, key=lambda rule: rule.number)
        ]
        near = (*self.ldag.structure.families[number].parents, number)
        variables = tuple(self.ldag.schema[one] for one in near)
        return NodeParameters(node, rules.parents, states, tuple(parts), variables, rules.tree)

    def cpt(self, node: str, max_cells: int = TABLE_LIMIT) -> ConditionalTable:
        """Expand the classes of a node to the full table; one that has more than ``max_cells`` is refused."""
        schema = self.ldag.schema
        number = schema.node(node)
        family = self.ldag.structure.families[number]
        n_cells = family.partition.grid.size * schema[number].n_states
        if n_cells > max_cells:
            raise TooLarge(
                f"the full table of {node!r} has {n_cells:,} cells, and at most {max_cells:,} are allowed;"
                f" classes({node!r}) has its {family.partition.n_classes:,} distributions"
            )
        variables = (*(schema[parent] for parent in family.parents), schema[number])
        values = family.partition.expand(self.probabilities[number])
        values = values.reshape([variable.n_states for variable in variables])
        values.flags.writeable = False
        return ConditionalTable(variables, values)

    def describe(self, node: str | None = None, level: float = 0.95) -> Description:
        """Say what the network says, or explain one variable: when its parents matter, and its probabilities.

        Those of a variable have how many rows they rest on, and intervals that hold them with the probability
        ``level``, conditional on the graph; `ldag.posterior` gives those that are not.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> print(net.describe("mental"))
        mental depends on no other variable
          Markov blanket: physical, protein
        <BLANKLINE>
        Probabilities
          if        rows     no                        yes
          ──        ────     ──                        ───
          always    1,841    0.577 (0.555 to 0.600)    0.423 (0.400 to 0.445)
        """
        if node is not None:
            return self._describe_node(node, check_share(level, "level", inside=True))
        told = self.ldag.describe()
        sections = {**told.sections, "Probabilities": str(self).splitlines(), "Reduced tables": ()}
        sections["Parameters"] = sections.pop("Parameters")
        facts = {"probabilities": {variable.name: self.parameters(variable.name) for variable in self.variables}}
        return Description({title: lines for title, lines in sections.items() if lines}, {**told.facts, **facts})

    def _describe_node(self, node: str, level: float) -> Description:
        classes, graph = self.classes(node), self.ldag
        parents = " and ".join(classes.parents) or "no other variable"
        sentences = zip(graph.labelled_edges, graph.labels_in_words(), strict=True)
        labels = [text for (_, child), text in sentences if child == node]
        blanket = graph.markov_blanket(node)
        gaps = [] if self.em is None else [EXPECTED_ROWS]
        return Description(
            {
                f"{node} depends on {parents}": [*labels, f"Markov blanket: {', '.join(blanket) or 'empty'}", *gaps],
                "Probabilities": classes.in_columns(level).splitlines(),
            },
            {
                "node": node,
                "parents": list(classes.parents),
                "children": list(graph.children(node)),
                "markov_blanket": list(blanket),
                "labels_in_words": labels,
                "states": list(classes.states),
                "level": level,
                "classes": classes.to_list(level),
            },
        )

    def __str__(self) -> str:
        return "\n".join(self.classes(v.name).to_text(CLASSES_SHOWN) for v in self.variables)

    def __repr__(self) -> str:
        graph = self.ldag
        source = "given by probabilities"
        if self.learned is not None:
            total = self.learned.posteriors[0].counts.sum()
            source = f"estimated from {counted(float(total), 'observation')}"
        return (
            f"<Network: {counted(len(graph.variables), 'variable')}, {counted(len(graph.edges), 'edge')},"
            f" {counted(self.dimension, 'parameter')}"
            f" ({source})>"
        )

    def _of_posterior(self, part: str, node: int, number: int) -> tuple[float, ...] | None:
        """Return one class's row of the prior or of the counts."""
        if self.learned is None:
            return None
        posterior = self.learned.posteriors[node]
        return tuple((posterior.prior if part == "prior" else posterior.counts)[number].tolist())
