"""Sheets of workbooks: numbers, texts, dates, gaps and cells in error."""

import sys
import zipfile
from pathlib import Path

import pytest

import ldag
from ldag.errors import ArgumentError, DataError, MissingDependency

pytest.importorskip("python_calamine")

DATE = "date:"


def write_workbook(path: Path, sheets: dict[str, list[list[object]]]) -> None:
    """Write a workbook by hand; a text that begins with "date:" is a day's number, and one with "#" an error."""
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    numbered = list(enumerate(sheets, start=1))
    listed = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="r{n}"/>' for n, name in numbered)
    targets = "".join(
        f'<Relationship Id="r{n}" Type="{office}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n, _ in numbered
    )
    styles = f'<Relationship Id="s" Type="{office}/styles" Target="styles.xml"/>'
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "[Content_Types].xml",
            f'{head}<Types xmlns="{package}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            "</Types>",
        )
        book.writestr(
            "_rels/.rels",
            f'{head}<Relationships xmlns="{package}/relationships"><Relationship Id="b" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f'{head}<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{listed}</sheets></workbook>',
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels",
            f'{head}<Relationships xmlns="{package}/relationships">{targets}{styles}</Relationships>',
        )
        book.writestr(
            "xl/styles.xml",
            f'{head}<styleSheet xmlns="{main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
            "</styleSheet>",
        )
        for (n, _), rows in zip(numbered, sheets.values(), strict=True):
            lines = "".join(f"<row>{''.join(map(spell_cell, row))}</row>" for row in rows)
            book.writestr(
                f"xl/worksheets/sheet{n}.xml",
                f'{head}<worksheet xmlns="{main}"><sheetData>{lines}</sheetData></worksheet>',
            )


def spell_cell(cell: object) -> str:
    """Return a cell of a sheet."""
    if cell is None:
        return "<c/>"
    if isinstance(cell, bool):
        return f'<c t="b"><v>{int(cell)}</v></c>'
    if not isinstance(cell, str):
        return f"<c><v>{cell}</v></c>"
    if cell.startswith(DATE):
        return f'<c s="1"><v>{cell.removeprefix(DATE)}</v></c>'
    if cell.startswith("#"):
        return f'<c t="e"><v>{cell}</v></c>'
    return f'<c t="inlineStr"><is><t>{cell}</t></is></c>'


ROWS: list[list[object]] = [
    ["sex", "age", "size", "seen", "ill", "share", 2020],
    ["f", 31, 1.5, "date:43831", True, "0,5", 1],
    ["m", 28, 2, "date:43832", False, "1,5", 2],
    ["f", 31, 2, "date:43831.75", True, "0,5", 3],
]


def test_a_sheet_is_a_table(tmp_path: Path) -> None:
    """Whole numbers where all are, dates as dates, texts of numbers as in a text file."""
    write_workbook(tmp_path / "t.xlsx", {"Data": ROWS})
    data = ldag.read(tmp_path / "t.xlsx")
    assert data.names == ("sex", "age", "size", "seen", "ill", "share", "2020")
    assert data.states("age") == (28, 31)
    assert data.states("size") == (1.5, 2.0)
    assert data.states("seen") == ("2020-01-01", "2020-01-01T18:00:00", "2020-01-02")
    assert data.states("ill") == (False, True)
    assert data.states("share") == (0.5, 1.5)
    assert data.total == 3
    assert any("t.xlsx: numbers have decimal commas; decimal= says otherwise" in note for note in data.notes)


def test_gaps_and_errors_are_missing(tmp_path: Path) -> None:
    """Blank rows and columns are none; texts that stand for a gap are as in a text file."""
    rows: list[list[object]] = [
        [None, None, None, None],
        ["x", "y", "z", None],
        ["a", 1, "#DIV/0!", None],
        [None, None, None, None],
        ["NA", 2, 3, None],
        ["b", "#N/A", 4, None],
        ["?", 2, 3, None],
    ]
    write_workbook(tmp_path / "t.xlsx", {"Data": rows})
    with pytest.raises(DataError, match=r"column 'x' has 1 missing cell, the first in row 2"):
        ldag.read(tmp_path / "t.xlsx")
    kept = ldag.read(tmp_path / "t.xlsx", missing="keep", na=["?"])
    data = ldag.read(tmp_path / "t.xlsx", missing="state", na=["?"])
    assert kept.has_gaps
    assert [kept.counts(name, observed=True).sum() for name in kept.names] == [
        data.total - (data.counts(name)[0, -1] if "missing" in data.states(name) else 0) for name in data.names
    ]
    assert data.states("x") == ("a", "b", "missing")
    assert data.counts("x").tolist() == [[1, 1, 2]]
    assert data.states("y") == (1, 2, "missing")
    assert data.states("z") == (3, 4, "missing")


def test_sheets_are_chosen_by_name_or_number(tmp_path: Path) -> None:
    """The first is read unless another is named, and that is told."""
    write_workbook(tmp_path / "t.xlsx", {"Data": ROWS, "1": [["a"], ["x"]], "Empty": []})
    notes = ldag.read(tmp_path / "t.xlsx").notes
    assert any("the sheet 'Data' was read; sheet= names another (1, Empty)" in note for note in notes)
    for sheet in (2, "1", "2"):
        assert ldag.read(tmp_path / "t.xlsx", sheet=sheet).names == ("a",)
    assert not any("was read" in note for note in ldag.read(tmp_path / "t.xlsx", sheet="Data").notes)
    with pytest.raises(DataError, match=r"sheet='Dta': .*t\.xlsx has 3 sheets, Data, 1, Empty"):
        ldag.read(tmp_path / "t.xlsx", sheet="Dta")
    with pytest.raises(DataError, match=r"the sheet 'Empty' of .* is empty; expected a header"):
        ldag.read(tmp_path / "t.xlsx", sheet="Empty")
    with pytest.raises(ArgumentError, match=r"sheet= must be the name of a sheet, or its number from 1, got 1\.5"):
        ldag.read(tmp_path / "t.xlsx", sheet=1.5)  # type: ignore[arg-type]  # a mistake
    assert ldag.read(tmp_path / "t.xlsx", sheet="1", names=["b"]).states("b") == ("a", "x")
    with pytest.raises(DataError, match=r"has 1 columns, but names= has 2 names"):
        ldag.read(tmp_path / "t.xlsx", sheet="1", names=["b", "c"])


def test_what_is_no_workbook_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence; and without the package, its name and how to install it."""
    (tmp_path / "t.xlsx").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"t\.xlsx cannot be read as a workbook: "):
        ldag.read(tmp_path / "t.xlsx")
    write_workbook(tmp_path / "u.xlsx", {"Data": ROWS})
    with pytest.raises(ArgumentError, match=r"sep= is for text files; .*u\.xlsx is a workbook"):
        ldag.read(tmp_path / "u.xlsx", sep=";")
    with pytest.raises(DataError, match="read workbooks one by one, and merge"):
        ldag.read([tmp_path / "t.xlsx", tmp_path / "u.xlsx"])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingDependency, match=r"pip install 'ldag\[excel\]'"):
        ldag.read(tmp_path / "u.xlsx")
