"""Tests of Ctrl-C end by themselves, however the tests were started."""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests import interrupts
from tests.interrupts import bound, interrupted

ROOT = Path(__file__).parents[1]


def test_an_ignored_interrupt_is_answered_in_tests() -> None:
    """In a shell's background job SIGINT is ignored; a test of Ctrl-C passes all the same, and does not hang."""
    test = "tests/unit/learning/test_scorer_native.py::test_interrupt_ends_the_work_soon"
    command = f"trap '' INT; exec {sys.executable} -m pytest -q -p no:cacheprovider -p no:xdist {test}"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _sleep_on() -> None:
    with suppress(KeyboardInterrupt):
        time.sleep(30)
    time.sleep(30)


def test_work_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while, by an error."""
    monkeypatch.setattr(interrupts, "MOST_SECONDS", 2)
    with pytest.raises(TimeoutError, match="no answer to SIGINT"), interrupted(0.2):
        _sleep_on()


def test_a_process_that_takes_all_memory_or_time_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bounds hold in processes that tests begin."""
    monkeypatch.setattr(interrupts, "MOST_SECONDS", 2)
    program = [sys.executable, "-c"]
    full = subprocess.run(
        [*program, f"bytearray({2 * interrupts.MOST_MEMORY})"], preexec_fn=bound, capture_output=True, check=False
    )
    assert full.stderr.rstrip().endswith(b"MemoryError")
    slow = subprocess.run([*program, "while True: pass"], preexec_fn=bound, timeout=60, check=False)
    assert slow.returncode == -signal.SIGALRM


def test_work_that_takes_all_memory_is_ended() -> None:
    """By a refusal to give more."""
    with pytest.raises(MemoryError), interrupted(0.5):
        bytearray(2 * interrupts.MOST_MEMORY)
