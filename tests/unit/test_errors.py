"""Errors: their texts, and that they come back from other processes."""

import contextlib
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from ldag import datasets, errors
from ldag.errors import (
    LdagError,
    MissingDependency,
    UnknownState,
    UnknownVariable,
    argument,
    by_door,
    option,
    speak_to_shell,
)

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


@pytest.mark.parametrize(
    ("name", "value", "python", "shell"),
    [
        ("max_states", None, "max_states=", "--max-states"),
        ("n_restarts", 0, "n_restarts=0", "--restarts 0"),
        ("missing", "drop", "missing='drop'", "--missing drop"),
        ("memory_limit", "3 GB", "memory_limit='3 GB'", '--memory-limit "3 GB"'),
        ("na", 'a"b', "na='a\"b'", '--na "a\\"b"'),
        ("keep", ["the id"], "keep=['the id']", '--keep "the id"'),
        ("bins", {"age": 3}, "bins={'age': 3}", "--bins age=3"),
        ("bins", {"the age": 3}, "bins={'the age': 3}", '--bins "the age=3"'),
    ],
)
def test_options_are_spelled_for_the_door(name: str, value: object, python: str, shell: str) -> None:
    """As an argument in Python, as it is typed in a shell, where quotes hold together what has blanks."""
    assert option(name, value) == python
    with speak_to_shell():
        assert option(name, value) == shell
    assert option(name, value) == python


def test_the_door_is_left_by_an_error_too() -> None:
    """A command that fails leaves Python's words behind it."""

    def name_all() -> tuple[str, ...]:
        return argument("n_jobs"), argument("n"), by_door("estimate(...)", "--bound")

    with speak_to_shell():
        assert name_all() == ("--jobs", "-n", "--bound")
    with contextlib.suppress(KeyError), speak_to_shell():
        raise KeyError
    assert name_all() == ("n_jobs", "n", "estimate(...)")
