"""The sections of a report: what is listed, what is folded, and what is only counted."""

import numpy as np
import pytest

import ldag
from ldag.presenting.documents import Bullets, Figure, Paragraph, TableBlock
from ldag.presenting.sections import (
    data_sections,
    gaps_section,
    graph_section,
    node_sections,
    summary_section,
    sure_sections,
)
from ldag.presenting.subject import Subject


def plain(n_columns: int, edges: list[tuple[str, str]], n_states: int = 2) -> ldag.Network:
    """Return a network over columns x0, x1, ... with some edges, estimated from a row per state."""
    states = {f"x{number}": [*range(n_states)] for number in range(n_columns)}
    data = ldag.read(states, states=states)
    return ldag.Network.from_data(ldag.LDAG.from_edges(edges, states=states), data)


@pytest.mark.parametrize(("n_columns", "n_sections"), [(15, 1), (16, 2)])
def test_long_tables_are_folded_below_a_heading(n_columns: int, n_sections: int) -> None:
    """Of more than 15 rows."""
    sections = list(data_sections(ldag.read({f"x{number}": [0, 1] for number in range(n_columns)})))
    assert len(sections) == n_sections
    assert [section.is_folded for section in sections[1:]] == [True] * (n_sections - 1)


@pytest.mark.parametrize(("n_columns", "n_shown"), [(60, 60), (61, 1)])
def test_sixty_columns_are_told_of_case_by_case(n_columns: int, n_shown: int) -> None:
    """Of more, only those that depend on others."""
    first, *others = node_sections(Subject(plain(n_columns, [("x0", "x1")])))
    assert len(others) == n_shown
    assert isinstance(first.blocks[0], Paragraph)
    assert (f"1 of {n_columns} columns are shown." in first.blocks[0].text) == (n_shown == 1)


@pytest.mark.parametrize(("n_columns", "n_states", "is_folded"), [(10, 8, False), (11, 8, True), (10, 9, True)])
def test_many_or_long_tables_of_cases_are_folded(n_columns: int, n_states: int, is_folded: bool) -> None:
    """Up to 10 tables of up to 8 rows are open."""
    _, *others = node_sections(Subject(plain(n_columns, [], n_states)))
    assert {section.is_folded for section in others} == {is_folded}


@pytest.mark.parametrize(("n_states", "n_left"), [(12, 0), (13, 1)])
def test_twelve_cases_of_a_column_are_listed(n_states: int, n_left: int) -> None:
    """Those with most rows; others are counted, with theirs."""
    *_, child = node_sections(Subject(plain(2, [("x0", "x1")], n_states)))
    told = [block.text for block in child.blocks if isinstance(block, Paragraph)]
    assert told == ["1 other case, with 1 row in all: ldag explain MODEL x1 lists them."] * n_left


@pytest.mark.parametrize(("n_children", "last"), [(12, "x0 and x12 go together."), (13, "and 1 more, shown below")])
def test_twelve_sentences_are_in_the_summary(n_children: int, last: str) -> None:
    """More are counted."""
    network = plain(n_children + 1, [("x0", f"x{number}") for number in range(1, n_children + 1)])
    (bullets,) = [block for block in summary_section(Subject(network)).blocks if isinstance(block, Bullets)]
    assert bullets.items[-1] == last


@pytest.mark.parametrize("n_labels", [12, 13])
def test_twelve_exceptions_are_written_on_arrows(n_labels: int) -> None:
    """More would make the picture too wide to read: they are listed, and their arrows are amber."""
    children = [f"c{number}" for number in range(n_labels)]
    graph = ldag.LDAG.from_edges(
        [(parent, child) for child in children for parent in "ab"],
        states={name: [0, 1] for name in [*"ab", *children]},
        labels={("a", child): [{"b": 0}] for child in children},
    )
    picture, text = graph_section(Subject(ldag.simulate.random_network(graph, rng=1))).blocks
    assert isinstance(picture, Figure)
    assert isinstance(text, Paragraph)
    assert ('class="label"' in picture.svg) == (n_labels == 12)
    assert ("Amber arrows have exceptions" in text.text) == (n_labels == 13)


