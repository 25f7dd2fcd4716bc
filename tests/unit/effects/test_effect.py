"""What an `Effect` tells: witnesses, parts, reasons, plain values, and numbers."""

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

import ldag
from ldag.errors import NotDecided

BOW = ldag.LDAG.from_text("Z -> X\nX -> Y\nX <-> Y")
HALF = ldag.LDAG.from_text("latent U\nU -> X\nU -> Y : X=1\nX -> Y")
CASES = ldag.LDAG.from_text("latent L\nX -> Y : A=1\nL -> X : A=0\nL -> Y\nA -> X\nA -> Y")
TRIAL = ldag.LDAG.from_text(
    "latent L\nassigned {no, yes}\nL -> treated : assigned=yes\nL -> cured\nassigned -> treated\ntreated -> cured"
)


def rows(n: int = 400, seed: int = 1) -> pd.DataFrame:
    """Rows for the trial; the graph does not say what states treated and cured have."""
    rng = np.random.default_rng(seed)
    assigned, motivated = rng.random(n) < 0.5, rng.random(n) < 0.4
    treated = np.where(assigned, rng.random(n) < 0.6, rng.random(n) < np.where(motivated, 0.9, 0.1))
    cured = rng.random(n) < 0.2 + 0.2 * treated + 0.4 * motivated
    return pd.DataFrame(
        {
            name: np.where(column, "yes", "no")
            for name, column in {"assigned": assigned, "treated": treated, "cured": cured}.items()
        }
    )


def test_witnesses_can_be_checked_from_outside() -> None:
    """Two networks of the graph have one table and two effects, as `explain` says."""
    effect = ldag.identify(BOW, "Y", do="X")
    assert effect.witness is not None
    first, second = effect.witness
    names = ["Z", "X", "Y"]
    a, b = (np.array(list(net.query(names).values())) for net in (first, second))
    np.testing.assert_allclose(a, b, atol=1e-9)
    assert min(a) > 0
    effects = [net.query("Y", do={"X": 1})[1] for net in (first, second)]
    assert abs(effects[0] - effects[1]) > 0.001
    for value in effects:
        assert f"{value:.4f}" in effect.explain()
    assert first.ldag.edges == BOW.edges


def test_witnesses_obey_labels() -> None:
    """Where the label holds, the latent cause makes no difference to y in either of them."""
    effect = ldag.identify(HALF, "Y", do="X")
    assert repr(effect) == "<Effect: P(Y | do(X)) is not identifiable>"
    assert effect.witness is not None
    for net in effect.witness:
        at_one = [net.query("Y", given={"U": state, "X": 1})[1] for state in net.ldag.variables[0].states]
        np.testing.assert_allclose(at_one, at_one[0], atol=1e-12)


def test_parts_are_effects_of_their_own() -> None:
    """One setting is identified, the other is not."""
    effect = ldag.identify(HALF, "Y", do="X")
    assert str(effect) == "P(Y | do(X)) is not identifiable; but\n  P(Y | do(X=1)) = P(Y | X=1)"
    (part,) = effect.partial
    assert part.status == "identified"
    assert part.evaluate({"X": [1, 1, 1, 0], "Y": [1, 1, 0, 0]}) == pytest.approx({0: 1 / 3, 1: 2 / 3})
    assert ldag.identify(HALF, "Y", do={"X": 1}).status == "identified"
    assert ldag.identify(HALF, "Y", do={"X": 0}).partial == ()


def test_contexts_in_which_it_is_identified() -> None:
    """The effect among those with A=0 has a formula, that of all has none."""
    graph = ldag.LDAG.from_text("latent L\nL -> X : A=0\nL -> Y\nA -> X\nA -> Y\nX -> Y")
    effect = ldag.identify(graph, "Y", do="X")
    assert effect.status == "not identifiable"
    assert [str(part) for part in effect.partial] == ["P(Y | do(X), A=0) = P(Y | X, A=0)"]


def test_reasons_of_cases() -> None:
    """Each says which edge vanishes where, and what there would be without the labels."""
    text = ldag.identify(CASES, "Y", do="X").explain()
    for sentence in (
        "P(Y | do(X)) is identified, by cases of A.",
        "P(Y | do(X)) = P(A=0) P(Y | X, A=0) + P(A=1) P(Y | A=1)",
        "A is not changed by setting X:",
        "P(Y | do(X), A=0) = P(Y | X, A=0): seeing is as good as setting, as L -> X vanishes where A=0",
        "P(Y | do(X), A=1) = P(Y | A=1): X has no effect on it, as X -> Y vanishes where A=1",
        "Without the labels it is not identifiable: L is a latent cause of both X and Y",
    ):
        assert sentence in text
    assert "idle" not in text


