"""The searches over graphs: one contract, and the table `METHODS`."""

from dataclasses import Field, fields, replace
from typing import Any, Literal

from ldag.checks import check_choice
from ldag.errors import ArgumentError, argument
from ldag.learning.searches.chain import Chain, ChainOptions
from ldag.learning.searches.climb import Climb, ClimbOptions
from ldag.learning.searches.contract import GraphParents as GraphParents
from ldag.learning.searches.contract import OnProgress as OnProgress
from ldag.learning.searches.contract import Search as Search
from ldag.learning.searches.contract import SearchControl as SearchControl
from ldag.learning.searches.contract import SearchProblem as SearchProblem
from ldag.learning.searches.contract import SearchResult as SearchResult
from ldag.learning.searches.contract import StartOptions
from ldag.learning.searches.contract import Trace as Trace
from ldag.learning.searches.exact import Auto, Exact
from ldag.learning.searches.grow import Grow, GrowOptions

MethodChoice = Literal["auto", "exact", "chain", "climb", "grow"]
"""To add a method, add its name here and its class to `METHODS`."""


class MethodOptions(ChainOptions, ClimbOptions, GrowOptions, StartOptions, total=False):
    """What the files declare, for type checkers."""


METHODS: dict[str, type[Search]] = {"auto": Auto, "exact": Exact, "chain": Chain, "climb": Climb, "grow": Grow}


def method_options() -> dict[str, "Field[Any]"]:
    """Return the options of all methods by name, as they are declared."""
    return {one.name: one for method in METHODS.values() for one in fields(method)}  # type: ignore[arg-type]


def make_search(method: MethodChoice | Search, **options: object) -> Search:
    """Return the search that a name stands for, or a given one, with options; those that are None are not given."""
    if isinstance(method, str):
        check_choice(method, tuple(METHODS), "method")
        method = METHODS[method]()
    elif not isinstance(method, Search):
        raise ArgumentError(f"method must be a name, or a search such as ldag.Climb(), got {method!r}")
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in method.option_names():
            owners = [repr(other) for other, one in METHODS.items() if name in one.option_names()]
            raise ArgumentError(f"{argument(name)} applies to method {' or '.join(owners)}, not to {method.name!r}")
    return replace(method, **given)  # type: ignore[type-var]  # every search is a dataclass


def convert_search(search: Search, method: MethodChoice) -> Search:
    """Return a search by another method, with the options that both have."""
    other = make_search(method)
    common = [name for name in search.option_names() if name in other.option_names()]
    return make_search(other, **{name: getattr(search, name) for name in common})
