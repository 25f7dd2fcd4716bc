"""Fixed labels: every search over partitions and over graphs agrees with going through all of them."""

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import _native
from ldag.learning import LabelSearch, MethodChoice
from ldag.model import Schema, Variable
from tests.oracle import family, partitions
from tests.oracle import fixed_labels as oracle

SHAPES = [(2,), (1, 2), (2, 2), (3, 2), (2, 3), (2, 4), (3, 3), (2, 2, 2), (2, 1, 3)]
NAMES = "abcd"


@dataclass(frozen=True)
class Case:
    """A family, what is fixed, and how partitions are scored."""

    n_states: tuple[int, ...]
    counts: tuple[tuple[float, ...], ...]
    class_lost: float
    regular: bool
    fixed: oracle.Fixed

    def native(self, labels: str) -> tuple[tuple[int, ...], float, list[family.Step]]:
        """The classes, score and steps of the native search."""
        fixed = [[] if label is None else [int(entry) for entry in label] for label in self.fixed]
        rows = np.array(self.counts, dtype=np.float64)
        classes, score, _, is_exact, steps = _native.optimise_family(
            rows, self.n_states, 1.0, self.class_lost, "ldag", labels, self.regular, 3, 4, fixed
        )
        assert is_exact == (labels == "exact" and score > -math.inf)
        columns = (column.tolist() for column in steps)
        return tuple(classes.tolist()), score, [family.Step(*step) for step in zip(*columns, strict=True)]

    @property
    def best(self) -> float:
        """The best score of all partitions."""
        problem = partitions.Problem(self.n_states, self.counts, 1.0, self.class_lost)
        return oracle.best_score(problem, self.fixed, self.regular)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw labels of some partition (so that they can hold) or any at all, free here and there."""
    n_states = draw(st.sampled_from(SHAPES))
    r = draw(st.integers(2, 4))
    count = st.one_of(st.just(0), st.integers(0, 9), st.integers(0, 300)).map(float)
    counts = draw(st.tuples(*[st.tuples(*[count] * r)] * math.prod(n_states)))
    kappa = draw(st.sampled_from([1e-3, 0.1, 0.3, 0.5, 0.9, 1.0]))
    every = oracle.allowed(n_states, "ldag", True)
    found = oracle.labels(n_states, draw(st.sampled_from(every)))
    fixed = []
    for label in found:
        kind = draw(st.sampled_from(["free", "free", "found", "found", "none", "any"]))
        other = {"free": None, "found": label, "none": tuple(False for _ in label)}
        fixed.append(other[kind] if kind != "any" else draw(st.tuples(*[st.booleans()] * len(label))))
    return Case(n_states, counts, (r - 1) * math.log(kappa), draw(st.booleans()), tuple(fixed))


@settings(deadline=None, max_examples=150)
@given(cases())
def test_exact_is_the_best_of_all_partitions_with_the_labels(case: Case) -> None:
    """Minus infinity if and only if there is none."""
    classes, score, _ = case.native("exact")
    assert score == pytest.approx(case.best, abs=1e-6)
    if score > -math.inf:
        assert oracle.keeps(case.n_states, classes, case.fixed)


@settings(deadline=None, max_examples=100)
@given(cases())
def test_greedy_takes_the_steps_of_the_twin(case: Case) -> None:
    """Algorithm 1 from the classes that the fixed lines make."""
    classes, score, steps = case.native("greedy")
    if score == -math.inf:
        assert case.best == -math.inf
        return
    problem = family.Problem(case.n_states, case.counts, 1.0, case.class_lost, case.regular)
    expected, expected_steps = oracle.merge(problem, case.fixed)
    assert [(s.axis, s.line, s.classes_lost) for s in steps] == [
        (s.axis, s.line, s.classes_lost) for s in expected_steps
    ]
    assert [s.gain for s in steps] == pytest.approx([s.gain for s in expected_steps], abs=1e-6)
    assert [[cell for cell, n in enumerate(classes) if n == number] for number in range(max(classes) + 1)] == expected
    assert oracle.keeps(case.n_states, classes, case.fixed)
    assert score == pytest.approx(problem.score(expected), abs=1e-6)


@settings(deadline=None, max_examples=100)
@given(cases())
def test_refining_keeps_the_labels_and_never_loses(case: Case) -> None:
    """Between greedy and the optimum, and an allowed partition."""
    classes, score, _ = case.native("refined")
    if score == -math.inf:
        return
    assert classes in oracle.allowed(case.n_states, "ldag", case.regular)
    assert oracle.keeps(case.n_states, classes, case.fixed)
    assert case.native("greedy")[1] - 1e-6 <= score <= case.best + 1e-6


@settings(deadline=None, max_examples=40)
@given(st.sampled_from([(3, 3, 3), (4, 3, 2), (2, 2, 2, 2, 2)]), st.integers(0, 2**32), st.data())
def test_large_grids_keep_the_labels(n_states: tuple[int, ...], seed: int, data: st.DataObject) -> None:
    """Where the optimum is not known: labels of a few joined lines hold in what greedy and refined searches find."""
    rng = np.random.default_rng(seed)
    q = math.prod(n_states)
    counts = tuple(tuple(map(float, row)) for row in rng.integers(0, 20, (q, 3)))
    problem = family.Problem(n_states, counts, 1.0, -0.5, True)
    classes: family.Classes = [[cell] for cell in range(q)]
    for _ in range(data.draw(st.integers(0, 6))):
        axis = int(rng.integers(len(n_states)))
        after = family.joined(classes, family.lines(problem, axis)[int(rng.integers(q // n_states[axis]))])
        classes = after if family.is_regular(problem, after) else classes
    numbers = tuple(next(n for n, members in enumerate(classes) if cell in members) for cell in range(q))
    fixed = tuple(label if rng.random() < 0.6 else None for label in oracle.labels(n_states, numbers))
    case = Case(n_states, counts, -0.5, True, fixed)
    scores = []
    for labels in ("greedy", "refined"):
        found, score, _ = case.native(labels)
        assert oracle.keeps(n_states, found, fixed)
        assert partitions.is_regular(n_states, found)
        scores.append(score)
    assert scores[1] >= scores[0] - 1e-9


@dataclass(frozen=True)
class Study:
    """A data set and rules on labels."""

    rows: tuple[tuple[int, ...], ...]
    n_states: tuple[int, ...]
    rules: dict[tuple[int, int], list[dict[int, int]]]

    @property
    def data(self) -> ldag.Dataset:
        """The data with names."""
        schema = Schema(tuple(Variable(name, tuple(range(n))) for name, n in zip(NAMES, self.n_states, strict=False)))
        return ldag.Dataset.from_codes(schema, np.array(self.rows, dtype=np.uint8).T.copy())

    @property
    def constraints(self) -> ldag.Constraints:
        """The rules with names."""
        labels = {
            (NAMES[i], NAMES[j]): [{NAMES[node]: state for node, state in context.items()} for context in contexts]
            for (i, j), contexts in self.rules.items()
        }
        return ldag.Constraints(
            unlabelled=[edge for edge, contexts in labels.items() if not contexts],
            labels={edge: contexts for edge, contexts in labels.items() if contexts},
        )

    def kept_by(self, graph: ldag.LDAG) -> bool:
        """Whether a graph has the labels, stars expanded."""
        for (i, j), contexts in self.rules.items():
            parents = [NAMES.index(name) for name in graph.parents(NAMES[j])]
            if oracle.fixed_of(self.rules, j, parents, self.n_states) is None:
                return False
            if i in parents:
                others = [parent for parent in parents if parent != i]
                configurations = product(*(range(self.n_states[other]) for other in others))
                wanted = {
                    c
                    for c in configurations
                    if any(x.items() <= dict(zip(others, c, strict=True)).items() for x in contexts)
                }
                if graph.label(NAMES[i], NAMES[j]) != wanted:
                    return False
        return True


@st.composite
def studies(draw: st.DrawFn) -> Study:
    """Draw three variables of two or three states or four of two, that depend on each other, and up to three rules."""
    n_states = draw(st.sampled_from([(2, 2, 2, 2), (2, 3, 2), (3, 3, 2), (4, 2, 2)]))
    nodes = range(len(n_states))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    common = rng.integers(0, 12, 80)
    codes = [np.where(rng.random(80) < 0.5, rng.integers(0, 12, 80), common) % n for n in n_states]
    rules: dict[tuple[int, int], list[dict[int, int]]] = {}
    child = draw(st.sampled_from(nodes))
    for _ in range(draw(st.integers(1, 3))):
        child = draw(st.sampled_from([child, child, *nodes]))
        parent = draw(st.sampled_from([node for node in nodes if node != child]))
        others = [node for node in nodes if node not in (parent, child)]
        context = st.dictionaries(st.sampled_from(others), st.just(0), min_size=1, max_size=2)
        contexts = draw(st.one_of(st.just([]), st.lists(context, min_size=1, max_size=2)))
        rules[parent, child] = [
            {node: draw(st.integers(0, n_states[node] - 1)) for node in sorted(one)} for one in contexts
        ]
    return Study(tuple(zip(*(column.tolist() for column in codes), strict=True)), n_states, rules)


@settings(deadline=None, max_examples=60)
@given(studies(), st.sampled_from([0.1, 0.5, 0.9]))
def test_the_exact_search_finds_the_best_graph_with_the_labels(study: Study, kappa: float) -> None:
    """Rules that no graph can keep are refused, and no others."""
    best = oracle.best_graph_score(study.rows, study.n_states, kappa, study.rules)
    if best == -math.inf:
        with pytest.raises(ldag.LdagError):
            ldag.learn(study.data, kappa=kappa, constraints=study.constraints, equivalent_sample_size=1)
        return
    fit = ldag.learn(
        study.data,
        kappa=kappa,
        method="exact",
        label_search="exact",
        constraints=study.constraints,
        equivalent_sample_size=1,
    )
    assert study.kept_by(fit.ldag)
    assert fit.score.total == pytest.approx(best, abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(studies(), st.sampled_from(["exact", "chain", "climb"]), st.sampled_from(["greedy", "refined", "exact"]))
def test_every_search_keeps_the_labels(study: Study, method: MethodChoice, labels: LabelSearch) -> None:
    """And none does better than going through all graphs."""
    best = oracle.best_graph_score(study.rows, study.n_states, 0.5, study.rules)
    if best == -math.inf:
        return
    more = {"chain": {"n_chains": 2, "n_iter": 60}, "climb": {"n_restarts": 3}}.get(method, {})
    fit = ldag.learn(
        study.data,
        kappa=0.5,
        method=method,
        label_search=labels,
        constraints=study.constraints,
        n_chains=more.get("n_chains"),
        n_iter=more.get("n_iter"),
        n_restarts=more.get("n_restarts"),
        equivalent_sample_size=1,
    )
    assert study.kept_by(fit.ldag)
    assert fit.score.total <= best + 1e-6
    assert fit.trace[-1][1] == pytest.approx(fit.score.total, abs=1e-6)  # the search scored just these labels
