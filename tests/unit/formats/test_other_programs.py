"""Objects and notations of other programs: pgmpy, pyAgrum, dosearch, bnlearn, LaTeX, family scores, and origins."""

import json
import re
from itertools import combinations, product
from pathlib import Path
from typing import Literal

import narwhals
import numpy as np
import pytest
from click.testing import CliRunner

import ldag
from ldag import LDAG, LdagError, Network, datasets
from ldag.cli.main import cli
from ldag.errors import DataNote
from ldag.formats import FORMATS, Format, table_of_formats

pytestmark = pytest.mark.filterwarnings("ignore")  # pgmpy announces its own coming changes
HEART = Network.from_data(datasets.graph("heart"), datasets.load("heart"))
GUARD = Network.from_parameters(
    datasets.graph("guard"),
    {
        "person": [[0.2, 0.3, 0.5]],
        "gender": [[0.1, 0.9], [0.4, 0.6], [0.7, 0.3]],
        "badge": [[0.15, 0.85], [0.25, 0.75], [0.35, 0.65], [0.45, 0.55]],
    },
)


def run(*arguments: str, code: int = 0) -> str:
    """Run the command line and return what it prints."""
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize("net", [HEART, GUARD])
def test_pgmpy_in_memory(net: Network) -> None:
    """The same model there, by its own inference, and the same network back."""
    pytest.importorskip("pgmpy")
    from pgmpy.inference import VariableElimination

    model = net.to_pgmpy()
    assert model.check_model()
    found = VariableElimination(model)
    for name, mine in net.marginals().items():
        assert found.query([name], show_progress=False).values == pytest.approx(list(mine.values()))
    again = Network.from_pgmpy(model)
    assert again.ldag == net.ldag
    assert again.marginals() == net.marginals()


@pytest.mark.parametrize("net", [HEART, GUARD])
def test_pyagrum_in_memory(net: Network) -> None:
    """The same model there, by its own inference, and the same network back."""
    pyagrum = pytest.importorskip("pyagrum")
    peer = net.to_pyagrum()
    found = pyagrum.LazyPropagation(peer)
    for name, mine in net.marginals().items():
        assert found.posterior(name).tolist() == pytest.approx(list(mine.values()))
    again = Network.from_pyagrum(peer)
    assert again.ldag == net.ldag
    assert again.marginals() == net.marginals()


def test_plain_names_on_request(tmp_path: Path) -> None:
    """Other libraries write their own files then, which they and we read; other names they cannot."""
    pyagrum = pytest.importorskip("pyagrum")
    pytest.importorskip("pgmpy")
    from pgmpy.readwrite import BIFReader, BIFWriter

    age = ldag.Variable.of_bins("age in years", [30, 50])
    graph = LDAG.from_edges([(age.name, "net")], states={age.name: age, "net": ["yes", "yes!", "no"]})
    rows = [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.5, 0.2, 0.3]]
    net = Network.from_parameters(graph, {age.name: [0.2, 0.5, 0.3], "net": rows})
    peer = net.to_pyagrum()  # its variables live no longer than the network
    assert peer.variable(0).labels() == age.states
    peer = net.to_pyagrum(plain=True)
    assert peer.names() == {"age_in_years", "net_"}
    for ending in ("bif", "bifxml", "net", "xdsl"):
        path = tmp_path / f"theirs.{ending}"
        pyagrum.saveBN(peer, str(path))
        for read in (Network.load(path), Network.from_pyagrum(pyagrum.loadBN(str(path)))):
            assert [v.states for v in read.variables] == [("lt__eq__30", "x30_50", "gt__50"), ("yes", "yes_2", "no")]
            assert np.allclose(read.probabilities[1], rows, atol=1e-6)
    BIFWriter(net.to_pgmpy(plain=True)).write(str(tmp_path / "pgmpy.bif"))
    model = BIFReader(str(tmp_path / "pgmpy.bif")).get_model()
    assert np.allclose(model.get_cpds("net_").values, np.array(rows).T)


def test_objects_of_another_kind() -> None:
    """One error that says what was expected."""
    with pytest.raises(LdagError, match="expected a discrete Bayesian network of pgmpy, got a int"):
        Network.from_pgmpy(3)
    with pytest.raises(LdagError, match="expected a BayesNet of pyAgrum, got a int"):
        Network.from_pyagrum(3)


def test_dosearch() -> None:
    """Labels of binary graphs, states by number; what it cannot say is refused."""
    graph = LDAG.from_text("a {no, yes}\nb {no, yes}\nc {no, yes}\na -> c : b=yes\nb -> c")
    assert graph.to_format("dosearch") == "a -> c : b = 1\nb -> c\n"
    with pytest.raises(LdagError, match="knows two states per variable, and 'person' has 3"):
        datasets.graph("guard").to_format("dosearch")