def test_reasons_can_be_repeated() -> None:
    """What an intervention cuts is told apart from what a label makes vanish, and where that is."""
    text = ldag.identify(TRIAL, "cured", do="treated").explain()
    for sentence in (
        "cured ⊥ assigned | treated, do(treated): do(treated) cuts L -> treated, assigned -> treated; then every path"
        " between cured and assigned is blocked given treated.",
        "cured ⊥ do(treated) | assigned=yes, treated: L -> treated vanishes where assigned=yes; then every path",
        "To read these: do(...) in an independence is one more cause of what it names",
    ):
        assert sentence in text
    without = ldag.identify(TRIAL, "cured", do="treated", context={"assigned": "no"}).explain()
    assert "is identified, as assigned makes no difference once treated is set." in without


def test_reasons_of_products() -> None:
    """They say which edges vanish where, which variables are drawn together, and nothing twice.

    At Z=0 Y is what it is where C=0, as C makes no difference there; so it is what it is at Z=1, without U.
    """
    graph = ldag.LDAG.from_text(
        "latent U\nU -> X\nU -> C\nU -> Y : Z=1\nX -> Z\nX -> C : Z=0\nZ -> C : X=0\nZ -> Y : C=0\nC -> Y : Z=0"
    )
    text = ldag.identify(graph, "Y", do={"X": 0}).explain()
    for sentence in (
        "as a product over groups of variables that share latent causes.",
        "  Z -> C vanishes where X=0\n",
        "once X is set, the others are drawn group by group",
        "P(Z | do(X=0)) = P(Z | X=0): seeing is as good as setting",
    ):
        assert text.count(sentence) == 1, text
    assert "do()" not in text
    assert text.endswith("(Left out, as they never matter: U -> Y.)")


@pytest.mark.parametrize(
    ("text", "do", "given", "reason"),
    [
        ("X -> Z, Z -> Y", "X", "", ""),
        (
            "X -> Z, Z -> Y",
            "X",
            "Z",
            "setting X changes nothing else that bears on Y given Z (rule 3 of the do-calculus)",
        ),
        ("Y -> X", "X", "", "no directed path leads from X to Y"),
        ("X -> Z, Z -> Y, W -> Z, W <-> Y", "X Z", "", "once Z is set, X has no effect"),
        ("Z -> X, Z -> Y, W -> X, W -> Y, X -> Y", "X", "W", "and given Z, W no back-door path leads from X to Y"),
        (
            "C -> X, C -> M, C -> Y, X -> M, M -> Y, X <-> Y",
            *("X", ""),
            "no back-door path leads from X to M given C, and X, C block those from M to Y",
        ),
        ("X1 -> L, L -> X2, X1 -> Y, L -> Y, X2 -> Y, X1 <-> X2", "X1 X2", "", "    P(L | do(X1)) = P(L | X1)\n"),
    ],
)
def test_reasons_of_known_forms(text: str, do: str, given: str, reason: str) -> None:
    """By paths, with what blocks them; without a word that is wrong where something is given or has no effect."""
    graph = ldag.LDAG.from_text(text.replace(", ", "\n"))
    told = ldag.identify(graph, "Y", do=do.split(), given=given.split()).explain()
    assert reason in told
    assert ("no directed path" in told) == ("no directed path" in reason)


def test_reasons_of_a_front_door_in_one_context() -> None:
    """Figure 6(d) of Tikka, Hyttinen and Karvanen (2019), whose front door is there where A=0."""
    lines = "A -> W; Z -> Y; A -> Z; X -> Z : A=1; X -> Y : A=0; W -> X; W -> Y : A=0; A -> Y; U -> X; U -> Y : A=1"
    graph = ldag.LDAG.from_text(lines.replace("; ", "\n"))
    text = ldag.identify(graph, "Y", do="X", latent="U").explain()
    assert ", by the front door, Z, as W -> Y, X -> Y vanish where A=0" in text
    assert "no back-door path leads from X to Z given A, and X, A block those from Z to Y" in text


