"""Ctrl-C for tests: sent after some time, with an end in time and memory to what does not answer it."""

import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_SECONDS = 60
MOST_MEMORY = 3 << 30
"""Bytes that work may take before it is interrupted: on top of what the tests have, or in a process of its own."""


def bound() -> None:
    """End this process, and the program that it becomes, when it takes too long or too much memory."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.alarm(MOST_SECONDS)


@contextmanager
def interrupted(after: float) -> Iterator[list[float]]:
    """Send SIGINT after some seconds; gives a list that will hold the time of that."""
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def give_up(*_: object) -> None:
        raise TimeoutError(f"no answer to SIGINT within {MOST_SECONDS} seconds")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    handlers = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGALRM: signal.signal(signal.SIGALRM, give_up),
    }
    timer = threading.Timer(after, interrupt)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, hard))
        signal.alarm(MOST_SECONDS)
        timer.start()
        yield sent
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # too late now
        timer.cancel()
        timer.join()
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        for number, handler in handlers.items():
            signal.signal(number, handler)
