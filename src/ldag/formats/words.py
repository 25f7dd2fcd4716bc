"""How names, states, labels and numbers are spelled: in the text notation, and in words as people say them.

In the text notation, names and states are bare where that is unambiguous, quoted otherwise: written in double quotes,
read in single ones, too.
A bare word is made of letters and digits of any script, ``_`` and ``.``, and single ``-`` between them; a ``-``
may also begin a number, and a step of time may end it, as in ``pain@-1`` or ``pain@0``. As a state, a bare word that
reads as a number in the JSON manner (``0``, ``-3``, ``2.5``, also ``.5``, ``1e-7``) is that number and ``True`` or
``False`` a boolean; so ``007`` and ``true`` are strings.
"""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import floor, isfinite, log10, prod

from ldag.errors import FormatError
from ldag.formats.boxes import Boxes
from ldag.formats.gist import Amounts, find_gist
from ldag.formats.record import Context, EdgeRecord
from ldag.model import MISSING_STATE, State, Variable, spell_cut

WORD = r"(?:-(?=[0-9.]))?[\w.]+(?:-[\w.]+)*(?:@-?[0-9]+)?"
"""Pattern of a bare word."""

_WORD = re.compile(WORD)
_INT = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(
    r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*(?:[eE]-?[0-9]+)?|[eE]-?[0-9]+)|\.[0-9]+(?:[eE]-?[0-9]+)?)", re.ASCII
)
_BOOL = {"True": True, "False": False}
_INVISIBLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_QUOTE = re.compile(r'\\.|"')
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_bare_state(word: str, path: str) -> State:
    """Return the state that a bare word stands for: a number, a boolean or a string."""
    if word in _BOOL:
        return _BOOL[word]
    if _INT.fullmatch(word):
        return read_int(word, path)
    if not _FLOAT.fullmatch(word):
        return word
    number = float(word)
    if not isfinite(number):
        raise FormatError(f"{path}: the number {word} is too large; put it in double quotes to make it a string")
    return number


def read_int(digits: str, path: str) -> int:
    """Return a whole number; Python refuses those of thousands of digits."""
    try:
        return int(digits)
    except ValueError:
        place = f"{path}: " if path else ""
        raise FormatError(f"{place}a whole number of {len(digits)} digits is too long") from None


def read_quoted(token: str, path: str) -> str:
    """Return the string inside quotes, its escapes undone; single ones are read as double ones."""
    if token.startswith("'"):
        token = '"' + _QUOTE.sub(lambda sign: {"\\'": "'", '"': '\\"'}.get(sign[0], sign[0]), token[1:-1]) + '"'
    try:
        text = json.loads(token, strict=False)
    except ValueError:
        raise FormatError(
            f'{path}: the string {token} has an unknown escape; expected \\" \\\\ \\n \\t or \\uXXXX'
        ) from None
    assert isinstance(text, str)
    return text


def has_surrogate(text: str) -> bool:
    r"""Whether a string has half of a surrogate pair, such as ``\ud800``, which no file can hold."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def spell_quoted(text: str) -> str:
    """Put a string in double quotes, with escapes for quotes, backslashes and what cannot be seen."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _INVISIBLE.sub(lambda sign: f"\\u{ord(sign[0]):04x}", quoted)


def spell_name(name: str) -> str:
    """Spell a variable's name, quoted only if it must be."""
    return name if _WORD.fullmatch(name) else spell_quoted(name)


def spell_state(state: State) -> str:
    """Spell a state so that it reads back as the same value of the same type."""
    if isinstance(state, bool):
        return str(state)
    if isinstance(state, int):
        return int.__repr__(state)
    if isinstance(state, float):
        return float.__repr__(state).replace("e+", "e")
    reads_as_other = state in _BOOL or _INT.fullmatch(state) or _FLOAT.fullmatch(state)
    return spell_quoted(state) if reads_as_other else spell_name(state)


