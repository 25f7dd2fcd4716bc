"""What is learned from a panel: both graphs, against tables that are cut by hand."""

from collections.abc import Callable
from itertools import combinations, product
from math import lgamma, log
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

import ldag
from ldag.errors import ArgumentError, DataError
from tests.interrupts import interrupted
from tests.oracle import family as oracle
from tests.panels import cut_by_hand, draw_panel


def read_panel(frame: pd.DataFrame, **options: Any) -> ldag.Dataset:
    """Read a table of persons and waves."""
    return ldag.read(frame, groups="person", time="wave", **options)


def learn(data: ldag.Dataset, **options: Any) -> ldag.DynamicFit:
    """Learn with lags."""
    fit: object = ldag.learn(data, **options)
    assert isinstance(fit, ldag.DynamicFit)
    return fit


@pytest.fixture(scope="module")
def panel() -> pd.DataFrame:
    """Three hundred people, some of whose waves are missing."""
    frame = draw_panel(300, seed=1)
    return frame.drop(frame.sample(frac=0.05, random_state=2).index).reset_index(drop=True)


@pytest.mark.parametrize("lags", [1, 2])
@pytest.mark.parametrize("method", ["exact", "climb"])
def test_transition_is_what_a_table_cut_by_hand_gives(
    panel: pd.DataFrame, lags: int, method: Literal["exact", "climb"]
) -> None:
    """With tiers that let what was before, and what is static, have no parents: the same graph and the same scores."""
    data = read_panel(panel)
    fit = learn(data, lags=lags, method=method, equivalent_sample_size=2, kappa=0.1)
    table = cut_by_hand(panel, lags, "person", "wave", ["sex"]).drop(columns=["person", "wave"])
    before = [name for name in table.columns if "@" in name]
    tiers = [["sex", *before], ["taken", "pain"]]
    apart = [(a, b) for a in tiers[0] for b in tiers[0] if a != b]
    states = {v.name: v.states for v in fit.ldag.variables}
    known = ldag.read(table, states=states)
    hand = ldag.learn(
        known,
        method=method,
        equivalent_sample_size=2,
        kappa=0.1,
        constraints=ldag.Constraints(tiers=tiers, forbidden=apart),
    )
    assert set(fit.ldag.edges) == set(hand.ldag.edges)
    for name in ("taken", "pain"):
        assert fit.score.per_node["transition"][name].total == pytest.approx(hand.score.per_node[name].total, abs=1e-9)
        assert fit.ldag.partition(name) == hand.ldag.partition(name)
    own = sum(hand.score.per_node[name].total for name in ("taken", "pain"))
    assert fit.score.parts["transition"] == pytest.approx(own, abs=1e-9)
    assert fit.score.total == pytest.approx(own + fit.first.score.total, abs=1e-9)


def test_first_slice_is_learned_from_first_rows(panel: pd.DataFrame) -> None:
    """Nothing points to what is static, and the table is that of the first rows."""
    data = read_panel(panel)
    fit = learn(data, lags=1, equivalent_sample_size=2, kappa=0.1, method="exact")
    table = panel.sort_values(["person", "wave"]).groupby("person").first()[["sex", "taken", "pain"]]
    known = ldag.read(table, states={v.name: v.states for v in fit.first.ldag.variables})
    hand = ldag.learn(
        known,
        equivalent_sample_size=2,
        kappa=0.1,
        method="exact",
        constraints=ldag.Constraints(tiers=[["sex"], ["taken", "pain"]]),
    )
    assert fit.first.score.total == pytest.approx(hand.score.total, abs=1e-9)
    assert not any(child == "sex" for _, child in fit.first.ldag.edges)


@pytest.mark.parametrize("seed", range(4))
def test_best_transition_by_enumeration(seed: int) -> None:
    """Three variables of 2 and 3 states: the best graph of all with labels, family by family, order by order."""
    rng = np.random.default_rng(seed)
    sizes = {"a": 2, "b": 3, "c": 2}
    n_groups, length = 30, 4
    frame = pd.DataFrame(
        {
            "g": np.repeat(np.arange(n_groups), length),
            "t": np.tile(np.arange(length), n_groups),
            **{name: rng.integers(0, n, n_groups * length) for name, n in sizes.items()},
        }
    )
    frame["b"] = np.where(frame["a"] == 1, np.roll(frame["b"], 1), frame["b"])
    data = ldag.read(frame, groups="g", time="t", states={name: range(n) for name, n in sizes.items()})
    fit = learn(data, lags=1, method="exact", label_search="exact", kappa=0.1, equivalent_sample_size=1, max_parents=2)
    table = cut_by_hand(frame, 1, "g", "t", [])
    before = [f"{name}@-1" for name in sizes]

    def family(child: str, parents: tuple[str, ...]) -> float:
        of_parents = [sizes[name.split("@")[0]] for name in parents]
        counts = np.zeros((*of_parents, sizes[child]))
        np.add.at(counts, tuple(table[name].to_numpy() for name in (*parents, child)), 1)
        cells = counts.reshape(-1, sizes[child]).tolist()
        problem = oracle.Problem(tuple(of_parents), cells, 1.0, (sizes[child] - 1) * log(0.1), regular=True)
        return oracle.best_score(problem, "ldag")

    best = {
        (child, parents): family(child, parents)
        for child in sizes
        for n in range(3)
        for parents in combinations([*before, *(name for name in sizes if name != child)], n)
    }
    total = max(
        sum(
            max(s for (c, parents), s in best.items() if c == child and set(parents) <= {*before, *order[:place]})
            for place, child in enumerate(order)
        )
        for order in product(sizes, repeat=3)
        if len(set(order)) == 3
    )
    assert fit.score.parts["transition"] == pytest.approx(total, abs=1e-6)


