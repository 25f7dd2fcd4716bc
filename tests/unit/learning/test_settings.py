"""Options once: one list of settings, methods that declare their own, and the names that both had before."""

import inspect
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import import_module, reload
from itertools import permutations
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import ldag
from ldag import Chain, Climb, Exact, LdagError, datasets
from ldag._native import FamilyScorer
from ldag.checks import check_whole
from ldag.data import Reading
from ldag.learning.checkpoint import Checkpoint
from ldag.learning.searches import (
    METHODS,
    MethodOptions,
    Search,
    SearchControl,
    SearchProblem,
    SearchResult,
    method_options,
)
from ldag.learning.searches.contract import setting
from ldag.learning.settings import LearnOptions, SearchAndReading, Settings
from tests.command import execute

HEART = datasets.load("heart")
command = import_module("ldag.cli.learn")


def test_every_list_of_options_is_the_same_one() -> None:
    """What type checkers know are the fields of `Settings` and of the methods, with the same types."""
    settings = {one.name: one.type for one in fields(Settings)}
    methods = {name: one.type for name, one in method_options().items()}
    reading = get_type_hints(Reading)
    assert get_type_hints(MethodOptions) == methods
    assert get_type_hints(LearnOptions) == {k: t for k, t in {**settings, **methods, **reading}.items() if k != "rng"}
    assert get_type_hints(SearchAndReading).keys() == get_type_hints(LearnOptions).keys() - {"kappa"}


def test_learn_names_at_most_seventeen_parameters() -> None:
    """The data, every setting with its default, and who is told what; options of methods and of reading are behind."""
    named = [one for one in inspect.signature(ldag.learn).parameters.values() if one.kind is not one.VAR_KEYWORD]
    assert len(named) <= 17
    defaults = {one.name: one.default for one in named}
    assert {one.name: one.default for one in fields(Settings)}.items() <= defaults.items()
    assert "Returns a `Fit`" in str(ldag.learn.__doc__)


def test_the_classifier_has_every_setting() -> None:
    """By name, as scikit-learn asks for it; the seed is called as it is there."""
    names = set(inspect.signature(ldag.LDAGClassifier).parameters)
    assert {one.name for one in fields(Settings)} - {"rng"} <= names


@pytest.mark.parametrize(
    ("value", "name", "flat"),
    [
        (Climb(n_restarts=3, max_candidates=2), "climb", {"n_restarts": 3, "max_candidates": 2}),
        (Chain(n_chains=2, n_iter=30), "chain", {"n_chains": 2, "n_iter": 30}),
        (Climb(start=datasets.graph("heart")), "climb", {"start": datasets.graph("heart")}),
        (Exact(), "exact", {}),
    ],
)
def test_a_method_is_a_name_or_a_value(value: Search, name: Any, flat: dict[str, Any]) -> None:
    """With options in it or beside it: the same settings, and the same answer."""
    one = ldag.learn(HEART, kappa=0.1, method=value, rng=1, equivalent_sample_size=1)
    other = ldag.learn(HEART, kappa=0.1, method=name, rng=1, equivalent_sample_size=1, **flat)
    assert one.settings == other.settings
    assert (one.ldag, one.trace) == (other.ldag, other.trace)
    assert one.settings["method"] == one.method == name
    assert {key: one.settings[key] for key in flat if key != "start"} == {k: v for k, v in flat.items() if k != "start"}


def test_options_beside_a_value_replace_its_own() -> None:
    """So that the settings of a fit can be changed in one of them; another method takes what it knows."""
    settings = Settings.of(method=Climb(n_restarts=3, max_candidates=2), n_restarts=5)
    assert settings.method == Climb(5, None, 2)
    assert settings.with_(n_restarts=1, kappa=0.5).method == Climb(1, None, 2)
    assert settings.with_(method="auto").method_option("max_candidates") == 2
    assert settings.with_(method="chain").method == Chain()


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: Climb(n_restarts=-1), "n_restarts must be a whole number, 0 or more, got -1"),
    (lambda: Chain(n_iter=0), "n_iter must be a whole number, 1 or more, got 0"),
    (lambda: Climb(start="a -> b"), "start must be an LDAG, such as fit.ldag, got str"),  # type: ignore[arg-type]
    (
        lambda: ldag.learn(HEART, method=Chain(), max_candidates=3, kappa="cv", equivalent_sample_size=1),
        "applies to method 'auto' or 'climb', not to 'chain'",
    ),
    (
        lambda: ldag.learn(HEART, method="climbing", kappa="cv", equivalent_sample_size=1),  # type: ignore[arg-type]
        "no method 'climbing'; did you mean 'climb'",
    ),
    (
        lambda: ldag.learn(HEART, method=3, kappa="cv", equivalent_sample_size=1),  # type: ignore[arg-type]
        "method must be a name, or a search such as",
    ),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_methods_check_what_they_are_given(call: Callable[[], object], message: str) -> None:
    """When they are made, before any data."""
    with pytest.raises(LdagError, match=message):
        call()


OLD: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"labels": "refined"}, {"label_search": "refined"}),
    ({"parameters_sample_size": 5}, {"smoothing": 5}),
    ({"parameters_sample_size": 5, "parameters_spread": "classes"}, {"smoothing": (5, "classes")}),
    ({"parameters_sample_size": "cv", "parameters_spread": "classes"}, {"smoothing": ("cv", "classes")}),
]


