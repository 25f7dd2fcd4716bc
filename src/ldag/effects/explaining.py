"""Why an effect is identified, or is not, in sentences that a reader can repeat."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ldag.effects.context_graphs import list_vanished
from ldag.effects.formulas import fix, free_case, nodes_in
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.plain import identify_plain
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
from ldag.effects.strata import find_vanished
from ldag.formats import ARC, spell_name
from ldag.model import Schema, Structure, Variable
from ldag.reasoning import Question, Verdict, context_parents

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
    no_bounds: str = ""
    """Why bounds are not worked out, where they are not."""

    def write(self) -> str:
        """Return all of it."""
        ways = {"identified": self._identified, "not identifiable": self._refused, "unknown": self._open}
        return "\n".join([*ways[self.outcome.status](), *self._idle_edges()])

    def _idle_edges(self) -> Iterator[str]:
        """Say which edges the reasons do without: the labels together take them away everywhere."""
        kept = set(self.structure.regular().edges)
        idle = [edge for edge in self.structure.edges if edge not in kept]
        if idle:
            yield f"(Left out, as they never matter: {self._edges(idle)}.)"

    def _identified(self) -> Iterator[str]:
        formulas = self.outcome.formulas
        statement = write_statement(self.schema, self.question)
        if len(formulas) == 1:
            reason, free = formulas[0].reason, self._free(formulas[0])
            yield f"{statement} is identified{self._how(reason)}{self._vanish(reason, free=free)}."
        else:
            yield f"{statement} is identified, each case by a formula of its own."
        for one in formulas:
            yield self._equation(one)
            if len(formulas) > 1:
                yield INDENT + self._heading(one)
            yield from self._reasons(one.reason, 1, free=self._free(one))
        yield from self._legend(formulas)
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
        yield self._bounds()

    def _open(self) -> Iterator[str]:
        yield f"It is not decided whether {write_statement(self.schema, self.question)} is identified."
        for text in self.outcome.tried:
            yield f"{INDENT}tried: {text}"
        yield "A larger budget tries more." if self.outcome.is_cut else "A larger budget tries no more."
        yield from self._parts()
        yield self._bounds()

    def _bounds(self) -> str:
        """Say how bounds can be had, or why not."""
        if self.no_bounds:
            return f"No bounds either: {self.no_bounds}."
        return "Bounds can be had from data: effect.bounds(data, do={...})."

    def _parts(self) -> Iterator[str]:
        """Say what is identified although the whole is not."""
        if self.partial:
            yield "Identified are:"
        for one in self.partial:
            yield INDENT + self._equation(one).replace("\n", "\n" + INDENT)
            yield INDENT * 2 + self._heading(one)
            yield from self._reasons(one.reason, 2, free=self._free(one))
        yield from self._legend(self.partial)

    def _legend(self, formulas: Iterable[CaseFormula]) -> Iterator[str]:
        """Say how an independence of what is set is to be read, if there is one."""
        if any(_has_premises(one.reason) for one in formulas):
            yield (
                "To read these: do(...) in an independence is one more cause of what it names, which tells whether that"
                " is set from outside; if so, no other arrow leads there."
            )

    def _equation(self, one: CaseFormula) -> str:
        taken = (*self.question.do, *self.question.given, *self.question.target)
        statement = write_statement(self.schema, self.question, one.case)
        return f"{statement} = {spell(self.schema, one.formula, taken)}"

    def _heading(self, one: CaseFormula) -> str:
        """Say the rule of one case of several."""
        return f"{self._how(one.reason)}{self._vanish(one.reason, free=self._free(one))}".lstrip(":, ")

    def _free(self, one: CaseFormula) -> frozenset[int]:
        """Return what is set or given for whose states together a formula holds; its reason speaks of one of them."""
        return frozenset((*self.question.do, *self.question.given)) - one.case.keys() - self.question.setting.keys()

    def _how(self, reason: Reason) -> str:
        """Say the main rule in a few words."""
        named, fewer, left_out = self._list(reason.adjusted), _fewer_treatments(reason), _left_out(reason)
        once = f"once {self._with_verb(reason.question.do, 'is', 'are')} set"
        states = write_assignments(self.schema, reason.inserted)
        plain = f", by the rules for plain graphs ({reason.rule})"
        seen = f": seeing {self._list(fewer) + ' ' if reason.steps else ''}is as good as setting"
        return {
            "adjustment": f", by adjustment for {named}",
            "front-door": f", by the front door, {named}",
            "no effect": f": {self._with_verb(fewer, 'has', 'have')} no effect on it",
            "cases": f", by cases of {named}" if named else ", by cases",
            "insert": f", by what is seen where {states}",
            "ID": plain,
            "ID in the context": plain,
            "ID at the context": plain,
            "direct": seen,
            "leave out": f", as {self._with_verb(left_out, 'makes', 'make')} no difference {once}",
            "set": f", as it makes no difference to set {states}, too, {once}",
            "chain": ", one target after the other",
            "division": f", by that of all with {self._list(left_out)}, divided by its sum",
            "subtraction": f", by that without {named}, less those of its other states",
            "districts at the setting": ", as a product over groups of variables that share latent causes",
        }.get(reason.rule, f", by {reason.rule}")

    def _reasons(self, reason: Reason, depth: int, *, free: frozenset[int]) -> Iterator[str]:
        """Go through the steps of a derivation, each once."""
        indent = INDENT * depth
        for text in self._own_reasons(reason, free=free):
            yield indent + text
        said: set[str] = set()
        for step in reason.steps:
            states = {**step.question.setting, **step.question.context}
            question = _free_states(step.question, free)
            formula = free_case(step.formula, {node: state for node, state in states.items() if node in free})
            statement = write_statement(self.schema, question)
            text = spell(self.schema, formula, question.do).replace("\n", f"\n{indent}")
            line = f"{indent}{statement} = {text}{self._how(step)}{self._vanish(step, free=free)}"
            if not question.do:
                line = f"{indent}{statement}: the table has it"
            if line not in said:
                yield line
                yield from self._reasons(step, depth + 1, free=free)
            said.add(line)

    def _own_reasons(self, reason: Reason, *, free: frozenset[int]) -> Iterator[str]:
        """Go through what one step rests on."""
        do = self._list(reason.question.do)
        match reason.rule:
            case "adjustment" | "front-door" | "direct" | "no effect" if do and not reason.premises:
                yield from self._known_form(reason)
            case "ID" if not {*reason.question.given, *reason.question.context}:
                yield from self._groups(reason, free)
            case "districts at the setting":
                yield from self._districts(reason, free)
        what = ""
        if reason.rule == "insert" and reason.inserted:
            once = f"once {self._with_verb(reason.question.do, 'is', 'are')} set"
            what = f"{self._with_verb(tuple(reason.inserted), 'makes', 'make')} no difference {once}:"
        elif reason.rule in ("adjustment", "cases"):
            what = f"{self._with_verb(reason.adjusted, 'is', 'are')} not changed by setting {do}:"
        if what and reason.premises:
            yield what
        for premise in reason.premises:
            yield (INDENT if what else "") + self._premise(premise, reason, free=free)

    def _known_form(self, reason: Reason) -> Iterator[str]:
        """Say by which paths a form that people know is valid; no independence was asked for."""
        q, read = reason.question, nodes_in(reason.formula)
        treated = [node for node in q.do if node in read]
        idle = [node for node in q.do if node not in read]
        do, target, seen = self._list(treated), self._list(q.target), [*q.given, *q.context]
        given = f" given {self._list(seen)}" if seen else ""
        if idle and treated:
            yield f"once {self._with_verb(treated, 'is', 'are')} set, {self._with_verb(idle, 'has', 'have')} no effect"
        named = self._list(reason.adjusted)
        match reason.rule:
            case "adjustment":
                them = "it" if len(reason.adjusted) == 1 and not seen else self._list([*reason.adjusted, *seen])
                yield f"{named}: not affected by {do}, and given {them} no back-door path leads from {do} to {target}"
            case "front-door":
                around = [*sorted(read - {*reason.adjusted, *q.do, *q.target, *seen}), *seen]
                block = self._with_verb([*treated, *around], "blocks", "block")
                it = "it" if len(reason.adjusted) == 1 else "them"
                yield (
                    f"{named}: all directed paths from {do} to {target} lead through {it};"
                    f" no back-door path leads from {do} to {named}{f' given {self._list(around)}' if around else ''},"
                    f" and {block} those from {named} to {target}"
                )
            case "direct":
                yield f"no back-door path leads from {do} to {target}{given}"
            case "no effect" if not seen:
                yield f"no directed path leads from {self._list(q.do)} to {target}"
            case "no effect":
                changed = f"setting {self._list(q.do)} changes nothing else that bears on {target}"
                yield f"{changed}{given} (rule 3 of the do-calculus)"

    def _groups(self, reason: Reason, free: frozenset[int]) -> Iterator[str]:
        """Say how the rules for plain graphs take an effect apart, if they do: a group of variables at a time."""
        q, latent = reason.question, frozenset(node for node, v in enumerate(self.schema) if v.latent)
        parents = [family.parents for family in self.structure.families]
        graph = MixedGraph.project(parents, latent - {*q.do})
        above = graph.subgraph(graph.nodes - {*q.do}).ancestors(q.target)
        groups = sorted(graph.subgraph(above).districts(), key=lambda group: graph.order().index(min(group)))
        if len(groups) < 2:
            return
        lines = []
        for group in groups:
            target, do = sorted(group), sorted(graph.parents_of(group) - group)
            formula = identify_plain(graph, target, do)
            if isinstance(formula, Hedge) or nodes_in(formula) & latent:
                return
            setting = {node: state for node, state in q.setting.items() if node in do and node not in free}
            statement = write_statement(self.schema, EffectQuestion(tuple(target), tuple(do), setting=setting))
            lines.append(f"{INDENT}{statement} = {spell(self.schema, fix(formula, setting), do)}")
        yield self._group_by_group(q.do)
        yield from lines

    def _group_by_group(self, do: Sequence[int]) -> str:
        return (
            f"once {self._with_verb(do, 'is', 'are')} set, the others are drawn group by group (latent causes join the"
            " variables of a group), each as if its other parents were set:"
        )

    def _districts(self, reason: Reason, free: frozenset[int]) -> Iterator[str]:
        """Say how a product over groups of variables comes about, and what makes the groups small."""
        q = reason.question
        asked = {node: state for node, state in {**q.context, **q.setting}.items() if node not in free}
        cases: dict[tuple[tuple[int, int], ...], None] = {}
        for step in reason.steps:
            states = {**step.question.context, **step.question.setting}.items()
            cases[tuple(sorted(pair for pair in states if pair[0] not in {*q.do, *q.context}))] = None
        for case in cases:
            fixed = {**asked, **dict(case)}
            gone = list_vanished(self.structure, fixed, q)
            if gone and not any(set(case) < set(other) for other in cases):
                yield f"{self._gone(gone)} where {write_assignments(self.schema, fixed)}"
        yield self._group_by_group(q.do)

    def _vanish(self, reason: Reason, *, free: frozenset[int]) -> str:
        """Say which edges have to vanish for a step, and where they do."""
        if not reason.vanished or reason.rule == "districts at the setting":
            return ""
        fixed = _free_states(reason.question, free)
        where = write_assignments(self.schema, {**fixed.context, **fixed.setting, **reason.inserted})
        return f", as {self._gone(reason.vanished)}{f' where {where}' if where else ''}"

    def _gone(self, edges: Sequence[tuple[int, int]]) -> str:
        return f"{self._edges(edges)} vanish{'es' if len(edges) == 1 else ''}"

    def _edges(self, edges: Sequence[tuple[int, int]]) -> str:
        """Spell edges; one from the latent that an arc stands for is the arc."""
        names = [spell_name(variable.name) for variable in self.schema]
        spelled = (
            self.schema[a].name
            if self.schema[a].undeclared and ARC in self.schema[a].name
            else f"{names[a]} -> {names[b]}"
            for a, b in edges
        )
        return ", ".join(dict.fromkeys(spelled))

    def _premise(self, premise: Premise, reason: Reason, *, free: frozenset[int]) -> str:
        """Say an independence of the augmented graph; its last node is the intervention."""
        structure, decision, question = premise.structure, premise.decision, reason.question
        treated = structure.children[len(structure) - 1]
        do = f"do({self._list(treated)})"
        names = [spell_name(variable.name) for variable in self.schema]
        spelled = [Variable(name, variable.states) for name, variable in zip(names, self.schema, strict=True)]
        verdict = Verdict(Schema((*spelled, Variable(do, ("idle", "set")))), structure, decision)
        if decision.how == "CSI-separation":
            reasons = f"{self._cut(premise, do, free)}; then {self._blocked(decision.question, do)}."
        elif decision.how == "d-separation":
            reasons = f"{self._blocked(decision.question, do)}."
        elif decision.how == "algebra":
            reasons = (
                "no rule for paths shows it; but both sides of what defines it agree as polynomials in the parameters,"
                f" computed exactly at {decision.n_draws} random points modulo 2^31 - 1; the chance that they agree"
                " without being equal is below 2^-60."
            )
        else:
            reasons = " ".join(line.strip() for line in verdict.explain().splitlines()[1:])
        others = [node for node in (*question.do, *reason.inserted) if node not in treated]
        among = f", with {self._list(others)} set" if others and reason.rule != "insert" else ""
        text = f"{verdict.statement}{among}: {reasons}"
        for name in (*names, do):
            text = text.replace(spell_name(name), name) if spell_name(name) != name else text
        text = text.replace(f"{do}=set", do)
        for node, state in {**question.setting, **question.context}.items():
            if node in free:
                text = _replace_whole(text, write_assignments(self.schema, {node: state}), names[node])
        return text

    def _cut(self, premise: Premise, do: str, free: frozenset[int]) -> str:
        """Say which arrows an intervention cuts and which edges vanish in a premise's context."""
        structure, context = premise.structure, premise.decision.question.context
        kept, last = context_parents(structure, context), len(structure) - 1
        treated = structure.children[last] if last in context else ()
        cut = [(parent, child) for parent, child in structure.edges if child in treated and parent not in kept[child]]
        others = find_vanished([premise])
        where = {node: state for node, state in context.items() if node != last and node not in free}
        labelled = f"{self._gone(others)} where {write_assignments(self.schema, where)}"
        return ", and ".join([*([f"{do} cuts {self._edges(cut)}"] if cut else []), *([labelled] if others else [])])

    def _blocked(self, question: Question, do: str) -> str:
        """Say that no path is open; what is set is no condition of its own here."""
        sides = [
            ", ".join(do if n == len(self.schema) else self._list([n]) for n in sorted(side))
            for side in (question.a, question.b)
        ]
        seen = [node for node in sorted({*question.given, *question.context}) if node < len(self.schema)]
        if not seen:
            return f"no open path joins {sides[0]} and {sides[1]}"
        return f"every path between {sides[0]} and {sides[1]} is blocked given {self._list(seen)}"

    def _hedge(self, hedge: Hedge) -> str:
        outer, inner = self._list(sorted(hedge.outer)), self._list(sorted(hedge.inner))
        if len(hedge.outer) == 2:
            both = " and ".join(self._list([node]) for node in sorted(hedge.outer))
            common = [node for node in self._common_causes(hedge.outer) if ARC not in self.schema[node].name]
            what = (
                f"{self._list(common[:1])} is a latent cause of both {both}"
                if common
                else f"{both} share a latent cause"
            )
            return f"{what}, and nothing observed tells it from the effect"
        within = f", and {inner} even without the others" if len(hedge.inner) > 1 else ""
        return (
            f"latent causes join {outer} into one group{within}; so what {inner} would be if"
            f" {self._list(sorted(hedge.outer - hedge.inner))} were set cannot be told from the table"
        )

    def _common_causes(self, nodes: frozenset[int]) -> list[int]:
        """Return the latent variables that are parents of all of some nodes."""
        parents = [set(self.structure.parents(node)) for node in nodes]
        return [node for node in sorted(set.intersection(*parents)) if self.schema[node].latent]

    def _rank(self, proof: RankProof) -> Iterator[str]:
        by_size: dict[int, list[int]] = {}
        for node, n in proof.latent_states.items():
            by_size.setdefault(n, []).append(node)
        sizes = ", ".join(f"{self._with_verb(nodes, 'has', 'have')} {n}" for n, nodes in by_size.items())
        idle = f", {self._edges(proof.cut)} making no difference" if proof.cut else ""
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

    def _with_verb(self, nodes: Sequence[int], one: str, many: str) -> str:
        return f"{self._list(nodes)} {one if len(nodes) == 1 else many}"

    def _list(self, nodes: Sequence[int]) -> str:
        return ", ".join(spell_name(self.schema[node].name) for node in nodes)


def _free_states(question: EffectQuestion, free: frozenset[int]) -> EffectQuestion:
    """Return the question at any states of some variables."""
    setting, context = (
        {node: state for node, state in states.items() if node not in free}
        for states in (question.setting, question.context)
    )
    given = (*question.given, *(node for node in question.context if node in free))
    return replace(question, given=given, context=context, setting=setting)


def _replace_whole(text: str, part: str, other: str) -> str:
    """Replace a part of a text where it stands alone: x=1, but not in max=1 or x=10."""
    return re.sub(rf"(?<![\w\"]){re.escape(part)}(?![\w\"]|\.\w)", lambda _: other, text)


def _fewer_treatments(reason: Reason) -> list[int]:
    """Return the treatments that a step does away with: all, if nothing is left to ask."""
    left = {node for step in reason.steps for node in step.question.do}
    return [node for node in reason.question.do if node not in left]


def _left_out(reason: Reason) -> list[int]:
    """Return the conditions that the next step does without."""
    kept = {node for step in reason.steps for node in (*step.question.given, *step.question.context)}
    return [node for node in (*reason.question.given, *reason.question.context) if node not in kept]


def _has_premises(reason: Reason) -> bool:
    return bool(reason.premises) or any(map(_has_premises, reason.steps))