def test_reasons_by_algebra_are_sentences() -> None:
    """X bears on Z where A=1 only, and Z on Y where A=0; A is latent, and no rule for paths goes by its states."""
    lines = "X -> Z : A=0; A -> Z; A -> Y; X -> W : B=0; W -> A : B=1; B -> A; B -> W; Z -> Y : A=1"
    text = ldag.identify(ldag.LDAG.from_text(lines.replace("; ", "\n")), "Y", do="X", latent=list("XZAWB")).explain()
    assert "P(Y | do(X)) = P(Y)" in text
    assert "agree as polynomials in the parameters" in text
    assert "P(do(X))" not in text


def test_reasons_spell_names() -> None:
    """A name with a comma or a sign is in quotes wherever it stands."""
    graph = ldag.LDAG.from_text(
        'latent L\n"a, b" {no, yes}\nL -> "x=1" : "a, b"=yes\nL -> "died, or not"\n"a, b" -> "x=1"\n'
        '"x=1" -> "died, or not"'
    )
    text = ldag.identify(graph, "died, or not", do="x=1").explain()
    assert '"died, or not" ⊥ do("x=1") | "a, b"=yes, "x=1": L -> "x=1" vanishes where "a, b"=yes' in text
    assert 'L is a latent cause of both "x=1" and "died, or not"' in text
    assert text.count("died, or not") == text.count('"died, or not"')


def test_bounds_are_promised_where_they_exist() -> None:
    """Otherwise the reason stands in their place."""
    assert "Bounds can be had from data" in ldag.identify(BOW, "Y", do="X").explain()
    latent = ldag.identify(HALF, "Y", do="U").explain()
    assert "No bounds either: bounds of the effect of a latent variable are not worked out" in latent
    after = ldag.LDAG.from_text("X -> Y\nX <-> Y\nX -> W\nW -> Y")
    text = ldag.identify(after, "Y", do="X", given="W").explain()
    assert "No bounds either: bounds given what the treatment may change" in text


def test_plain_values_and_latex() -> None:
    """They say what is printed, and are JSON."""
    effect = ldag.identify(CASES, "Y", do="X")
    values = json.loads(json.dumps(effect.to_dict()))
    assert values["status"] == "identified"
    assert values["formulas"][0]["formula"] == "P(A=0) P(Y | X, A=0) + P(A=1) P(Y | A=1)"
    assert values["needs"] == ["X", "Y", "A"]
    assert effect.to_latex() == (
        r"P(Y \mid \operatorname{do}(X)) = P(A{=}0) P(Y \mid X, A{=}0) + P(A{=}1) P(Y \mid A{=}1)"
    )
    refused = ldag.identify(BOW, "Y", do="X")
    assert len(refused.to_dict()["witness_effects"]) == 2  # type: ignore[arg-type]
    assert refused.to_dict()["witness_of"] == "P(Y=1 | do(X=1))"
    with pytest.raises(ldag.LdagError, match=r"has no formula; effect\.bounds\(data\) has bounds"):
        refused.to_latex()


def test_what_is_not_decided_is_not_no() -> None:
    """A budget of nothing decides nothing that needs labels."""
    effect = ldag.identify(HALF, "Y", do={"X": 0}, budget=1)
    assert effect.status == "unknown"
    with pytest.raises(NotDecided, match=r"raise the budget, or look at effect\.status first"):
        bool(effect)
    assert "It is not decided whether P(Y | do(X=0)) is identified." in effect.explain()
    assert "tried: " in effect.explain()
    assert "A larger budget tries more." in effect.explain()


def test_what_no_budget_decides() -> None:
    """The two states of a latent, which labels name, are recovered from a table, and no rule for formulas knows how."""
    graph = ldag.LDAG.from_text(
        "latent L {0, 1}\nV {0, 1, 2}\nL -> V\nV -> X : L=1\nL -> X : V=0 ; V=1\nL -> Y : X=0\nV -> Y\nX -> Y : L=0"
    )
    effect = ldag.identify(graph, "Y", do={"X": 1}, given="V")
    assert effect.status == "unknown"
    assert "A larger budget tries no more." in effect.explain()
    with pytest.raises(NotDecided, match="no budget decides it; look at effect"):
        bool(effect)


