"""Effects: how long identification, estimates and bounds take, and whether intervals cover what they should.

    python -m benchmarks.bench_effects [SECTION ...]

A section is a function here: what it measures is its docstring. All of them are run unless some are named.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

import ldag
from benchmarks.harness import Row, cpu_seconds, report
from ldag.data import Dataset
from ldag.effects.bounding import bound_effect
from ldag.effects.context_identification import identify_with_labels
from ldag.effects.estimating import evaluate_formula
from ldag.effects.formulas import Cases, Formula, Probability, Slot, add_up, multiply, slots
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.plain import identify_plain
from ldag.effects.ranks import RankTest
from ldag.effects.results import Budget, EffectQuestion, Hedge
from ldag.effects.short_forms import find_short_form
from ldag.effects.sources import AnySource, take_source
from ldag.effects.twins import find_twins
from ldag.model import Structure
from tests.oracle.effects import random_parameters, structure_of, table_after, true_effect

N_MODELS = 1000
N_COVERED = 400
"""Models of which intervals should cover 95 %, and draws for each interval."""


class EstimatedCase(NamedTuple):
    """A graph, the variables that a formula reads, and the formula of P(Y | do(X))."""

    graph: ldag.LDAG
    names: tuple[str, ...]
    formula: Formula


def write_cases() -> dict[str, EstimatedCase]:
    """The formulas of two labelled graphs, of the front door, and of an adjustment."""
    labels = ldag.LDAG.from_text("latent L {0, 1}\nL -> X : A=0\nL -> Y\nA -> X\nA -> Y\nX -> Y : A=1")
    a, x, y = labels.schema.nodes(["A", "X", "Y"])
    first = multiply([Probability((Slot(a, 0, 0),)), Probability(slots([y]), (Slot(x), Slot(a, 0, 0)))])
    second = multiply([Probability((Slot(a, 0, 1),)), Probability(slots([y]), (Slot(a, 0, 1),))])
    cases = {"labels, by cases": EstimatedCase(labels, ("A", "X", "Y"), Cases((first, second)))}
    context = ldag.LDAG.from_text("latent L {0, 1}\nL -> X : A=1\nL -> Y\nA -> X\nX -> Y")
    a, x, y = context.schema.nodes(["A", "X", "Y"])
    inside = Probability(slots([y]), (Slot(x), Slot(a, 0, 1)))
    cases["labels, one context"] = EstimatedCase(context, ("A", "X", "Y"), inside)
    door = ldag.LDAG.from_text("latent L {0, 1}\nL -> X\nL -> Y\nX -> M\nM -> Y")
    m, x, y = door.schema.nodes(["M", "X", "Y"])
    mixed = add_up([x], multiply([Probability(slots([x])), Probability(slots([y]), slots([x, m]))]))
    through = add_up([m], multiply([Probability(slots([m]), slots([x])), mixed]))
    cases["front door"] = EstimatedCase(door, ("M", "X", "Y"), through)
    return cases


def draw_data(case: EstimatedCase, n: int, rng: np.random.Generator) -> tuple[Dataset, float]:
    """Draw rows of a random model, and return them with P(Y=1 | do(X=1))."""
    structure, nodes = case.graph.structure, case.graph.schema.nodes(case.names)
    parameters = random_parameters(structure, rng)
    joint = table_after(structure, parameters).sum(axis=tuple(v for v in range(len(structure)) if v not in nodes))
    counts = rng.multinomial(n, joint.reshape(-1) / joint.sum())
    cells = np.array(np.unravel_index(np.flatnonzero(counts), joint.shape), dtype=np.uint8)
    x, y = case.graph.schema.nodes(["X", "Y"])
    data = Dataset.from_codes(case.graph.schema.reordered(sorted(nodes)), cells, counts[counts > 0].astype(np.int64))
    return data, float(true_effect(structure, parameters, [y], [x])[1, 1])


def coverage() -> list[Row]:
    """The share of random models, 600 rows each, whose true effect a 95 % interval has in it."""
    for name, case in write_cases().items():
        rng, covered = np.random.default_rng(1), 0
        x, y = case.graph.schema.nodes(["X", "Y"])
        for trial in range(N_MODELS):
            data, truth = draw_data(case, 600, rng)
            source = take_source(data, case.graph, case.graph.schema.nodes(case.names), n_draws=N_COVERED, rng=trial)
            low, high = np.quantile(evaluate_formula(case.formula, [y], {x: 1}, source)[:, 1], [0.025, 0.975])
            covered += int(low <= truth <= high)
        print(f"  {name}: 95 % intervals cover {covered / N_MODELS:.3f} of {N_MODELS:,} effects")
    return []


def estimates() -> list[Row]:
    """A thousand draws, with ten times one evaluation for every hundred draws as the goal: data and a network."""
    rows = []
    for name, case in write_cases().items():
        data, _ = draw_data(case, 5000, np.random.default_rng(2))
        needs = case.graph.schema.nodes(case.names)
        x, y = case.graph.schema.nodes(["X", "Y"])
        edges = [(a, b) for i, b in enumerate(case.names) for a in case.names[:i]]
        net = ldag.Network.from_data(ldag.LDAG.from_edges(edges, states={name: [0, 1] for name in case.names}), data)
        sources: list[tuple[str, AnySource]] = [("data", data), ("network", net)]
        for kind, source in sources:

            def run(n_draws: int | None, case: EstimatedCase = case, source: AnySource = source) -> None:
                taken = take_source(source, case.graph, needs, n_draws=n_draws, rng=1)  # noqa: B023 - called at once
                evaluate_formula(case.formula, [y], {x: 1}, taken)  # noqa: B023 - called at once

            once = cpu_seconds(lambda: run(None), 5, 20)
            many = cpu_seconds(lambda: run(1000), 5)
            rows.append(Row(f"estimate, {name}, {kind}", many, "100 evaluations", 100 * once, 100 * once))
    return rows


def bounds() -> list[Row]:
    """Bounds of an instrument of four states, 2^12 types, and of larger ones."""
    rows = []
    for sizes in ((2, 2, 2), (4, 4, 2), (4, 2, 16), (3, 8, 2), (14, 2, 2)):
        states = ["{" + ", ".join(map(str, range(n))) + "}" for n in sizes]
        text = "\n".join(f"{name} {given}" for name, given in zip("ZXY", states, strict=True))
        graph = ldag.LDAG.from_text(f"{text}\nZ -> X\nX -> Y\nX <-> Y")
        z, x, y = graph.schema.nodes(["Z", "X", "Y"])
        rng = np.random.default_rng(3)
        parameters = random_parameters(graph.structure, rng)
        table = table_after(graph.structure, parameters).sum(axis=-1)
        cells = np.indices(table.shape).reshape(3, -1).astype(np.uint8)
        data = Dataset.from_codes(graph.schema.reordered((z, x, y)), cells, 1000 * table.reshape(-1))
        source = take_source(data, graph, (z, x, y))
        question = EffectQuestion((y,), (x,), setting={x: 1})
        latent = frozenset(graph.schema.nodes(graph.latent))
        seconds = cpu_seconds(lambda: bound_effect(graph.structure, latent, question, source), 2)  # noqa: B023
        n_types = sizes[1] ** sizes[0] * sizes[2] ** sizes[1]
        rows.append(
            Row(f"bounds, {n_types:,} types, states {sizes}", seconds, goal=1.0 if n_types <= 1 << 12 else None)
        )
    return rows


Pairs = list[tuple[int, int]]


def write_ladders(n: int) -> dict[str, tuple[Pairs, Pairs, list[int]]]:
    """Arrows, arcs and targets: two rails with arcs as rungs, and one line with arcs over one node each."""
    half = n // 2
    rails = [(start + i, start + i + 1) for start in (0, half) for i in range(half - 1)]
    return {
        "ladder": (rails, [(i, half + i) for i in range(half)], [half - 1, n - 1]),
        "twisted ladder": ([(i, i + 1) for i in range(n - 1)], [(i, i + 2) for i in range(n - 2)], [n - 1]),
    }


def ask_y0(arrows: Pairs, arcs: Pairs, target: Sequence[int]) -> Callable[[], object]:
    """The same question to y0: what the first node does to some others."""
    from y0.algorithm.identify import identify_outcomes
    from y0.dsl import Variable
    from y0.graph import NxMixedGraph

    name = {node: Variable(f"V{node}") for pair in arrows for node in pair}
    sides = [[(name[a], name[b]) for a, b in pairs] for pairs in (arrows, arcs)]
    graph = NxMixedGraph.from_edges(directed=sides[0], undirected=sides[1])
    return partial(identify_outcomes, graph, {name[0]}, {name[node] for node in target})


def plain() -> list[Row]:
    """Identification in bidirected ladders of 20 to 40 variables beside y0: the effect of one end on the other."""
    rows: list[Row] = []
    seconds: dict[tuple[str, int], float] = {}
    for n in (20, 30, 40):
        for name, (arrows, arcs, target) in write_ladders(n).items():
            graph = MixedGraph.of(range(n), arrows, arcs)
            identify = partial(identify_plain, graph, target, [0])
            shorten = partial(find_short_form, graph, target, [0])
            assert not isinstance(identify(), Hedge)
            seconds[name, n] = cpu_seconds(identify, number=10)
            either = cpu_seconds(lambda: shorten() or identify(), number=10)  # noqa: B023 - called at once
            theirs = cpu_seconds(ask_y0(arrows, arcs, target), number=3)
            rows.append(Row(f"ID, bidirected {name}, {n} variables", seconds[name, n], "y0", theirs, goal=theirs))
            rows.append(Row(f"the same with short forms first, {name}, {n}", either, "y0", theirs, goal=theirs))
    for name in write_ladders(4):
        job = f"ID, bidirected {name}, 40 variables against 24 times 20"
        rows.append(Row(job, seconds[name, 40], goal=24 * seconds[name, 20]))
    return rows


def tie_in_a_ladder(n: int, n_latent_states: int) -> tuple[Structure, frozenset[int]]:
    """A chain of binary variables, each caused by the two before it, neighbours tied by latents: a table of 2^n."""
    parents = [[v for v in (i - 2, i - 1) if v >= 0] for i in range(n)]
    for i in range(n - 1):
        parents[i].append(n + i)
        parents[i + 1].append(n + i)
    structure = structure_of([2] * n + [n_latent_states] * (n - 1), [*parents, *([] for _ in range(n - 1))])
    return structure, frozenset(range(n, 2 * n - 1))


def ranks() -> list[Row]:
    """One rank test of 2^14 cells and about 200 parameters, and twins with ten rank tests as the goal."""
    rows = []
    for n in (6, 10, 14):
        structure, latent = tie_in_a_ladder(n, 2)
        question = EffectQuestion((n - 1,), (0,), setting={0: 0})
        test = RankTest(structure, latent, question)
        proof = test.run(np.random.default_rng(0))
        assert proof is not None
        states = proof.latent_states

        def compare(case: tuple[Structure, frozenset[int], EffectQuestion] = (structure, latent, question)) -> None:
            RankTest(*case).run(np.random.default_rng(0))

        once = cpu_seconds(compare, 3)
        twins = cpu_seconds(lambda: find_twins(structure, latent, question, states), 3)  # noqa: B023 - called at once
        rows.append(Row(f"rank test, 2^{n} cells, {test.n_columns} parameters", once, goal=1.0 if n == 14 else None))
        rows.append(Row(f"twins, 2^{n} cells", twins, "10 rank tests", 10 * once, 10 * once))
    return rows


def labels() -> list[Row]:
    """Searches through labels, 8 to 14 observed variables, where there is a formula and where there is none.

    The goal is under ten times the time of the smallest.
    """
    rows = []
    for name, label in (("a formula", "X -> Y : C0=0"), ("none", "X -> Y : C1=1")):
        first = 0.0
        for n_observed in (8, 10, 12, 14):
            graph = write_covariates(n_observed, label)
            x, y = graph.schema.nodes(["X", "Y"])
            latent = frozenset(graph.schema.nodes(graph.latent))
            question = EffectQuestion((y,), (x,), setting={x: 1})
            reason = identify_with_labels(graph.structure, latent, question, Budget())
            assert (reason is None) == (name == "none")
            seconds = cpu_seconds(
                lambda: identify_with_labels(graph.structure, latent, question, Budget()),  # noqa: B023 - called at once
                3,
            )
            first = first or seconds
            rows.append(Row(f"labels, {name}, {n_observed} variables", seconds, goal=10 * first))
    return rows


def write_covariates(n_observed: int, label: str) -> ldag.LDAG:
    """A chain of covariates that cause a treatment and an outcome by turns; a latent confounds where C0=0."""
    lines = ["latent L", "L -> X : C0=1", "L -> Y", "C0 -> Y", label]
    for i in range(n_observed - 2):
        lines += [f"C{i} -> {'XY'[i % 2]}", *([f"C{i - 1} -> C{i}"] if i else [])]
    return ldag.LDAG.from_text("\n".join(lines))


SECTIONS: dict[str, Callable[[], list[Row]]] = {
    "plain": plain,
    "coverage": coverage,
    "estimates": estimates,
    "bounds": bounds,
    "ranks": ranks,
    "labels": labels,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run sections."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"some of {', '.join(SECTIONS)}")
    chosen = parser.parse_args(arguments).sections
    rows = [row for name, measure in SECTIONS.items() if not chosen or name in chosen for row in measure()]
    if rows:
        report("effects", rows, ["y0"], keep=not chosen)


if __name__ == "__main__":
    main()
