"""The text form: what each statement means and how it is written."""

import pytest

from ldag.errors import FormatError
from ldag.formats import ClassRecord, EdgeRecord, GraphRecord, VariableRecord
from ldag.formats.text import read_text, write_text
from ldag.model import State

HEART = """\
# comment
smoking {no, yes}
pressure {"<140", ">140"}

smoking -> pressure : protein=">3"   # the edge vanishes there
protein->pressure:smoking = no;smoking=maybe , mental="very hard"
pressure | smoking=no, protein="<3" ; smoking=yes
lonely
"""


def states_of(text: str) -> tuple[State, ...] | None:
    """Return the states of the only variable of a text."""
    (variable,) = read_text(text).variables
    return variable.states


def test_reads_every_statement() -> None:
    """Variables, edges, labels and classes are read with the lines they stand in."""
    assert read_text(HEART) == GraphRecord(
        (
            VariableRecord("smoking", ("no", "yes"), "line 2: "),
            VariableRecord("pressure", ("<140", ">140"), "line 3: "),
            VariableRecord("protein", None, "line 6: "),
            VariableRecord("lonely", None, "line 8: "),
        ),
        (
            EdgeRecord("smoking", "pressure", ({"protein": ">3"},), "line 5: "),
            EdgeRecord(
                "protein", "pressure", ({"smoking": "no"}, {"smoking": "maybe", "mental": "very hard"}), "line 6: "
            ),
        ),
        (ClassRecord("pressure", ({"smoking": "no", "protein": "<3"}, {"smoking": "yes"}), "line 7: "),),
    )


def test_writes_canonical_text() -> None:
    """Variables come first, then edges, then classes, with even spacing and no comments."""
    assert write_text(read_text(HEART)) == (
        "smoking {no, yes}\n"
        'pressure {"<140", ">140"}\n'
        "protein\n"
        "lonely\n"
        'smoking -> pressure : protein=">3"\n'
        'protein -> pressure : smoking=no ; smoking=maybe, mental="very hard"\n'
        'pressure | smoking=no, protein="<3" ; smoking=yes\n'
    )


def test_dosearch_notation() -> None:
    """Labels as dosearch writes them are read: whole numbers are numbers."""
    (edge, *_) = read_text("x -> y : a = 0, b = 1\na -> y\nb -> y\n").edges
    assert edge.label == ({"a": 0, "b": 1},)
    assert all(type(state) is int for state in edge.label[0].values())


@pytest.mark.parametrize(
    ("spelled", "state"),
    [
        ("0", 0),
        ("-3", -3),
        ("2.5", 2.5),
        ("-0.5", -0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1.0", 1.0),
        ("1e-7", 1e-7),
        ("True", True),
        ("False", False),
        ("true", "true"),
        ("007", "007"),
        ("1a", "1a"),
        ("1-2", "1-2"),
        ("nan", "nan"),
        ("v1.2", "v1.2"),
        ("très-haut", "très-haut"),
        ("変数", "変数"),
        ('"1"', "1"),
        ('"True"', "True"),
        ('""', ""),
        (r'"a\"b\\c\n\t\u00e9"', 'a"b\\c\n\té'),
        (r'"\ud83d\ude00"', "😀"),
        ('"# no comment"', "# no comment"),
    ],
)
def test_states_have_types(spelled: str, state: State) -> None:
    """Bare numbers and booleans have their type; everything quoted is a string."""
    found = states_of(f"x {{{spelled}}}")
    assert found is not None
    assert found == (state,)
    assert type(found[0]) is type(state)


@pytest.mark.parametrize(
    ("state", "spelled"),
    [
        (1, "1"),
        ("1", '"1"'),
        (1.0, "1.0"),
        (True, "True"),
        ("True", '"True"'),
        (1e300, "1e300"),
        (1e-300, "1e-300"),
        ("1e300", '"1e300"'),
        ("007", "007"),
        ("a-b", "a-b"),
        ("a--b", '"a--b"'),
        ("-a", '"-a"'),
        ("a b", '"a b"'),
        ("*", '"*"'),
        ("", '""'),
        ("\u2028", r'"\u2028"'),
        ("été", "été"),
    ],
)
def test_writer_quotes_when_needed(state: State, spelled: str) -> None:
    """A state is quoted exactly when it would read back as something else."""
    text = write_text(GraphRecord((VariableRecord("x", (state,)),)))
    assert text == f"x {{{spelled}}}\n"


def test_names_are_strings() -> None:
    """Numbers and booleans name variables by their spelling."""
    record = read_text("1 -> 2\nTrue -> 2 : 1=1\n")
    assert [variable.name for variable in record.variables] == ["1", "2", "True"]
    assert record.edges[1].label == ({"1": 1},)
    assert write_text(record) == "1 -> 2\nTrue -> 2 : 1=1\n"


def test_star() -> None:
    """A starred variable is not named; a star alone is the context that always holds."""
    record = read_text("a -> b : c=*, d=1 ; *\ne -> b : c=*")
    assert [edge.label for edge in record.edges] == [({"d": 1}, {}), ({},)]
    assert write_text(record) == "a -> b : d=1 ; *\ne -> b : *\n"


def test_quoted_star_is_a_state() -> None:
    """A star in quotes is an ordinary state."""
    assert read_text('a -> b : c="*"').edges[0].label == ({"c": "*"},)


def test_chain() -> None:
    """A chain stands for its edges."""
    record = read_text("a -> b->c")
    assert [(edge.parent, edge.child) for edge in record.edges] == [("a", "b"), ("b", "c")]
    assert write_text(record) == "a -> b\nb -> c\n"


def test_hyphen_and_arrow() -> None:
    """A hyphen between letters belongs to the word, before '>' to the arrow."""
    (edge,) = read_text("a-b->c-d").edges
    assert (edge.parent, edge.child) == ("a-b", "c-d")


def test_declaration_after_use() -> None:
    """An edge may come before the declaration; the order is that of first appearance."""
    record = read_text("b -> a\na {0, 1}\nb {0, 1, 2}")
    assert [(variable.name, variable.states) for variable in record.variables] == [("b", (0, 1, 2)), ("a", (0, 1))]


def test_bare_lines_keep_the_order() -> None:
    """Undeclared variables get a line only where the order would be lost without it."""
    undeclared = GraphRecord((VariableRecord("a"), VariableRecord("b")), (EdgeRecord("a", "b"),))
    assert write_text(undeclared) == "a -> b\n"
    turned = GraphRecord((VariableRecord("a"), VariableRecord("b")), (EdgeRecord("b", "a"),))
    assert write_text(turned) == "a\nb\nb -> a\n"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str) -> None:
    """Lines may end as on any system."""
    record = read_text(end.join(["a {0, 1}", "b", "a -> b"]))
    assert record.edges[0].where == "line 3: "


def test_other_separators_do_not_end_lines() -> None:
    """A line separator inside quotes belongs to the string."""
    assert states_of('x {"a\u2028b", "c\x85d"}') == ("a\u2028b", "c\x85d")


def test_single_quotes_are_read_as_double_ones() -> None:
    """With the same escapes, and either quote inside the other; written are double ones."""
    states = states_of("""a {'<3', 'it\\'s', 'say "x"', "we're", '\\u0041b'}""")
    assert states == ("<3", "it's", 'say "x"', "we're", "Ab")
    assert read_text("a -> b : c='>3'") == read_text('a -> b : c=">3"')
    assert states_of("a {'1', 2}") == ("1", 2)
    with pytest.raises(FormatError, match="line 1: expected a closing single quote, got nothing more"):
        read_text("a {'x, y}")
