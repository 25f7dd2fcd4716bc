"""A bound on the score of any graph, component by component."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ldag.learning.proofs.branches import Proof
from ldag.learning.proofs.families import FamilyTable, ParentChoice, bits_of, split_components


@dataclass(frozen=True)
class Bound:
    """No choice without a cycle scores more than ``value``."""

    value: float
    better: tuple[ParentChoice, ...]
    """Choices of all nodes of those components for which a better graph than the known one was found."""
    n_left: int
    """Families that were not excluded before there were branches."""
    n_cuts: int
    n_branches: int
    is_interrupted: bool


def bound_scores(
    choices: Sequence[ParentChoice],
    known: Sequence[float],
    deadline: float,
    report: Callable[[float], object],
) -> Bound:
    """Bound the score of acyclic choices of one parent set for each node, until a moment on the monotonic clock.

    ``known`` has the score of each node in a graph without a cycle, the best one known; ``report`` is told the bound.
    """
    components = split_components(choices, len(known))
    proofs: list[Proof] = []
    tables = [FamilyTable.of_component(choices, component) for component in components]
    values = [table.best for table in tables]
    is_interrupted = False
    try:
        for i in sorted(range(len(components)), key=lambda i: len(tables[i].choices)):

            def tell(loss: float, i: int = i) -> None:
                values[i] = tables[i].best - loss
                report(sum(values))

            cutoff = tables[i].best - sum(known[node] for node in bits_of(components[i]))
            proof = Proof(tables[i], cutoff, deadline, tell)
            proofs.append(proof)
            proof.run()
            tell(proof.loss)
    except KeyboardInterrupt:
        is_interrupted = True
    n_untouched = sum(len(table.choices) for table in tables) - sum(proof.n_families for proof in proofs)
    return Bound(
        value=sum(values),
        better=tuple(choice for proof in proofs for choice in proof.best or ()),
        n_left=n_untouched + sum(proof.n_left for proof in proofs),
        n_cuts=sum(proof.n_cuts for proof in proofs),
        n_branches=sum(proof.n_branches for proof in proofs),
        is_interrupted=is_interrupted,
    )
