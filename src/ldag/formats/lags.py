"""How variables of other times are called.

``x@-1`` is x one step before; ``x@0``, ``x@1``, ... count from the start.
"""

import re

LAG_SIGN = "@"

_LAG = re.compile(rf"(.+){LAG_SIGN}-([1-9][0-9]*)", re.DOTALL)
_STEP = re.compile(rf"(.+){LAG_SIGN}(0|[1-9][0-9]*)", re.DOTALL)
_LAGS = re.compile(rf"{LAG_SIGN}-([1-9][0-9]*)")


def spell_lag(name: str, lag: int) -> str:
    """Return what a variable is called so many steps before; now it is called by its name.

    Examples
    --------
    >>> spell_lag("pain", 1), spell_lag("pain", 0)
    ('pain@-1', 'pain')
    """
    return f"{name}{LAG_SIGN}-{lag}" if lag else name


def spell_step(name: str, step: int) -> str:
    """Return what a variable is called at a step, counted from the start."""
    return f"{name}{LAG_SIGN}{step}"


def read_lag(name: str) -> tuple[str, int]:
    """Return the variable that a name is about, and how many steps before.

    Examples
    --------
    >>> read_lag("pain@-2"), read_lag("pain")
    (('pain', 2), ('pain', 0))
    """
    match = _LAG.fullmatch(name)
    return (name, 0) if match is None else (match[1], int(match[2]))


def read_step(name: str) -> tuple[str, int] | None:
    """Return the variable and the step that a name is about; None if it is about no step."""
    match = _STEP.fullmatch(name)
    return None if match is None else (match[1], int(match[2]))


def say_lags(text: str) -> str:
    """Say in prose which variables are of before.

    Examples
    --------
    >>> say_lags("pain@-1 does not matter for pain when treated is yes")
    'pain(t-1) does not matter for pain when treated is yes'
    """
    return _LAGS.sub(r"(t-\1)", text)
