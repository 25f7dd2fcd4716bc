"""Reduced tables: one rule per class."""

from ldag.graph.representations import CodedRule, reduce_rules
from ldag.model import Grid, Partition


def test_no_parents_is_one_empty_rule() -> None:
    """A node without parents has one class, whose rule has nothing to ask."""
    assert reduce_rules(Partition.singletons(Grid(()))) == (CodedRule(0, ((),), True),)


def test_rules_come_in_the_order_of_the_classes() -> None:
    """Rule number c describes class c."""
    rules = reduce_rules(Partition.of(Grid((3, 2)), [0, 1, 2, 2, 0, 1]))
    assert rules == (
        CodedRule(0, ((0, 0), (2, 0)), True),
        CodedRule(1, ((0, 1), (2, 1)), True),
        CodedRule(2, ((1, None),), True),
    )


def test_a_table_has_a_complete_rule_per_configuration() -> None:
    """Without labels every rule is one AND over all parents."""
    grid = Grid((2, 3))
    expected = [((a, b),) for a in range(2) for b in range(3)]
    assert [rule.terms for rule in reduce_rules(Partition.singletons(grid))] == expected
