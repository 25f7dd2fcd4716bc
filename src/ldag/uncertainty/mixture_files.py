"""How the members of a mixture are kept in a file: every different family once, its counts as a line of numbers.

Members that were learned from the same data share many families, and a million numbers in lists of their own take
seconds to read. Networks that differ in more than their families are kept one by one, as all were in version 1.
"""

import json
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ldag.errors import FormatError
from ldag.formats import Estimate, network_of, read_variables, write_variables
from ldag.graph import LDAG
from ldag.model import (
    ClassPosteriors,
    CodedFamily,
    CodedTree,
    Grid,
    Partition,
    Structure,
    TreePartition,
    find_cycle,
)
from ldag.network import Learned, Network, estimate_classes
from ldag.scoring import check_smoothing


def pack_members(members: Sequence[Network]) -> dict[str, Any]:
    """Return networks as plain values."""
    first = members[0].learned
    if first is None or not all(_is_alike(member, members[0]) for member in members):
        return {"version": 1, "members": [json.loads(member.to_json()) for member in members]}
    places: dict[tuple[int, CodedFamily, bytes], int] = {}
    families: list[dict[str, Any]] = []
    packed = []
    for member in members:
        assert member.learned is not None
        own = []
        for node, family in enumerate(member.ldag.structure.families):
            counts = member.learned.posteriors[node].counts
            place = places.setdefault((node, family, counts.tobytes()), len(families))
            if place == len(families):
                families.append(_pack_family(node, family, counts))
            own.append(place)
        packed.append(own)
    size, spread = first.smoothing
    return {
        "version": 2,
        "variables": write_variables(members[0].ldag.schema),
        "smoothing": [size, spread],
        "estimate": first.estimate,
        **({} if first.kappa is None else {"kappa": first.kappa}),
        "families": families,
        "members": packed,
    }


def _is_alike(member: Network, first: Network) -> bool:
    """Whether networks can share families: the same smoothing, and nothing to tell of where one comes from."""
    mine, theirs = member.learned, first.learned
    if mine is None or theirs is None or member.origin is not None:
        return False
    is_same = (mine.smoothing, mine.estimate, mine.kappa) == (theirs.smoothing, theirs.estimate, theirs.kappa)
    return is_same and all(f.partition.is_table or f.is_maximal for f in member.ldag.structure.families)


def _pack_family(node: int, family: CodedFamily, counts: NDArray[np.float64]) -> dict[str, Any]:
    whole = counts.astype(np.int64)
    numbers = whole if np.array_equal(whole, counts) else counts
    tree = family.partition.as_tree()
    classes = {}
    if tree is not None:
        classes = {"axes": _write(tree.axes), "targets": _write(tree.targets), "leaves": _write(tree.classes)}
    elif not family.partition.is_table:
        classes = {"classes": _write(family.partition.to_array())}
    return {"node": node, "parents": _write(np.array(family.parents)), **classes, "counts": _write(numbers)}


def _write(numbers: NDArray[Any]) -> str:
    """Return numbers as a line of text, every digit of them."""
    return " ".join(map(repr, numbers.ravel().tolist()))


def _read(text: str) -> NDArray[Any]:
    """Return the numbers of a line of text; whole ones are read three times as fast."""
    return np.fromstring(text, np.float64 if "." in text or "e" in text else np.int64, sep=" ")


def _read_whole(text: str) -> NDArray[np.int64]:
    numbers = _read(text)
    if numbers.dtype != np.int64:
        raise FormatError(f"expected whole numbers, got {text[:40]!r}")
    return numbers


def unpack_members(content: Mapping[str, Any]) -> list[Network]:
    """Read what `pack_members` returns, of this version or the first."""
    if content.get("version") == 1:
        return [Network.from_model(network_of(one)) for one in content["members"]]
    schema = read_variables(content["variables"])
    size, spread = content["smoothing"]
    smoothing = check_smoothing(size, spread, "smoothing")
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # which is how numpy says that a text has no numbers
        try:
            families = [_unpack_family(one, schema.n_states) for one in content["families"]]
        except DeprecationWarning:
            raise FormatError("the numbers of a family cannot be read") from None
    posteriors = [ClassPosteriors.of(family.partition, smoothing, counts) for _, family, counts in families]
    estimate, kappa = content["estimate"], content.get("kappa")
    if (estimate == "averaged") != (kappa is not None) or estimate not in get_args(Estimate):
        raise FormatError(f"estimate {estimate!r} with kappa {kappa!r}: averages have one, and nothing else does")
    tables = [
        estimate_classes(family.partition, one, smoothing, estimate, kappa)
        for (_, family, _), one in zip(families, posteriors, strict=True)
    ]
    nodes = list(range(len(schema)))
    members = []
    for own in content["members"]:
        if [families[place][0] for place in own] != nodes:
            raise FormatError("a member must have one family of every node")
        structure = Structure(schema.n_states, tuple(families[place][1] for place in own))
        if find_cycle([family.parents for family in structure.families]) is not None:
            raise FormatError("the edges of a member form a cycle")
        learned = Learned(tuple(posteriors[place] for place in own), smoothing, estimate, kappa)
        members.append(Network(LDAG(schema, structure), tuple(tables[place] for place in own), learned))
    return members


def _unpack_family(
    packed: Mapping[str, Any], n_states: tuple[int, ...]
) -> tuple[int, CodedFamily, NDArray[np.float64]]:
    """Return a node, its family and what was counted, a row per class."""
    node, parents = packed["node"], tuple(_read_whole(packed["parents"]).tolist())
    if parents and (list(parents) != sorted({*parents} - {node}) or parents[0] < 0):
        raise FormatError("parents must be other variables, by number, ascending")
    grid = Grid(tuple(n_states[parent] for parent in parents))
    if "axes" in packed:
        tree = CodedTree.read(grid.n_states, *(_read_whole(packed[name]) for name in ("axes", "targets", "leaves")))
        family = CodedFamily.from_partition(parents, TreePartition.of_tree(tree))
    elif "classes" in packed:
        family = CodedFamily.from_partition(parents, Partition.of(grid, _read_whole(packed["classes"])))
    else:
        family = CodedFamily.table(parents, grid)
    counts = _read(packed["counts"]).reshape(family.partition.n_classes, n_states[node])
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise FormatError("counts must be finite numbers, 0 or more")
    return node, family, counts.astype(np.float64)
