"""Asking a network: posteriors, probabilities, explanations; exact, or by sampling where that is asked for."""

from collections.abc import Mapping
from functools import cached_property
from math import exp
from typing import TYPE_CHECKING, Literal, Self, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_generator, check_seed, check_share, check_whole, tell_renamed
from ldag.data import AnyTable, Backend, Codes, Dataset, Reading, check_data, make_frame, state_columns
from ldag.errors import ArgumentError, GraphWarning, by_door, option, tell
from ldag.formats import Context
from ldag.graph import family_counts
from ldag.inference import MAX_SIZE, MEMORY_LIMIT, CodedGaps, compile_circuit, sample_rows
from ldag.model import Model, State, configuration_counts, log_likelihood
from ldag.network.answers import Answer, AnswerKey, AveragedAnswer, Compiled, Estimated, Marginals
from ldag.network.arguments import Findings, IntervalOptions, Targets, join_findings, read_findings
from ldag.network.asking import Asking
from ldag.network.base import NetworkBase, counts_by_class
from ldag.network.em import need_cells
from ldag.network.imputing import draw_parameters
from ldag.network.prediction import row_log_probabilities
from ldag.scoring import family_log_predictive

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

GRANTED = (
    "the interval takes the learned graph for granted, which is too narrow for an effect; a posterior over graphs has"
    " intervals that know of others: posterior(data).query(..., do=..., interval=0.95)"
)
NARROW = "the data had gaps, and the interval takes expected counts for counts, which is too narrow"
INTEGRATE_INSTEAD = (
    "log_likelihood(data) is that of the cells that are there under the parameters as they are, and impute(...) fills"
    " gaps"
)


