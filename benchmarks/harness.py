"""What all benchmarks share: timing on the CPU clock, a table with the machine and versions, and CSV results."""

import csv
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One measurement: the job, ours and the best peer's seconds, and the goal, each where there is one."""

    job: str
    seconds: float
    peer: str = ""
    peer_seconds: float | None = None
    goal: float | None = None

    @property
    def ratio(self) -> str:
        """How many times faster than the peer."""
        return f"{self.peer_seconds / self.seconds:.1f}x" if self.peer_seconds else ""

    @property
    def verdict(self) -> str:
        """Whether the goal was met, and by how much."""
        if self.goal is None:
            return ""
        return "met" if self.seconds <= self.goal else f"MISSED by {self.seconds / self.goal:.2f}x"


def cpu_seconds(job: Callable[[], object], repeats: int = 5, number: int = 1) -> float:
    """Return the least CPU time of one call, over some repeats of a number of calls."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(number):
            job()
        best = min(best, (time.process_time() - start) / number)
    return best


def report(name: str, rows: Sequence[Row], packages: Sequence[str] = (), keep: bool = True) -> None:
    """Print a table, and keep it as CSV unless told otherwise."""
    print(f"\n{name}: {machine(packages)}")
    width = max(len(row.job) for row in rows)
    print(f"  {'job':<{width}}  {'ours':>10}  {'goal':>10}  {'peer':>10}  {'ratio':>7}")
    for row in rows:
        cells = [spell_seconds(row.seconds), spell_seconds(row.goal), spell_seconds(row.peer_seconds)]
        numbers = "  ".join(f"{cell:>10}" for cell in cells)
        print(f"  {row.job:<{width}}  {numbers}  {row.ratio:>7}  {row.peer} {row.verdict}".rstrip())
    if not keep:
        return
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["job", "seconds", "goal", "peer", "peer_seconds", "verdict"])
        writer.writerows([r.job, r.seconds, r.goal, r.peer, r.peer_seconds, r.verdict] for r in rows)


def machine(packages: Sequence[str] = ()) -> str:
    """Say what was measured on, and with which versions."""
    return f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}{_versions(packages)}"


def spell_seconds(value: float | None) -> str:
    """Return a time with a unit that suits it, and nothing for one that is not known."""
    if value is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def _versions(packages: Sequence[str]) -> str:
    found = []
    for package in ("ldag", "numpy", *packages):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return "; " + ", ".join(found)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
