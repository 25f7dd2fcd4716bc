"""Text that is not UTF-8: taken for Western European if it reads like it, else refused with what it could be."""

import codecs
import re

from ldag.errors import ArgumentError, DataError, option

WESTERN = "cp1252"

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OTHERS = ("cp1251", "gb18030", "cp1250", "shift_jis")
"""What text that is not Western European may be in; the user is shown how it would read."""

_WORD = re.compile(r"[^\W\d_]+")
_SIGN_IN_WORD = re.compile(r"[^\W\d_][^\w\s!-/:-@[-`{-~’‘´·\xad\ufffd][^\W\d_]|[^\W\d_][¹²³¿¾¼½][^\W\d_]")


def check_encoding(encoding: str | None) -> str | None:
    """Check the name of an encoding."""
    if encoding is None or encoding == "auto":
        return encoding
    try:
        known = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, TypeError, UnicodeError):
        raise ArgumentError(
            f"{option('encoding')}: no encoding {encoding!r}; expected a name such as latin-1, cp1252, utf-16"
        ) from None
    return None if known.name == "utf-8" else known.name


def choose_encoding(sample: bytes, encoding: str | None, shown: str, problem: str) -> tuple[str, str]:
    """Return the encoding of text that is not UTF-8, and a note on it; ``sample`` are lines that show it.

    Encodings cannot be told apart for sure. Where none was asked for, only what reads like Western European is taken.
    """
    if encoding == "auto" and b"\0" not in sample and _reads_western(sample):
        spelled = option("encoding")
        return WESTERN, f"{shown} is not UTF-8 text; read as Windows-1252 ({spelled} names another encoding)"
    readings = "" if b"\0" in sample else _readings(sample)
    raise DataError(
        f"{shown} is not UTF-8 text ({problem}); name its encoding, as in {option('encoding', 'latin-1')}, "
        f"or save it as UTF-8{readings}"
    )


def marked_encoding(head: bytes) -> str | None:
    """Return the encoding that a mark at the begin of a file names, other than UTF-8."""
    return "utf-16" if head.startswith(_UTF16) else None


def _reads_western(sample: bytes) -> bool:
    """Whether accents stand within words of plain letters, and no other sign between letters."""
    text = sample.decode(WESTERN, errors="replace")
    words = {word for word in _WORD.findall(text) if not word.isascii()}
    n_letters = sum(map(len, words))
    n_accents = sum(not letter.isascii() for word in words for letter in word)
    return 2 * n_accents <= n_letters and _SIGN_IN_WORD.search(text) is None


def _readings(sample: bytes) -> str:
    """Say how the first word that is not ASCII would read in some encodings."""
    line = next((line for line in sample.splitlines() if not line.isascii()), b"")
    readings = []
    for name in (WESTERN, *_OTHERS):
        try:
            text = line.decode(name)
        except UnicodeError:
            continue
        word = next((word for word in _WORD.findall(text) if not word.isascii()), None)
        if word is not None:
            readings.append(f"{option('encoding', name)} would read {word[:12]!r}")
    return "".join(f"; {reading}" for reading in readings)