@pytest.mark.parametrize(("old", "new"), OLD)
def test_old_names_are_taken_with_a_warning(old: dict[str, Any], new: dict[str, Any]) -> None:
    """For one release, by every function that had them."""
    with pytest.warns(DeprecationWarning, match="is now (label_search|smoothing)"):
        fit = ldag.learn(HEART, kappa=0.1, max_parents=1, equivalent_sample_size=1, **old)
    assert fit.settings == ldag.learn(HEART, kappa=0.1, max_parents=1, equivalent_sample_size=1, **new).settings
    with pytest.warns(DeprecationWarning, match="is now"):
        again = ldag.LDAGClassifier(**old).get_params()
    assert {name: again[name] for name in new} == new


def test_old_names_where_labels_alone_are_searched() -> None:
    """In `learn_family`, too."""
    with pytest.warns(DeprecationWarning, match="labels is now label_search"):
        family = ldag.learn_family(HEART, "pressure", parents=["smoking"], kappa=0.5, labels="exact")  # type: ignore[call-arg]
    assert family.is_exact


def test_a_checkpoint_with_old_names_is_gone_on_from(tmp_path: Path) -> None:
    """What an earlier version wrote down of the same run."""
    path = tmp_path / "run"
    options: dict[str, Any] = {
        "kappa": 0.1,
        "equivalent_sample_size": 1,
        "method": "climb",
        "smoothing": (4, "classes"),
        "checkpoint": path,
    }
    first = ldag.learn(HEART, **options)
    content = json.loads(path.read_text())
    run = {name: value for name, value in content["run"].items() if name not in ("label_search", "smoothing")}
    run |= {"labels": "greedy", "parameters_sample_size": 4.0, "parameters_spread": "classes"}
    Checkpoint(path, run, content["parts"]).save()
    assert ldag.learn(HEART, **options).ldag == first.ldag


@dataclass(frozen=True)
class Toy(Search):
    """The best graph of one edge among the first so many."""

    n_tries: int | None = setting("For toy: edges that are tried.  [all]")

    def check(self) -> None:
        """Check the option."""
        if self.n_tries is not None:
            check_whole(self.n_tries, "n_tries")

    def run(self, scorer: FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Ask what families score, one by one."""
        del control
        nodes = range(problem.n_variables)
        alone = [scorer.score(node, []) for node in nodes]
        edges = list(permutations(nodes, 2))[: self.n_tries]
        gains = {(i, j): scorer.score(j, [i]) - alone[j] for i, j in edges}
        parent, child = max(gains, key=lambda edge: gains[edge])
        score = sum(alone) + gains[parent, child]
        parents = tuple((parent,) if node == child else () for node in nodes)
        return SearchResult(parents, score, ((1, score),), stopped=False, n_steps=len(edges), n_accepted=1)

    def promise(self, problem: SearchProblem, result: SearchResult) -> str:
        """Say what is known."""
        del problem
        return f"the best of {result.n_steps} edges; a better graph may exist"


def test_a_search_with_an_option_is_one_file_and_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is among the methods, every door takes it and its option: learning, folds, replicates, the shell."""
    monkeypatch.setitem(METHODS, "toy", Toy)
    flat: dict[str, Any] = {"method": "toy", "n_tries": 5}
    fit = ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1, **flat)
    assert len(fit.ldag.edges) == 1
    assert fit.promise == "the best of 5 edges; a better graph may exist"
    assert fit.score.total == pytest.approx(ldag.score(fit.ldag, HEART, kappa=0.1).total)
    assert ldag.learn(HEART, kappa=0.1, method=Toy(5), equivalent_sample_size=1).ldag == fit.ldag
    assert fit.settings["n_tries"] == 5
    compared = ldag.cross_validate(HEART, kappas=[0.1, 0.5], n_folds=2, equivalent_sample_size=1, **flat)
    assert all(len(scores) == 2 for scores in compared.scores.values())
    assert ldag.bootstrap(HEART, 3, kappa=0.1, equivalent_sample_size=1, **flat).method == "toy"
    with pytest.raises(LdagError, match="n_tries applies to method 'toy', not to 'climb'"):
        ldag.learn(HEART, method="climb", n_tries=5, kappa="cv", equivalent_sample_size=1)  # type: ignore[call-arg]
    with pytest.raises(LdagError, match="n_tries must be a whole number, 1 or more, got 0"):
        ldag.learn(HEART, method="toy", n_tries=0, kappa="cv", equivalent_sample_size=1)  # type: ignore[call-arg, arg-type]
    try:
        reload(command)
        asked = ["heart", "--kappa", "0.1", "--method", "toy", "--tries", "5"]
        assert "the best of 5 edges" in execute("learn", *asked).stdout
        assert "For toy: edges that are tried." in execute("learn", "--help-all").stdout
    finally:
        monkeypatch.undo()
        reload(command)


@pytest.mark.parametrize(
    ("old", "value"),
    [("labels", "greedy"), ("parameters_sample_size", 4.0), ("parameters_spread", "classes"), ("n_restarts", 3)],
)
def test_old_names_of_settings_are_read_with_a_warning(old: str, value: object) -> None:
    """What a script of the last release reads from ``fit.settings`` is still there."""
    settings = Settings.of(method="climb", n_restarts=3, smoothing=(4, "classes"))
    with pytest.warns(DeprecationWarning, match="settings"):
        assert getattr(settings, old) == value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert settings[old] == value