def test_states_of_what_is_set_are_left_out_where_they_stand_alone() -> None:
    """An effect for all states of x says nothing of x=1, and keeps what it says of max=1."""
    graph = ldag.LDAG.from_text(
        "latent u\nmax {0, 1}\nx {0, 1}\nu -> x : max=1\nu -> y\nmax -> x\nx -> y : w=0, v=0\nw -> y\nv -> y"
    )
    text = ldag.identify(graph, "y", do={"x": 1}, given=["v", "w"]).explain()
    assert "vanishes where max=1, x=1" in text
    text = ldag.identify(graph, "y", do="x", context={"w": 1}, given="v").explain()
    assert "x=1" not in text.replace("max=1", "")
    assert "y ⊥ do(x) | max=1, x, w=1, v: u -> x vanishes where max=1, w=1;" in text


def test_numbers_of_a_formula() -> None:
    """Relative frequencies of those who were assigned, whose states come from the table."""
    effect, table = ldag.identify(TRIAL, "cured", do="treated"), rows()
    among = table[(table.assigned == "yes") & (table.treated == "yes")]
    share = float((among.cured == "yes").mean())
    answer = effect.evaluate(table, do={"treated": "yes"})
    assert answer == pytest.approx({"no": 1 - share, "yes": share})
    assert answer.targets == ("cured",)
    assert answer.said == "do(treated=yes)"
    estimate = effect.estimate(table, do={"treated": "yes"}, rng=1)
    assert estimate["yes"].low < share < estimate["yes"].high
    assert estimate == effect.estimate(table, do={"treated": "yes"}, rng=1)
    assert estimate != effect.estimate(table, do={"treated": "yes"}, rng=2)


def test_numbers_of_counts() -> None:
    """A table with a column of counts is the same as its rows."""
    effect, table = ldag.identify(TRIAL, "cured", do="treated"), rows()
    counted = table.value_counts().reset_index(name="n")
    assert effect.evaluate(counted, do={"treated": "no"}, counts="n") == pytest.approx(
        effect.evaluate(table, do={"treated": "no"})
    )


def test_contrasts() -> None:
    """All measures are of the same draws; an ordered outcome has a difference of means."""
    effect, table = ldag.identify(TRIAL, "cured", do="treated"), rows()
    options = {"do": {"treated": "yes"}, "against": {"treated": "no"}, "rng": 3}
    result = effect.contrast(table, {"cured": "yes"}, **options)  # type: ignore[arg-type]
    assert list(result) == ["difference", "ratio", "odds ratio"]
    single = [effect.estimate(table, do={"treated": state}, rng=3)["yes"].mean for state in ("yes", "no")]
    assert result["difference"].mean == pytest.approx(single[0] - single[1])
    graph = ldag.LDAG.from_edges([("x", "y")], states={"x": [0, 1], "y": ldag.ordered([0, 1, 2])})
    data = {"x": [0, 0, 0, 1, 1, 1], "y": [0, 0, 1, 1, 2, 2]}
    means = ldag.identify(graph, "y", do="x").contrast(data, {"y": 2}, do={"x": 1}, against={"x": 0})
    assert means["difference of means"].mean == pytest.approx(4 / 3, abs=0.35)
    with pytest.raises(ldag.LdagError, match="event must give states of cured"):
        effect.contrast(table, {"treated": "yes"}, do={"treated": "yes"}, against={"treated": "no"})


def test_means_of_few_rows_are_no_guide() -> None:
    """All of three who were treated are well, so that some draws of the odds are endless; with more rows none is."""
    effect = ldag.identify(ldag.LDAG.from_text("X {0, 1}\nY {0, 1}\nX -> Y"), "Y", do="X")
    few = {"X": [0, 0, 0, 1, 1, 1], "Y": [0, 0, 1, 1, 1, 1]}
    contrast = effect.contrast(few, {"Y": 1}, do={"X": 1}, against={"X": 0}, rng=1)
    told = next(note for note in contrast.notes if "is beyond its interval" in note)
    assert told.startswith("the mean of the odds ratio")
    many = {name: column * 20 for name, column in few.items()} | {"X": [0, 1] * 60, "Y": [0, 1, 1, 0] * 30}
    assert not effect.contrast(many, {"Y": 1}, do={"X": 1}, against={"X": 0}, rng=1).notes


