"""Posteriors by the sum over all configurations of all variables, written from the definition of a network."""

from itertools import product

from ldag import Network
from ldag.variables import State

Row = dict[str, State | None]


def joint(network: Network) -> dict[tuple[State, ...], float]:
    """Return the probability of every configuration of all variables."""
    names = [v.name for v in network.variables]
    tables = {name: network.cpt(name) for name in names}
    found = {}
    for states in product(*(v.states for v in network.variables)):
        assignment = dict(zip(names, states, strict=True))
        p = 1.0
        for table in tables.values():
            place = tuple(v.states.index(assignment[v.name]) for v in table.variables)
            p *= float(table.values[place])
        found[states] = p
    return found


def posterior(network: Network, table: dict[tuple[State, ...], float], target: str, row: Row) -> list[float] | None:
    """Return the posterior of the target given the cells of a row that are not None; None if they are impossible."""
    names = [v.name for v in network.variables]
    place = names.index(target)
    seen = {names.index(name): state for name, state in row.items() if state is not None and name != target}
    sums = dict.fromkeys(network.variables[place].states, 0.0)
    for states, p in table.items():
        if all(states[at] == state for at, state in seen.items()):
            sums[states[place]] += p
    total = sum(sums.values())
    return None if total == 0 else [p / total for p in sums.values()]
