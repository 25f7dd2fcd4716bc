"""Panels for tests: drawn with numpy, and cut by hand with pandas."""

import numpy as np
import pandas as pd


def draw_panel(n_groups: int, seed: int, lengths: tuple[int, int] = (4, 9)) -> pd.DataFrame:
    """Draw people with a sex and a treatment: pain follows pain of the wave before unless the treatment was taken."""
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(n_groups):
        sex = rng.choice(["f", "m"])
        pain = int(rng.choice(3, p=[0.5, 0.3, 0.2]))
        for wave in range(int(rng.integers(*lengths))):
            taken = bool(rng.random() < (0.7 if pain == 2 else 0.2))
            rows.append((person, wave + 1, sex, "yes" if taken else "no", ("none", "some", "much")[pain]))
            stays = rng.random() < 0.8
            if taken:
                pain = int(rng.choice(3, p=[0.8, 0.15, 0.05]))
            elif not stays:
                pain = int(rng.choice(3, p=[0.6, 0.3, 0.1] if sex == "m" else [0.2, 0.3, 0.5]))
    return pd.DataFrame(rows, columns=["person", "wave", "sex", "taken", "pain"])


def cut_by_hand(frame: pd.DataFrame, lags: int, group: str, time: str, static: list[str]) -> pd.DataFrame:
    """Put every row of integer times side by side with those just before it, by merging on the times."""
    changing = [name for name in frame.columns if name not in (group, time, *static)]
    windows = frame
    for lag in range(1, lags + 1):
        before = frame[[group, time, *changing]].copy()
        before[time] = before[time] + lag
        before.columns = [group, time, *(f"{name}@-{lag}" for name in changing)]
        windows = windows.merge(before, on=[group, time])
    return windows
