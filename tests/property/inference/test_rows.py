"""Predictions on random networks beside the sum over all configurations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import Network
from ldag.errors import ImpossibleEvidence
from ldag.inference import rows as room
from ldag.model import State
from tests.oracle.inference import Joint
from tests.property.inference.test_engine import networks

Row = dict[str, State | None]


def posterior(joint: Joint, target: str, row: Row) -> list[float] | None:
    """Return the posterior of the target given the cells that are not missing; None if they are impossible."""
    seen = {name: state for name, state in row.items() if state is not None}
    return None if joint.probability(seen) == 0 else list(joint.posterior([target], seen).values())


@settings(max_examples=60, deadline=None)
@given(st.booleans().flatmap(networks), st.data(), st.sampled_from([0.5, 4, room.ENUMERATED]))
def test_predictions_are_posteriors(network: Network, data: st.DataObject, enumerated: float) -> None:
    """By enumeration, by a circuit or by both, rows get their posteriors, and impossible rows are refused."""
    target = data.draw(st.sampled_from([v.name for v in network.variables]))
    cells: dict[str, st.SearchStrategy[State | None]] = {
        v.name: st.sampled_from([None, *v.states, *v.states]) for v in network.variables if v.name != target
    }
    rows = data.draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=12))
    joint = Joint(network)
    expected = [posterior(joint, target, row) for row in rows]
    columns = {name: [row[name] for row in rows] for name in cells}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "ENUMERATED", enumerated)
        patch.setattr(room, "BATCH", 5)
        patch.setattr(room, "CIRCUIT_BATCH", 2)
        if None in expected:
            with pytest.raises(ImpossibleEvidence, match=f"row {expected.index(None) + 1} has probability zero"):
                network.predict_proba(columns, target)
            return
        found = network.predict_proba(columns, target)
    np.testing.assert_allclose(found, np.array(expected), atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(networks(), st.data())
def test_predictions_are_the_answers_of_query(network: Network, data: st.DataObject) -> None:
    """A row gets what `query` answers for its cells."""
    target, *others = data.draw(st.permutations(network.variables))
    row: dict[str, State | None] = {v.name: data.draw(st.sampled_from([None, *v.states])) for v in others}
    given_states = {name: state for name, state in row.items() if state is not None}
    try:
        answer = network.query(target.name, given=given_states)
    except ImpossibleEvidence:
        answer = None
    columns = {name: [state] for name, state in row.items()}
    if answer is None:
        with pytest.raises(ImpossibleEvidence):
            network.predict_proba(columns, target.name)
    else:
        found = network.predict_proba(columns, target.name)[0]
        np.testing.assert_allclose(found, list(answer.values()), atol=1e-12)
