"""Files from strangers: whatever is in them, a reader gives a model or one error of the library's own, soon."""

import os
import random
import tracemalloc
from contextlib import suppress
from time import process_time

import pytest

from ldag import LDAG, LdagError, Network, datasets
from ldag.formats import FORMATS, FamilyScores, Format

N_INPUTS = int(os.environ.get("LDAG_FUZZ", "2000"))
READERS = [known for known in FORMATS if known.read]
PIECES = ["{", "}", "(", ")", "[", "]", ";", ",", "|", "=", '"', "<", ">", "&", "//", "/*", "%", "#", "\\", "\x00", "é"]
PIECES += ["0", "1", "-1", "nan", "inf", "1e999", "999999999999", "0.5", "_", "\n", " ", "table", "default", "ldag "]
PIECES += [
    "<!ENTITY a 'b'>",
    "// ldag table x\n",
    "// ldag edge a -> b : c=1\n",
    "state",
    "latent ",
    " <-> ",
    "dir=both",
    "I_",
    "node",
    "\ud7ff",
    "\u2028",
]
GRAPH = LDAG.from_text("""
a {no, yes}
latent "b b" {0, 1, 2}
c {"<1", ">1"}
a -> c : "b b"=1
"b b" -> c
""")
NETWORK = Network.from_parameters(
    GRAPH, {"a": [0.3, 0.7], "b b": [0.2, 0.3, 0.5], "c": [[0.1, 0.9], [0.4, 0.6], [0.25, 0.75], [0.4, 0.6], [1, 0]]}
)
PLAIN = GRAPH.from_text("a {0, 1}\nb {0, 1}\nc {0, 1}\na -> c : b=1\nb -> c")
ARCS = GRAPH.from_text("I_a -> a\nb {0, 1}\na -> c : b=1\nb -> c\na <-> c\nlatent l\nl -> b")


def example(known: Format) -> str:
    """Return a small text in a format."""
    plain = PLAIN if known.name == "modelstring" else ARCS  # which has no name for an arc
    return NETWORK.to_format(known.name) if known.writes_networks else plain.to_format(known.name)


