"""Reduced tables: one rule per class of a partition, an OR of AND-terms with as few terms as possible."""

from dataclasses import dataclass

from ldag.model import Partition, Term, minimal_cover


@dataclass(frozen=True)
class CodedRule:
    """When a class applies: in the configurations that any of the terms describes.

    ``is_minimal`` says that no fewer terms describe the class (proven).
    """

    number: int
    terms: tuple[Term, ...]
    is_minimal: bool


def reduced_rules(partition: Partition) -> tuple[CodedRule, ...]:
    """Return the rule of every class, by class number; exactly one rule holds in every configuration.

    Examples
    --------
    >>> from ldag.model import Grid
    >>> [rule.terms for rule in reduced_rules(Partition.of(Grid((2, 2)), [0, 1, 0, 0]))]
    [((1, None), (None, 0)), ((0, 1),)]
    """
    covers = [minimal_cover(partition.grid, cells) for cells in partition.members()]
    return tuple(CodedRule(number, cover.terms, cover.is_minimal) for number, cover in enumerate(covers))
