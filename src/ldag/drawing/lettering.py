"""How wide text will be, and how to fold it: estimates, since nothing here knows the reader's fonts.

Widths are those of Helvetica and Arial in thousandths of the font size, in a few groups. A font that stands
in for them is seldom more than a few per cent wider, which the padding of the boxes absorbs.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

_GROUPS = {
    230: "'`ijl|",
    280: "!,./:;I[\\]ft ()",
    350: '"*-r{}°',
    500: "Jcksvxyz^",
    560: "#$0123456789?Labdeghnopqu_",
    600: "+<=>~TFZ",
    670: "&ABEKPSVXY",
    725: "CDHNRUw",
    780: "GOQ",
    840: "Mm→…",
    950: "%W@",
}
WIDTHS = {character: width for width, group in _GROUPS.items() for character in group}
OTHER = 600


def clean(text: str) -> str:
    """Return text that an XML document can hold: white space is blanks, control characters are replaced."""
    spaced = re.sub(r"[\t\r\n]+", " ", text)
    return re.sub("[^\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", spaced)


def text_width(text: str, font_size: float) -> float:
    """Estimate the width of a line of text."""
    return sum(_width(character) for character in text) * font_size / 1000


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 1000
    return WIDTHS.get(character, OTHER)


@dataclass(frozen=True)
class TextBlock:
    """Lines of text of one size, folded to a width and cut after some lines."""

    lines: tuple[str, ...]
    font_size: float

    @classmethod
    def of(cls, texts: Sequence[str], font_size: float, max_width: float, max_lines: int) -> "TextBlock":
        """Put texts one below the other, folded; those that find no room are counted in a last line, "+ 3 more"."""
        folded = [_fold(clean(text), font_size, max_width) for text in texts]
        if sum(map(len, folded)) <= max_lines:
            return cls(tuple(line for lines in folded for line in lines), font_size)
        if len(folded) == 1:
            return cls(tuple(_cut(folded[0], max_lines)), font_size)
        shown: list[str] = []
        n_shown = 0
        for lines in folded:
            if shown and len(shown) + len(lines) > max_lines - 1:
                break
            shown += _cut(lines, max_lines - 1)
            n_shown += 1
        return cls((*shown, f"+ {len(folded) - n_shown} more"), font_size)

    @property
    def width(self) -> float:
        """Estimated width of the widest line."""
        return max((text_width(line, self.font_size) for line in self.lines), default=0.0)

    @property
    def line_height(self) -> float:
        """Distance from one line to the next."""
        return 1.25 * self.font_size

    @property
    def height(self) -> float:
        """Height of all lines."""
        return self.line_height * len(self.lines)


def _cut(lines: list[str], max_lines: int) -> list[str]:
    """Keep the first lines, and show where something is missing."""
    return lines if len(lines) <= max_lines else [*lines[: max_lines - 1], lines[max_lines - 1] + "…"]


def _fold(text: str, font_size: float, max_width: float) -> list[str]:
    """Break a text at blanks, and inside a word only where the word alone is too wide."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if text_width(longer, font_size) <= max_width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for part in _parts(word):
            if lines[-1] and text_width(lines[-1] + part, font_size) > max_width:
                lines.append("")
            for character in part:
                if lines[-1] and text_width(lines[-1] + character, font_size) > max_width:
                    lines.append("")
                lines[-1] += character
    return lines


def _parts(word: str) -> list[str]:
    """Cut a word where names are made of several: after signs, and before capitals."""
    return re.findall(r".+?(?:[_\-./:|]+|(?<=[a-z])(?=[A-Z])|$)", word)


def elide(text: str, longest: int = 24) -> str:
    """Leave out the middle of a long text; beginnings tell most, and ends often tell apart.

    Examples
    --------
    >>> elide("short"), elide("how satisfied are you with your commute overall")
    ('short', 'how satisfied … overall')
    """
    if len(text) <= longest:
        return text
    head, tail = text[: longest * 2 // 3 - 1].rstrip(), text[-(longest // 3) :].lstrip()
    if " " in head[-4:]:
        head = head.rpartition(" ")[0]
    is_between_words = text[len(head)] == " " or text[-len(tail) - 1] == " "
    return f"{head} … {tail}" if is_between_words else f"{head}…{tail}"


TextColumn = tuple[str, Sequence[str]]


def side_by_side(columns: Sequence[TextColumn]) -> str:
    """Return text blocks side by side, each under its underlined heading.

    Examples
    --------
    >>> print(side_by_side([("visitor", ["person -> badge"]), ("worker", ["gender -> badge"])]))
    visitor            worker
    ───────            ──────
    person -> badge    gender -> badge
    """
    blocks = [[heading, "─" * len(heading), *lines] for heading, lines in columns]
    widths = [max(map(len, block)) for block in blocks]
    rows = zip_longest(*blocks, fillvalue="")
    return "\n".join("    ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
