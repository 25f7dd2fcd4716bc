"""Labels of a node, and of the edges of a given graph."""

import ldag

HEART = ldag.datasets.load("heart")


def test_labels_of_a_given_graph_are_those_of_its_families() -> None:
    """Every edge stays, and each node has the classes that `learn_family` finds for its parents."""
    graph = ldag.datasets.graph("heart")
    plain = ldag.LDAG.from_edges(graph.edges, states={variable.name: variable for variable in graph.variables})
    labelled = ldag.learn_labels(plain, HEART, kappa=0.1)
    assert labelled.edges == graph.edges
    assert labelled.label("smoking", "pressure") == {(">3",)}
    for variable in graph.variables:
        family = ldag.learn_family(HEART, variable.name, parents=graph.parents(variable.name), kappa=0.1)
        assert labelled.partition(variable.name) == family.partition


def test_a_graph_without_states_has_those_of_the_data() -> None:
    """Edges written as text are enough; columns that the graph does not know are left out."""
    graph = ldag.LDAG.from_text("smoking -> pressure")
    labelled = ldag.learn_labels(graph, HEART.select(["smoking", "pressure"]), kappa=0.1, structure="table")
    assert labelled.variables[1].states == ("<140", ">140")
    assert labelled.dimension == 3