def test_print_says_what_is_over_time(panel: pd.DataFrame) -> None:
    """Groups, parts of the score, what is static, labels in words."""
    fit = learn(read_panel(panel), lags=1, equivalent_sample_size=2)
    text = str(fit)
    assert f"{len(panel):,} rows of 300 persons" in text
    assert "static: sex" in text
    assert "pain(t-1) -> pain" in text
    assert "pain(t-1) does not matter for pain when taken(t-1) is yes" in text
    assert "@" not in text


def test_constraints_and_static_columns(panel: pd.DataFrame) -> None:
    """Forbidden from step to step, required within a step, no edges within a step, and static by name."""
    data = read_panel(panel)
    given = ldag.Constraints.from_text("forbid pain@-1 -> pain\nrequire sex -> taken")
    fit = learn(data, lags=1, constraints=given, equivalent_sample_size=2)
    assert ("pain@-1", "pain") not in fit.ldag.edges
    assert ("sex", "taken") in fit.ldag.edges
    assert ("sex", "taken") in fit.first.ldag.edges
    apart = learn(data, lags=1, instantaneous=False, equivalent_sample_size=2)
    assert not {("pain", "taken"), ("taken", "pain")} & set(apart.ldag.edges)
    moving = learn(data, lags=1, static=[], equivalent_sample_size=2)
    assert "sex@-1" in moving.ldag.schema.names


def test_defaults_choose_sizes_on_people_not_seen(panel: pd.DataFrame) -> None:
    """Each part has folds of whole groups."""
    fit = learn(read_panel(panel), lags=1)
    assert fit.transition.cv is not None
    assert fit.transition.data.groups is not None
    assert ("pain@-1", "pain") in fit.ldag.edges


def test_parts_answer_for_themselves(panel: pd.DataFrame) -> None:
    """A posterior, a bootstrap and a certificate of the transition: it is a fit as of any table."""
    fit = learn(read_panel(panel), lags=1, equivalent_sample_size=2, kappa=0.1)
    assert ldag.posterior(fit.transition, max_parents=3).edge("pain@-1", "pain") > 0.99
    assert ldag.posterior(fit.transition, max_parents=3).edge("pain", "pain@-1") < 1e-12
    assert ldag.bootstrap(fit.transition, 10).strength("pain@-1", "pain") == 1
    assert fit.transition.certify().is_optimal


def test_seeds_threads_and_checkpoints(panel: pd.DataFrame, tmp_path: Path) -> None:
    """The same answer for any number of threads, and from a checkpoint; one file for each part."""
    data = read_panel(panel)
    options: dict[str, Any] = {"lags": 1, "method": "climb", "rng": 3}
    one = learn(data, n_jobs=1, **options)
    two = learn(data, n_jobs=2, checkpoint=tmp_path / "run.json", **options)
    again = learn(data, checkpoint=tmp_path / "run.json", **options)
    assert one.score.total == two.score.total == again.score.total
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.first.json", "run.json"]


def test_gaps_are_learned_from(panel: pd.DataFrame) -> None:
    """Cells that are missing stay gaps in every window that they are in."""
    holes = panel.copy()
    holes.loc[holes.sample(frac=0.1, random_state=5).index, "pain"] = None
    fit = learn(read_panel(holes, missing="keep"), lags=1, equivalent_sample_size=2, method="climb")
    assert fit.transition.em is not None
    assert ("pain@-1", "pain") in fit.ldag.edges


def test_a_bound_with_gaps_is_one(panel: pd.DataFrame) -> None:
    """Where nothing follows from what was before, what was seen of every variable has a likelihood of its own."""
    holes = panel.copy()
    for name in ("pain", "taken"):
        holes.loc[holes.sample(frac=0.3, random_state=len(name)).index, name] = None
    apart = ldag.Constraints(allowed_parents={"pain": [], "taken": []})
    fit = learn(
        read_panel(holes, missing="keep"),
        lags=1,
        constraints=apart,
        equivalent_sample_size=2,
        method="climb",
        kappa=0.1,
    )
    exact = 0.0
    for name in ("pain", "taken"):
        counts = fit.transition.data.counts(name, observed=True).ravel()
        share = 2 / len(counts)
        exact += lgamma(2) - lgamma(2 + counts.sum()) + sum(lgamma(share + c) - lgamma(share) for c in counts)
    assert fit.score.parts["transition"] <= exact + 1e-9
    assert fit.score.parts["transition"] == pytest.approx(exact, rel=0.02)


