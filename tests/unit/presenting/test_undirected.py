"""Pictures of graphs without arrows."""

from pathlib import Path

import pytest

import ldag
from ldag import StratifiedGraph
from ldag.errors import LdagError
from tests.command import run

U = StratifiedGraph.from_text("a - b - c\na - c : b=1\nc - d")


def test_lines_without_heads() -> None:
    """Strata are worded for both ends, and no edge has a head or an arrow in its tooltip."""
    svg = U.to_svg()
    assert "independent if b is 1" in svg
    assert "not if" not in svg
    assert "→" not in svg
    assert "a – c : independent if b is 1" in svg or "c – a : independent if b is 1" in svg
    arrows = U.to_ldag().to_svg()
    assert svg.count("<path") + svg.count("<polygon") < arrows.count("<path") + arrows.count("<polygon")


def test_a_fit_is_drawn_without_arrows() -> None:
    """A decomposable fit has no arrows, in its picture and in its page."""
    fit = ldag.learn(ldag.datasets.load("heart"), decomposable=True, kappa=0.1, equivalent_sample_size=1)
    assert "→" not in fit.to_svg()
    assert "independent if" in fit._repr_html_()
    assert "independent if" in U._repr_html_()


def test_pages_without_arrows(tmp_path: Path) -> None:
    """Report and explorer of a fit, and of its file, have lines and strata; how sure they are is of such graphs."""
    heart = ldag.datasets.load("heart")
    fit = ldag.learn(heart, decomposable=True, kappa=0.1, equivalent_sample_size=1)
    fit.save(tmp_path / "heart.json")
    net = ldag.Network.load(tmp_path / "heart.json")
    ldag.report(fit, tmp_path / "fit.html")
    ldag.report(net, tmp_path / "net.html", data=heart)
    ldag.explore(net, tmp_path / "explore.html")
    for name in ("fit", "net", "explore"):
        page = (tmp_path / f"{name}.html").read_text()
        assert "independent if protein is &gt;3" in page
        assert not set("→←↔") & set(page.partition("<script")[0])
        assert "arrows" not in page.partition("<script")[0].replace("without arrows", "")
    told = (tmp_path / "fit.html").read_text()
    post = ldag.posterior(fit, decomposable=True)
    assert "smoking and pressure go together (very likely, 92 %); but independent when protein is &gt;3." in told
    assert f"{100 * post.edge('smoking', 'pressure'):.0f}" == "92"
    assert f"{100 * post.stratum('smoking', 'pressure', context={'protein': '>3'}):.1f} %" in told
    assert "A stratified graph, without arrows: 6 edges" in told
    ldag.report(fit, tmp_path / "given.md", posterior=post)
    assert "| smoking and pressure are independent when protein is \\>3 | 780 | " in (tmp_path / "given.md").read_text()
    boot = ldag.bootstrap(heart, n=3, decomposable=True, kappa=0.1, equivalent_sample_size=1)
    ldag.report(fit, tmp_path / "boot.md", posterior=boot)
    assert "| exception | rows it is about | gain |" in (tmp_path / "boot.md").read_text()


def test_a_report_on_a_posterior() -> None:
    """Is refused: it is about a model."""
    post = ldag.posterior(ldag.datasets.load("ucb"), decomposable=True, equivalent_sample_size=1)
    with pytest.raises(LdagError, match="report takes a Fit, a Network or a Mixture, got StrataPosterior"):
        ldag.report(post, "post.html")  # type: ignore[arg-type]


def test_arrows_where_they_are_asked_for(tmp_path: Path) -> None:
    """The network of a file is drawn without arrows, and with them where variables are set."""
    out = str(tmp_path / "heart.json")
    run("learn", "heart", "--decomposable", "--kappa", "0.1", "--equivalent-sample-size", "1", "-o", out)
    for more in ((), ("--undirected",)):
        run("plot", out, "-o", str(tmp_path / "lines.svg"), *more)
        assert "→" not in (tmp_path / "lines.svg").read_text()
    run("plot", out, "-o", str(tmp_path / "arrows.svg"), "--do", "smoking")
    assert "→" in (tmp_path / "arrows.svg").read_text()
    assert "independent when" in run("show", out, "--undirected")


def test_text_files(tmp_path: Path) -> None:
    """What is saved in the text form is shown by the command; what is no graph at all is refused as before."""
    U.save(tmp_path / "u.ldag")
    assert run("show", str(tmp_path / "u.ldag")) == f"{U}\n"
    (tmp_path / "u.ldag").write_text("a - b -> c")
    assert "line 1: " in run("show", str(tmp_path / "u.ldag"), code=2)


def test_moral_graphs() -> None:
    """Edges that were added are dashed, and told."""
    moral = ldag.LDAG.from_text("a -> c\nb -> c").moral_graph()
    svg = moral.to_svg()
    assert "dashed: between two parents of a child" in svg
    assert "→" not in svg


@pytest.mark.parametrize(("option", "value"), [("do", "a"), ("arrows", True), ("forbidden", [("a", "b")])])
def test_options_of_arrows(option: str, value: object) -> None:
    """They are refused."""
    with pytest.raises(LdagError, match=f"{option} is about arrows"):
        U.to_svg(**{option: value})  # type: ignore[arg-type]
    with pytest.raises(LdagError, match="takes direction and title only"):
        U.to_ldag().moral_graph().to_svg(focus="a")
