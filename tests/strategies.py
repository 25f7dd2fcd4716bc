"""Random labelled DAGs for the property tests: 2 to 4 states, random labels, random classes."""

from itertools import product

from hypothesis import strategies as st

from ldag import LDAG
from ldag.model import State

Context = dict[str, State]
Edge = tuple[str, str]


@st.composite
def variables(draw: st.DrawFn, min_nodes: int = 2, max_nodes: int = 5, max_states: int = 4) -> dict[str, list[State]]:
    """Names with 2 to 4 states each; now and then one that never varies."""
    n = draw(st.integers(min_nodes, max_nodes))
    sizes = st.sampled_from([1, *range(2, max_states + 1), *range(2, max_states + 1)])
    return {f"x{i}": list(range(draw(sizes))) for i in range(n)}


@st.composite
def graphs(
    draw: st.DrawFn,
    min_nodes: int = 2,
    max_nodes: int = 5,
    max_parents: int = 3,
    max_states: int = 4,
    beyond_labels: bool = False,
) -> LDAG:
    """A DAG with labels on random edges, or (with ``beyond_labels``) with any classes."""
    return draw(graphs_over(draw(variables(min_nodes, max_nodes, max_states)), max_parents, beyond_labels))


@st.composite
def graphs_over(
    draw: st.DrawFn, states: dict[str, list[State]], max_parents: int = 3, beyond_labels: bool = False
) -> LDAG:
    """A DAG over given variables."""
    order = draw(st.permutations(list(states)))
    parents = {
        child: draw(st.lists(st.sampled_from(order[:i]), max_size=max_parents, unique=True)) if i else []
        for i, child in enumerate(order)
    }
    if beyond_labels:
        return LDAG.from_partitions({c: (p, draw(_classes(states, p))) for c, p in parents.items()}, states=states)
    edges = [(parent, child) for child, above in parents.items() for parent in above]
    labels = {edge: draw(_label(states, edge, parents[edge[1]])) for edge in edges if len(parents[edge[1]]) > 1}
    return LDAG.from_edges(edges, states=states, labels=labels)


@st.composite
def graphs_with_latents(draw: st.DrawFn) -> LDAG:
    """A DAG with labels, some latent variables with states and some without, and arcs."""
    graph = draw(graphs())
    states = {variable.name: variable.states for variable in graph.variables}
    labels = {edge: graph.label_contexts(*edge) for edge in graph.labelled_edges}
    latent = draw(st.lists(st.sampled_from(list(states)), unique=True, max_size=2))
    edges = [*graph.edges]
    for name in ("l", "m"):
        children = draw(st.lists(st.sampled_from(list(states)), unique=True, max_size=3))
        edges += [(name, child) for child in children]
        latent += [name] if children else []
    text = LDAG.from_edges(edges, states=states, labels=labels, latent=latent).to_text()
    pairs = draw(st.lists(st.lists(st.sampled_from(list(states)), min_size=2, max_size=2, unique=True), max_size=3))
    arcs = {frozenset(pair): f"{pair[0]} <-> {pair[1]}\n" for pair in pairs}
    return LDAG.from_text(text + "".join(arcs.values()))


@st.composite
def _label(draw: st.DrawFn, states: dict[str, list[State]], edge: Edge, parents: list[str]) -> list[Context]:
    others = [name for name in parents if name != edge[0]]
    entries = [dict(zip(others, codes, strict=True)) for codes in product(*(states[name] for name in others))]
    return [entry for entry in entries if draw(st.integers(0, 2)) == 0]


@st.composite
def _classes(draw: st.DrawFn, states: dict[str, list[State]], parents: list[str]) -> list[int]:
    size = len(list(product(*(states[name] for name in parents))))
    return draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))


@st.composite
def questions(draw: st.DrawFn, graph: LDAG) -> tuple[str, str, list[str], Context]:
    """Two variables, some given ones and some fixed ones."""
    names = [v.name for v in graph.variables]
    a, b, *rest = draw(st.permutations(names))
    roles = {name: draw(st.sampled_from(["out", "given", "context"])) for name in rest}
    context = {v.name: draw(st.sampled_from(v.states)) for v in graph.variables if roles.get(v.name) == "context"}
    return a, b, [name for name in rest if roles[name] == "given"], context