def spell_states(states: Iterable[State], sign: str = ", ") -> str:
    """Spell states as ``no, yes``."""
    return sign.join(map(spell_state, states))


def spell_context(context: Context) -> str:
    """Spell a context as ``x=1, y=no``; one that names nothing is ``*``."""
    return ", ".join(f"{spell_name(name)}={spell_state(state)}" for name, state in context.items()) or "*"


def spell_contexts(contexts: Iterable[Context], separator: str = " ; ") -> str:
    """Spell contexts that are joined by OR."""
    return separator.join(map(spell_context, contexts))


Alternatives = dict[str, list[State]]
"""For each named variable, the states it may have."""

JoinedCases = Sequence[Mapping[str, Sequence[State]]]
"""Several of them, in any of which something holds."""


def spell_cost(number: float, digits: int = 0) -> str:
    """Return a number that may be too large to be read, such as a cost that nobody can pay.

    Examples
    --------
    >>> spell_cost(12345.678, 1), spell_cost(2**64), spell_cost(3.0**300)
    ('12,345.7', '10^19', '10^143')
    """
    return f"{number:,.{digits}f}" if number < 1e9 else f"10^{floor(log10(number))}"


MOST_CASES = 3
"""JoinedCases that are listed where people read; more are said by what they cover."""

MOST_COUNTED = 2**12
"""Up to so many configurations it is worked out what the cases of a tree cover; of more, the largest cases are told."""


def edge_in_words(
    edge: EdgeRecord, variables: Sequence[Variable] = (), most: int | None = None, weights: Amounts | None = None
) -> str:
    """Return what an edge's label says; states of variables with an order are said as ranges.

    Of more cases than ``most`` it is said what they cover: of all configurations of the variables, or of the rows,
    if ``weights`` say how many have each of these.

    Examples
    --------
    >>> edge_in_words(EdgeRecord("smoking", "pressure", ({"protein": ">3"},)))
    'smoking does not matter for pressure when protein is >3'
    """
    cases = _cases(edge.label)
    if any(not case for case in cases):
        return f"{edge.parent} never matters for {edge.child}"
    what = f"{edge.parent} does not matter for {edge.child}"
    if most is not None and len(cases) > most and not _is_told_by_largest(edge.label, cases, variables):
        return f"{what} {', '.join(_brief(cases, variables, 'when', weights))}"
    known = {variable.name: variable for variable in variables}
    told = [f"when {_line(case, known)}" for case in cases[:most]]
    return f"{what} {', or '.join([*told, *_others(cases, most)])}"


def brief(
    contexts: Iterable[Context], variables: Sequence[Variable], when: str, weights: Amounts | None = None
) -> tuple[str, ...]:
    """Return what contexts cover, and the condition that tells most of it: "in 43 % of the rows", "mostly if age > 48".

    ``weights`` have an axis for each of the variables; without them configurations are counted.
    """
    return _brief(_cases(contexts), variables, when, weights)


def _brief(cases: JoinedCases, variables: Sequence[Variable], when: str, weights: Amounts | None) -> tuple[str, ...]:
    named = {name for case in cases for name in case}
    axes = list(variables) if weights is not None else [v for v in variables if v.name in named]
    gist = find_gist(cases, axes, weights)
    known = {variable.name: variable for variable in variables}
    typical = _after("mostly" if gist.is_typical else "for instance", when, _line(gist.condition, known))
    of_all = f"in {gist.n_covered:,} of {gist.n_total:,} cases"
    if weights is None:
        return of_all, typical
    if gist.covered == 0:
        return of_all, "which no row is in"
    return f"in {spell_share(gist.covered / gist.total)} of the rows", typical


def conditions(contexts: Iterable[Context], variables: Iterable[Variable] = ()) -> list[str]:
    """Return contexts as short lines such as "person is visitor or spy and age is old", or "bmi <= 25.1"."""
    return [line or "always" for line in _lines(contexts, variables)]


