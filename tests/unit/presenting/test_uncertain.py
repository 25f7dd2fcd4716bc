"""Pictures of a posterior, and what its files keep of variables."""

from pathlib import Path

import numpy as np

import ldag
from ldag.uncertainty import is_document_of

HEART = ldag.datasets.load("heart")
POST = ldag.posterior(HEART, kappa=0.3, max_parents=3)


def test_widths_and_labels_are_probabilities() -> None:
    """The consensus is drawn; edges say how probable they are, and labels too."""
    svg = POST.to_svg()
    chance = POST.label("smoking", "pressure", context={"protein": ">3"})
    assert f"not if protein is &gt;3 ({float(chance):.2f})" in svg
    either = float(POST.edge("smoking", "pressure")) + float(POST.edge("pressure", "smoking"))
    assert f"smoking → pressure (joined with probability {either:.2f})" in svg
    assert "width: probability" in svg
    assert POST._repr_html_().startswith("<div")


def test_files_keep_order_and_cut_points(tmp_path: Path) -> None:
    """Measurements stay measurements, and the file says what it is."""
    columns = {"x": np.arange(90.0) % 30, "y": np.arange(90) % 2}
    data = ldag.read(columns, bins={"x": 3}, states={"y": ldag.ordered([0, 1])})
    post = ldag.posterior(data, kappa=0.3)
    path = tmp_path / "post.json"
    post.save(path)
    loaded = ldag.Posterior.load(path)
    assert [(v.name, v.ordered, v.cuts) for v in loaded.variables] == [
        (v.name, v.ordered, v.cuts) for v in post.variables
    ]
    assert is_document_of(path, "posterior")
    ldag.Network.from_data([("x", "y")], data).save(tmp_path / "net.json")
    assert not is_document_of(tmp_path / "net.json", "posterior")
