"""What is kept of a posterior at one kappa."""

import numpy as np

import ldag
from ldag.uncertainty.component import Component, KeptDags
from ldag.uncertainty.families import Setting

HEART = ldag.datasets.load("heart")


def test_parent_sets_are_kept_down_to_one_in_ten_billion() -> None:
    """For labels and for files alike, so that a file answers as before."""
    chances = np.array([1 - 2e-9, 2e-9, 2e-10, 0.5e-10])
    sets = ((), (1,), (2,), (1, 2))
    draw = KeptDags(np.array([[0, 0, 0], [3, 0, 0]], dtype=np.uint32), is_all=False)
    none, sure = ((),), np.ones(1)
    edges = np.zeros((3, 3))
    component = Component(
        Setting("normalised", 0.3, 1.0), 1.0, (sets, none, none), (chances, sure, sure), edges, edges, None, draw
    )
    assert [parents for parents, _ in component.likely(0)] == [(), (1,), (2,)]
    again = Component.from_dict(component.to_dict(), {"prior": "normalised", "equivalent_sample_size": 1.0})
    assert again.sets[0] == ((), (1,), (2,))
    assert set(map(tuple, again.draw(1, 0).tolist())) == {(0, 0, 0)}  # a DAG of a set that is not kept is none


def test_the_graph_that_limits_are_held_against_has_the_kappa_or_a_usual_one() -> None:
    """What a search finds at kappa 0.1 and size 10 where the posterior is over several of them."""
    few = HEART.select(["smoking", "protein", "pressure", "mental", "physical"])
    for kappa, at in ((0.3, 0.3), ("evidence", 0.1)):
        best = ldag.learn(few, kappa=at, equivalent_sample_size=10, method="climb", n_restarts=0).ldag
        post = ldag.posterior(few, kappa=kappa, max_parents=1)  # type: ignore[arg-type]
        assert post.outside is not None
        for variable in best.variables:
            assert (f"{variable.name} has {len(best.parents(variable.name))} parents" in post.outside) == (
                len(best.parents(variable.name)) > 1
            )
