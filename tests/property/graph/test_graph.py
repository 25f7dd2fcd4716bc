"""Laws of labelled DAGs on random ones with 2 to 4 states."""

import pickle

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import LDAG
from tests.strategies import graphs, graphs_with_latents, questions

FORMATS = ((LDAG.to_text, LDAG.from_text), (LDAG.to_json, LDAG.from_json), (LDAG.to_dot, LDAG.from_dot))


@settings(deadline=None, max_examples=80)
@given(graphs())
def test_maximal_is_idempotent_and_keeps_the_partition(graph: LDAG) -> None:
    """Closing labels only adds entries; twice is once; the graph stays equal."""
    closed = graph.maximal()
    assert closed == graph
    assert closed.is_maximal()
    assert all(closed.partition(v.name) == graph.partition(v.name) for v in graph.variables)
    assert all(graph.label(*edge) <= closed.label(*edge) for edge in graph.edges)
    assert all(closed.maximal().label(*edge) == closed.label(*edge) for edge in graph.edges)


@settings(deadline=None, max_examples=80)
@given(graphs())
def test_labels_say_that_lines_lie_in_one_class(graph: LDAG) -> None:
    """An entry is in the maximal label iff all configurations on its line have the same class."""
    closed = graph.maximal()
    states = {v.name: v.states for v in graph.variables}
    for parent, child in graph.edges:
        partition = graph.partition(child)
        place = partition.parents.index(parent)
        classes: dict[tuple[object, ...], set[int]] = {}
        for index, number in enumerate(partition.classes):
            rest = index
            configuration: list[object] = []
            for name in reversed(partition.parents):
                rest, code = divmod(rest, len(states[name]))
                configuration.insert(0, states[name][code])
            others = (*configuration[:place], *configuration[place + 1 :])
            classes.setdefault(others, set()).add(number)
        assert closed.label(parent, child) == {others for others, found in classes.items() if len(found) == 1}


@settings(deadline=None, max_examples=80)
@given(graphs())
def test_regular_drops_idle_edges_and_no_class(graph: LDAG) -> None:
    """The regular form is regular, has as many parameters, and no edge that was not there."""
    regular = graph.regular()
    assert regular.is_regular()
    assert regular.is_maximal()
    assert regular.dimension == graph.dimension
    assert set(regular.edges) <= set(graph.edges)
    assert regular.regular() == regular
    assert (regular == graph) == (set(regular.edges) == set(graph.edges))


@settings(deadline=None, max_examples=40)
@given(graphs(), graphs(beyond_labels=True))
def test_text_json_and_dot_round_trip(labelled: LDAG, beyond: LDAG) -> None:
    """Reading what was written gives an equal graph with the same labels, and the same bytes again."""
    for graph in (labelled, beyond):
        for write, read in FORMATS:
            text = write(graph)
            again = read(text)
            assert again == graph
            assert write(again) == text
            if graph is labelled:
                assert all(again.label(*edge) == graph.label(*edge) for edge in graph.edges)


@settings(deadline=None, max_examples=60)
@given(graphs_with_latents())
def test_latents_round_trip(graph: LDAG) -> None:
    """Latent variables with and without states and arcs come back from every form, and from closing labels."""
    again = [read(write(graph)) for write, read in FORMATS]
    again += [LDAG.from_networkx(graph.to_networkx()), graph.maximal(), pickle.loads(pickle.dumps(graph))]
    for other in again:
        assert other == graph
        assert (other.undeclared, other.arcs) == (graph.undeclared, graph.arcs)
    assert not graph.with_states(graph.variables).undeclared


@settings(deadline=None, max_examples=60)
@given(graphs(beyond_labels=True))
def test_networkx_round_trip(graph: LDAG) -> None:
    """To networkx and back."""
    assert LDAG.from_networkx(graph.to_networkx()) == graph


@settings(deadline=None, max_examples=100)
@given(st.data(), graphs(max_nodes=7))
def test_d_separation_agrees_with_networkx(data: st.DataObject, graph: LDAG) -> None:
    """Without a context, CSI-separation is d-separation in the DAG; on sets of variables too."""
    names = data.draw(st.permutations([v.name for v in graph.variables]))
    cut = sorted(data.draw(st.tuples(*[st.integers(1, len(names))] * 3)))
    a, b, given_names = names[: cut[0]], names[cut[0] : cut[1]], names[cut[1] : cut[2]]
    if b:
        dag = nx.DiGraph(graph.edges)
        dag.add_nodes_from(names)
        assert graph.csi_separated(a, b, given_names) == nx.is_d_separator(dag, set(a), set(b), set(given_names))


@settings(deadline=None, max_examples=60)
@given(st.data(), graphs())
def test_renaming_changes_nothing(data: st.DataObject, graph: LDAG) -> None:
    """New names for variables and states: the same answers under the new names."""
    a, b, given_names, context = data.draw(questions(graph))
    fresh = {v.name: f"new {v.name}" for v in graph.variables}
    states = {fresh[v.name]: [f"s{s}" for s in v.states] for v in graph.variables}
    partitions = {
        fresh[v.name]: ([fresh[p] for p in graph.parents(v.name)], graph.partition(v.name).classes)
        for v in graph.variables
    }
    renamed = LDAG.from_partitions(partitions, states=states)
    new_context = {fresh[name]: f"s{state}" for name, state in context.items()}
    before = graph.implies(a, b, given_names, context).independent
    assert renamed.implies(fresh[a], fresh[b], [fresh[n] for n in given_names], new_context).independent == before
    assert renamed.dimension == graph.dimension
    assert renamed.is_regular() == graph.is_regular()


@settings(deadline=None, max_examples=60)
@given(graphs(beyond_labels=True))
def test_trees_and_rules_describe_the_classes(graph: LDAG) -> None:
    """A tree read back gives the graph; the rules cover every configuration once."""
    states = {v.name: v.states for v in graph.variables}
    for variable in graph.variables:
        assert graph.with_tree(variable.name, graph.as_tree(variable.name)) == graph
        partition = graph.partition(variable.name)
        rules = graph.reduced_cpt(variable.name).rules
        for index, number in enumerate(partition.classes):
            rest = index
            configuration = {}
            for name in reversed(partition.parents):
                rest, code = divmod(rest, len(states[name]))
                configuration[name] = states[name][code]
            holding = [r.number for r in rules if any(c.items() <= configuration.items() for c in r.contexts)]
            assert holding == [number]


@given(graphs(max_nodes=6, max_parents=3))
@settings(deadline=None, max_examples=60)
def test_relatives_are_those_of_networkx(graph: LDAG) -> None:
    """Children, ancestors and descendants; a blanket is what separates a node from all others, and no less does."""
    dag = LDAG.from_edges(graph.edges, states={v.name: [0, 1] for v in graph.variables})
    peer = nx.DiGraph(graph.edges)
    peer.add_nodes_from(v.name for v in graph.variables)
    names = [v.name for v in graph.variables]
    for node in names:
        assert set(graph.children(node)) == set(peer.successors(node))
        assert set(graph.ancestors(node)) == nx.ancestors(peer, node)
        assert set(graph.descendants(node)) == nx.descendants(peer, node)
        blanket = graph.markov_blanket(node)
        for own in (graph.children(node), graph.ancestors(node), graph.descendants(node), blanket):
            assert list(own) == [name for name in names if name in own]
        others = [name for name in names if name != node and name not in blanket]
        assert not others or dag.csi_separated(node, others, blanket)
        for one in blanket:
            assert not dag.csi_separated(node, one, [name for name in blanket if name != one])
