"""Formulas as people read them: text, LaTeX, and plain values for programs."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ldag.effects.formulas import (
    ONE,
    Anywhere,
    Axis,
    ByState,
    Cases,
    Formula,
    Probability,
    Product,
    Quotient,
    Remainder,
    Slot,
    Sum,
    free_axes,
    parts,
    slots,
    subformulas,
)
from ldag.effects.results import EffectQuestion, States
from ldag.formats import spell_name
from ldag.model import Schema
from ldag.reasoning import assignments

LONGEST_INLINE = 60
"""Characters of a part that is written out wherever it occurs; longer ones that occur twice get a name."""


class FormulaText:
    """Writes a formula over named variables.

    Bound copies of a variable get as many primes as keep them apart from those around them, and from the variables
    that the question is about.
    """

    bar: ClassVar[str] = " | "
    comma: ClassVar[str] = ", "
    at: ClassVar[str] = " at "

    def __init__(self, schema: Schema, formula: Formula, taken: Iterable[int] = ()) -> None:
        """Choose the names of everything in a formula; ``taken`` are variables whose bound copies get a prime."""
        self._schema = schema
        self._formula = formula
        self._taken = frozenset(taken)
        self._primes = _count_primes(formula, self._taken)
        self._shared: dict[int, tuple[Formula, str]] = {}
        self._name_shared()

    def write(self) -> str:
        """Return the formula, and under it the parts that occur in it more than once."""
        lines = [self._body(self._formula)]
        for part, name in self._shared.values():
            lines.append(self._define(name, self._body(part)))
        return self._join_lines(lines)

    def _name_shared(self) -> None:
        """Name the long parts that occur more than once, those inside first."""
        order = list(subformulas(self._formula))
        uses = Counter(id(inside) for part in order for inside in parts(part))
        for part in order:
            is_shared = uses[id(part)] > 1 and not isinstance(part, Probability)
            if is_shared and len(self._body(part)) > LONGEST_INLINE:
                self._shared[id(part)] = (part, f"Q{len(self._shared) + 1}")

    def _part(self, part: Formula) -> str:
        """Write a part: its name, if it has one."""
        known = self._shared.get(id(part))
        return self._body(part) if known is None else self._name(known[1], part)

    def _name(self, name: str, part: Formula) -> str:
        axes = [self.axis(axis) for axis in sorted(free_axes(part))]
        return f"{name}({self.comma.join(axes)})" if axes else name

    def _define(self, name: str, text: str) -> str:
        part = next(part for part, known in self._shared.values() if known == name)
        return f"where {self._name(name, part)} = {text}"

    def _join_lines(self, lines: Sequence[str]) -> str:
        return "\n".join(lines)

    def _body(self, part: Formula) -> str:
        match part:
            case Probability(of, given):
                known_first = sorted(given, key=lambda slot: slot.copy > 0 or slot.node not in self._taken)
                inside = self.bar.join(self.comma.join(map(self.slot, side)) for side in (of, known_first) if side)
                return f"P({inside})"
            case Sum(over, body):
                return f"{self._sum_sign(over)} {self._within(body, Cases, Anywhere, Remainder, ByState)}"
            case Product(factors):
                return self._product(factors)
            case Quotient(top, bottom):
                return self._fraction(self._part(top), self._part(bottom))
            case Cases(terms):
                return " + ".join(self._within(term, Sum, Anywhere, ByState) for term in terms)
            case Anywhere(over, body):
                return f"{self._part(body)} {self._any_sign(over)}"
            case Remainder(whole, rest):
                kinds = (Anywhere, ByState)
                return f"{self._within(whole, Sum, *kinds)} - {self._within(rest, Cases, Remainder, *kinds)}"
            case ByState(axis, branches):
                return self._branches(axis, branches)

    def _branches(self, axis: Axis, branches: Sequence[Formula]) -> str:
        """Write a formula per state."""
        name = self.axis(axis)
        bare = len(name) - self._primes.get(axis, 0)
        states = [name + self.slot(Slot(axis[0], 0, state))[bare:] for state in range(len(branches))]
        shown = [f"{self._within(part, ByState)}{self.at}{state}" for part, state in zip(branches, states, strict=True)]
        return "; ".join(shown)

    def _product(self, factors: Sequence[Formula]) -> str:
        """Write factors, sums last, all but the last of them in brackets: a sum goes to the end."""
        if not factors:
            return "1"
        ordered = sorted(factors, key=lambda factor: isinstance(factor, Sum))
        *first, last = ordered
        kinds = (Sum, Cases, Anywhere, Quotient, Remainder, ByState)
        return " ".join([*(self._within(factor, *kinds) for factor in first), self._within(last, *kinds[1:])])

    def _within(self, part: Formula, *kinds: type) -> str:
        """Write a part, in brackets if it is of these kinds and has no name."""
        text = self._part(part)
        return f"({text})" if isinstance(part, kinds) and id(part) not in self._shared else text

    def _sum_sign(self, over: Sequence[Axis]) -> str:
        return f"sum_{{{self.comma.join(map(self.axis, over))}}}"

    def _any_sign(self, over: Sequence[Axis]) -> str:
        return f"for any {self.comma.join(map(self.axis, over))}"

    def _fraction(self, top: str, bottom: str) -> str:
        return f"[{top}] / [{bottom}]"

    def slot(self, slot: Slot) -> str:
        """Write a variable, or its fixed state."""
        if slot.axis is not None:
            return self.axis(slot.axis)
        return write_assignments(self._schema, {slot.node: slot.state or 0})

    def axis(self, axis: Axis) -> str:
        """Write a variable with the primes of its copy."""
        return spell_name(self._schema[axis[0]].name) + "'" * self._primes.get(axis, 0)


def write_assignments(schema: Schema, states: Mapping[int, int]) -> str:
    """Return states as in ``assigned=yes, age=old``."""
    return ", ".join(assignments(schema.named(states)))


class LatexFormula(FormulaText):
    """Writes a formula for papers."""

    bar = r" \mid "
    at = r" \text{ at } "

    def _sum_sign(self, over: Sequence[Axis]) -> str:
        return rf"\sum_{{{self.comma.join(map(self.axis, over))}}}"

    def _any_sign(self, over: Sequence[Axis]) -> str:
        return rf"\quad\text{{for any }} {self.comma.join(map(self.axis, over))}"

    def _fraction(self, top: str, bottom: str) -> str:
        return rf"\frac{{{top}}}{{{bottom}}}"

    def _define(self, name: str, text: str) -> str:
        return super()._define(name, text).replace("where ", r"\text{where } ", 1)

    def _join_lines(self, lines: Sequence[str]) -> str:
        return lines[0] if len(lines) == 1 else r"\begin{gathered} " + r" \\ ".join(lines) + r" \end{gathered}"

    def slot(self, slot: Slot) -> str:
        """Write a variable, or its fixed state."""
        if slot.axis is not None:
            return self.axis(slot.axis)
        variable = self._schema[slot.node]
        return f"{write_latex_name(variable.name)}{{=}}{write_latex_name(str(variable.states[slot.state or 0]))}"

    def axis(self, axis: Axis) -> str:
        """Write a variable with the primes of its copy."""
        return write_latex_name(self._schema[axis[0]].name) + "'" * self._primes.get(axis, 0)


def write_latex_name(name: str) -> str:
    """Return a name for mathematics: a letter or a number as it is, words upright."""
    if name.isdecimal() or (len(name) == 1 and name.isalpha()):
        return name
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {sign: rf"\{sign}" for sign in "&%$#_{}"}
    special |= {"<": r"\textless{}", ">": r"\textgreater{}"}
    return rf"\text{{{''.join(special.get(sign, sign) for sign in name)}}}"


@dataclass(frozen=True)
class PlainValues:
    """Turns a formula into nested lists and mappings."""

    schema: Schema
    spelling: FormulaText

    def of(self, part: Formula) -> dict[str, object]:
        """Return a part as plain values."""
        match part:
            case Probability(of, given):
                sides = {"of": [self._slot(slot) for slot in of], "given": [self._slot(slot) for slot in given]}
                return {"probability": sides}
            case Sum(over, body):
                return {"sum": {"over": [self._axis(axis) for axis in over], "of": self.of(body)}}
            case Anywhere(over, body):
                return {"for any": {"over": [self._axis(axis) for axis in over], "of": self.of(body)}}
            case Product(factors):
                return {"product": [self.of(factor) for factor in factors]}
            case Cases(terms):
                return {"cases": [self.of(term) for term in terms]}
            case Quotient(top, bottom):
                return {"quotient": [self.of(top), self.of(bottom)]}
            case Remainder(whole, rest):
                return {"difference": [self.of(whole), self.of(rest)]}
            case ByState(axis, branches):
                return {"by state": {"of": self._axis(axis), "branches": [self.of(branch) for branch in branches]}}

    def _slot(self, slot: Slot) -> dict[str, object]:
        if slot.axis is not None:
            return self._axis(slot.axis)
        variable = self.schema[slot.node]
        return {"variable": variable.name, "state": variable.states[slot.state or 0]}

    def _axis(self, axis: Axis) -> dict[str, object]:
        return {"variable": self.schema[axis[0]].name, "symbol": self.spelling.axis(axis)}


def write_statement(
    schema: Schema, question: EffectQuestion, case: States | None = None, *, is_latex: bool = False
) -> str:
    """Return what was asked, as P(Y | do(X), Z); a case fixes some of it."""
    states = {**question.setting, **question.context, **(case or {})}
    writer = (LatexFormula if is_latex else FormulaText)(schema, ONE)

    def write(nodes: Iterable[int]) -> list[str]:
        return [writer.slot(slot) for slot in slots(nodes, states)]

    extra = [node for node in states if node not in (*question.do, *question.given, *question.target)]
    operator = r"\operatorname{do}" if is_latex else "do"
    done = [f"{operator}({', '.join(write(question.do))})"] if question.do else []
    conditions = [*done, *write(question.given), *write(extra)]
    return f"P({', '.join(write(question.target))}{writer.bar if conditions else ''}{', '.join(conditions)})"


def spell(schema: Schema, formula: Formula, taken: Iterable[int] = ()) -> str:
    """Return a formula as text."""
    return FormulaText(schema, formula, taken).write()


def write_key(formula: Formula) -> str:
    """Return what two formulas share iff they are the same, whatever the numbers of their bound copies."""
    return _KeyText(formula).write()


class _KeyText(FormulaText):
    """Writes variables and states by number."""

    def __init__(self, formula: Formula) -> None:
        super().__init__(Schema(()), formula)

    def slot(self, slot: Slot) -> str:
        return self.axis(slot.axis) if slot.axis is not None else f"{slot.node}={slot.state}"

    def axis(self, axis: Axis) -> str:
        return f"{axis[0]}" + "'" * self._primes.get(axis, 0)


def _count_primes(formula: Formula, taken: Collection[int]) -> dict[Axis, int]:
    """Return the primes of each bound axis: one more than the copies of its variable around it."""
    free = {node for node, _ in free_axes(formula)} | set(taken)
    around: dict[int, dict[int, int]] = {id(formula): dict.fromkeys(free, 0)}
    primes: dict[Axis, int] = {}
    for part in reversed(list(subformulas(formula))):
        inside = dict(around[id(part)])
        if isinstance(part, Sum | Anywhere):
            for axis in part.over:
                primes[axis] = inside[axis[0]] = inside.get(axis[0], -1) + 1
        for below in parts(part):
            known = around.setdefault(id(below), {})
            for node, level in inside.items():
                known[node] = max(known.get(node, 0), level)
    return primes
