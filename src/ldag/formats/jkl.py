"""Family scores, ``.jkl``: for every variable its candidate sets of parents, each with a score (Jaakkola's format).

The first line is the number of variables; then for each a line with its name and how many sets follow, and a line per
set: the score, the number of parents, their names. Programs for exact structure learning read it.
"""

import os
import re
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from ldag.errors import FormatError
from ldag.formats.files import name_file, read_utf8, spell_path, write_atomically
from ldag.formats.record_checks import shorten

_BLANK = re.compile(r"\s")


@dataclass(frozen=True)
class FamilyScores:
    """For every variable the scores of sets of parents, in the order of the file.

    Examples
    --------
    >>> print(FamilyScores({"rain": {(): -3.5}, "wet": {(): -4.0, ("rain",): -2.5}}).to_text(), end="")
    2
    rain 1
    -3.5 0
    wet 2
    -4.0 0
    -2.5 1 rain
    """

    families: dict[str, dict[tuple[str, ...], float]]

    @property
    def n_scores(self) -> int:
        """Number of sets, over all variables."""
        return sum(map(len, self.families.values()))

    def to_text(self) -> str:
        """Return the text of a file of scores; every digit is kept."""
        for name in self.families:
            if _BLANK.search(name) or not name:
                raise FormatError(f"a file of scores cannot name {name!r}: names are separated by blanks; rename it")
        lines = [str(len(self.families))]
        for name, scores in self.families.items():
            lines.append(f"{name} {len(scores)}")
            lines += [" ".join([repr(score), str(len(parents)), *parents]) for parents, score in scores.items()]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_text(cls, text: str) -> "FamilyScores":
        """Read scores; parents may be named before they are listed."""
        return cls(_read_families(text))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "FamilyScores":
        """Read a file of scores."""
        text = read_utf8(Path(path))
        with name_file(path):
            return cls.from_text(text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of scores, which ends in .jkl."""
        if Path(path).suffix.lower() != ".jkl":
            raise FormatError(f"{spell_path(Path(path))}: scores are kept in a file that ends in .jkl")
        write_atomically(Path(path), self.to_text().encode())

    def to_dict(self) -> dict[str, object]:
        """Return the scores as plain values."""
        return {
            name: [{"parents": list(parents), "score": score} for parents, score in scores.items()]
            for name, scores in self.families.items()
        }

    def __repr__(self) -> str:
        return f"<FamilyScores: {self.n_scores:,} sets of parents of {len(self.families):,} variables>"


def _read_families(text: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the scores of every variable."""
    lines = [(number, words) for number, line in enumerate(text.splitlines(), start=1) if (words := line.split())]
    place = 0

    def take(expected: str) -> tuple[int, list[str]]:
        nonlocal place
        if place >= len(lines):
            raise FormatError(f"expected {expected}, got the end of the file")
        place += 1
        return lines[place - 1]

    number, words = take("the number of variables")
    n_variables = _whole(words[0] if len(words) == 1 else " ".join(words), number)
    families: dict[str, dict[tuple[str, ...], float]] = {}
    for _ in range(n_variables):
        number, words = take("a variable and how many sets it has")
        if len(words) != 2 or words[0] in families:
            got = shorten(" ".join(words))
            raise FormatError(f"line {number}: expected a new variable and a number of sets, got {got}")
        scores = families[words[0]] = {}
        for _ in range(_whole(words[1], number)):
            _read_set(scores, *take("a score and a set of parents"))
    if place < len(lines):
        raise FormatError(f"line {lines[place][0]}: expected the end of the file after {n_variables} variables")
    for name, scores in families.items():
        for parents in scores:
            unknown = [parent for parent in parents if parent not in families or parent == name]
            if unknown:
                raise FormatError(f"the variable {name!r} has a set with {unknown[0]!r}, which is no other variable")
    return families


def _read_set(scores: dict[tuple[str, ...], float], number: int, words: list[str]) -> None:
    try:
        score = float(words[0])
    except ValueError:
        raise FormatError(f"line {number}: expected a score, got {shorten(words[0])}") from None
    if not isfinite(score):
        raise FormatError(f"line {number}: expected a finite score, got {words[0]}")
    parents = tuple(words[2:])
    if len(words) < 2 or _whole(words[1], number) != len(parents) or len(set(parents)) < len(parents):
        raise FormatError(f"line {number}: expected a score, a number and so many different parents")
    if parents in scores:
        raise FormatError(f"line {number}: the set of parents is given twice")
    scores[parents] = score


def _whole(word: str, number: int) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 12):
        raise FormatError(f"line {number}: expected a whole number, got {shorten(word)}")
    return int(word)
