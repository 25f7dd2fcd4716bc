"""Scores of plain tables against pgmpy's BDeu on samples of well-known networks."""

import warnings

import numpy as np
import pandas as pd
import pytest

import ldag
from tests.oracle.networks import BifNetwork


@pytest.mark.parametrize("name", ["asia", "child", "insurance", "alarm", "hailfinder"])
def test_table_structure_is_bdeu(name: str) -> None:
    """The family of every node of the network, and random families, to 1e-6.

    Only observed states: pgmpy leaves out a term for states of the node that never occur.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pgmpy announces its own coming changes
        from pgmpy.structure_score import BDeu

        network = BifNetwork(name)
        codes = network.sample(1000, seed=3)
        states = {node: sorted(set(column.tolist())) for node, column in codes.items()}
        data = ldag.read(codes, states=states)
        frame = pd.DataFrame({node: pd.Categorical(column, states[node]) for node, column in codes.items()})
        peer = BDeu(frame, state_names=states, equivalent_sample_size=10)
        rng = np.random.default_rng(4)
        chosen = [tuple(rng.choice(list(states), 4, replace=False)) for _ in range(10)]
        families = [*network.parents.items(), *((str(n), [str(p) for p in ps]) for n, *ps in chosen)]
        for node, parents in families:
            ours = ldag.learn_family(
                data, node, parents=parents, kappa=1, structure="table", equivalent_sample_size=10
            ).score
            assert ours == pytest.approx(peer.local_score(node, tuple(parents)), abs=1e-6)
