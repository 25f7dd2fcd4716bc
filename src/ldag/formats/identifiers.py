"""Names that every program can read: letters, digits and underscores; the real names are kept in comments."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ldag.formats.record import TabularRecord, VariableRecord
from ldag.model import State

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")
_OTHER = re.compile(r"[^A-Za-z0-9_]+")
_SIGNS = {"<": "lt", ">": "gt", "=": "eq", "+": "plus", "%": "pct", "≤": "le", "≥": "ge"}
_SIGN = re.compile("[<>=+%≤≥]")
_RESERVED = frozenset(
    (
        *("net", "node", "network", "variable", "probability", "potential", "property", "table", "default", "type"),
        *("discrete", "data", "states", "parents", "probs", "kind", "belief", "utility", "decision", "class"),
        *("continuous", "function", "if", "else", "inf", "nan"),
    )
)


def plain_identifiers(names: Iterable[str], keep: re.Pattern[str] = _PLAIN) -> list[str]:
    """Return a different plain identifier for every name, the name itself where it is one already."""
    names = list(names)
    taken = {name for name in names if _is_plain(name, keep)}
    chosen = []
    for name in names:
        if _is_plain(name, keep):
            chosen.append(name)
            continue
        word = _SIGN.sub(lambda sign: f"_{_SIGNS[sign[0]]}_", name)
        word = _OTHER.sub("_", word).strip("_") or "x"
        word = word if word[0].isalpha() else f"x{word}"
        word = f"{word}_" if word.lower() in _RESERVED else word
        number, candidate = 1, word
        while candidate in taken:
            number += 1
            candidate = f"{word}_{number}"
        taken.add(candidate)
        chosen.append(candidate)
    return chosen


def plain_words(names: Iterable[str]) -> list[str]:
    """Return plain identifiers that may also begin with a digit, such as 0 and 1."""
    return plain_identifiers(names, _WORD)


def spelled_states(states: Sequence[State]) -> list[str]:
    """Return states as texts, all different."""
    texts = [str(state) for state in states]
    if len(set(texts)) == len(texts):
        return texts
    return [f"{text}_{type(state).__name__}" for text, state in zip(texts, states, strict=True)]


class Spelling:
    """How a format spells the variables and states of a network, and which of them it cannot spell as they are."""

    def __init__(
        self, record: TabularRecord, spell_states: Callable[[Sequence[str]], list[str]], keep: re.Pattern[str] = _PLAIN
    ) -> None:
        names = [variable.name for variable in record.variables]
        self.names = dict(zip(names, plain_identifiers(names, keep), strict=True))
        self.states = {v.name: spell_states(spelled_states(v.states or ())) for v in record.variables}
        self.odd = [
            v
            for v in record.variables
            if self.names[v.name] != v.name or (*self.states[v.name],) != v.states or v.ordered or v.cuts
        ]


def spell_plainly(record: TabularRecord) -> TabularRecord:
    """Return a network whose names and states are plain words, as files of other programs have them."""
    spelling = Spelling(record, plain_words)
    return TabularRecord(
        tuple(VariableRecord(spelling.names[v.name], tuple(spelling.states[v.name])) for v in record.variables),
        tuple(
            replace(table, node=spelling.names[table.node], parents=tuple(spelling.names[p] for p in table.parents))
            for table in record.tables
        ),
    )


def _is_plain(name: str, keep: re.Pattern[str]) -> bool:
    return bool(keep.fullmatch(name)) and name.lower() not in _RESERVED
