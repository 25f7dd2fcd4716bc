"""Questions to graphs: separation, implication, equivalence."""

import random
from functools import partial
from itertools import product

import networkx as nx

from benchmarks.harness import Row, cpu_seconds, report
from ldag import LDAG, datasets
from ldag.model import State

Question = tuple[str, str, list[str], dict[str, State]]


def sparse_graph(n_nodes: int, rng: random.Random) -> LDAG:
    """A regular LDAG with up to three parents a node, two or three states, and labels on a third of the lines."""
    names = [f"v{i}" for i in range(n_nodes)]
    states: dict[str, list[State]] = {name: list(range(rng.choice([2, 2, 3]))) for name in names}
    edges: list[tuple[str, str]] = []
    labels: dict[tuple[str, str], list[dict[str, State]]] = {}
    for i, child in enumerate(names[1:], start=1):
        parents = rng.sample(names[max(0, i - 8) : i], k=min(i, rng.choice([1, 2, 2, 3, 3])))
        for parent in parents:
            others = [name for name in parents if name != parent]
            entries = [dict(zip(others, codes, strict=True)) for codes in product(*(states[name] for name in others))]
            edges.append((parent, child))
            labels[parent, child] = [entry for entry in entries if others and rng.random() < 0.3]
    return LDAG.from_edges(edges, states=states, labels=labels).regular()


def random_question(graph: LDAG, rng: random.Random) -> Question:
    """Two variables, two given ones and a context of two."""
    a, b, *rest = rng.sample(graph.variables, 6)
    return a.name, b.name, [v.name for v in rest[:2]], {v.name: rng.choice(v.states) for v in rest[2:]}


def main() -> None:
    """Measure and report."""
    rng = random.Random(1)
    graph = sparse_graph(30, rng)
    questions = [random_question(graph, rng) for _ in range(200)]
    dag = graph.to_networkx()

    def separate_by_networkx() -> None:
        for a, b, given, context in questions:
            nx.is_d_separator(dag, {a}, {b}, {*given, *context})

    generator = datasets.graph("generator10")
    other = generator.equivalence_class()[-1]
    times = [cpu_seconds(partial(graph.implies, *q), 1) for q in questions]
    rows = [
        Row(
            "csi_separated, 30 nodes, one question",
            cpu_seconds(lambda: [graph.csi_separated(*q) for q in questions]) / len(questions),
            "networkx is_d_separator (no contexts)",
            cpu_seconds(separate_by_networkx) / len(questions),
            goal=1e-3,
        ),
        Row("implies, 30 nodes, mean", sum(times) / len(times), goal=1.0),
        Row("implies, 30 nodes, slowest", max(times), goal=1.0),
        Row(
            "equivalent_to, two orientations of generator10",
            cpu_seconds(lambda: generator.equivalent_to(other)),
            goal=1.0,
        ),
        Row("equivalence_class of generator10", cpu_seconds(generator.equivalence_class)),
        Row("regular, 30 nodes", cpu_seconds(lambda: LDAG.from_text(graph.to_text()).regular())),
    ]
    report("graphs", rows, ["networkx"])


if __name__ == "__main__":
    main()