def formulas(contexts: Iterable[Context], variables: Iterable[Variable]) -> list[str]:
    """Return contexts as formulas such as "smoke=no and age <= 40"; neighbours in an order are joined into ranges."""
    known = {variable.name: variable for variable in variables}
    if isinstance(contexts, Boxes) and not contexts.is_small:
        return [_box_formula(box, list(known.values())) for box in contexts.boxes]

    def is_run(name: str, states: Sequence[State]) -> bool:
        return _run(known.get(name), states) is not None

    return [
        " and ".join(_formula(known.get(name), name, states) for name, states in m.items()) or "always"
        for m in merge_contexts(contexts, is_run)
    ]


def _box_formula(box: Mapping[str, Sequence[State]], variables: Sequence[Variable]) -> str:
    """Return a box as a formula, the states of a variable that are no range one by one."""
    parts = [formulas([{name: state} for state in states], variables) for name, states in box.items()]
    several = "({})" if len(parts) > 1 else "{}"
    return " and ".join(part[0] if len(part) == 1 else several.format(" or ".join(part)) for part in parts) or "always"


def brief_conditions(contexts: Sequence[Context], variables: Sequence[Variable], when: str = "") -> str:
    """Return some contexts in a line, each after a word: up to three of them, and more by what they cover."""
    lines = conditions(contexts, variables)
    if len(lines) <= MOST_CASES:
        return ", or ".join(_after(when, line) for line in lines)
    cases = _cases(contexts)
    if not _is_told_by_largest(contexts, cases, variables):
        return ", ".join(_brief(cases, variables, when, None))
    told = [_after(when, line) for line in lines[:MOST_CASES]]
    return ", or ".join([*told, *_others(cases, MOST_CASES)])


def absent_if(
    label: Sequence[Context], variables: Sequence[Variable], weights: Amounts | None = None
) -> tuple[str, ...]:
    """Return the lines of a label: when the edge is absent; of many cases, what they cover (see `brief`).

    Examples
    --------
    >>> absent_if([{"person": "visitor"}, {"person": "spy"}], [])
    ('not if person is visitor or spy',)
    """
    lines = conditions(label, variables)
    if lines == ["always"]:
        return ("never matters",)
    cases, most = _cases(label), None
    if len(lines) > MOST_CASES:
        if not _is_told_by_largest(label, cases, variables):
            extent, typical = _brief(cases, variables, "if", weights)
            return f"not {extent},", typical
        most = MOST_CASES
    told = [f"if {line}" for line in lines[:most]] + _others(cases, most)
    return tuple(f"{'or' if number else 'not'} {line}" for number, line in enumerate(told))


def _cases(contexts: Iterable[Context]) -> JoinedCases:
    """Return contexts joined, or boxes that have too many of them, the largest first."""
    return contexts.boxes if isinstance(contexts, Boxes) and not contexts.is_small else merge_contexts(contexts)


def _is_told_by_largest(contexts: Iterable[Context], cases: JoinedCases, variables: Iterable[Variable]) -> bool:
    """Whether many cases are told by the largest of them, and not by what they cover: of many parents."""
    named = {name for case in cases for name in case}
    size = prod(variable.n_states for variable in variables if variable.name in named)
    return isinstance(contexts, Boxes) and size > MOST_COUNTED


def _others(cases: JoinedCases, most: int | None) -> list[str]:
    """Say how many cases are not listed."""
    n = 0 if most is None else max(len(cases) - most, 0)
    return [f"in {n:,} more {'case' if n == 1 else 'cases'}"] if n else []


def _after(*words: str) -> str:
    """Return words one after the other, without those that are empty."""
    return " ".join(word for word in words if word)


def _lines(contexts: Iterable[Context], variables: Iterable[Variable]) -> list[str]:
    known = {variable.name: variable for variable in variables}
    return [_line(case, known) for case in _cases(contexts)]


