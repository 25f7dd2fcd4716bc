"""Reading large tables against pandas: CPU time, and the largest size of a process that does nothing else.

Run with ``python -m benchmarks.bench_data``; ``--large`` adds the Parquet file of 20 million rows.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import Row, report

WORDS = np.array(["never", "seldom", "often", "always"])
OURS = "import ldag; ldag.read(path)"
PANDAS = "import pandas as pd; f = pd.read_csv(path); f.groupby(list(f.columns)).size()"
MEASURED = (
    "import sys, time; path = sys.argv[1]; {job}; "
    "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM')); "
    "print(time.process_time(), int(peak.split()[1]) // 1024)"
)


def write_table(path: Path, n_rows: int, n_distinct: int, n_columns: int = 20) -> None:
    """Write rows drawn from some different ones, a million at a time."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    rng = np.random.default_rng(0)
    distinct = rng.integers(0, 4, (n_distinct, n_columns))
    writer = None
    for begin in range(0, n_rows, 1_000_000):
        rows = distinct[rng.integers(0, n_distinct, min(1_000_000, n_rows - begin))]
        part = pa.table({f"x{i}": WORDS[rows[:, i]] for i in range(n_columns)})
        if writer is None:
            make = csv.CSVWriter if path.suffix == ".csv" else parquet.ParquetWriter
            writer = make(path, part.schema)
        writer.write_table(part)
    assert writer is not None
    writer.close()


def measure(job: str, path: Path) -> tuple[float, int]:
    """Return the CPU seconds and the megabytes of a process that does one job."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED.format(job=job), str(path)], capture_output=True, text=True, check=True
    )
    seconds, megabytes = done.stdout.split()
    return float(seconds), int(megabytes)


def main() -> None:
    """Measure and report."""
    rows = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_table(path, 2_000_000, 150_000)
        ours, mine = measure(OURS, path)
        theirs, other = measure(PANDAS, path)
        job = f"CSV, 2 million rows x 20 columns ({mine} MB, pandas {other} MB)"
        rows.append(Row(job, ours, "pandas.read_csv + groupby", theirs, theirs))
        if "--large" in sys.argv:
            path = Path(folder) / "rows.parquet"
            write_table(path, 20_000_000, 150_000)
            seconds, megabytes = measure(OURS, path)
            rows.append(Row(f"Parquet, 20 million rows x 20 columns ({megabytes} MB)", seconds, goal=30.0))
    report("data", rows, ("duckdb", "pandas", "pyarrow"), keep="--keep" in sys.argv)


if __name__ == "__main__":
    main()
