"""What ought to take a moment: to install, one question on the command line, one row, one replicate of a bootstrap.

CPU seconds of one thread, medians of five; the installation, from a clean clone into an environment of its own, once.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import ldag
from benchmarks.bench_batches import draw
from benchmarks.harness import Row, report
from tests.oracle.networks import BifNetwork

ROOT = Path(__file__).parents[1]
SEED = 4111
"""Of the rows: nothing was tuned on them."""
REPEATS = 5
REPLICATES = 20


def child_seconds(*command: str) -> float:
    """The CPU time of a command and of all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def own_seconds(job: Callable[[], object]) -> float:
    """The median CPU time of a call, after a first one."""
    job()
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        job()
        times.append(time.process_time() - began)
    return median(times)


def install() -> Row:
    """Build and install from a clean clone."""
    with tempfile.TemporaryDirectory() as folder:
        clone, home = str(Path(folder) / "clone"), Path(folder) / "home"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), clone], check=True)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        seconds = child_seconds(str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", clone)
    return Row("pip install . (all cores)", seconds, goal=100.0)


def ask_once() -> Row:
    """One question to a file on the command line, beside its help."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "alarm.json")
        BifNetwork("alarm").ldag().save(path)
        command = str(Path(sys.executable).parent / "ldag")
        asked = median(child_seconds(command, "query", path, "HR") for _ in range(REPEATS))
        helped = median(child_seconds(command, "--help") for _ in range(REPEATS))
    return Row("ldag query alarm.json HR", asked, "ldag --help", helped, goal=0.2)


def predict_row() -> Row:
    """One row of a frame with many columns, half of its cells empty, beside the same question asked by names."""
    network = BifNetwork("pigs").ldag()
    frame, target = draw(network, 1, 0.5)
    given = {name: state for name, state in frame.iloc[0].items() if isinstance(state, str)}
    seconds = own_seconds(lambda: network.predict_proba(frame, target))
    query = own_seconds(lambda: network.query(target, given))
    return Row("predict_proba, one row of pigs", seconds, "query", query, goal=0.008)


def replicate(name: str, n_rows: int) -> Row:
    """One replicate of a bootstrap beside the search on the data."""
    data = ldag.read(BifNetwork(name).sample(n_rows, SEED))
    how = {"kappa": 0.1, "equivalent_sample_size": 1.0, "rng": 1, "n_jobs": 1, "progress": False}
    search = own_seconds(lambda: ldag.learn(data, **how))  # type: ignore[arg-type]
    boots = own_seconds(lambda: ldag.bootstrap(data, REPLICATES, **how)) / REPLICATES  # type: ignore[arg-type]
    return Row(f"bootstrap replicate, {name} x {n_rows:,}", boots, "learn", search, goal=1.5 * search)


def main(jobs: Sequence[str] = ()) -> None:
    """Measure and report, all jobs or those named; only all are kept."""
    known: dict[str, Callable[[], Row]] = {
        "install": install,
        "query": ask_once,
        "row": predict_row,
        "alarm": lambda: replicate("alarm", 1_000),
        "child": lambda: replicate("child", 5_000),
    }
    report("everyday", [known[name]() for name in jobs or known], keep=not jobs)


if __name__ == "__main__":
    main(sys.argv[1:])