def test_formulas_of_several_cases_take_their_own() -> None:
    """Given Z, of which one state is confounded in another way, each state has its formula."""
    graph = ldag.LDAG.from_text("latent L\nL -> X : Z=0\nL -> Y : Z=1\nZ -> X\nZ -> Y\nX -> Y")
    effect = ldag.identify(graph, "Y", do="X", given="Z")
    assert effect.status == "identified"
    cells = np.random.default_rng(0).integers(1, 20, 8)
    table = pd.DataFrame(
        [(*cell, n) for cell, n in zip(product([0, 1], repeat=3), cells, strict=True)], columns=["X", "Y", "Z", "n"]
    )
    for z in (0, 1):
        part = table[(table.X == 1) & (z == table.Z)]
        expected = part[part.Y == 1].n.sum() / part.n.sum()
        assert effect.evaluate(table, do={"X": 1}, given={"Z": z}, counts="n")[1] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "do must give a state of 'treated', such as do={'treated': 'no'}"),
        ({"do": {"treated": "maybe"}}, "do: variable 'treated' has no state 'maybe'"),
        ({"do": {"treated": "yes", "assigned": "no"}}, "do: 'assigned' was not asked for; this effect has do: treated"),
        ({"do": {"treated": "yes"}, "given": {"assigned": "no"}}, "given: 'assigned' was not asked for"),
    ],
)
def test_settings_that_were_not_asked_for(asked: dict[str, dict[str, str]], message: str) -> None:
    """One message each."""
    with pytest.raises(ldag.LdagError) as caught:
        ldag.identify(TRIAL, "cured", do="treated").evaluate(rows(), **asked)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_another_setting_than_the_fixed_one() -> None:
    """An effect at X=1 does not answer for X=0."""
    effect = ldag.identify(HALF, "Y", do={"X": 1})
    with pytest.raises(ldag.LdagError, match="do: this effect is the one at X=1; ask identify for others"):
        effect.evaluate({"X": [1, 0], "Y": [1, 0]}, do={"X": 0})


def test_labels_that_data_do_not_fit() -> None:
    """A label names a state that the graph does not declare and the table does not have."""
    graph = ldag.LDAG.from_text("latent u\nu -> X : C=1\nu -> Y\nC -> X\nX -> Y")
    table: dict[str, list[object]] = {"X": [0, 1, 1], "Y": [1, 0, 1], "C": ["p", "q", "q"]}
    with pytest.raises(ldag.LdagError, match=r"the states of the data do not fit the labels of the graph: .*'C'"):
        ldag.identify(graph, "Y", do="X").evaluate(table, do={"X": 1})


def test_bounds_of_a_published_trial() -> None:
    """Balke and Pearl (1997): 0.392 to 0.780; with a formula both ends are equal."""
    cells = [(0, 0, 0, 919), (0, 0, 1, 81), (1, 0, 0, 315), (1, 0, 1, 73), (1, 1, 0, 139), (1, 1, 1, 473)]
    table = pd.DataFrame(cells, columns=["Z", "X", "Y", "n"])
    effect = ldag.identify(BOW, "Y", do="X")
    both = {"do": {"X": 1}, "against": {"X": 0}, "event": {"Y": 1}, "counts": "n"}
    bounds = effect.bounds(table, **both)  # type: ignore[arg-type]
    assert bounds["difference"] == pytest.approx((0.392, 0.780), abs=1e-6)
    assert str(bounds) == "difference  0.3920 to 0.7800"
    wider = effect.bounds(table, interval=0.9, n_draws=20, rng=1, **both)["difference"]  # type: ignore[arg-type]
    assert wider[0] < 0.392
    assert wider[1] > 0.78
    identified = ldag.identify(ldag.LDAG.from_text("Z -> X\nX -> Y"), "Y", do="X")
    low, high = identified.bounds(table, do={"X": 1}, counts="n")[1]
    assert low == high == pytest.approx(473 / 612)


def test_bounds_by_state_and_of_an_event() -> None:
    """States of a target, or one of them."""
    cells = [(0, 0, 0, 60), (0, 0, 1, 40), (1, 0, 0, 20), (1, 1, 1, 80)]
    table = pd.DataFrame(cells, columns=["Z", "X", "Y", "n"])
    effect = ldag.identify(BOW, "Y", do="X")
    by_state = effect.bounds(table, do={"X": 1}, counts="n")
    assert effect.bounds(table, do={"X": 1}, event={"Y": 1}, counts="n") == {1: pytest.approx(by_state[1])}
    with pytest.raises(ldag.LdagError, match="bounds of a difference are those of an event"):
        effect.bounds(table, do={"X": 1}, against={"X": 0}, counts="n")
    with pytest.raises(ldag.LdagError, match="interval must be a number between 0 and 1, got 1"):
        effect.bounds(table, do={"X": 1}, interval=1, counts="n")


