"""Reading large tables against pandas: CPU time, and the largest size of a process that does nothing else.

Run with ``python -m benchmarks.bench_data``: a tenth of the rows; ``--large``: a CSV file of 2 million rows and a
Parquet file of 20 million, with 150,000 different ones, and CSV files of 2 million rows that hardly repeat, of words
and with decimals in every other column, beside `pandas.read_csv` alone; then a million rows of 50 categories in memory.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.harness import Row, report

WORDS = ("never", "seldom", "often", "always")
OURS = "import ldag; ldag.read(path)"
PANDAS = "import pandas as pd; f = pd.read_csv(path); f.groupby(list(f.columns)).size()"
PARSED = "import pandas as pd; pd.read_csv(path)"
CATEGORIES = """
import numpy as np, pandas as pd, polars as pl, ldag
names, rng = np.array(["never", "seldom", "often", "always"]), np.random.default_rng(31)
frame = pl.DataFrame({f"x{i}": pl.Series(names[rng.integers(0, 4, int(path))]).cast(pl.Categorical) for i in range(50)})
frame = frame if {is_polars} else frame.to_pandas()
ldag.read(frame[:100])
began = time.process_time()
ldag.read(frame)
print(time.process_time() - began)
"""
MEASURED = (
    "import sys, time; path = sys.argv[1]; {job}; "
    "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM')); "
    "print(time.process_time(), int(peak.split()[1]) // 1024)"
)


def write_table(path: Path, n_rows: int, n_distinct: int, n_columns: int = 20) -> None:
    """Have DuckDB write rows drawn from some different ones."""
    import duckdb

    words = ", ".join(f"'{word}'" for word in WORDS)
    cells = ", ".join(
        f"list_value({words})[CAST(1 + hash(d * {n_columns} + {i}) % {len(WORDS)} AS BIGINT)] AS x{i}"
        for i in range(n_columns)
    )
    kind = "FORMAT csv, HEADER" if path.suffix == ".csv" else "FORMAT parquet"
    drawn = f"SELECT hash(r) % {n_distinct} AS d FROM range({n_rows}) t(r)"
    duckdb.execute(f"COPY (SELECT {cells} FROM ({drawn})) TO '{path}' ({kind})")


def write_decimals(path: Path, n_rows: int) -> None:
    """Have DuckDB write words, and numbers with six decimals in every other column."""
    import duckdb

    words = ", ".join(f"'{word}'" for word in WORDS)
    cells = ", ".join(
        f"round(hash(r * 20 + {i}) / 1e15 - 9000, 6) AS x{i}"
        if i % 2
        else f"list_value({words})[CAST(1 + hash(r * 20 + {i}) % {len(WORDS)} AS BIGINT)] AS x{i}"
        for i in range(20)
    )
    duckdb.execute(f"COPY (SELECT {cells} FROM range({n_rows}) t(r)) TO '{path}' (FORMAT csv, HEADER)")


def category_rows(n_rows: int) -> list[Row]:
    """Read frames of categories that are in memory; both should take no more than what pandas' did."""
    rows = []
    for name in ("polars", "pandas"):
        job = "import sys, time; path = sys.argv[1]" + CATEGORIES.replace("{is_polars}", str(name == "polars"))
        command = [sys.executable, "-c", job, str(n_rows)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds = float(done.stdout)
        rows.append(Row(f"{name}, {n_rows:,} rows x 50 categories", seconds, goal=1.5 * n_rows / 1_000_000))
    return rows


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
    part = 1 if "--large" in sys.argv else 10
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        for n_distinct in (150_000 // part, 1 << 40):
            write_table(path, 2_000_000 // part, n_distinct)
            ours, mine = measure(OURS, path)
            theirs, other = measure(PANDAS, path)
            kind = "repeated" if n_distinct < 1 << 40 else "different"
            job = f"CSV, {2_000_000 // part:,} {kind} rows x 20 columns ({mine} MB, pandas {other} MB)"
            rows.append(Row(job, ours, "pandas.read_csv + groupby", theirs, theirs))
        for write, kind in ((lambda p, n: write_table(p, n, 1 << 40), "words"), (write_decimals, "half decimals")):
            write(path, 2_000_000 // part)
            ours, mine = measure(OURS, path)
            theirs, other = measure(PARSED, path)
            job = f"CSV, {2_000_000 // part:,} rows x 20 columns, {kind} ({mine} MB, pandas {other} MB)"
            rows.append(Row(job, ours, "pandas.read_csv", theirs, 3 * theirs))
        rows += category_rows(1_000_000 // part)
        path = Path(folder) / "rows.parquet"
        write_table(path, 20_000_000 // part, 150_000 // part)
        seconds, megabytes = measure(OURS, path)
        job = f"Parquet, {20_000_000 // part:,} rows x 20 columns ({megabytes} MB)"
        rows.append(Row(job, seconds, goal=30.0 / part))
    report("data", rows, ("duckdb", "pandas", "pyarrow"), keep="--keep" in sys.argv)


if __name__ == "__main__":
    main()
