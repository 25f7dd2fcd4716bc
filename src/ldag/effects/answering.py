"""Numbers for an identified effect: the settings that are asked for, checked, and the formula on a source."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng
from ldag.data import Reading
from ldag.effects.bounding import EffectBounds, bound_effect
from ldag.effects.deciding import Deciding, at_case
from ldag.effects.estimating import evaluate_formula, find_thin_strata, note_thin_strata
from ldag.effects.formulas import Draws, Formula, Remainder, subformulas
from ldag.effects.results import EffectOutcome, EffectQuestion, States
from ldag.effects.sources import AnySource, NumberSource, take_source, take_table
from ldag.effects.spelling import write_assignments
from ldag.errors import ArgumentError, list_names
from ldag.formats import Context
from ldag.graph import LDAG
from ldag.learning import Fit
from ldag.model import Schema
from ldag.network import (
    Answer,
    AnswerKey,
    AveragedAnswer,
    Contrasts,
    Network,
    StateMapping,
    average_draws,
    compare_means,
    contrast_draws,
)
from ldag.uncertainty import Mixture, Posterior

N_BOUND_DRAWS = 200
"""Draws of tables for an interval of bounds, unless others are asked for: each takes linear programmes of its own."""


ROUNDING = 1e-9
"""By so much a probability may be below 0 or above 1 without anybody being told."""


class EstimateOptions(Reading, total=False):
    """Options of every estimate, and those of `read`, for type checkers."""

    equivalent_sample_size: float
    n_draws: int
    rng: Rng


class BoundedAnswer(StateMapping[tuple[float, float]]):
    """By state, or tuple of states, the least and the greatest probability that a table leaves possible."""

    def __str__(self) -> str:
        shown = [", ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in self]
        width = max(map(len, shown), default=0)
        lines = [
            f"{text:<{width}}  {low:.4f} to {high:.4f}" for text, (low, high) in zip(shown, self.values(), strict=True)
        ]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


@dataclass(frozen=True, eq=False)
class Answering:
    """An effect over the states of a source."""

    schema: Schema
    known: Deciding
    outcome: EffectOutcome
    source: NumberSource

    @property
    def question(self) -> EffectQuestion:
        """What was asked."""
        return self.known.question

    def evaluate(self, do: Context | None, given: Context | None) -> Answer:
        """Return probabilities of the target's states."""
        case = self.case(do, given)
        (values,) = self._draw(case)
        answer = Answer(zip(self._keys(), values.reshape(-1).tolist(), strict=True), self._targets, self._say(case))
        answer.notes = self._notes(case, has_prior=False)
        return answer

    def estimate(self, do: Context | None, given: Context | None, interval: float) -> AveragedAnswer:
        """Return means and intervals of them."""
        case = self.case(do, given)
        draws = self._draw(case)
        columns = draws.reshape(len(draws), -1).T
        pairs = ((key, average_draws(column, interval)) for key, column in zip(self._keys(), columns, strict=True))
        answer = AveragedAnswer(pairs, self._targets, self._say(case))
        answer.notes = self._notes(case)
        return answer

    def contrast(
        self, event: Context, do: Context, against: Context, given: Context | None, interval: float
    ) -> Contrasts:
        """Compare an event's probability, and the means of an ordered target, under two settings."""
        cases = [self.case(setting, given) for setting in (do, against)]
        place = self._place(event)
        first, second = (self._draw(case) for case in cases)
        variable = self.schema[self.question.target[0]]
        more = {}
        if first.ndim == 2 and variable.n_states == variable.n_ordered > 2:
            more["difference of means"] = compare_means(first, second, np.arange(float(variable.n_states)))
        result = contrast_draws(self._chance(first, place), self._chance(second, place), interval, more)
        notes = dict.fromkeys(note for case in cases for note in self._notes(case))
        result.notes = (*notes, *_note_extremes(result))
        return result

    def bound(
        self,
        settings: Sequence[Context | None],
        given: Context | None,
        event: Context | None,
        interval: float | None,
    ) -> BoundedAnswer:
        """Return bounds of the target's states, of an event, or of its difference between two settings."""
        cases = [self.case(setting, given) for setting in settings]
        place = None if event is None else self._place(event)
        if place is None and len(cases) > 1:
            raise ArgumentError("bounds of a difference are those of an event: event={name: state}")
        bounds = self._bound_cases(cases, place)
        low, high = (bounds.low[0], bounds.high[0]) if interval is None else bounds.ends(interval)
        keys = self._keys() if place is None else iter(["difference" if len(cases) > 1 else self._event_key(place)])
        ends = zip(low.tolist(), high.tolist(), strict=True)
        answer = BoundedAnswer(zip(keys, ends, strict=True), self._targets, self._say(cases[0]))
        answer.notes = tuple(dict.fromkeys((*self.source.notes, *bounds.notes())))
        return answer

    def _bound_cases(self, cases: Sequence[States], place: Mapping[int, int] | None) -> EffectBounds:
        """Return the bounds by draw: of one case, or of the difference between two."""
        mask = None if place is None else self._mask(place)
        if all(find_formula(self.outcome, case) is not None for case in cases):
            draws = [self._draw(case) for case in cases]
            flat = [one.reshape(len(one), -1) if mask is None else one[:, mask].sum(axis=1)[:, None] for one in draws]
            exact = flat[0] - flat[1] if len(flat) > 1 else flat[0]
            return EffectBounds(exact, exact, np.zeros(len(exact)))
        first, *others = (at_case(self.question, case) for case in cases)
        against = others[0].setting if others else None
        return bound_effect(self.known.structure, self.known.latent, first, self.source, event=mask, against=against)

    def case(self, do: Context | None, given: Context | None) -> States:
        """Check the states of treatments and of what is given: all that are not fixed, and no others."""
        q = self.question
        states: dict[int, int] = {**q.setting, **q.context}
        for side, nodes, asked in (("do", q.do, do), ("given", q.given, given)):
            for node, state in self.schema.context(asked, f"{side}: ").items():
                if node not in nodes:
                    known = list_names([self.schema[n].name for n in nodes]) if nodes else "none"
                    name = self.schema[node].name
                    raise ArgumentError(f"{side}: {name!r} was not asked for; this effect has {side}: {known}")
                if states.setdefault(node, state) != state:
                    raise ArgumentError(
                        f"{side}: this effect is the one at {write_assignments(self.schema, {node: states[node]})}; ask"
                        " identify for others"
                    )
            missing = [n for n in nodes if n not in states and not self.schema[n].latent]
            if missing:
                name, first = self.schema[missing[0]].name, self.schema[missing[0]].states[0]
                raise ArgumentError(f"{side} must give a state of {name!r}, such as {side}={{{name!r}: {first!r}}}")
        return states

    def _draw(self, case: States) -> Draws:
        """Return the distribution of the target in a case, an axis of draws first."""
        return np.clip(self._draw_freely(case), 0.0, 1.0)

    def _draw_freely(self, case: States) -> Draws:
        """Return what the formula gives: with a difference in it, a table that the graph does not allow leads out."""
        return evaluate_formula(self._formula(case), self.question.target, case, self.source)

    def _formula(self, case: States) -> Formula:
        formula = find_formula(self.outcome, case)
        assert formula is not None  # the effect is identified
        return formula

    def _notes(self, case: States, *, has_prior: bool = True) -> tuple[str, ...]:
        """Say what is to be known of the source, of thin strata, and of results that were no probabilities."""
        formula = self._formula(case)
        notes = list(self.source.notes)
        if any(isinstance(part, Remainder) for part in subformulas(formula)):
            draws = self._draw_freely(case).reshape(-1)
            share = float(((draws < -ROUNDING) | (draws > 1 + ROUNDING)).mean())
            if share:
                notes.append(f"{100 * share:.0f} % of the results were below 0 or above 1, and were set to these")
        thin = find_thin_strata(formula, self.question.target, case, self.source) if has_prior else ()
        return (*notes, *note_thin_strata(thin, self.schema))

    @property
    def _targets(self) -> tuple[str, ...]:
        return tuple(self.schema[node].name for node in self.question.target)

    def _keys(self) -> Iterator[AnswerKey]:
        """Go through the states of the target, or tuples of those of several."""
        states = [self.schema[node].states for node in self.question.target]
        yield from states[0] if len(states) == 1 else product(*states)

    def _say(self, case: States) -> str:
        """Say under what conditions an answer is."""
        do = write_assignments(self.schema, {node: case[node] for node in self.question.do if node in case})
        rest = write_assignments(self.schema, {n: state for n, state in case.items() if n not in self.question.do})
        return f"do({do})" + (f", {rest}" if rest else "")

    def _place(self, event: Context) -> Mapping[int, int]:
        """Check an event: states of some of the targets."""
        codes = self.schema.context(event, "event: ")
        if not codes or not codes.keys() <= set(self.question.target):
            raise ArgumentError(f"event must give states of {list_names(self._targets)}, got {dict(event)!r}")
        return codes

    def _chance(self, draws: Draws, place: Mapping[int, int]) -> Draws:
        """Return the probability of an event in every draw."""
        return np.asarray(draws[:, self._mask(place)].sum(axis=1))

    def _mask(self, place: Mapping[int, int]) -> NDArray[np.bool_]:
        """Return which states of the targets are an event."""
        mask = np.zeros([self.schema.n_states[node] for node in self.question.target], dtype=np.bool_)
        mask[tuple(place.get(node, slice(None)) for node in self.question.target)] = True
        return mask

    def _event_key(self, place: Mapping[int, int]) -> AnswerKey:
        states = tuple(self.schema[node].states[code] for node, code in place.items())
        return states[0] if len(states) == 1 else states