LATENT = LDAG.from_edges([("h", "a"), ("h", "b")], states={n: ["no", "yes"] for n in "hab"}, latent="h")
LATENT_NET = Network.from_parameters(
    LATENT, {"h": [0.3, 0.7], "a": [[0.1, 0.9], [0.4, 0.6]], "b": [[0.2, 0.8], [0.5, 0.5]]}
)


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
def test_latent_variables_are_kept_or_told_as_lost(known: Format, tmp_path: Path) -> None:
    """What is said to be carried comes back; what is not is said when a file is converted."""
    source, target = tmp_path / "source.json", tmp_path / f"target{known.endings[0]}"
    LATENT_NET.save(source)
    assert Network.load(source) == LATENT_NET
    told = run("convert", str(source), str(target))
    is_lost = known.carries.latent in {"no", "arcs only"}
    assert ("that h is latent is left out" in told) == is_lost
    if known.read is not None:
        assert LDAG.load(target).latent == (() if is_lost else ("h",))


def test_dosearch_keeps_arcs(tmp_path: Path) -> None:
    """Arcs come back from dosearch; of other latent variables it is said that they are lost."""
    graph = LDAG.from_text("latent L\nx -> y\nx <-> y\ny <-> z\nL -> x\nL -> z")
    assert graph.to_format("dosearch") == "L -> x\nx -> y\nL -> z\nx <-> y\ny <-> z\n"
    source, target = tmp_path / "source.ldag", tmp_path / "target.dosearch"
    graph.save(source)
    told = run("convert", str(source), str(target))
    assert "note: that L is latent is left out" in told
    assert LDAG.load(target).latent == ("x <-> y", "y <-> z")


def test_intervention_nodes_of_dosearch_are_left_out() -> None:
    """The graph is that of nothing set: labels of what is set go, and those of what is not lose that condition."""
    text = """
    x -> y : a = 1
    h -> x : a = 0; I_x = 1
    a -> x : I_x = 1
    b -> x : I_x = 0, a = 1
    h -> y
    a -> y
    I_x -> x
    I_z -> y
    """
    with pytest.warns(DataNote, match=r"^1 intervention node of dosearch left out: I_x; do cuts"):
        graph = LDAG.from_format(text, "dosearch")
    wanted = "x -> y : a=1\nh -> x : a=0\na -> x\nb -> x : a=1\nh -> y\na -> y\nI_z -> y"
    assert graph == LDAG.from_text(wanted)


def test_latent_variables_of_pgmpy() -> None:
    """They are the latents there."""
    pytest.importorskip("pgmpy")
    for plain in (False, True):
        model = LATENT_NET.to_pgmpy(plain=plain)
        assert set(model.latents) == {"h"}
        assert Network.from_pgmpy(model).ldag == LATENT


def test_model_strings(tmp_path: Path) -> None:
    """Bnlearn's own example; states and labels are not in it."""
    path = tmp_path / "net.modelstring"
    path.write_text("[A][C][F][B|A][D|A:C][E|B:F]\n")
    graph = LDAG.load(path)
    assert graph.parents("D") == ("A", "C")
    assert graph.to_format("modelstring") == "[A][C][F][B|A][D|A:C][E|F:B]\n"
    path.write_text("[A][B|")
    with pytest.raises(LdagError, match=r"net.modelstring: line 1: expected a node such as \[x\] or \[x\|y:z\], got"):
        LDAG.load(path)


def test_tikz() -> None:
    """Every node and edge, labels beside their edges, and TeX's own signs escaped."""
    text = datasets.graph("heart").to_format("tex")
    assert text.count(r"\node[node]") == 6
    assert text.count("edge[->") == len(datasets.graph("heart").edges)
    assert r"\{protein=$>$3\}" in text
    bow = LDAG.from_text("x -> y\nx <-> y\nlatent l\nl -> x").to_format("tex")
    assert bow.count(r"\draw[<->, dashed, thick] (n1) to[bend left=42] (n2);") == 1
    assert (bow.count(r"\node[node]"), bow.count(r"\node[latent]"), bow.count("edge[->")) == (2, 1, 2)
    assert r"a\_b\%" in LDAG.from_text('"a_b%" {0, 1}').to_format("tex")


