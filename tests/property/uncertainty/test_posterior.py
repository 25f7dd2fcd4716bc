"""The exact posterior agrees with all DAGs and all labels gone through one by one, and does what a posterior must."""

import math
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ldag
from tests.oracle import posterior as oracle
from tests.oracle.search_exact import Space, everything

NAMES = ("a", "b", "c", "d")


def dataset(rows: tuple[tuple[int, ...], ...], n_states: tuple[int, ...]) -> ldag.Dataset:
    """Make data of codes."""
    names = NAMES[: len(n_states)]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    return ldag.read(columns, states={name: list(range(n)) for name, n in zip(names, n_states, strict=True)})


@st.composite
def questions(draw: st.DrawFn) -> tuple[oracle.Question, Space, ldag.Constraints | None]:
    """Draw data on three variables of 1 to 4 states, a prior, and now and then constraints."""
    n_states = draw(st.sampled_from([(2, 2, 2), (3, 2, 2), (3, 2, 2), (2, 4, 2), (2, 1, 3)]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = oracle.random_rows(rng, n_states, draw(st.sampled_from([5, 40, 400])))
    assume(all(len(set(column)) > 1 for column, n in zip(zip(*rows, strict=True), n_states, strict=True) if n > 1))
    prior = draw(st.sampled_from(["labels", "normalised", "table"]))
    kappa = 1.0 if prior == "table" else draw(st.sampled_from([0.05, 0.3, 1.0]))
    question = oracle.Question(rows, n_states, kappa, prior, draw(st.sampled_from([0.5, 1.0, 8.0])))
    space = everything(3)
    if min(n_states) == 1 or draw(st.booleans()):
        return question, space, None
    space.candidates[0].remove(2)  # c -> a is forbidden
    space.required[1].append(0)  # a -> b is required, so b -> a is not possible
    space.candidates[0].remove(1)
    return question, space, ldag.Constraints(forbidden=[("c", "a")], required=[("a", "b")])


def ask(question: oracle.Question, constraints: ldag.Constraints | None = None, **more: object) -> ldag.Posterior:
    """Ask the library."""
    is_table = question.prior == "table"
    more |= {"structure": "table"} if is_table else {"prior": question.prior, "kappa": question.kappa}
    return ldag.posterior(  # type: ignore[call-overload, no-any-return]
        dataset(question.rows, question.n_states),
        equivalent_sample_size=question.equivalent_sample_size,
        constraints=constraints,
        **more,
    )


@settings(deadline=None, max_examples=15)
@given(questions())
def test_agrees_with_all_labelled_graphs(
    problem: tuple[oracle.Question, Space, ldag.Constraints | None],
) -> None:
    """Evidence, edges, ancestors, parent sets, labels and CSI-separation."""
    question, space, constraints = problem
    evidence, graphs = oracle.posterior(question, space)
    post = ask(question, constraints)
    assert post.log_evidence == pytest.approx(evidence, abs=1e-8)
    for i, a in enumerate(NAMES[:3]):
        for j, b in enumerate(NAMES[:3]):
            if i == j:
                continue
            edge = oracle.total(graphs, partial(oracle.has_edge, i=i, j=j))
            assert post.edge(a, b) == pytest.approx(edge, abs=1e-8)
            above = oracle.total(graphs, partial(oracle.is_above, i=i, j=j))
            assert post.ancestor(a, b) == pytest.approx(above, abs=1e-8)
            k = 3 - i - j
            context = {k: question.n_states[k] - 1}
            both = oracle.total(graphs, partial(oracle.vanishes, n_states=question.n_states, i=i, j=j, context=context))
            if edge > 1e-6:
                label = post.label(a, b, context={NAMES[k]: question.n_states[k] - 1})
                assert label * edge == pytest.approx(both, abs=1e-8)
    names = tuple(NAMES[:3])
    states = {name: list(range(n)) for name, n in zip(names, question.n_states, strict=True)}
    separated = implied = 0.0
    for graph in graphs:
        partitions = {
            names[v]: ([names[p] for p in above], classes)
            for v, (above, classes) in enumerate(zip(graph.parents, graph.classes, strict=True))
            if above
        }
        whole = ldag.LDAG.from_partitions(partitions, states=states)
        separated += graph.probability * whole.csi_separated("a", "b", context={"c": 0})
        implied += graph.probability * bool(whole.implies("a", "b", context={"c": 0})) if len(graphs) < 400 else 0.0
    assert post.csi_separated("a", "b", context={"c": 0}) == pytest.approx(separated, abs=1e-8)
    if len(graphs) < 400:
        found = post.implies("a", "b", context={"c": 0}, n_draws=400)
        assert found >= post.csi_separated("a", "b", context={"c": 0})
        assert abs(found - implied) <= 5 * found.mc_error + 0.02


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32), st.permutations(range(4)), st.sampled_from(["labels", "normalised"]))
def test_the_order_of_columns_and_rows_changes_nothing(seed: int, order: list[int], prior: str) -> None:
    """Renaming and reordering give the same probabilities; parent sets sum to 1, and edges are ancestors."""
    rng = np.random.default_rng(seed)
    n_states = (2, 3, 2, 2)
    rows = oracle.random_rows(rng, n_states, 60)
    post = ask(oracle.Question(rows, n_states, 0.3, prior, 1.0))
    moved = tuple(tuple(row[i] for i in order) for row in reversed(rows))
    other = ask(oracle.Question(moved, tuple(n_states[i] for i in order), 0.3, prior, 1.0))
    for new, old in enumerate(order):
        for new2, old2 in enumerate(order):
            if new != new2:
                edge = post.edge(NAMES[old], NAMES[old2])
                assert other.edge(NAMES[new], NAMES[new2]) == pytest.approx(edge, abs=1e-9)
                assert edge <= post.ancestor(NAMES[old], NAMES[old2]) + 1e-9
    for name in NAMES:
        assert sum(post.parents(name).values()) == pytest.approx(1, abs=1e-4)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32))
