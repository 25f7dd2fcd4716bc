"""Windows of panels are those that merging on times gives."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import ldag
from ldag.data import cut_slices
from tests.panels import cut_by_hand


def spread(data: ldag.Dataset) -> list[tuple[str, ...]]:
    """All rows as texts, as often as they occur; gaps are empty."""
    frame: Any = data.to_frame()
    weights = np.ones(len(frame)) if data.weights is None else data.weights
    named = frame[[*data.names]].astype(object)
    texts = named.where(named.notna(), "").astype(str)
    repeated = texts.loc[np.repeat(texts.index, weights.astype(int))]
    return sorted(repeated.itertuples(index=False, name=None))


@st.composite
def panels(draw: st.DrawFn) -> pd.DataFrame:
    """Two groups with all waves and some without, in any order of rows; cells that are missing; one static column."""
    n_groups = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    waves = [np.flatnonzero(rng.random(7) < draw(st.sampled_from([0.5, 0.8, 1]))) for _ in range(n_groups)]
    waves += [np.arange(7)] * 2
    frame = pd.DataFrame(
        [(f"g{group}", int(wave), ("f", "m")[group % 2]) for group, own in enumerate(waves) for wave in own],
        columns=["g", "t", "s"],
    )
    for name, n in (("x", 2), ("y", 3), ("z", 4)):
        states = np.array(list("abcd"), dtype=object)[rng.integers(0, n, len(frame))]
        states[rng.random(len(frame)) < 0.1] = None
        frame[name] = states
    return frame.sample(frac=1, random_state=1).reset_index(drop=True)


@given(panels(), st.integers(1, 3))
def test_windows_are_those_of_pandas(frame: pd.DataFrame, lags: int) -> None:
    """Every window that has all its waves, once; nothing else."""
    states = {name: [*letters] for name, letters in {"s": "fm", "x": "ab", "y": "abc", "z": "abcd"}.items()}
    data = ldag.read(frame, groups="g", time="t", states=states, missing="keep")
    windows = cut_slices(data, lags, ["s"]).windows
    expected = cut_by_hand(frame, lags, "g", "t", ["s"])[[*windows.names]].astype(object)
    texts = expected.where(expected.notna(), "").astype(str)
    assert spread(windows) == sorted(texts.itertuples(index=False, name=None))
