"""HiGHS, which solves linear and integer programmes."""

from typing import Any

from ldag.errors import MissingDependency


def load_highspy() -> Any:
    """Return the solver's package."""
    try:
        import highspy
    except ImportError:
        raise MissingDependency("highspy", "certify", "a certificate") from None
    return highspy


def start_highs() -> Any:
    """Return a silent solver of one thread."""
    highs = load_highspy().Highs()
    highs.silent()
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("presolve", "off")  # programmes are solved again and again, from where the last one ended
    return highs
