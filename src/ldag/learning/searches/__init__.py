"""The searches over graphs: one contract, one file each, and the table `METHODS`."""

from collections.abc import Mapping
from importlib import import_module
from typing import Literal, get_args

from ldag.learning.searches.contract import (
    GraphParents,
    OnProgress,
    Search,
    SearchControl,
    SearchMethod,
    SearchProblem,
    SearchResult,
)

MethodChoice = Literal["auto", "exact", "chain", "climb"]
"""A file of this folder for each; to add a method, add its file and its name here."""

METHODS: Mapping[str, SearchMethod] = {
    name: import_module(f"ldag.learning.searches.{name}").METHOD for name in get_args(MethodChoice)
}

__all__ = [
    "METHODS",
    "GraphParents",
    "MethodChoice",
    "OnProgress",
    "Search",
    "SearchControl",
    "SearchMethod",
    "SearchProblem",
    "SearchResult",
]
