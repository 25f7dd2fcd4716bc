"""Dynamic networks as ordinary ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dynamics import CLOSE, Case


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6))
def test_unrolled_network_has_the_same_table(seed: int) -> None:
    """Every state of everything over the steps is as probable in the ordinary network."""
    case = Case(seed)
    net = case.net.unroll(case.n_steps)
    names = [name if name in case.net.static else f"{name}@{step}" for step, name in case.places]
    assert list(net.ldag.schema.names) == names
    states = [variable.states for variable in net.variables]
    table = {
        name: [states[axis][c] for c in codes]
        for axis, (name, codes) in enumerate(
            zip(names, np.indices(case.joint.shape).reshape(len(names), -1)[:, ::7], strict=True)
        )
    }
    own = np.exp(net.log_likelihood(table, by_row=True))
    assert own == pytest.approx(case.joint.reshape(-1)[::7], abs=CLOSE)
