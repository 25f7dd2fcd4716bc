"""Does a held-out verdict tell the truth about people who were never seen? Panels with an effect of the person.

    python -m experiments.panels --seeds 100 -o experiments/results

Every person has a kind that no column says, a few rows, and columns that stay the same: together these nearly tell who
it is. A verdict is what cross-validation says of a fit; the truth is what the fit does on four thousand other people.
With groups the mean of their difference should be near nothing, without it is not. All graphs are searched, on folds as
on the panel: a quick search on folds finds smaller graphs, and what it says is not of the graph that is found at last.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import ldag
from experiments.paper import Row, write_csv

KINDS, N_STABLE = 3, 4
NEW_PEOPLE = 4000


class Verdict(NamedTuple):
    """What a cross-validation says in nats per row, its standard error, and the truth on people who were not seen."""

    said: float
    error: float
    truth: float


def draw_panel(n_people: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw people of two to ten rows: columns that stay, moods and meals that lean on their kind, pain on mood."""
    who = np.repeat(np.arange(n_people), rng.integers(2, 11, n_people))
    kind = rng.integers(0, KINDS, n_people)

    def lean(to: NDArray[np.integer], share: float) -> NDArray[np.integer]:
        return np.where(rng.random(len(to)) < share, to, rng.integers(0, KINDS, len(to)))

    stable = {f"stable{number}": lean(kind, 0.5 if number == 0 else 0.0)[who] for number in range(N_STABLE)}
    mood, meals, treated = lean(kind[who], 0.8), lean((kind[who] + 1) % KINDS, 0.7), rng.integers(0, 2, len(who))
    pain = np.where(treated == 0, lean(mood, 0.7), rng.integers(0, KINDS, len(who)))
    return pd.DataFrame({"person": who, **stable, "mood": mood, "meals": meals, "treated": treated, "pain": pain})


def judge(
    seed: int, n_people: int, size: float | Literal["cv"] = "cv", max_parents: int | None = None
) -> dict[tuple[str, str], Verdict]:
    """Return the verdicts on one panel, by whether groups are named and what is judged."""
    rng = np.random.default_rng([7, seed])
    panel, others = draw_panel(n_people, rng), draw_panel(NEW_PEOPLE, rng).drop(columns="person")
    states = {name: sorted(others[name].unique().tolist()) for name in others}
    new = ldag.read(others, states=states)
    grouped = ldag.read(panel, groups="person", states=states)
    found = {}
    for name, data in (("grouped", grouped), ("ungrouped", grouped.ungrouped())):
        own: dict[str, Any] = {"method": "exact", "max_parents": max_parents, "n_jobs": 1}
        fit = ldag.learn(data, kappa=0.5, equivalent_sample_size=size, smoothing="cv", rng=seed, **own)
        assert fit.cv is not None
        best = fit.cv.best
        truth = fit.network.log_likelihood(new) / new.total
        size_of_fold = data.total / fit.cv.n_folds
        said, error = fit.cv.mean[best.kappa] / size_of_fold, fit.cv.standard_error[best.kappa] / size_of_fold
        found[name, "score"] = Verdict(said, error, truth)
        if fit.held_out_gain is not None:
            tables = ldag.learn(
                data,
                structure="table",
                equivalent_sample_size=best.equivalent_sample_size,
                smoothing=(best.of_parameters.size, best.of_parameters.spread),
                **own,
            )
            gain = truth - tables.network.log_likelihood(new) / new.total
            found[name, "labels against tables"] = Verdict(*fit.held_out_gain, gain)
        if fit.average_gain is not None:
            many = fit.average(fit.average_gain.n_members, n_jobs=1).log_likelihood(new) / new.total
            found[name, "average against one"] = Verdict(fit.average_gain.gain, fit.average_gain.error, many - truth)
    return found


def summarise(panels: Sequence[Mapping[tuple[str, str], Verdict]]) -> Iterator[Row]:
    """Go through what was judged: how far verdicts are from the truth in the mean, and how often within two errors."""
    for key in dict.fromkeys(key for panel in panels for key in panel):
        said, error, truth = np.array([panel[key] for panel in panels if key in panel]).T
        off = said - truth
        yield {
            "rows": key[0],
            "verdict": key[1],
            "panels": len(off),
            "said": said.mean(),
            "truth": truth.mean(),
            "bias": off.mean(),
            "error of bias": off.std(ddof=1) / sqrt(len(off)),
            "mean standard error": error.mean(),
            "within two": float((abs(off) <= 2 * error).mean()),
            "of mean truth": float((abs(said - truth.mean()) <= 2 * error).mean()),
        }


def main() -> None:
    """Run it and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--people", type=int, default=150)
    parser.add_argument("-o", "--output", type=Path, default=Path("experiments/results"))
    given = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        rows = list(summarise(list(pool.map(partial(judge, n_people=given.people), range(given.seeds)))))
    for row in rows:
        shown = (f"{name} {value:.4f}" if isinstance(value, float) else str(value) for name, value in row.items())
        print(", ".join(shown))
    write_csv(given.output / "panels.csv", rows)


if __name__ == "__main__":
    main()
