"""Draws the pictures that the README and the pages show."""

import contextlib
import doctest
import io
import warnings
from pathlib import Path
from typing import Any

import ldag
from benchmarks.bench_calibration import draw_reliability
from benchmarks.bench_scaling import draw_scaling
from experiments.paper import read_reproduction
from experiments.study import draw_study

PAGES = Path(__file__).parent
HERE = Path(__file__).parent
RESULTS = HERE.parent / "experiments" / "results"


def learn_titanic() -> ldag.Fit:
    """Learn what the first page shows."""
    last = ldag.Constraints(tiers=[["class", "sex", "age"], ["survived"]])
    return ldag.learn(ldag.datasets.load("titanic"), kappa="cv", constraints=last)


def learn_berkeley() -> ldag.Fit:
    """Learn from the admissions, with the edge that is asked about."""
    tiers = [["gender"], ["department"], ["admitted"]]
    asked = ldag.Constraints(tiers=tiers, required=[("gender", "admitted")])
    return ldag.learn(ldag.datasets.load("ucb"), constraints=asked)


def fit_of_page(page: str) -> ldag.Fit:
    """Return the variable `fit` after the Python examples of a page."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    variables: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore", ldag.GraphWarning)  # which pages tell of
        for example in doctest.DocTestParser().get_examples(text.replace("```", "")):
            exec(compile(example.source, page, "exec"), variables)
    fit: ldag.Fit = variables["fit"]
    return fit


def graph_of_page(page: str) -> ldag.LDAG:
    """Return the graph that a page writes out as a file."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    return ldag.LDAG.from_text(text.split(".ldag\n")[1].split("```")[0])


def network_of_page(page: str, name: str) -> ldag.DynamicNetwork:
    """Return a network over time as soon as the Python examples of a page have made it."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    variables: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(text.replace("```", "")):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(example.source, page, "exec"), variables)
        if name in variables:
            break
    network: ldag.DynamicNetwork = variables[name]
    return network


def missing_gaps() -> ldag.Gaps:
    """Return the gaps that the page on missing data shows."""
    truth = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
    return ldag.simulate.gaps(truth.sample(1000, rng=1), share=0.2, how="mar", rng=1).gaps()


def main() -> None:
    """Write the pictures beside this file."""
    for name in ("guard", "heart"):
        (HERE / f"{name}.svg").write_text(ldag.datasets.graph(name).to_svg(title=f"The {name} graph"))
    fits = {"titanic": learn_titanic(), "berkeley": learn_berkeley()}
    fits |= {page: fit_of_page(page) for page in ("survey", "effects")}
    (HERE / "missing.svg").write_text(missing_gaps().to_svg())
    for name, fit in fits.items():
        (HERE / f"{name}.svg").write_text(fit.to_svg(title=f"What was learned from {name}"))
    trial = graph_of_page("trial")
    (HERE / "trial.svg").write_text(trial.to_svg(title="An encouragement trial"))
    (HERE / "trial-do.svg").write_text(trial.to_svg(do="treated", title="The trial when treated is set"))
    (HERE / "latent.svg").write_text(graph_of_page("latent").to_svg(title="What a patient has, nobody wrote down"))
    (HERE / "panels.svg").write_text(network_of_page("panels", "true").to_svg(title="Pain and treatment over time"))
    spies = ldag.datasets.graph("guard").to_svg(context={"person": "spy"}, title="The guard among spies")
    (HERE / "spies.svg").write_text(spies)
    guard = ldag.datasets.graph("guard")
    (HERE / "people.svg").write_text(guard.as_multinet("person").to_svg())
    heart = ldag.datasets.load("heart")
    low, high = (ldag.learn(heart, kappa=kappa, equivalent_sample_size=1).ldag for kappa in (0.1, 0.5))
    (HERE / "difference.svg").write_text(ldag.compare(low, high).to_svg())
    around = ldag.datasets.graph("generator10").to_svg(focus=["7"], direction="right", title="Around one node")
    (HERE / "focus.svg").write_text(around)
    chosen = ldag.learn(heart, kappa="cv", equivalent_sample_size=1, rng=1)
    assert chosen.cv is not None
    (HERE / "rules.svg").write_text(chosen.network.classes("pressure").to_svg())
    (HERE / "curve.svg").write_text(chosen.cv.to_svg())
    (HERE / "edges.svg").write_text(ldag.posterior(heart, max_parents=3).edges.to_svg())
    for experiment in ("figures", "structures"):
        for name, picture in read_reproduction(experiment, RESULTS).pictures.items():
            (HERE / name).write_text(picture)
    (HERE / "study.svg").write_text(draw_study(RESULTS))
    (HERE / "calibration.svg").write_text(draw_reliability())
    (HERE / "scaling.svg").write_text(draw_scaling())


if __name__ == "__main__":
    main()
