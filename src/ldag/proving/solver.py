"""HiGHS, which solves linear and integer programmes."""

import signal
import threading
from typing import Any

from ldag.errors import MissingDependency


def load_highspy(extra: str = "certify", purpose: str = "a certificate") -> Any:
    """Return the solver's package, which an extra of this one installs."""
    try:
        import highspy
    except ImportError:
        raise MissingDependency("highspy", extra, purpose) from None
    return highspy


def start_highs() -> Any:
    """Return a silent solver of one thread."""
    highs = load_highspy().Highs()
    highs.silent()
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("presolve", "off")  # programmes are solved again and again, from where the last one ended
    return highs


def run_highs(highs: Any) -> None:
    """Run a solver; Ctrl-C ends it, and is raised when it has returned, as no exception may pass through it."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        highs.run()
        return
    sent: list[int] = []

    def keep(number: int, frame: object) -> None:
        del frame
        sent.append(number)

    def stop(event: Any) -> None:
        if sent:
            event.interrupt()

    events = (highs.cbSimplexInterrupt, highs.cbMipInterrupt)
    for event in events:
        event.subscribe(stop)
    signal.signal(signal.SIGINT, keep)
    try:
        highs.run()
    finally:
        signal.signal(signal.SIGINT, previous)
        for event in events:
            event.unsubscribe(stop)
    if sent:
        previous(signal.SIGINT, None)