def _line(case: Mapping[str, Sequence[State]], known: Mapping[str, Variable]) -> str:
    """Say what a case asks of its variables."""
    return " and ".join(_ask(known.get(name), name, states, len(case) > 1) for name, states in case.items())


def _ask(variable: Variable | None, name: str, states: Sequence[State], is_part: bool) -> str:
    """Say what is asked of one variable; bins of a measurement are ranges, also where they are no neighbours."""
    if variable is None or not variable.cuts:
        return _range(variable, states) or _clause(name, states)
    codes = sorted(variable.code(state) for state in states)
    runs: list[list[int]] = []
    for code in codes:
        if runs and code == runs[-1][-1] + 1 and code < variable.n_ordered:
            runs[-1].append(code)
        else:
            runs.append([code])
    ranges = [[variable.states[code] for code in run] for run in runs]
    ranges_in_words = " or ".join(_range(variable, run) or _clause(name, run) for run in ranges)
    return f"({ranges_in_words})" if is_part and len(runs) > 1 else ranges_in_words


def _run(variable: Variable | None, states: Sequence[State]) -> tuple[int, int] | None:
    """Return the first and the last code of states that are neighbours in the order of a variable; else None."""
    if variable is None or not variable.ordered:
        return None
    codes = sorted(variable.code(state) for state in states)
    first, last = codes[0], codes[-1]
    return (first, last) if len(codes) == last - first + 1 and last < variable.n_ordered else None


def _range(variable: Variable | None, states: Sequence[State]) -> str | None:
    """Say neighbouring states of an ordered variable as a range; None for others."""
    run = _run(variable, states)
    if variable is None or run is None:
        return None
    first, last = run
    name, is_at_end = variable.name, last == variable.n_ordered - 1
    if first == 0 and is_at_end and last < variable.n_states - 1:
        return f"{name} is not {MISSING_STATE}"
    if variable.cuts:
        return _between(name, variable, first, last)
    if first == last or (first == 0 and is_at_end):
        return None
    if is_at_end:
        return f"{name} is {_quote_if_ambiguous(variable.states[first])} or more"
    if first == 0:
        return f"{name} is {_quote_if_ambiguous(variable.states[last])} or less"
    return f"{name} is {_quote_if_ambiguous(variable.states[first])} to {_quote_if_ambiguous(variable.states[last])}"


def _between(name: str, variable: Variable, first: int, last: int) -> str | None:
    """Say some bins of a measurement by their cut points; None for all of them."""
    low = spell_cut(variable.cuts[first - 1]) if first > 0 else None
    high = spell_cut(variable.cuts[last]) if last < variable.n_ordered - 1 else None
    if low is not None and high is not None:
        return f"{low} < {name} <= {high}"
    if high is not None:
        return f"{name} <= {high}"
    return None if low is None else f"{name} > {low}"


def _formula(variable: Variable | None, name: str, states: Sequence[State]) -> str:
    """Spell what a formula asks of one variable."""
    spelled, run = spell_name(name), _run(variable, states)
    if variable is None or run is None or (run[0] == run[1] and not variable.cuts):
        return f"{spelled}={spell_state(states[0])}"
    if len(states) == variable.n_ordered < variable.n_states:
        return f"{spelled} != {MISSING_STATE}"
    first, last = run
    if variable.cuts:
        return _between(spelled, variable, first, last) or f"{spelled}={spell_state(states[0])}"
    low, high = spell_state(variable.states[first]), spell_state(variable.states[last])
    if first == 0:
        return f"{spelled} <= {high}"
    return f"{spelled} >= {low}" if last == variable.n_ordered - 1 else f"{low} <= {spelled} <= {high}"


MayJoin = Callable[[str, Sequence[State]], bool]
"""Says whether some states of a variable may be named together."""


