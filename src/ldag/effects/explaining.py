"""Why an effect is identified, or is not, in sentences that a reader can repeat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ldag.effects.formulas import free_case
from ldag.effects.results import (
    CaseFormula,
    EffectOutcome,
    EffectQuestion,
    Hedge,
    Premise,
    RankProof,
    Reason,
    Twins,
)
from ldag.effects.spelling import spell, write_assignments, write_statement
from ldag.formats import ARC, spell_name
from ldag.model import Schema, Structure, Variable
from ldag.reasoning import Verdict

INDENT = "  "


@dataclass(frozen=True, eq=False)
class EffectExplanation:
    """Writes the reasons of an outcome."""

    schema: Schema
    structure: Structure
    question: EffectQuestion
    outcome: EffectOutcome
    partial: tuple[CaseFormula, ...] = ()
    """Of what is not identified: the cases that are."""
    plain: Hedge | None = None
    """What refuses it without the labels, if something does."""
    twins: Twins | None = None

    def write(self) -> str:
        """Return all of it."""
        match self.outcome.status:
            case "identified":
                return "\n".join(self._identified())
            case "not identifiable":
                return "\n".join(self._refused())
            case "unknown":
                return "\n".join(self._open())

    def _identified(self) -> Iterator[str]:
        formulas = self.outcome.formulas
        statement = write_statement(self.schema, self.question)
        if len(formulas) == 1:
            reason, free = formulas[0].reason, self._free(formulas[0])
            yield f"{statement} is identified{self._how(reason)}{self._vanish(reason, free=free)}."
        else:
            yield f"{statement} is identified, each setting by a formula of its own."
        for one in formulas:
            yield self._equation(one)
            yield from self._reasons(one.reason, 1, free=self._free(one))
        if self.plain is not None:
            yield f"Without the labels it is not identifiable: {self._hedge(self.plain)}."

    def _refused(self) -> Iterator[str]:
        yield f"{write_statement(self.schema, self.question)} is not identifiable."
        match self.outcome.proof:
            case Hedge() as hedge:
                yield f"Hedge: {self._hedge(hedge)}."
            case RankProof() as proof:
                yield from self._rank(proof)
        if self.twins is not None:
            yield from self._twins(self.twins)
        yield from self._parts()
        yield "Bounds can be had from data: effect.bounds(data, do={...})."

    def _open(self) -> Iterator[str]:
        yield f"It is not decided whether {write_statement(self.schema, self.question)} is identified."
        for text in self.outcome.tried:
            yield f"{INDENT}tried: {text}"
        yield "A larger budget tries more; bounds can be had from data either way: effect.bounds(data, do={...})."
        yield from self._parts()

    def _parts(self) -> Iterator[str]:
        """Say what is identified although the whole is not."""
        if self.partial:
            yield "Identified are:"
        for one in self.partial:
            yield INDENT + self._equation(one).replace("\n", "\n" + INDENT)
            yield from self._reasons(one.reason, 2, free=self._free(one))

    def _equation(self, one: CaseFormula) -> str:
        taken = (*self.question.do, *self.question.given, *self.question.target)
        statement = write_statement(self.schema, self.question, one.case)
        return f"{statement} = {spell(self.schema, one.formula, taken)}"

    def _free(self, one: CaseFormula) -> frozenset[int]:
        """Return the treatments for whose states together a formula holds; its reason speaks of one of them."""
        return frozenset(self.question.do) - one.case.keys() - self.question.setting.keys()

    def _how(self, reason: Reason) -> str:
        """Say the main rule in a few words."""
        named = self._list(reason.adjusted)
        states = write_assignments(self.schema, reason.inserted)
        texts = {
            "adjustment": f", by adjustment for {named}",
            "front-door": f", by the front door, {named}",
            "no effect": f": {self._list(self.question.do)} has no effect on it",
            "cases": f", by cases of {named}" if reason.adjusted else ", by cases",
            "insert": f", by what is seen where {states}",
            "set": f", as {states} may be set as well",
            "leave out": ", without a condition that makes no difference",
            "subtraction": f", as what the other states of {named} leave of the whole",
            "chain": ", one variable after another",
            "division": ", as a part of the effect on both",
            "ID": ", by the rules for plain graphs (ID)",
            "direct": ": seeing is as good as setting",
        }
        return texts.get(reason.rule, f", by {reason.rule}")

    def _reasons(self, reason: Reason, depth: int, *, free: frozenset[int]) -> Iterator[str]:
        """Go through the steps of a derivation."""
        indent = INDENT * depth
        for text in self._own_reasons(reason, free=free):
            yield indent + text
        for step in reason.steps:
            question, formula = step.question, step.formula
            setting = {node: state for node, state in question.setting.items() if node not in free}
            formula = free_case(formula, {node: question.setting[node] for node in question.setting.keys() & free})
            question = replace(question, setting=setting)
            statement = write_statement(self.schema, question)
            text = spell(self.schema, formula, question.do).replace("\n", f"\n{indent}")
            yield f"{indent}{statement} = {text}{self._how(step)}{self._vanish(step, free=free)}"
            yield from self._reasons(step, depth + 1, free=free)

    def _own_reasons(self, reason: Reason, *, free: frozenset[int]) -> Iterator[str]:
        """Go through what one step rests on."""
        do, target = self._list(reason.question.do), self._list(reason.question.target)
        match reason.rule:
            case "adjustment" if not reason.premises:
                named = self._list(reason.adjusted)
                yield f"{named}: not affected by {do}, and given it no back-door path joins {do} and {target}"
            case "front-door":
                yield (
                    f"{self._list(reason.adjusted)}: carries all of the effect; no latent cause joins it with {do}, and"
                    f" {do} blocks what else joins it with {target}"
                )
            case "direct" if not reason.premises:
                yield f"no back-door path joins {do} and {target}"
            case "no effect" if not reason.premises:
                yield f"no directed path leads from {do} to {target}"
        what = ""
        if reason.rule == "insert" and reason.inserted:
            what = f"{self._list(tuple(reason.inserted))} makes no difference once {do} is set:"
        elif reason.rule in ("adjustment", "cases"):
            what = f"{self._list(reason.adjusted)} is not changed by setting {do}:"
        if what and reason.premises:
            yield what
        for premise in reason.premises:
            yield (INDENT if what else "") + self._premise(premise, reason.question, free=free)

    def _vanish(self, reason: Reason, *, free: frozenset[int]) -> str:
        """Say which edges have to vanish for a step, and where they do."""
        if not reason.vanished:
            return ""
        names = self.schema.names
        gone = [f"{spell_name(names[a])} -> {spell_name(names[b])}" for a, b in reason.vanished]
        setting = {node: state for node, state in reason.question.setting.items() if node not in free}
        where = write_assignments(self.schema, {**reason.question.context, **setting, **reason.inserted})
        return f", as {', '.join(gone)} vanish{'es' if len(gone) == 1 else ''}{f' where {where}' if where else ''}"

    def _premise(self, premise: Premise, question: EffectQuestion, *, free: frozenset[int]) -> str:
        """Say an independence of the augmented graph; its last node is the intervention."""
        do = f"do({self._list(question.do)})"
        schema = Schema((*self.schema, Variable(do, ("idle", "set"))))
        verdict = Verdict(schema, premise.structure, premise.decision)
        reasons = " ".join(line.strip() for line in verdict.explain().splitlines()[1:])
        text = f"{verdict.statement}: {reasons.removeprefix('CSI-separation: ').removeprefix('d-separation: ')}"
        for spelled in {spell_name(do), do}:
            text = text.replace(f"{spelled}=set", do).replace(spelled, do)
        for node, state in question.setting.items():
            if node in free:
                text = text.replace(write_assignments(self.schema, {node: state}), spell_name(self.schema[node].name))
        return text

    def _hedge(self, hedge: Hedge) -> str:
        outer, inner = self._list(sorted(hedge.outer)), self._list(sorted(hedge.inner))
        if len(hedge.outer) == 2:
            both = outer.replace(", ", " and ")
            common = [node for node in self._common_causes(hedge.outer) if ARC not in self.schema[node].name]
            what = (
                f"{self._list(common[:1])} is a latent cause of both {both}"
                if common
                else f"{both} share a latent cause"
            )
            return f"{what}, and nothing observed tells it from the effect"
        return (
            f"latent causes join {outer} into one district, and {inner} within it; so what {inner} would be if"
            f" {self._list(sorted(hedge.outer - hedge.inner))} were set cannot be told from the table"
        )

    def _common_causes(self, nodes: frozenset[int]) -> list[int]:
        """Return the latent variables that are parents of all of some nodes."""
        parents = [set(self.structure.parents(node)) for node in nodes]
        return [node for node in sorted(set.intersection(*parents)) if self.schema[node].latent]

    def _rank(self, proof: RankProof) -> Iterator[str]:
        name = [spell_name(variable.name) for variable in self.schema]
        sizes = ", ".join(f"{name[node]} has {n}" for node, n in proof.latent_states.items())
        cut = ", ".join(f"{name[parent]} -> {name[child]}" for parent, child in proof.cut)
        idle = f", {cut} making no difference" if cut else ""
        statement = write_statement(self.schema, self.question, proof.case)
        yield (
            f"Ranks: in models of the graph ({sizes} states{idle}) the derivatives of the observed table have rank"
            f" {proof.rank}, with those of {statement} a larger one:"
        )
        yield (
            f"{INDENT}some direction changes the effect and leaves the table as it is. Computed exactly, modulo"
            f" random primes, at {proof.n_draws} random models; the chance of an error is below 2^-60."
        )

    def _twins(self, twins: Twins) -> Iterator[str]:
        observed = [spell_name(v.name) for v in self.schema if not v.latent]
        yield f"Two models of the graph with the same table of {', '.join(observed)}:"
        case = {**twins.setting, **twins.given, **twins.target}
        first, second = twins.effects
        statement = write_statement(self.schema, self.question, case)
        yield f"{INDENT}{statement} = {first:.4f} in the first, {second:.4f} in the second (parameters in .witness)"

    def _list(self, nodes: Sequence[int]) -> str:
        return ", ".join(spell_name(self.schema[node].name) for node in nodes)