def test_family_scores(tmp_path: Path) -> None:
    """Each is the score of its family, pruned sets are beaten by a subset, and the file keeps every digit."""
    data = datasets.load("heart")
    scores = ldag.family_scores(data, kappa=0.1, max_parents=2, prune=False)
    pruned = ldag.family_scores(data, kappa=0.1, max_parents=2)
    assert scores.n_scores == 6 * (1 + 5 + 10)
    family = ldag.learn_family(data, "pressure", parents=["smoking", "protein"], kappa=0.1)
    assert scores.families["pressure"]["smoking", "protein"] == family.score
    for node, sets in scores.families.items():
        for parents, score in sets.items():
            below = [sets[s] for size in range(len(parents)) for s in combinations(parents, size)]
            assert (parents in pruned.families[node]) == (not below or score > max(below))
    pruned.save(tmp_path / "heart.jkl")
    assert ldag.FamilyScores.load(tmp_path / "heart.jkl") == pruned
    printed = run("scores", "heart", "--kappa", "0.1", "--max-parents", "2")
    assert printed == (tmp_path / "heart.jkl").read_text()
    run("scores", "heart", "--kappa", "0.1", "-o", str(tmp_path / "heart.csv"), code=1)


def test_a_learned_network_remembers_its_origin(tmp_path: Path) -> None:
    """Kappa, score, settings, version, date and a digest of the data; `score` need not ask again."""
    path = str(tmp_path / "heart.json")
    fit = ldag.learn(datasets.load("heart"), kappa=0.3, method="exact", equivalent_sample_size=1)
    fit.network.save(path)
    origin = Network.load(path).origin
    assert origin is not None
    assert origin["kappa"] == 0.3
    assert origin["score"] == fit.score.total
    assert set(origin) >= {"settings", "version", "date", "data"}
    assert json.loads(Path(path).read_text())["version"] == 2
    said = json.loads(run("score", path, "heart", "--json"))
    assert said["score"] == pytest.approx(fit.score.total)
    again = ldag.learn(datasets.load("heart"), kappa=0.3, method="exact", equivalent_sample_size=1).network.origin
    assert again is not None
    assert again["data"] == origin["data"]


def test_convert_says_what_is_recovered_and_lost(tmp_path: Path) -> None:
    """Labels from equal rows, parameters that a format has no place for."""
    source, target = str(tmp_path / "heart.uai"), str(tmp_path / "heart.json")
    HEART.save(source)
    assert "note: equal rows of the tables save" in run("convert", source, target)
    assert Network.load(target).dimension == HEART.dimension
    assert "the parameters are left out" in run("convert", target, str(tmp_path / "heart.tex"))
    assert "by number" in run("convert", target, source)
    HEART.save(target)
    assert "pressure" in run("show", target)
    assert run("convert", target, "-", "--to", "bif").startswith("network unknown")
    assert run("convert", "--formats") == table_of_formats(FORMATS)


@pytest.mark.parametrize("ending", ["uai", "bif", "xdsl", "net"])
@pytest.mark.parametrize(
    ("first", "second", "n_classes"),
    [
        ([0.0, 1.0], [1e-13, 1 - 1e-13], 2),
        ([0.0, 1.0], [1e-320, 1.0], 2),
        ([1e-300, 1.0], [2e-300, 1.0], 2),
        ([1e-13, 0.4, 0.6 - 1e-13], [2e-13, 0.4, 0.6 - 2e-13], 2),
        ([0.0, 0.1, 0.2, 0.7], [0.0, 0.1, 0.2, 0.7], 1),
        ([0.3, 0.7], [0.1 + 0.2, 0.7], 1),  # one bit apart
        ([0.1, 0.9], [float(np.nextafter(0.1, 0)), 0.9], 1),
        ([0.001, 0.999], [float(np.nextafter(0.001, 0)), 0.999], 1),
        ([1e-250, 1.0], [1e-250 * (1 + 1e-15), 1.0], 1),
        ([0.123456789012, 0.876543210988], [0.123456789013, 0.876543210987], 2),  # as printed with twelve digits
    ],
)
def test_rows_that_differ_stay_apart(
    ending: str, first: list[float], second: list[float], n_classes: int, tmp_path: Path
) -> None:
    """Numbers are equal relative to their size, and zero to nothing else: what is impossible stays so."""
    states = {"a": ["0", "1"], "b": list("0123"[: len(first)])}
    graph = LDAG.from_edges([("a", "b")], states=states)
    text = Network.from_parameters(graph, {"a": [0.5, 0.5], "b": [first, second]}).to_format(ending)
    path = tmp_path / f"net.{ending}"
    path.write_text(re.sub("ldag (table|class|edge)", "another", text))  # as programs write them that know no classes
    tables = Network.load(path).parameters(Network.load(path).variables[1].name)
    assert len(tables) == n_classes
    assert [row[0] > 0 for row in tables] == [row[0] > 0 for row in (first, second)][:n_classes]


