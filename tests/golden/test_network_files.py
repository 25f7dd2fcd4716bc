"""The public collection of networks that pgmpy ships: read, compared with pyAgrum's reading, written and read again."""

import gzip
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from xml.parsers import expat

import numpy as np
import pytest
from numpy.typing import NDArray

from ldag import LDAG, Network
from ldag.formats import FORMATS

SHELF = Path(str(files("pgmpy"))) / "utils" / "example_models"
NAMES = sorted(path.name.removesuffix(".bif.gz") for path in SHELF.glob("*.bif.gz"))
pytestmark = pytest.mark.filterwarnings("ignore")  # pgmpy announces its own coming changes
FULL = [known.endings[0] for known in FORMATS if known.writes_networks]
ODD = LDAG.from_text("""
"blood pressure" {"<140", ">140", "a,b"}
smoking {0, 1}
"été" {True, False}
table {"x y", "1.5", "-"}
smoking -> "blood pressure" : "été"=True
"été" -> "blood pressure"
table -> smoking
""")


def unpacked(name: str, folder: Path) -> Path:
    """Return the file of a network of the collection."""
    path = folder / f"{name}.bif"
    path.write_bytes(gzip.decompress((SHELF / f"{name}.bif.gz").read_bytes()))
    return path


@cache
def plain_word(word: str) -> str:
    """Return a word without odd characters; numbers stay."""
    is_plain = re.fullmatch(r"\w+|[0-9.]+(e[-+]?[0-9]+)?", word)
    return word if is_plain else "w" + re.sub(r"\W", lambda sign: f"_{ord(sign[0]):x}_", word)


def odd_network() -> Network:
    """Names and states that no other program can read, and numbers from 3e-12 to 1."""
    rng = np.random.default_rng(1)
    parameters = {
        v.name: [list(map(float, rng.dirichlet([0.3] * v.n_states))) for _ in range(ODD.partition(v.name).n_classes)]
        for v in ODD.variables
    }
    return Network.from_parameters(ODD, parameters | {"table": [[1e-7, 3e-12, 1 - 1e-7 - 3e-12]]})


