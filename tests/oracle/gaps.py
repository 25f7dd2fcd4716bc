"""Tables with gaps in plain Python: every completion of every row is listed. A gap is 255, a row a list of codes."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import exp, fsum, lgamma, log, prod

from tests.oracle.counts import counts
from tests.oracle.score import class_score

GAP = 255

Rows = Sequence[Sequence[int]]
Family = tuple[Sequence[int], Sequence[int]]
"""The parents of a node, and the class of every configuration of theirs, the last parent fastest."""
Tables = list[list[list[float]]]
"""By node, a row per class and a column per state."""


def completions(row: Sequence[int], n_states: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Go through all rows without gaps that agree with a row."""
    yield from product(*(range(n) if code == GAP else [code] for code, n in zip(row, n_states, strict=True)))


def available_counts(
    rows: Rows, n_states: Sequence[int], node: int, parents: Sequence[int], weights: Sequence[float] | None
) -> list[list[float]]:
    """Return the counts of the rows in which a family is seen."""
    seen = [i for i, row in enumerate(rows) if all(row[v] != GAP for v in (node, *parents))]
    own = None if weights is None else [weights[i] for i in seen]
    return counts([rows[i] for i in seen], n_states, node, parents, own)


def available_gain(counted: list[list[float]], total: float, size: float) -> float:
    """Return what a full table gains over no parents in the rows where it is seen, scaled up to all rows.

    For the share of rows where it is not, every parameter costs half a log of the number of rows.
    """
    seen = fsum(map(fsum, counted))
    if not seen:
        return 0.0
    n_states = len(counted[0])
    alone = [[fsum(line[state] for line in counted) for state in range(n_states)]]
    gain = sum(class_score(counted, [cell], size) for cell in range(len(counted))) - class_score(alone, [0], size)
    n_parameters = (len(counted) - 1) * (n_states - 1)
    return gain * total / seen - 0.5 * log(max(total, 1.0)) * n_parameters * (1 - seen / total)


def class_of(row: Sequence[int], family: Family, n_states: Sequence[int]) -> int:
    """Return the class of a row without gaps."""
    parents, classes = family
    place = 0
    for parent in parents:
        place = place * n_states[parent] + row[parent]
    return classes[place]


def probability(row: Sequence[int], families: Sequence[Family], n_states: Sequence[int], tables: Tables) -> float:
    """Return the probability of a row without gaps, or its weight where tables do not sum to one."""
    return prod(tables[v][class_of(row, own, n_states)][row[v]] for v, own in enumerate(families))


def empty_tables(families: Sequence[Family], n_states: Sequence[int], value: float = 0.0) -> Tables:
    """Return a number for every class and state of every node."""
    return [[[value] * n for _ in range(max(own[1]) + 1)] for own, n in zip(families, n_states, strict=True)]


def expected_counts(
    rows: Rows, weights: Sequence[float], families: Sequence[Family], n_states: Sequence[int], tables: Tables
) -> tuple[list[float], Tables]:
    """Return the log probability of the observed cells of every row, and the expected counts."""
    expected, logs = empty_tables(families, n_states), []
    for row, weight in zip(rows, weights, strict=True):
        listed = [(full, probability(full, families, n_states, tables)) for full in completions(row, n_states)]
        total = fsum(p for _, p in listed)
        logs.append(log(total))
        for full, p in listed:
            for v, own in enumerate(families):
                expected[v][class_of(full, own, n_states)][full[v]] += weight * p / total
    return logs, expected


def pseudo_counts(families: Sequence[Family], n_states: Sequence[int], size: float, by_class: bool = False) -> Tables:
    """Return what the prior counts for."""
    alpha = empty_tables(families, n_states)
    for v, (_, classes) in enumerate(families):
        for number, line in enumerate(alpha[v]):
            share = 1.0 if by_class else classes.count(number) / len(classes)
            line[:] = [size * share / n_states[v]] * n_states[v]
    return alpha


def means(expected: Tables, alpha: Tables) -> Tables:
    """Return the posterior means."""
    joint = [
        [[n + a for n, a in zip(*two, strict=True)] for two in zip(*one, strict=True)]
        for one in zip(expected, alpha, strict=True)
    ]
    return [[[n / fsum(line) for n in line] for line in own] for own in joint]


def log_dirichlet(expected: Tables, alpha: Tables) -> float:
    """Return the log marginal likelihood of counts by class (equation 6), which need not be whole."""
    total = 0.0
    for own, prior in zip(expected, alpha, strict=True):
        for line, before in zip(own, prior, strict=True):
            total += lgamma(fsum(before)) - lgamma(fsum(before) + fsum(line))
            total += fsum(lgamma(a + n) - lgamma(a) for n, a in zip(line, before, strict=True))
    return total


def exact_log_marginal_likelihood(
    rows: Rows, families: Sequence[Family], n_states: Sequence[int], alpha: Tables
) -> float:
    """Return the log of the sum over all completions of the table of their marginal likelihoods."""
    terms = []
    for table in product(*(list(completions(row, n_states)) for row in rows)):
        counted = empty_tables(families, n_states)
        for row in table:
            for v, own in enumerate(families):
                counted[v][class_of(row, own, n_states)][row[v]] += 1.0
        terms.append(log_dirichlet(counted, alpha))
    most = max(terms)
    return most + log(fsum(exp(term - most) for term in terms))


def em(
    rows: Rows, weights: Sequence[float], families: Sequence[Family], n_states: Sequence[int], alpha: Tables, n: int
) -> Tables:
    """Return the probabilities after so many steps from equal ones."""
    tables = means(empty_tables(families, n_states), pseudo_counts(families, n_states, 1.0))
    for _ in range(n):
        tables = means(expected_counts(rows, weights, families, n_states, tables)[1], alpha)
    return tables


def bound(
    rows: Rows,
    weights: Sequence[float],
    families: Sequence[Family],
    n_states: Sequence[int],
    alpha: Tables,
    tables: Tables,
) -> float:
    """Return the lower bound of the log marginal likelihood at the completions that tables make likely.

    The entropy of the completions is added up completion by completion.
    """
    entropy = 0.0
    for row, weight in zip(rows, weights, strict=True):
        listed = [probability(full, families, n_states, tables) for full in completions(row, n_states)]
        shares = [p / fsum(listed) for p in listed]
        entropy -= weight * fsum(share * log(share) for share in shares if share > 0)
    _, expected = expected_counts(rows, weights, families, n_states, tables)
    return log_dirichlet(expected, alpha) + entropy