def merge_contexts(contexts: Iterable[Context], may_join: MayJoin = lambda _name, _states: True) -> list[Alternatives]:
    """Join contexts that differ in the states of one variable only, as often as that is possible and allowed.

    Whenever two can be joined, it is the first context that has an earlier partner, with the first of these. Contexts
    are kept by what they say of all variables but one, where partners lie together, so that many are joined quickly.
    """
    joined = _Cases(may_join)
    for context in contexts:
        joined.add({name: [state] for name, state in context.items()})
    return [joined.cases[place] for place in sorted(joined.cases)]


class _Cases:
    """Contexts no two of which can be joined, by their places."""

    def __init__(self, may_join: MayJoin) -> None:
        self.cases: dict[int, Alternatives] = {}
        self._may_join = may_join
        self._alike: dict[Hashable, set[int]] = {}
        self._n_seen = 0

    def add(self, context: Alternatives) -> None:
        """Add a context after all others, and join as long as something can be joined.

        What was there cannot be joined, so it is always the one context that changed that finds a partner: an earlier
        one, which takes it in, or else a later one, which it takes in.
        """
        place = self._n_seen
        self._n_seen += 1
        self._put(place, context)
        while (partner := self._partner(place)) is not None:
            other, name = partner
            first, second = min(place, other), max(place, other)
            a, b = self._take(first), self._take(second)
            self._put(first, {**a, name: a[name] + b[name]})
            place = first

    def _partner(self, place: int) -> tuple[int, str] | None:
        """Return the first context that can be joined with one, earlier ones before later ones, and the variable."""
        context = self.cases[place]
        partners = [
            (other > place, other, name)
            for name, key in self._keys(context)
            for other in self._alike[key]
            if self.cases[other][name] != context[name] and self._may_join_in(name, place, other)
        ]
        return min(partners)[1:] if partners else None

    def _may_join_in(self, name: str, place: int, other: int) -> bool:
        first, second = min(place, other), max(place, other)
        return self._may_join(name, self.cases[first][name] + self.cases[second][name])

    def _put(self, place: int, context: Alternatives) -> None:
        self.cases[place] = context
        for _, key in self._keys(context):
            self._alike.setdefault(key, set()).add(place)

    def _take(self, place: int) -> Alternatives:
        context = self.cases.pop(place)
        for _, key in self._keys(context):
            self._alike[key].discard(place)
        return context

    @staticmethod
    def _keys(context: Alternatives) -> Iterator[tuple[str, Hashable]]:
        """Return what a context says of all variables but one, for each of them."""
        pairs = frozenset((name, tuple(states)) for name, states in context.items())
        for name, states in context.items():
            yield name, (name, pairs - {(name, tuple(states))})


def _clause(name: str, states: Sequence[State]) -> str:
    """Return "person is worker, visitor or spy"."""
    *most, last = [_quote_if_ambiguous(state) for state in states]
    return f"{name} is {', '.join(most)} or {last}" if most else f"{name} is {last}"


def _quote_if_ambiguous(state: State) -> str:
    """Return a state, in quotes where it could be taken for several."""
    text = str(state)
    return f"'{text}'" if "," in text or " or " in text else text


def spell_share(share: float) -> str:
    """Return a share as people say it, never 0 % of something that is there.

    Examples
    --------
    >>> spell_share(0.256), spell_share(0.0004), spell_share(0.9999), spell_share(0), spell_share(1)
    ('26 %', 'under 1 %', 'over 99 %', '0 %', '100 %')
    """
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def state_in_words(variable: Variable, state: State) -> str:
    """Return a state as people say it: a range of numbers in words.

    Examples
    --------
    >>> age = Variable.of_bins("age", [18, 65])
    >>> [state_in_words(age, state) for state in age.states]
    ['up to 18', '18 to 65', 'over 65']
    """
    code = variable.code(state)
    cuts = variable.cuts
    if not cuts or code > len(cuts):
        return str(state)
    if code == 0:
        return f"up to {spell_cut(cuts[0])}"
    low = spell_cut(cuts[code - 1])
    return f"over {low}" if code == len(cuts) else f"{low} to {spell_cut(cuts[code])}"
