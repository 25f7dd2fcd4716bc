"""Held-out likelihood with every setting chosen by cross-validation on the training rows, beside plain defaults.

    python benchmarks/bench_heldout.py FOLDER [NAME ...]

FOLDER has NAME.train.csv.gz, NAME.valid.csv.gz and NAME.test.csv.gz: rows of 0 and 1, separated by commas, no header,
as the density-estimation literature uses them. Training and validation rows are used together; test rows are only
predicted. The measure is the mean log-likelihood of a test row, in nats.
"""

import argparse
import gzip
import time
from pathlib import Path

import numpy as np

import ldag


def load(folder: Path, name: str, *parts: str) -> ldag.Dataset:
    """Read the rows of some parts of a data set."""
    tables = []
    for part in parts:
        with gzip.open(folder / f"{name}.{part}.csv.gz", "rt") as file:
            tables.append(np.loadtxt(file, delimiter=",", dtype=np.int64, ndmin=2))
    columns = {f"v{place:03}": column for place, column in enumerate(np.concatenate(tables).T)}
    return ldag.read(columns, states={name: [0, 1] for name in columns})


def report(name: str, title: str, train: ldag.Dataset, test: ldag.Dataset, **settings: object) -> None:
    """Learn, predict, and print a row."""
    wall, cpu = time.perf_counter(), time.process_time()
    fit = ldag.learn(train, progress=False, **settings)  # type: ignore[arg-type]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    mean = fit.network.log_likelihood(test) / test.total
    chosen = f"{fit.structure}, kappa {fit.kappa:g}, {fit.equivalent_sample_size:g}, {fit.parameters_sample_size:g}"
    print(f"{name:<10} {title:<24} {mean:>9.3f} {cpu:>8.1f} {wall:>8.1f}  {chosen}", flush=True)
    if fit.cv is not None:
        print(fit.cv, flush=True)


def main() -> None:
    """Run the sets of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="data sets; all of the folder unless given")
    parser.add_argument("--train-only", action="store_true", help="leave the validation rows out")
    given = parser.parse_args()
    names = given.names or sorted(path.name.split(".")[0] for path in given.folder.glob("*.train.csv.gz"))
    parts = ["train"] if given.train_only else ["train", "valid"]
    print(f"{'data':<10} {'settings':<24} {'test':>9} {'CPU s':>8} {'wall s':>8}  structure, kappa, sample sizes")
    for name in names:
        train, test = load(given.folder, name, *parts), load(given.folder, name, "test")
        report(name, "tables, defaults", train, test, structure="table")
        chosen = {"structure": "cv", "equivalent_sample_size": "cv", "parameters_sample_size": "cv"}
        report(name, "everything by cv", train, test, **chosen)


if __name__ == "__main__":
    main()
