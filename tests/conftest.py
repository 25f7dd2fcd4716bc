"""What every test can rely on."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _answer_interrupts() -> Iterator[None]:
    """Answer Ctrl-C, here and in processes begun here, also where the shell told its jobs to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