def test_the_collection_is_there() -> None:
    """At least twenty networks, among them the largest."""
    assert len(NAMES) >= 20
    assert {"alarm", "munin", "diabetes", "link"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_collection(name: str, tmp_path: Path) -> None:
    """Every table is pyAgrum's to its 32 bits, and every format gives the network back."""
    path = unpacked(name, tmp_path)
    net = Network.load(path)
    plain = tmp_path / "plain.bif"  # pyAgrum cannot read states such as Asy/Patch
    plain.write_text(re.sub(r"[^\s,;(){}\[\]|]+", lambda word: plain_word(word[0]), path.read_text()))
    peer = pytest.importorskip("pyagrum").loadBN(str(plain))
    assert peer.size() == len(net.variables)
    for variable in net.variables:
        table, theirs = net.cpt(variable.name), peer.cpt(variable.name)
        assert set(theirs.names) == set(table.names)
        axes = [theirs.names[::-1].index(name) for name in table.names]  # its arrays have the last name first
        labels = [peer.variable(name).labels() for name in table.names]
        codes = [
            [known.index(plain_word(str(s))) for s in v.states]
            for v, known in zip(table.variables, labels, strict=True)
        ]
        values = np.asarray(theirs.toarray()).transpose(axes)[np.ix_(*codes)]
        np.testing.assert_allclose(table.values, values, atol=1e-6)
    is_large = net.ldag.dag_dimension > 10_000
    for ending in (".xdsl", ".json") if is_large else FULL:
        again = tmp_path / f"again{ending}"
        net.save(again)
        read = Network.load(again)
        if ending == ".uai":
            assert all(np.array_equal(a, b) for a, b in zip(read.probabilities, net.probabilities, strict=True))
        else:
            assert read == net, ending


@pytest.mark.parametrize("ending", FULL)
def test_odd_names_come_back(ending: str, tmp_path: Path) -> None:
    """Names, typed states and every digit survive our own writing and reading."""
    path = tmp_path / f"odd{ending}"
    net = odd_network()
    net.save(path)
    read = Network.load(path)
    if ending == ".uai":
        assert all(np.array_equal(a, b) for a, b in zip(read.probabilities, net.probabilities, strict=True))
    else:
        assert read == net
        assert read.variables[2].states == (True, False)


@pytest.mark.parametrize("ending", FULL)
def test_names_and_states_may_have_any_sign(ending: str, tmp_path: Path) -> None:
    """Also what XML has no place for, such as U+FFFE and U+0001: the files can be opened, and give them back."""
    codes = [*range(0x20), *range(0x7F, 0xA1), 0xAD, 0x2028, 0x2029, 0xFDD0, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x1FFFE]
    states = {f"x{chr(code)}": [f"{chr(code)}{i}" for i in range(2 + code % 3)] for code in codes}
    graph = LDAG.from_edges([], states=states)
    net = Network.from_parameters(graph, {name: [1 / len(own)] * len(own) for name, own in states.items()})
    path = tmp_path / f"net{ending}"
    net.save(path)
    if ending in {".xmlbif", ".xdsl"}:
        expat.ParserCreate().Parse(path.read_bytes(), True)
    read = Network.load(path)
    assert [v.n_states for v in read.variables] == [len(own) for own in states.values()]
    if ending != ".uai":
        assert read.variables == graph.variables


@pytest.mark.parametrize("ending", [".bif", ".xmlbif", ".net", ".xdsl"])
@pytest.mark.parametrize("name", ["odd", "alarm"])
def test_pgmpy_reads_what_we_write(name: str, ending: str, tmp_path: Path) -> None:
    """And gives the same marginals, by the order of variables and states."""
    net = odd_network() if name == "odd" else Network.load(unpacked(name, tmp_path))
    path = tmp_path / f"net{ending}"
    net.save(path)
    pytest.importorskip("pgmpy")
    from pgmpy import readwrite
    from pgmpy.inference import VariableElimination

    model = getattr(readwrite, f"{ending[1:].upper()}Reader")(str(path)).get_model()
    found = VariableElimination(model)
    check_marginals(net, [found.query([node], show_progress=False).values for node in model.nodes()], 1e-12)


@pytest.mark.parametrize("ending", [".bif", ".bifxml", ".net"])
@pytest.mark.parametrize("name", ["odd", "alarm"])
def test_pyagrum_reads_what_we_write(name: str, ending: str, tmp_path: Path) -> None:
    """And gives the same marginals, to the 32 bits it reads numbers with."""
    net = odd_network() if name == "odd" else Network.load(unpacked(name, tmp_path))
    path = tmp_path / f"net{ending}"
    net.save(path)
    pyagrum = pytest.importorskip("pyagrum")
    peer = pyagrum.loadBN(str(path))
    found = pyagrum.LazyPropagation(peer)
    check_marginals(net, [found.posterior(node).toarray() for node in peer.names()], 1e-6)


@pytest.mark.parametrize("ending", [".bif", ".bifxml", ".net", ".xdsl"])
def test_we_read_what_pyagrum_writes(ending: str, tmp_path: Path) -> None:
    """Two parents of different sizes, so that a wrong order shows."""
    pyagrum = pytest.importorskip("pyagrum")
    peer = pyagrum.fastBN("a[2]->c[2]<-b[3]")
    path = tmp_path / f"net{ending}"
    pyagrum.saveBN(peer, str(path))
    found = pyagrum.LazyPropagation(peer)
    net = Network.load(path)
    for node in "abc":
        assert list(net.query(node).values()) == pytest.approx(found.posterior(node).tolist(), abs=1e-5)
    joint = net.query("c", given={"a": net.ldag.variables[0].states[1]})
    assert sum(joint.values()) == pytest.approx(1)


def check_marginals(net: Network, theirs: list[NDArray[np.float64]], tolerance: float) -> None:
    """Every marginal is among theirs, whatever they call the variables and in whatever order."""
    assert len(theirs) == len(net.variables)
    for mine in net.marginals().values():
        values = sorted(mine.values())
        off = [np.abs(np.sort(other) - values).max() for other in theirs if len(other) == len(values)]
        assert min(off) < tolerance