def test_bounds_read_what_their_settings_need() -> None:
    """Where X=1 nobody is confounded and Z says nothing; where X=0 it does, so the difference reads it."""
    graph = ldag.LDAG.from_text("Z {0, 1}\nX {0, 1}\nY {0, 1}\nlatent u\nZ -> X\nu -> X\nu -> Y : X=1\nX -> Y")
    effect = ldag.identify(graph, "Y", do="X")
    table = {
        "Z": [0, 0, 0, 0, 1, 1, 1, 1],
        "X": [0, 0, 1, 1] * 2,
        "Y": [0, 1] * 4,
        "n": [40, 30, 10, 20, 5, 10, 40, 45],
    }
    low, high = effect.bounds(table, do={"X": 1}, counts="n")[1]
    assert low == pytest.approx(high) == pytest.approx(65 / 115)
    assert effect.bounds({name: table[name] for name in "XYn"}, do={"X": 1}, counts="n")[1] == (low, high)
    first, second = effect.bounds(table, do={"X": 0}, counts="n")[1]
    assert first < second
    ends = effect.bounds(table, do={"X": 1}, against={"X": 0}, event={"Y": 1}, counts="n")["difference"]
    assert ends == pytest.approx((low - second, high - first), abs=1e-6)
    with pytest.raises(ldag.LdagError, match="a context maps variables to states"):
        effect.bounds(table, do="X", counts="n")  # type: ignore[arg-type]


def test_bounds_of_a_setting_that_has_a_formula() -> None:
    """Where X=0 what is seen among those with A=1 is the effect, though the whole has no formula."""
    text = "latent u\nA {0, 1}\nX {0, 1}\nY {0, 1}\nA -> X\nX -> Y\nu -> X : A=1\nu -> Y\nA -> Y : X=0"
    effect = ldag.identify(ldag.LDAG.from_text(text), "Y", do="X")
    cells = {"A": [0, 0, 0, 0, 1, 1, 1, 1], "X": [0, 0, 1, 1] * 2, "Y": [0, 1] * 4, "n": [9, 7, 5, 8, 30, 20, 4, 6]}
    assert effect.status == "not identifiable"
    assert effect.bounds(cells, do={"X": 0}, counts="n")[1] == pytest.approx((0.4, 0.4))
    low, high = effect.bounds(cells, do={"X": 1}, counts="n")[1]
    assert low < high


@pytest.mark.parametrize("n_covariates", [6, 12])
def test_what_rests_on_no_rows_is_not_sure(n_covariates: int) -> None:
    """Covariates that leave most strata unvisited make wide intervals, in small tables and large ones; and are told."""
    names = [f"z{i}" for i in range(n_covariates)]
    edges = [(name, other) for name in names for other in ("x", "y")] + [("x", "y")]
    graph = ldag.LDAG.from_text("\n".join(f"{a} -> {b}" for a, b in edges))
    rng = np.random.default_rng(2)
    n_rows = 2 ** (n_covariates - 1)
    table = {name: rng.integers(0, 2, n_rows) for name in [*names, "x", "y"]}
    effect = ldag.identify(graph, "y", do="x")
    answer = effect.estimate(table, do={"x": 1}, n_draws=200)
    assert answer[1].high - answer[1].low > 0.4
    assert "strata that the formula weighs and the data hardly visit" in str(answer)
    apart = effect.contrast(table, {"y": 1}, do={"x": 1}, against={"x": 0}, n_draws=200)["difference"]
    assert apart.high - apart.low > 0.4


def test_an_arc_is_an_arc_in_reasons() -> None:
    """What do(x) cuts of z <-> x is the arc, not an edge from something with that name."""
    graph = ldag.LDAG.from_text("latent u\nu -> x : a=1\nu -> y\na -> x\nx -> y\nz -> y\nz <-> x")
    text = ldag.identify(graph, "y", do="x").explain()
    assert "do(x) cuts u -> x, a -> x, z <-> x; then no open path joins z and x" in text
    assert '"z <-> x"' not in text