class Questions(NetworkBase):
    """Questions. What is given (``given``) was observed; what is done (``do``) was set from outside."""

    @overload
    def query(
        self, targets: Targets, given: Findings | None = None, *, interval: None = None, **more: Unpack[IntervalOptions]
    ) -> Answer: ...
    @overload
    def query(
        self, targets: Targets, given: Findings | None = None, *, interval: float, **more: Unpack[IntervalOptions]
    ) -> AveragedAnswer: ...
    def query(
        self,
        targets: Targets,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        interval: float | None = None,
        n_draws: int = 1000,
        rng: Rng = None,
        proper: bool = False,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> Answer | AveragedAnswer:
        """Return the posterior distribution of a variable, or the joint one of several.

        Parameters
        ----------
        targets
            A variable, or several.
        given
            What is known of other variables: the state of one, ``{"x": "a"}``; that it is one of several states,
            ``{"x": {"a", "b"}}``; or how likely each of its states makes a finding, ``{"x": {"a": 0.9, "b": 0.2}}``.
        do
            States that other variables are set to: they no longer depend on their parents. In a learned network the
            answer depends on which way arrows at these variables point. Where that is not determined, a
            `GraphWarning` names the arrows, and the answer's ``range`` has the least and greatest probability of
            each state over all graphs that say the same and satisfy the constraints of the search.
        interval
            The posterior probability of an equal-tailed interval around every probability, such as 0.95, from draws of
            the parameters; the answer then has a mean and the two ends for every state. It takes the graph for granted.
            If that was learned, and variables are set by ``do``, the interval is too narrow (nominal 90 % covered 61 to
            75 % of 750 simulated effects), and a `GraphWarning` says so: `Posterior.query` and `Posterior.contrast`
            have intervals over graphs.
        n_draws, rng
            For ``interval``: how many draws of the parameters, and their seed, or a numpy Generator; None is 0.
        proper
            For ``interval``, where the data had gaps: draw what stands in the gaps as well. Otherwise expected counts
            are taken for counts, and the interval is too narrow, which is told.
        memory_limit
            Bytes that the tables of the question may take, or a text such as "8 GB".

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> {state: round(p, 4) for state, p in net.query("pressure", given={"smoking": "yes"}).items()}
        {'<140': 0.6093, '>140': 0.3907}
        >>> mean, low, high = net.query("pressure", given={"smoking": "yes"}, interval=0.95)[">140"]
        >>> low < mean < high
        True
        """
        asked = self.asking.ask(given, do, memory_limit)
        nodes = self.asking.find_targets(targets, asked)
        posterior = self.asking.joint(nodes, asked)
        answer = self.asking.name_answer(nodes, posterior, asked.in_words)
        ranges, answer.undetermined = self.asking.find_ranges(asked, [(nodes, posterior)])
        answer.range = None if ranges is None else ranges[0]
        if interval is None:
            return answer
        check_share(interval, "interval", inside=True)
        if do and self.origin is not None:
            tell((GRANTED,), GraphWarning)
        if self.em is not None and not proper:
            tell((NARROW + by_door("; proper=True draws what stands in the gaps too", ""),))
        draws = self.draw_answers([*answer.targets], given, do=do, n_draws=n_draws, rng=rng, proper=proper)
        averaged = self.asking.name_interval(nodes, answer, draws, interval)
        averaged.range, averaged.undetermined = answer.range, answer.undetermined
        return averaged

    def draw_answers(
        self,
        targets: Targets,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        n_draws: int,
        rng: Rng = None,
        proper: bool = False,
    ) -> NDArray[np.float64]:
        """Return what `query` would answer for each of some draws of the parameters; for the library itself."""
        self._posterior("interval=")
        asked = self.asking.ask(given, do)
        nodes = self.asking.find_targets(targets, asked)
        drawn = self.sample_parameters(check_whole(n_draws, "n_draws"), rng, proper=proper)
        model = asked.engine.model
        needed = sorted(model.structure.ancestors([*nodes, *asked.evidence]))
        with self.asking.explain_size():
            circuit = compile_circuit(model, needed, by_class=True)
        answers = []
        for other in drawn:
            redrawn = Model(other.ldag.structure, other.probabilities).intervened(asked.done)
            _, posterior = circuit.with_probabilities(redrawn).given(asked.evidence).joint(nodes, asked.evidence)
            answers.append(posterior)
        return np.array(answers)

    def credible_interval(
        self,
        targets: Targets,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        level: float = 0.95,
        n_draws: int = 1000,
        rng: Rng = None,
        proper: bool = False,
    ) -> dict[AnswerKey, tuple[float, float]]:
        """Use `query` with ``interval``."""
        tell_renamed("Network.credible_interval(...)", "query(..., interval=0.95)")
        answer = self.query(targets, given, do=do, interval=level, n_draws=n_draws, rng=rng, proper=proper)
        return {state: (value.low, value.high) for state, value in answer.items()}

    def marginals(
        self, given: Findings | None = None, *, do: Context | None = None, memory_limit: int | str = MEMORY_LIMIT
    ) -> Marginals:
        """Return the posterior distribution of every variable; the parameters are those of `query`."""
        asked = self.asking.ask(given, do, memory_limit)
        posteriors = self.asking.marginals(asked)
        named = {
            variable.name: dict(zip(variable.states, posterior.tolist(), strict=True))
            for variable, posterior in zip(self.variables, posteriors, strict=True)
        }
        marginals = Marginals(named, asked.in_words)
        free = [node for node in range(len(self.variables)) if not isinstance(asked.evidence.get(node), int)]
        ranges, marginals.undetermined = self.asking.find_ranges(asked, [((node,), posteriors[node]) for node in free])
        if ranges is not None:
            marginals.range = {self.variables[node].name: ends for node, ends in zip(free, ranges, strict=True)}
        return marginals

    def probability(
        self,
        event: Findings,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> float:
        """Return the probability that some variables are in these states (or one of these), all of them.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> round(net.probability({"smoking": "yes", "pressure": ">140"}), 4)
        0.1867
        """
        return exp(self.log_probability(event, given, do=do, memory_limit=memory_limit))

    def log_probability(
        self,
        event: Findings,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> float:
        """Return the logarithm of `probability`, also where that is too small for a number; minus infinity for zero.

        An event may also be a finding by likelihoods, of which the greatest of a variable counts as 1.
        """
        asked = self.asking.ask(given, do, memory_limit)
        self.asking.warn_of_directions(asked.done)
        wanted = read_findings(self.ldag.schema, event, "event: ")
        with self.asking.explain_size():
            log_given = asked.engine.log_probability(asked.evidence, asked.memory_limit)
            self.asking.check_possible(log_given, asked)
            both = join_findings(asked.evidence, wanted, self.ldag.schema.n_states)
            if both is None:
                return -np.inf
            return min(asked.engine.log_probability(both, asked.memory_limit) - log_given, 0.0)

    def log_finding_probability(
        self, given: Findings, *, do: Context | None = None, memory_limit: int | str = MEMORY_LIMIT
    ) -> float:
        """Use `log_probability`."""
        tell_renamed("Network.log_finding_probability(findings)", "log_probability(findings)")
        return self.asking.log_evidence(given, do, memory_limit)

    def most_probable(
        self,
        given: Findings | None = None,
        *,
        of: Targets | None = None,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> dict[str, State]:
        """Return the most probable states of all variables together, or of some of them.

        This is not the most probable state of each: all of them at once are most probable.

        Parameters
        ----------
        given, do, memory_limit
            As in `query`.
        of
            The variables to explain, if not all; the others are summed out. (This is called marginal MAP.)

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> net.most_probable({"pressure": ">140"}, of=["smoking", "protein"])
        {'smoking': 'no', 'protein': '<3'}
        """
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError(
                f"given: expected findings by variable, such as {{'x': 'yes'}}, got {given!r};"
                " the variables to explain are named by of=[...]"
            )
        asked = self.asking.ask(given, do, memory_limit)
        self.asking.warn_of_directions(asked.done)
        nodes = None if of is None else self.asking.find(of, asked, "of: ")
        bound = by_door("bound_most_probable(...)", "--bound")
        other = None if of is None else f", or use {bound}, which takes variables one by one"
        with self.asking.explain_size(other):
            log_probability, codes = asked.engine.most_probable(nodes, asked.evidence, asked.memory_limit)
        self.asking.check_possible(log_probability, asked)
        schema = self.ldag.schema
        best = enumerate(codes) if nodes is None else zip(nodes, codes, strict=True)
        return {schema[node].name: schema[node].states[code] for node, code in best}

    def estimate(
        self,
        targets: Targets,
        given: Context | None = None,
        *,
        do: Context | None = None,
        n_samples: int = 100_000,
        rng: Rng = None,
    ) -> Estimated:
        """Estimate what `query` computes by likelihood weighting, for networks that are too large for exact answers.

        Rows are drawn with what is given held fixed, and weighted by how probable that is in each. Of a single
        variable, its distribution given all others in the row is averaged, not the state drawn. Where the weights leave
        rows worth fewer than 50 equal ones, as they do where much is given that is improbable, there is no answer.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> about = net.estimate("pressure", given={"smoking": "yes"}, rng=1)
        >>> exact = net.query("pressure", given={"smoking": "yes"})
        >>> abs(about.probabilities[">140"] - exact[">140"]) < 4 * about.standard_errors[">140"]
        True
        """
        asked = self.asking.ask(given, do)
        self.asking.warn_of_directions(asked.done)
        nodes = self.asking.find_targets(targets, asked)
        size = check_whole(n_samples, "n_samples")
        known = self.ldag.schema.context(given, "given: ") | self.ldag.schema.context(do, "do: ")
        return self.asking.estimate(nodes, asked, known, size, check_seed(rng))

    def compile(self, *, max_size: int = MAX_SIZE) -> Compiled:
        """Compile the whole network now, and return how large the circuit is.

        Questions compile what they need by themselves, with up to 30 million arguments of sums and products on the
        way; a larger ``max_size`` allows more, at up to 70 bytes and about a microsecond each.
        """
        check_whole(max_size, "max_size")
        with self.asking.explain_size():
            circuit = self.asking.engine().compile(max_size)
        return Compiled(circuit.shape.n_gates, circuit.shape.size, circuit.seconds, circuit)

    @overload
    def log_likelihood(
        self, data: AnyTable, *, integrate: bool = False, by_row: Literal[False] = False, **reading: Unpack[Reading]
    ) -> float: ...
    @overload
    def log_likelihood(
        self, data: AnyTable, *, integrate: bool = False, by_row: Literal[True], **reading: Unpack[Reading]
    ) -> NDArray[np.float64]: ...
    def log_likelihood(
        self, data: AnyTable, *, integrate: bool = False, by_row: bool = False, **reading: Unpack[Reading]
    ) -> float | NDArray[np.float64]:
        """Return how probable rows are under this network, as a logarithm; minus infinity if one is impossible.

        Of a row with gaps it is the probability of the cells that are there.

        Parameters
        ----------
        data
            The rows.
        integrate
            False: under the parameters as they are. True: with the parameters integrated out over their posterior
            (equation 11), which is the sum over rows of each row's log predictive probability after the rows before it
            were learned from; rows that the network has not seen are judged by this.
        by_row
            A number for every row of the data, in their order, instead of the sum; of a `Dataset`, for every different
            row. Missing cells, and variables without a column, are summed out. Not with ``integrate``, where a row's
            share depends on those before it.
        **reading
            How a table that is no `Dataset` is read: the options of `read`, but those on columns, which are known.

        Examples
        --------
        >>> import ldag
        >>> heart = ldag.datasets.load("heart")
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), heart)
        >>> round(net.log_likelihood(heart), 1)
        -6675.0
        """
        if by_row and integrate:
            raise ArgumentError("integrate=True has no share of a single row; leave out by_row=True")
        if by_row and reading:
            raise ArgumentError(f"by_row=True takes cells as they are; {next(iter(reading))}= does not apply to it")
        if by_row:
            return row_log_probabilities(self.asking, data)
        if integrate:
            learned = self._posterior("log_likelihood(..., integrate=True)")
            known = need_cells(check_data(data, self.ldag.schema, reading), "integrate=True", INTEGRATE_INSTEAD)
            new = family_counts(self.ldag, known)
            return sum(
                family_log_predictive(
                    configuration_counts(posterior.counts, family.partition), fresh, family, learned.smoothing
                )
                for posterior, (_, fresh, family) in zip(learned.posteriors, new, strict=True)
            )
        if not isinstance(data, Dataset):
            reading.setdefault("missing", "keep")
        rows = check_data(data, self.ldag.schema, reading)
        if rows.has_gaps:
            weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
            return float((weights * row_log_probabilities(self.asking, rows)).sum())
        counts = counts_by_class(self.ldag, rows)
        return sum(log_likelihood(table, p) for table, p in zip(counts, self.probabilities, strict=True))

    def log_predictive(self, data: AnyTable, **reading: Unpack[Reading]) -> float:
        """Use `log_likelihood` with ``integrate=True``."""
        tell_renamed("Network.log_predictive(data)", "log_likelihood(data, integrate=True)")
        return self.log_likelihood(data, integrate=True, **reading)

    def sample(self, n: int, rng: Rng = None, *, given: Findings | None = None, do: Context | None = None) -> Dataset:
        """Draw a data set; equal rows are merged, as in every data set.

        Parameters
        ----------
        n
            How many rows.
        rng
            Seed, or a numpy Generator; None is 0. More rows with the same seed begin with the same ones.
        given, do
            Draw from the distribution given what is known, or with variables set from outside, as in `query`.

        Examples
        --------
        >>> import ldag
        >>> heart = ldag.datasets.load("heart")
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), heart)
        >>> net.sample(1000, rng=1).total
        1000
        >>> set(net.sample_columns(100, given={"pressure": ">140"})["pressure"].tolist())
        {'>140'}
        """
        return Dataset.from_codes(self.ldag.schema, self._draw(n, rng, given, do))

    def sample_frame(
        self,
        n: int,
        rng: Rng = None,
        backend: Backend = "pandas",
        *,
        given: Findings | None = None,
        do: Context | None = None,
    ) -> "IntoDataFrame":
        """Draw a dataframe with one row per draw, in the order drawn; the same rows as in `sample`."""
        return make_frame(self.sample_columns(n, rng, given=given, do=do), backend)

    def sample_columns(
        self, n: int, rng: Rng = None, *, given: Findings | None = None, do: Context | None = None
    ) -> dict[str, NDArray[np.generic]]:
        """Draw the same rows as numpy arrays of states, one per variable."""
        return state_columns(self.ldag.schema, self._draw(n, rng, given, do))

    def sample_parameters(self, n: int, rng: Rng = None, *, proper: bool = False) -> list[Self]:
        """Draw networks from the posterior of the parameters: how far answers scatter is how sure they are.

        The networks have the drawn probabilities and no posterior of their own. Where the data had gaps, they scatter
        too little, unless what stands in the gaps is drawn as well (``proper``: data augmentation, a sweep each).

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> drawn = [other.parameters("family")[0][1] for other in net.sample_parameters(200, rng=1)]
        >>> mean = sum(drawn) / len(drawn)
        >>> abs(mean - net.parameters("family")[0][1]) < 0.005
        True
        """
        posteriors = self._posterior("sample_parameters").posteriors
        if proper:
            table = self._table_with_gaps()
            tables = draw_parameters(self.asking, table, check_whole(n, "n"), check_seed(rng))
            return [type(self)(self.ldag, drawn) for drawn in tables]
        generator = check_generator(rng)
        return [
            type(self)(self.ldag, tuple(posterior.draw(generator) for posterior in posteriors))
            for _ in range(check_whole(n, "n"))
        ]

    def _table_with_gaps(self) -> CodedGaps:
        """Return the data that EM estimated from; they are there until the network is saved or sent elsewhere."""
        if self.em is None:
            raise ArgumentError(f"{option('proper', True)} is for networks estimated from data with gaps; leave it out")
        if self.em.table is None:
            raise ArgumentError(
                f"{option('proper', True)} needs the data, which files do not keep; Network.from_data(graph, data,"
                " start=this) estimates from them again"
            )
        return self.em.table

    def _draw(self, n: int, rng: Rng, given: Findings | None, do: Context | None) -> Codes:
        check_whole(n, "n")
        seed = check_seed(rng)
        if not given and not do:
            return sample_rows(self.ldag.structure, self.probabilities, n, seed)
        asked = self.asking.ask(given, do)
        self.asking.warn_of_directions(asked.done)
        with self.asking.explain_size():
            rows = asked.engine.draw(asked.evidence, n, seed, asked.memory_limit)
        self.asking.check_possible(0.0 if len(rows) else -np.inf, asked)
        return np.ascontiguousarray(rows.T)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "asking"}  # made again when asked

    @cached_property
    def asking(self) -> Asking:
        """How this network is asked; for the library itself."""
        return Asking(self)
