"""Text that is not UTF-8: Western European if it reads like it, else refused with what it could be."""

from pathlib import Path

import pytest

from ldag.data import ReadOptions, read_with
from ldag.errors import DataError, speak_to_shell

RUSSIAN = "пол,возраст,город\nм,старый,Москва\nж,молодой,Тверь\n"
CHINESE = "性别,年龄,城市\n男,老,北京\n女,年轻,上海\n"
POLISH = "płeć,miasto\nkobieta,Łódź\nmężczyzna,Kraków\n"
WESTERN = [
    "größe,ort\nklein,Köln\ngroß,Zürich\n",
    "sexe,région\nfemme,Île-de-France\nhomme,Bretagne\n",
    "nombre,año\nMuñoz,uno\nPeña,dos\n",
    "temp,unit\n20°,£\n30°,€\n",
    "køn,by\nmand,Århus\nkvinde,Ærø\n",
    "quote,x\nl’année,a\ndon’t,b\n",
]


def read_bytes(folder: Path, content: bytes, encoding: str = "auto") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of columns and the notes."""
    (folder / "t.csv").write_bytes(content)
    with speak_to_shell():
        data = read_with(folder / "t.csv", ReadOptions(encoding=encoding))
    return data.names, data.notes


@pytest.mark.parametrize("text", WESTERN)
def test_western_text_is_read_and_told(text: str, tmp_path: Path) -> None:
    """Accents stand within words."""
    names, notes = read_bytes(tmp_path, text.encode("cp1252"))
    assert names == tuple(text.splitlines()[0].split(","))
    assert "is not UTF-8 text; read as Windows-1252 (--encoding names another encoding)" in notes[0]


@pytest.mark.parametrize(
    ("text", "encoding", "word"),
    [(RUSSIAN, "cp1251", "пол"), (CHINESE, "gb18030", "性别"), (POLISH, "cp1250", "płeć")],
)
def test_other_text_is_refused_with_how_it_would_read(text: str, encoding: str, word: str, tmp_path: Path) -> None:
    """Never read as letters that nobody wrote; the right encoding is among those shown, and works."""
    with pytest.raises(
        DataError, match=r"is not UTF-8 text .*; name its encoding, as in --encoding latin-1"
    ) as refusal:
        read_bytes(tmp_path, text.encode(encoding))
    assert f"--encoding {encoding} would read {word!r}" in str(refusal.value)
    names, notes = read_bytes(tmp_path, text.encode(encoding), encoding)
    assert names == tuple(text.splitlines()[0].split(","))
    assert notes == ()


def test_what_shows_late_is_found(tmp_path: Path) -> None:
    """A file that is ASCII for a megabyte, and then is not."""
    many = b"x,y\n" + b"a,b\n" * 300_000
    _, notes = read_bytes(tmp_path, many + "größe,b\n".encode("cp1252"))
    assert "read as Windows-1252" in notes[0]
    with pytest.raises(DataError, match=r"invalid .* at byte 1200004.*; name its encoding"):
        read_bytes(tmp_path, many + "Москва,b\n".encode("cp1251"))
    with pytest.raises(DataError, match="is not UTF-8 text"):
        read_bytes(tmp_path, many + "größe,b\n".encode("cp1252"), "utf-8")