def mutated(text: str, rng: random.Random) -> str:
    """Return the text after a few cuts, copies, exchanges and insertions."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((1, 1, 2, 5, 20, 100)))
        what = rng.randrange(6)
        if what == 0:
            text = text[:start] + text[end:]
        elif what == 1:
            text = text[:end] + text[start:end] * rng.choice((1, 2, 5)) + text[end:]
        elif what == 2:
            text = text[:start]
        elif what == 3:
            text = text[:start] + chr(rng.choice((rng.randrange(128), rng.randrange(0xD800)))) + text[end:]
        else:
            text = text[:start] + rng.choice(PIECES) + text[start if what == 4 else end :]
    return text


def understand(known: Format, text: str) -> None:
    """Read a text and make a model of it; only errors of the library may come out."""
    assert known.read is not None
    try:
        graph = LDAG.from_record(known.read(text))
        if max(family.partition.grid.size for family in graph.structure.families) < 1 << 12:
            assert graph.dimension <= graph.dag_dimension  # grids are made when asked for
    except LdagError as error:
        message = str(error)
    else:
        return
    assert message


@pytest.mark.filterwarnings("ignore::ldag.errors.DataNote")
@pytest.mark.parametrize("known", READERS, ids=lambda known: known.name)
def test_mutated_files(known: Format) -> None:
    """Two thousand damaged files each (pydot is slow, so fewer for DOT), more with LDAG_FUZZ or `make fuzz`."""
    rng = random.Random(known.name)
    text = example(known)
    understand(known, text)
    for _ in range(N_INPUTS if known.name != "dot" else N_INPUTS // 20):
        damaged = mutated(text, rng)
        start = process_time()
        understand(known, damaged)
        assert process_time() - start < 1, damaged


def test_mutated_scores() -> None:
    """The same for files of family scores."""
    rng = random.Random(1)
    text = "3\na 2\n-1.5 0\n-1.25 1 b\nb 1\n-2 0\nc 2\n-3 0\n-2.5 2 a b\n"
    assert FamilyScores.from_text(text).n_scores == 5
    for _ in range(N_INPUTS):
        with suppress(LdagError):
            FamilyScores.from_text(mutated(text, rng))


BIF = NETWORK.to_format("bif")
BOMB = (
    "<!DOCTYPE bif [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><BIF><NETWORK>&b;</NETWORK></BIF>"
)
WIDE = "".join(f"variable v{i} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for i in range(41))
HOSTILE = {
    "a table of 10^12 entries": (
        "uai",
        "BAYES\n2\n1000000 1000000\n2\n1 0\n2 0 1\n1000000\n0.5\n",
        "1 to 65,536 states",
    ),
    "a table that is announced": ("uai", "BAYES\n2\n60000 60000\n2\n1 0\n2 0 1\n60000\n0.5\n", "only 1 words are left"),
    "a default row for 2^40 others": (
        "bif",
        f"{WIDE}probability ( v0 | {', '.join(f'v{i}' for i in range(1, 41))} ) {{ default 0.5, 0.5; }}",
        "at most 16,777,216 are read",
    ),
    "an entity bomb": ("xmlbif", BOMB, "declares entities"),
    "deep XML": ("xdsl", "<smile>" + "<nodes>" * 100_000, "nested too deeply"),
    "deep JSON": ("json", "[" * 100_000, "nested too deeply"),
    "deep brackets": ("net", "net { x = " + "(" * 100_000, "expected ';'"),
    "a cut file": ("bif", BIF[: len(BIF) // 2], "line "),
    "a cycle": (
        "bif",
        "variable a { type discrete [ 1 ] { x }; } variable b { type discrete [ 1 ] { x }; }\n"
        "probability ( a | b ) { (x) 1; }\nprobability ( b | a ) { (x) 1; }",
        "the edges form a cycle, a -> b -> a",
    ),
    "a variable twice": ("bif", BIF.replace("variable c", "variable a"), "variable 'a' is given twice"),
    "a wrong sum": ("bif", BIF.replace("table 0.3, 0.7", "table 0.3, 0.6"), r"sum to 1, these sum to 0.9 \(0.1 off\)"),
    "a negative number": ("bif", BIF.replace("table 0.3, 0.7", "table 1.3, -0.3"), "between 0 and 1, got -0.3"),
    "an unequal row": (
        "bif",
        BIF.replace("0.4, 0.6", "0.5, 0.5", 1),
        "some rows of 'c' are equal, and they are 0.1 apart",
    ),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files(case: str) -> None:
    """Each gives one clear error, in a moment and without the memory that it asks for."""
    name, text, message = HOSTILE[case]
    known = next(item for item in READERS if item.name == name)
    assert known.read is not None
    tracemalloc.start()
    try:
        with pytest.raises(LdagError, match=message):
            LDAG.from_record(known.read(text))
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


ABOVE = [f"v{i}" for i in range(1, 24)]
DEFAULT = "".join(f"probability ( v{i} ) {{ table 0.5, 0.5; }}\n" for i in range(41) if i != 24)
SHORT = {
    "a default row for 2^23 others": (
        "bif",
        f"{WIDE}{DEFAULT}probability ( v24 | {', '.join(ABOVE)} )"
        f" {{ default 0.5, 0.5; ({', '.join('a' * 23)}) 0.1, 0.9; }}",
    ),
    "23 parents": ("ldag", "\n".join(f"{name} -> y" for name in ABOVE)),
    "23 parents with labels": ("ldag", "\n".join(f"{name} -> y : {ABOVE[i - 1]}=1" for i, name in enumerate(ABOVE))),
    "18 labels of 500 equal contexts": (
        "ldag",
        "\n".join(
            f"{name} -> y : " + "; ".join([f"{ABOVE[(i + 1) % 18]}=1"] * 500) for i, name in enumerate(ABOVE[:18])
        ),
    ),
    "2,000 equal classes": ("ldag", "\n".join([f"{name} -> y" for name in ABOVE] + ["y | v1=1 ; v2=0"] * 2000)),
}


@pytest.mark.parametrize("case", SHORT)
def test_short_files_are_read_at_their_own_cost(case: str) -> None:
    """Grids of millions of configurations are not made before they are asked for."""
    name, text = SHORT[case]
    known = next(item for item in READERS if item.name == name)
    assert known.read is not None
    start = process_time()
    tracemalloc.start()
    try:
        LDAG.from_record(known.read(text))
        assert tracemalloc.get_traced_memory()[1] < 30e6  # a grid of 23 parents takes 33 MB
        assert process_time() - start < 3
    finally:
        tracemalloc.stop()


def test_an_edge_given_twice_is_refused_at_once() -> None:
    """Not after all of 200,000 lines are understood."""
    start = process_time()
    with pytest.raises(LdagError, match="line 3: the edge 'x' -> 'y' is given twice, first at line 2"):
        LDAG.from_text("z -> y\n" + "x -> y : z=1\n" * 200_000)
    assert process_time() - start < 0.5


def test_heart_is_read_from_every_format() -> None:
    """The fuzzed readers do read."""
    heart = Network.from_data(datasets.graph("heart"), datasets.load("heart"))
    for known in READERS:
        assert known.read is not None
        if known.writes_networks:
            graph = LDAG.from_record(known.read(heart.to_format(known.name)))
            assert graph.dimension == heart.dimension
