"""Pictures of a posterior."""

import ldag

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
