"""Draws the pictures that the README and the pages show."""

from pathlib import Path

import ldag
from experiments.study import draw_study
from ldag.experiments import read_reproduction

HERE = Path(__file__).parent
RESULTS = HERE.parent / "experiments" / "results"


def main() -> None:
    """Write the pictures beside this file."""
    for name in ("guard", "heart"):
        (HERE / f"{name}.svg").write_text(ldag.datasets.graph(name).to_svg(title=f"The {name} graph"))
    for experiment in ("figures", "structures"):
        for name, picture in read_reproduction(experiment, RESULTS).pictures.items():
            (HERE / name).write_text(picture)
    (HERE / "study.svg").write_text(draw_study(RESULTS))


if __name__ == "__main__":
    main()
