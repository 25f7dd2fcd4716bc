"""Every function that takes a table takes what `read` takes."""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ldag
from ldag.data import Reading
from ldag.errors import ArgumentError, DataNote
from ldag.learning import family_scores

RNG = np.random.default_rng(2)
N = 120
FRAME = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, N).round(1),
        "sex": RNG.choice(["f", "m"], N),
        "ill": RNG.choice(["no", "yes"], N),
    }
)
FRAME.loc[:9, "sex"] = None
OPTIONS: dict[str, Any] = {"missing": "drop", "bins": {"age": [30, 50]}, "states": {"ill": ["yes", "no", "perhaps"]}}

pytestmark = pytest.mark.filterwarnings("ignore::ldag.errors.DataNote")


@pytest.fixture
def data() -> ldag.Dataset:
    """Return the data set of the frame."""
    return ldag.read(FRAME, **OPTIONS)


LEARNERS: dict[str, Callable[..., Any]] = {
    "learn": lambda table, **o: ldag.learn(table, kappa=0.1, equivalent_sample_size=1, **o).score.total,
    "cross_validate": lambda table, **o: (
        ldag.cross_validate(table, kappas=[0.1], n_folds=2, equivalent_sample_size=1, **o).mean
    ),
    "learn_family": lambda table, **o: ldag.learn_family(table, "ill", parents=["sex", "age"], kappa=0.1, **o).score,
    "family_scores": lambda table, **o: family_scores(table, kappa=0.1, max_parents=1, **o).families,
    "posterior": lambda table, **o: ldag.posterior(table, kappa=0.3, **o).log_evidence,
    "bootstrap": lambda table, **o: ldag.bootstrap(table, 3, kappa=0.1, equivalent_sample_size=1, **o).strength(
        "sex", "ill"
    ),
    "average": lambda table, **o: ldag.average(table, 2, kappa=0.1, equivalent_sample_size=1, **o).query("ill")["yes"],
    "from edges": lambda table, **o: ldag.Network.from_data([("sex", "ill"), ("age", "ill")], table, **o).query("ill")[
        "yes"
    ],
}


@pytest.mark.parametrize("name", LEARNERS)
def test_options_of_reading(name: str, data: ldag.Dataset) -> None:
    """A frame with options gives what the data set gives that was read with them."""
    run = LEARNERS[name]
    assert run(FRAME, **OPTIONS) == run(data)
    with pytest.raises(TypeError, match="unexpected keyword argument 'mising'; did you mean 'missing'"):
        run(FRAME, mising="drop")
    with pytest.raises(ArgumentError, match="a Dataset has been read already"):
        run(data, missing="drop")


def test_options_of_reading_for_a_graph(data: ldag.Dataset) -> None:
    """The graph knows states and cut points; what is missing or how rows are counted is said as elsewhere."""
    fit = ldag.learn(data, kappa=0.1, equivalent_sample_size=1)
    assert ldag.score(fit.ldag, FRAME, kappa=0.1, missing="drop") == fit.score
    net = ldag.Network.from_data(fit.ldag, FRAME, missing="drop")
    assert net == fit.network
    assert net.log_likelihood(FRAME, missing="drop") == net.log_likelihood(data)
    integrated = net.log_likelihood(data, integrate=True)
    assert net.log_likelihood(FRAME, integrate=True, missing="drop") == integrated
    assert net.update(FRAME, missing="drop") == net.update(data)
    wrong: list[dict[str, Any]] = [
        {"bins": 3},
        {"states": {}},
        {"columns": ["age"]},
        {"keep": ["age"]},
        {"unusable": "drop"},
    ]
    for option in wrong:
        with pytest.raises(ArgumentError, match=f"{next(iter(option))}= is for tables that are read without a graph"):
            net.log_likelihood(FRAME, **option)


def test_mixtures_and_posteriors_take_tables(data: ldag.Dataset) -> None:
    """They read new rows with the states and cut points of their data, and count those that are left out."""
    mixture = ldag.average(data, 3, kappa=0.1, equivalent_sample_size=1)
    rows = FRAME.iloc[20:30]
    own = ldag.read(FRAME.dropna().iloc[10:20], bins={"age": [30, 50]}, states=OPTIONS["states"])
    expected = math.fsum(
        own.whole_weights[row] * math.log(mixture.probability(dict(zip(own.names, cells, strict=True))))
        for row, cells in enumerate(zip(*own.to_frame().drop(columns="count", errors="ignore").values.T, strict=True))
    )
    assert mixture.log_likelihood(rows) == pytest.approx(expected)
    assert mixture.log_likelihood(rows, integrate=True) == pytest.approx(mixture.log_likelihood(own, integrate=True))
    posterior = ldag.posterior(data, kappa=0.3)
    assert posterior.log_likelihood(rows) == pytest.approx(posterior.log_likelihood(own))
    with pytest.warns(DataNote, match="10 of 30 rows left out"):
        mixture.log_likelihood(FRAME[:30], missing="drop")


def _is_table(annotation: object) -> bool:
    """Whether an argument is a table of any make, by the name of that type or what it stands for."""
    return "AnyTable" in str(annotation) or "Sequence[str | PathLike[str]]" in str(annotation)


def test_whatever_takes_a_table_takes_options() -> None:
    """By one mechanism: a last argument of options of reading."""
    functions = [getattr(ldag, name) for name in ldag.__all__]
    functions += [getattr(kind, name) for kind in (ldag.Network, ldag.Mixture, ldag.Posterior) for name in dir(kind)]
    takers = [
        function
        for function in functions
        if inspect.isroutine(function)
        and not inspect.isbuiltin(function)
        and hasattr(function, "__module__")
        and str(function.__module__).startswith("ldag")
        and any(_is_table(p.annotation) for p in inspect.signature(function).parameters.values())
        and function.__name__ not in ("read", "report")
    ]
    assert len(takers) >= 14
    for function in takers:
        *_, last = inspect.signature(function).parameters.values()
        assert last.kind is inspect.Parameter.VAR_KEYWORD, function


def test_options_are_those_of_read() -> None:
    """One list, in the words of `read`."""
    assert list(Reading.__annotations__) == list(inspect.signature(ldag.read).parameters)[1:]