DEFAULTS = """
variable a { type discrete [ 2 ] { x, y }; }
variable b { type discrete [ 3 ] { u, v, w }; }
variable c { type discrete [ 4 ] { 0, 1, 2, 3 }; }
probability ( a ) { table 0.5, 0.5; }
probability ( b ) { default 0.2, 0.3, 0.5; }
probability ( c | b, a ) { (v, y) 0.1, 0.2, 0.3, 0.4; default 0.25, 0.25, 0.25, 0.25; (u, x) 0.4, 0.3, 0.2, 0.1; }
"""


def test_default_rows_of_bif(tmp_path: Path) -> None:
    """Configurations without a row of their own have the default one, in whatever order parents are named."""
    path = tmp_path / "net.bif"
    path.write_text(DEFAULTS)
    net = Network.load(path)
    written = {("y", "v"): (0.1, 0.2, 0.3, 0.4), ("x", "u"): (0.4, 0.3, 0.2, 0.1)}
    assert net.parameters("b") == ((0.2, 0.3, 0.5),)
    assert len(net.parameters("c")) == 3
    for (i, a), (j, b) in product(enumerate("xy"), enumerate("uvw")):
        assert tuple(net.cpt("c").values[i, j]) == written.get((a, b), (0.25,) * 4)
    net.save(tmp_path / "again.bif")
    assert Network.load(tmp_path / "again.bif") == net
    path.write_text(DEFAULTS.replace("default 0.25", "default 0.35"))
    with pytest.raises(
        LdagError, match=r"net.bif: line 7: the probabilities of 'c' by default must sum to 1, these su"
    ):
        Network.load(path)
    path.write_text(DEFAULTS.replace("(u, x) 0.4", "(u, x) 0.5"))
    with pytest.raises(LdagError, match="the probabilities of 'c' given b=u, a=x must sum to 1"):
        Network.load(path)
    path.write_text(f"// ldag table c\n// ldag edge a -> c : b=w\n{DEFAULTS}")
    assert len(Network.load(path).parameters("c")) == 5


def test_the_documentation_shows_the_table_of_formats() -> None:
    """What each format carries is made from the code; run `ldag convert --formats` to see it."""
    page = Path(__file__).parents[3] / "docs" / "formats.md"
    assert table_of_formats(FORMATS) in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_classes_as_a_table(backend: Literal["pandas", "polars", "pyarrow"]) -> None:
    """A row per class: its number, its rule, its probabilities."""
    frame = narwhals.from_native(HEART.classes("pressure").to_frame(backend), eager_only=True)
    assert frame.columns == ["class", "rule", "<140", ">140"]
    assert frame["<140"].to_list() == [row[0] for row in HEART.parameters("pressure")]


@pytest.mark.parametrize(("second", "is_read"), [(0.4991, True), (0.4989, False)])
def test_rows_that_are_a_little_off_are_rescaled(second: float, is_read: bool) -> None:
    """By a thousandth at most: people write 0.333 three times; more is a mistake."""
    text = (
        f"network u {{ }} variable x {{ type discrete [ 2 ] {{ a, b }}; }} probability ( x ) {{ table 0.5, {second}; }}"
    )
    if is_read:
        assert sum(Network.from_format(text, "bif").parameters("x")[0]) == pytest.approx(1, abs=1e-15)
    else:
        with pytest.raises(LdagError, match="must sum to 1"):
            Network.from_format(text, "bif")


@pytest.mark.parametrize(("n", "message"), [(63, "expected <network> in <bif>"), (64, "nested too deeply")])
def test_xml_is_nested_64_deep_at_most(n: int, message: str) -> None:
    """The root counts; endless nesting would take memory before anything is known to be wrong."""
    with pytest.raises(LdagError, match=message):
        Network.from_format(f"<bif>{'<a>' * n}{'</a>' * n}</bif>", "xmlbif")


@pytest.mark.parametrize(("apart", "n_classes"), [(4e-13, 1), (1e-12, 2)])
def test_rows_are_equal_to_twelve_digits(apart: float, n_classes: int) -> None:
    """The rounding of doubles is forgiven, and nothing that somebody wrote."""
    states = "type discrete [ 2 ] { a, b };"
    rows = f"(a) 0.3, 0.7; (b) {0.3 + apart!r}, {0.7 - apart!r};"
    text = f"""
network u {{ }} variable x {{ {states} }} variable y {{ {states} }}
probability ( x ) {{ table 0.5, 0.5; }} probability ( y | x ) {{ {rows} }}
"""
    assert len(Network.from_format(text, "bif").parameters("y")) == n_classes
