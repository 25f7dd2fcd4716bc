"""Errors: their texts, and that they come back from other processes."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from ldag import datasets, errors
from ldag.errors import LdagError, MissingDependency, UnknownState, UnknownVariable

MADE = [
    UnknownVariable("smokng", ["smoking", "family"], "context: "),
    UnknownState("spi", "person", ["spy", "worker"]),
    MissingDependency("scikit-learn", "sklearn", "LDAGClassifier"),
    *(
        kind("what, where, what to do")
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, LdagError)
        and kind not in (UnknownVariable, UnknownState, MissingDependency)
    ),
]


def ask(name: str) -> tuple[str, ...]:
    """Ask for the parents of a variable, in a worker."""
    return datasets.graph("guard").parents(name)


def fail(number: int) -> None:
    """Raise one of all errors, in a worker."""
    raise MADE[number]


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_every_error_can_be_pickled(error: LdagError) -> None:
    """Its kind, its text and its notes."""
    error.add_note("while testing")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__notes__ == ["while testing"]


def test_errors_come_back_from_a_pool() -> None:
    """A typo in a worker is a message here, and the pool goes on working."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        with pytest.raises(UnknownVariable, match="no variable 'badg'; did you mean 'badge'"):
            pool.submit(ask, "badg").result(timeout=60)
        for number, error in enumerate(MADE):
            with pytest.raises(type(error)) as caught:
                pool.submit(fail, number).result(timeout=60)
            assert str(caught.value) == str(error)
        assert pool.submit(ask, "badge").result(timeout=60) == ("person", "gender")
