"""The tree of one node, grown from rows instead of found for given parents."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ldag.checks import Rng, check_whole
from ldag.constraints import SearchSpace
from ldag.data import Dataset, Reading
from ldag.errors import ArgumentError, DataError, argument, by_door, option
from ldag.learning.family_tree import FamilyTree
from ldag.learning.grown import GrownTree
from ldag.learning.searches import SearchControl, SearchProblem
from ldag.learning.searches.grow import Grow, Splits
from ldag.learning.structures import GROWN, FamilyOptions, LabelSearch, StructureKind
from ldag.model import CodedFamily, Schema
from ldag.scoring import Prior, check_priors

GROWTH = ("splits", "levels", "choice_price", "max_leaves", "max_parents")
"""The options of growth."""


class GrowthAndReading(Reading, total=False):
    """The options of growth, and those of `read`."""

    splits: Splits
    levels: bool
    choice_price: float
    max_leaves: int | None
    max_parents: int | None


class GrownFamily(NamedTuple):
    """A family that was grown."""

    grown: GrownTree
    family: CodedFamily
    tree: FamilyTree


def check_growth(
    schema: Schema,
    kappa: float | None,
    structure: StructureKind,
    label_search: LabelSearch,
    equivalent_sample_size: float,
    prior: Prior,
    rng: Rng,
) -> FamilyOptions:
    """Return how a tree is grown."""
    if structure != GROWN:
        raise ArgumentError(f"{argument('candidates')} are for {option('structure', GROWN)}, got {structure!r}")
    if label_search != "greedy" or rng is not None:
        name = "rng" if rng is not None else "label_search"
        raise ArgumentError(f"{argument(name)} does not apply to {argument('candidates')}: growth has no choice in it")
    if prior in ("labels", "normalised"):
        raise ArgumentError(
            f"prior {prior!r} pays by configurations, of which there is no end; with {argument('candidates')} take"
            " 'parameters', 'leaves', 'nested' or 'uniform'"
        )
    priors = check_priors(kappa, equivalent_sample_size, prior)
    return FamilyOptions(priors, structure, label_search, 0, (), tuple(variable.ordered for variable in schema))


def grow_family(
    data: Dataset, child: int, own: Iterable[int], options: FamilyOptions, growth: Mapping[str, Any]
) -> GrownFamily:
    """Grow the tree of one node, whose questions may be about some others."""
    schema, name = data.schema, data.names[child]
    own = tuple(own)
    if data.has_gaps:
        how = by_door("complete_rows()", option("missing", "drop"))
        raise DataError(f"to grow the tree of {name!r} needs every cell; {how} leaves out the rows with gaps")
    constant = data.constant_nodes
    varied = () if child in constant else tuple(v for v in own if v not in constant)
    most = growth.get("max_parents")
    most = len(varied) if most is None else check_whole(most, argument("max_parents"), 0)
    n = len(schema)
    usual = {"levels": False, "choice_price": 0.0}
    search = Grow(**{**usual, **{name: value for name, value in growth.items() if name in Grow.option_names()}})
    candidates = tuple(varied if v == child else () for v in range(n))
    space = SearchSpace(candidates, ((),) * n, tuple(most if v == child else 0 for v in range(n)), ())
    problem = SearchProblem(space, options, schema.n_states, data.n_rows, columns=data.columns)
    result = search.run(options.scorer(data.columns, cache_bytes=0), problem, SearchControl(1))
    grown = result.trees[child]
    tree = FamilyTree.of(schema, child, grown, options.priors.smoothing)
    return GrownFamily(grown, grown.family(schema.n_states, repr(name)).family, tree)
