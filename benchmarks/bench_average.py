"""Held-out likelihood of averages: settings are chosen on the valid part, and the test part is looked at once.

    python benchmarks/bench_average.py FOLDER [NAME ...]

FOLDER has NAME.train.csv.gz, NAME.valid.csv.gz and NAME.test.csv.gz: rows of 0 and 1, without a header.
"""

import sys
import time
from pathlib import Path

import numpy as np

import ldag

N_MEMBERS = 40
SIZES = {"plants": (100.0, 300.0, 1000.0), "dna": (1.0, 3.0, 10.0), "jester": (30.0, 100.0, 300.0)}
"""Equivalent sample sizes that are tried; others start from these of plants."""


def load(folder: Path, name: str, part: str) -> ldag.Dataset:
    """Read one part."""
    rows = np.loadtxt(folder / f"{name}.{part}.csv.gz", delimiter=",", dtype=np.uint8)
    names = [f"v{number:04d}" for number in range(rows.shape[1])]
    return ldag.read(dict(zip(names, rows.T, strict=True)), states={key: [0, 1] for key in names})


def measure(folder: Path, name: str) -> None:
    """Learn an average at every size, and print what the best on valid does on test."""
    parts = {part: load(folder, name, part) for part in ("train", "valid", "test")}
    began, results = time.process_time(), []
    for size in SIZES.get(name, SIZES["plants"]):
        mixture = ldag.average(
            parts["train"], N_MEMBERS, by="both", structure="table", method="climb", equivalent_sample_size=size, rng=1
        )
        valid = mixture.log_likelihood(parts["valid"]) / parts["valid"].total
        print(f"{name}: size {size:g}, valid {valid:.4f}, {time.process_time() - began:.1f} s CPU so far", flush=True)
        results.append((valid, size, mixture))
    _, size, best = max(results, key=lambda result: result[0])
    test = best.log_likelihood(parts["test"]) / parts["test"].total
    print(f"{name}: size {size:g} chosen on valid, test {test:.4f}, {time.process_time() - began:.1f} s CPU in all")


if __name__ == "__main__":
    where = Path(sys.argv[1])
    for chosen in sys.argv[2:] or sorted({path.name.split(".")[0] for path in where.glob("*.train.csv.gz")}):
        measure(where, chosen)