@pytest.mark.parametrize(("n_pairs", "n_rows"), [(40, 40), (41, 40)])
def test_forty_connections_are_listed(n_pairs: int, n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The surest ones; pairs are looked at from a quarter on."""
    asked: list[float] = []

    def connections(*given: float) -> list[tuple[str, str, bool, float]]:
        asked.append(given[-1])
        return [("a", f"x{number}", True, 1.0) for number in range(n_pairs)]

    monkeypatch.setattr("ldag.presenting.sections.connections", connections)
    data = ldag.read({"a": [0, 1] * 5, "b": [0, 0, 1, 1, 0] * 2})
    subject = Subject(
        ldag.learn(data, kappa=0.1, equivalent_sample_size=1).network, sureness=ldag.posterior(data, kappa=0.1)
    )
    first, section = sure_sections(subject)
    (table,) = section.blocks
    assert isinstance(first.blocks[0], Paragraph)
    assert ("Of the 41 others, the 40 surest are listed." in first.blocks[0].text) == (n_pairs == 41)
    assert isinstance(table, TableBlock)
    assert (len(table.rows), asked) == (n_rows, [0.25])


def with_gaps(n_columns: int) -> ldag.Dataset:
    """Return columns of which each is empty in a row of its own, and the first where another is 1."""
    cells: dict[str, list[object]] = {"asked": [number % 2 for number in range(40)], "said": ["yes", None] * 20}
    for number in range(n_columns):
        cells[f"x{number}"] = [None if row == number else row % 2 for row in range(40)]
    return ldag.read(cells, missing="keep", states={"said": ["no", "yes"]})


def test_what_was_missing_is_told_with_what_is_assumed() -> None:
    """How many cells, a picture, shares, what gaps depend on, and what nobody can know."""
    section = gaps_section(with_gaps(1).gaps())
    first, figure, table, because, told, assumed = section.blocks
    assert section.title == "What was missing"
    assert isinstance(first, Paragraph)
    assert first.text.startswith("21 cells of the table are empty, in 21 of 40 rows.")
    assert isinstance(figure, Figure)
    assert isinstance(table, TableBlock)
    assert [(row[0], str(row[1])) for row in table.rows] == [("said", "50.0 %"), ("x0", "2.5 %")]
    assert isinstance(because, Paragraph)
    assert isinstance(told, Bullets)
    assert told.items[0].startswith("said is empty more often where asked is 1 (log Bayes factor ")
    assert isinstance(assumed, Paragraph)
    assert "but not on what would have stood in the gap itself; no data can tell" in assumed.text


def test_what_can_be_chance_is_no_proof() -> None:
    """Where no factor is above what one in so many pairs reaches by chance, a report says that it is open."""
    rng = np.random.default_rng(1)
    cells = {f"x{i}": np.where(rng.random(200) < 0.1, None, rng.integers(0, 2, 200)).tolist() for i in range(80)}  # type: ignore[call-overload]
    texts = [b.text for b in gaps_section(ldag.read(cells, missing="keep").gaps()).blocks if isinstance(b, Paragraph)]
    assert "Whether gaps come completely at random is open:" in texts
    assert "6,320 pairs of columns were compared: log Bayes factors below 8.8 can be chance." in texts


@pytest.mark.parametrize(("n_columns", "is_cut"), [(14, False), (15, True)])
def test_shares_of_fifteen_columns_are_listed(n_columns: int, is_cut: bool) -> None:
    """The others are counted."""
    texts = [block.text for block in gaps_section(with_gaps(n_columns).gaps()).blocks if isinstance(block, Paragraph)]
    assert ("With fewer gaps: 1 other column." in texts) == is_cut


def test_ranges_are_said_to_be_too_narrow_where_there_were_gaps() -> None:
    """And nowhere else."""
    data = with_gaps(1)
    states = {v.name: v for v in data.variables}
    told = []
    for rows in (data, data.complete_rows()):
        net = ldag.Network.from_data(ldag.LDAG.from_edges([("asked", "said")], states=states), rows)
        first = next(iter(node_sections(Subject(net))))
        assert isinstance(first.blocks[0], Paragraph)
        told.append("these ranges are too narrow" in first.blocks[0].text)
    assert told == [True, False]
