"""What every test can rely on."""

import gc
import signal
from collections.abc import Iterator

import hypothesis  # before anything is frozen: loading it looks for who holds generators of numbers
import pytest

hypothesis.settings.register_profile("unhurried", deadline=None)  # a busy machine is no failure
hypothesis.settings.load_profile("unhurried")


def pytest_configure(config: pytest.Config) -> None:
    """Let workers take tests from each other, so that none waits for another at the end."""
    if getattr(config.option, "dist", "no") == "load":  # what `-n` alone says
        config.option.dist = "worksteal"


def pytest_collection_finish() -> None:
    """Spare the garbage collector what was loaded for all tests: it would look through it again and again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Let go of it, so that the process ends as any other."""
    gc.unfreeze()


@pytest.fixture(autouse=True, scope="session")
def _answer_interrupts() -> Iterator[None]:
    """Answer Ctrl-C, here and in processes begun here, also where the shell told its jobs to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