def _note_extremes(result: Contrasts) -> Iterator[str]:
    """Say which means are no guide: those of a few draws that divide by nearly nothing."""
    for name, (mean, low, high) in result.items():
        if not low - ROUNDING <= mean <= high + ROUNDING:
            yield f"the mean of the {name} is beyond its interval: rows are few, some draws extreme; go by the interval"


def find_formula(outcome: EffectOutcome, case: States) -> Formula | None:
    """Return the formula of a case; what is not identified as a whole may have some."""
    return next((one.formula for one in outcome.formulas if one.case.items() <= case.items()), None)


def take_numbers(
    known: Deciding,
    outcome: EffectOutcome,
    graph: LDAG,
    needs: Sequence[int],
    source: AnySource,
    options: Mapping[str, Any],
) -> Answering:
    """Read a source, and decide the effect again where it brings other states than the graph was written with.

    With ``n_draws`` among the options the source is drawn from.
    """
    own = EstimateOptions.__annotations__.keys() - Reading.__annotations__.keys()
    reading = Reading(**{name: value for name, value in options.items() if name not in own})  # type: ignore[typeddict-item]
    stated, given = graph, source.network if isinstance(source, Fit) else source
    if isinstance(given, Network | Posterior | Mixture):
        stated = graph.with_states(given.variables)
    else:
        stated, given = take_table(graph, given, needs, reading or None)
        reading = Reading()
    if stated.schema != graph.schema:
        question = translate(known.question, graph.schema, stated.schema)
        known = replace(known, structure=stated.structure.regular(), question=question)
        outcome = _decide_again(known, outcome)
    how = {name: value for name, value in options.items() if name in own}
    numbers = take_source(given, stated, needs, apart=known.question.do, reading=reading or None, **how)
    return Answering(stated.schema, known, outcome, numbers)


def _decide_again(known: Deciding, before: EffectOutcome) -> EffectOutcome:
    """Decide an effect with the states of a source; it stays what it was, unless labels mean something else there."""
    outcome = known.decide()
    if outcome.status != before.status:
        raise ArgumentError(
            f"with the states of the data the effect is {outcome.status}, and with those of the graph as it was written"
            f" {before.status}; declare the states in the graph"
        )
    return outcome


def translate(question: EffectQuestion, old: Schema, new: Schema) -> EffectQuestion:
    """Return the question with the numbers that states have among others."""
    context, setting = (new.context(old.named(states)) for states in (question.context, question.setting))
    return replace(question, context=context, setting=setting)