def test_time_limit(panel: pd.DataFrame) -> None:
    """Both parts end with a graph, however short the time."""
    fit = learn(read_panel(panel), lags=1, time_limit=0.01)
    assert fit.transition.ldag.schema.names == ("sex", "taken@-1", "pain@-1", "taken", "pain")
    assert fit.network.lags == 1


def test_options_without_lags(panel: pd.DataFrame) -> None:
    """They are about rows in order of time."""
    data = read_panel(panel)
    with pytest.raises(ArgumentError, match=r"static is for rows in order of time; give lags=1, too"):
        learn(data, static=["sex"])
    with pytest.raises(ArgumentError, match=r"instantaneous is for rows in order of time; give lags=1, too"):
        learn(data, instantaneous=False)
    with pytest.raises(ArgumentError, match="start is one graph, and lags learns two"):
        learn(data, lags=1, start=ldag.LDAG.from_text("a {0, 1}"))
    with pytest.raises(ArgumentError, match="instantaneous must be True or False, got 'no'"):
        learn(data, lags=1, instantaneous="no")


@pytest.mark.parametrize(
    ("waves", "seen"),
    [
        (lambda wave: 2000 + 2 * wave, [2002, 2006]),
        (lambda wave: pd.Timestamp(2020, 1, 31) + pd.offsets.MonthEnd(int(wave)), ["2020-02-29", "2020-04-30"]),
        (lambda wave: pd.Timestamp(2020, 1, 1) + pd.Timedelta(hours=6 * int(wave)), ["2020-01-01", "2020-01-01 12:00"]),
    ],
)
def test_a_history_counts_in_the_steps_of_the_panel(
    panel: pd.DataFrame, waves: Callable[[int], object], seen: list[object], tmp_path: Path
) -> None:
    """Two rows of which each is two steps after the other: their own most common difference is not one step."""
    frame = panel.assign(wave=[waves(wave) for wave in panel["wave"]])
    fit = learn(read_panel(frame), lags=1, equivalent_sample_size=2)
    net = fit.network
    fit.save(tmp_path / "net.json")
    history = pd.DataFrame({"wave": seen, "pain": ["much", "none"]})
    if isinstance(seen[0], str):
        history["wave"] = pd.to_datetime(history["wave"], format="mixed")
    for one in (net, ldag.DynamicNetwork.load(tmp_path / "net.json")):
        steps = one.smooth(history)
        assert len(steps) == 3
        assert steps[1]["pain"] == pytest.approx(one.smooth({"pain": ["much", None, "none"]})[1]["pain"], abs=1e-12)


def test_a_history_off_the_steps_of_the_panel(panel: pd.DataFrame) -> None:
    """Half a step is none."""
    net = learn(read_panel(panel), lags=1, equivalent_sample_size=2).network
    with pytest.raises(DataError, match=r"wave: one step is 1, and the times 1 and 2.5 are no whole number of steps"):
        net.filter({"wave": [1.0, 2.5], "pain": ["much", "none"]})


def test_times_that_are_an_order_stay_one(panel: pd.DataFrame) -> None:
    """Where the times of the panel are only an order, rows of a history follow each other however far apart."""
    frame = panel.assign(wave=panel["wave"] ** 3)
    net = learn(read_panel(frame), lags=1, equivalent_sample_size=2).network
    assert len(net.filter({"wave": [1, 2, 30], "pain": ["much", "none", "some"]})) == 3


def test_series_that_are_drawn_count_in_the_steps_of_the_panel(panel: pd.DataFrame) -> None:
    """What is drawn can be read again with the network."""
    net = learn(read_panel(panel.assign(wave=10 * panel["wave"])), lags=1, equivalent_sample_size=2).network
    columns = net.sample_columns(3, length=4, rng=1)
    assert columns["wave"][:4].tolist() == [1, 11, 21, 31]
    assert net.log_likelihood(pd.DataFrame(columns)) == pytest.approx(
        net.log_likelihood(net.sample(3, length=4, rng=1))
    )


def test_an_interrupt_ends_both_parts(panel: pd.DataFrame) -> None:
    """In the search for what series begin with, too: the other part takes no longer than it must."""
    options: dict[str, Any] = {"method": "climb", "n_restarts": 10**7, "equivalent_sample_size": 2, "kappa": 0.1}
    data = read_panel(panel)
    with pytest.warns(UserWarning, match="the search was interrupted"), interrupted(1.0) as sent:
        fit = learn(data, lags=1, **options)
    assert sent
    assert fit.first.stopped
    assert fit.transition.stopped
    assert fit.transition.seconds < 20