def test_labels_that_cost_everything_leave_tables(seed: int) -> None:
    """As kappa falls to 0 the posterior is that of tables, in which Markov equivalent DAGs are equally probable."""
    rows = oracle.random_rows(np.random.default_rng(seed), (2, 3, 2), 50)
    tables = ask(oracle.Question(rows, (2, 3, 2), 1.0, "table", 1.0))
    for prior in ("labels", "normalised"):
        post = ask(oracle.Question(rows, (2, 3, 2), 1e-12, prior, 1.0))
        assert post.log_evidence == pytest.approx(tables.log_evidence, abs=1e-8)
        assert post.edge("a", "b") == pytest.approx(tables.edge("a", "b"), abs=1e-8)
    only = ask(
        oracle.Question(rows, (2, 3, 2), 1.0, "table", 1.0),
        ldag.Constraints(forbidden=[("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]),
    )
    assert only.edge("a", "b") == pytest.approx(only.edge("b", "a"), abs=1e-9)


@settings(deadline=None, max_examples=8)
@given(st.integers(0, 2**32), st.sampled_from(["labels", "normalised", "table"]))
def test_graphs_are_drawn_as_often_as_probable(seed: int, prior: str) -> None:
    """Whole labelled graphs, 2,000 draws, by chi-square against all of them gone through."""
    n_states = (2, 3, 2)
    rows = oracle.random_rows(np.random.default_rng(seed), n_states, 25)
    question = oracle.Question(rows, n_states, 1.0 if prior == "table" else 0.3, prior, 1.0)
    _, graphs = oracle.posterior(question, everything(3))
    expected = {(g.parents, g.classes): g.probability * 2000 for g in graphs}
    seen = dict.fromkeys(expected, 0)
    for graph in ask(question).sample(2000, rng=seed):
        families = graph.structure.families
        seen[tuple(f.parents for f in families), tuple(tuple(f.partition.to_array().tolist()) for f in families)] += 1
    common = [key for key, number in expected.items() if number >= 5]
    squares = math.fsum((seen[key] - expected[key]) ** 2 / expected[key] for key in common)
    assert squares < len(common) + 5 * math.sqrt(2 * len(common)) + 25


@settings(deadline=None, max_examples=8)
@given(questions(), st.sampled_from([(1.0, 8.0), (0.5, 3.0, 20.0)]))
def test_settings_are_weighed_by_their_evidence(
    problem: tuple[oracle.Question, Space, ldag.Constraints | None], sizes: tuple[float, ...]
) -> None:
    """Labels and tables alike before any data, and every size and kappa alike: against all labelled graphs of each."""
    question, space, constraints = problem
    kappas = (0.1, 0.5)
    labelled = [replace(question, prior="normalised", kappa=k, equivalent_sample_size=n) for n in sizes for k in kappas]
    tables = [replace(question, prior="table", kappa=1.0, equivalent_sample_size=n) for n in sizes]
    every = [oracle.posterior(one, space) for one in labelled + tables]
    logs = np.array([evidence for evidence, _ in every])
    logs -= np.log(2 * np.array([len(labelled)] * len(labelled) + [len(tables)] * len(tables)))
    weights = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    data = dataset(question.rows, question.n_states)
    post = ldag.posterior(data, equivalent_sample_size=sizes, constraints=constraints)
    assert post.log_evidence == pytest.approx(logs.max() + np.log(np.exp(logs - logs.max()).sum()), abs=1e-8)
    by_size = np.add.reduceat(weights[: len(labelled)], range(0, len(labelled), 2)) + weights[len(labelled) :]
    assert list(post.sizes) == list(sizes)
    assert list(post.sizes.values()) == pytest.approx(by_size.tolist(), abs=1e-8)
    assert post.structures["table"] == pytest.approx(weights[len(labelled) :].sum(), abs=1e-8)
    assert list(post.kappas.values()) == pytest.approx(
        [weights[: len(labelled)][place::2].sum() for place in (0, 1)], abs=1e-8
    )
    for i, j in ((0, 1), (1, 0), (2, 1)):
        shares = [oracle.total(graphs, partial(oracle.has_edge, i=i, j=j)) for _, graphs in every]
        assert post.edge(NAMES[i], NAMES[j]) == pytest.approx(weights @ shares, abs=1e-8)
        context = {3 - i - j: 0}
        gone = partial(oracle.vanishes, n_states=question.n_states, i=i, j=j, context=context)
        stays = weights @ np.array(shares) - weights @ np.array([oracle.total(graphs, gone) for _, graphs in every])
        assert post.edge(NAMES[i], NAMES[j], context={NAMES[3 - i - j]: 0}) == pytest.approx(stays, abs=1e-8)


@settings(deadline=None, max_examples=8)
@given(questions())
def test_sizes_of_effects_against_all_graphs(
    problem: tuple[oracle.Question, Space, ldag.Constraints | None],
) -> None:
    """Every graph says what a variable's parents are: adjust for them by counting, and compare what is told."""
    question, space, constraints = problem
    _, graphs = oracle.posterior(question, space)
    effects = ask(question, constraints).effects("a")
    rows = np.array(question.rows)
    assert {one.variable for one in effects} == set(NAMES[1:3])
    for node, name in ((1, NAMES[1]), (2, NAMES[2])):
        one = next(one for one in effects if one.variable == name)
        assert one.probability == pytest.approx(oracle.total(graphs, partial(oracle.is_above, i=node, j=0)), abs=1e-8)
        expected = math.fsum(g.probability * _adjusted_size(question, rows, node, g.parents[node]) for g in graphs)
        assert one.size == pytest.approx(expected, abs=1e-8)
    sizes = [round(one.size, 12) for one in effects]  # what differs by rounding only is in the order of names
    assert sizes == sorted(sizes, reverse=True)


def _adjusted_size(question: oracle.Question, rows: np.ndarray, node: int, parents: tuple[int, ...]) -> float:
    """The divergence of the target's distributions, by loops over strata."""
    if 0 in parents:
        return 0.0
    n, size = question.n_states, question.equivalent_sample_size
    strata = list(product(*(range(n[p]) for p in parents)))
    each = size / (len(strata) * n[node] * n[0])
    answers = []
    for state in range(n[node]):
        answer = np.zeros(n[0])
        for stratum in strata:
            here = rows[(rows[:, list(parents)] == stratum).all(axis=1)] if parents else rows
            weight = (len(here) + each * n[node] * n[0]) / (len(rows) + size)
            there = here[here[:, node] == state]
            counts = np.array([(there[:, 0] == y).sum() for y in range(n[0])]) + each
            answer += weight * counts / counts.sum()
        answers.append(answer)
    mean = np.mean(answers, axis=0)
    return float(np.mean([(a * np.log(a / mean)).sum() for a in answers]))
