"""What the paper says of its experiments, asked of these results: whether it holds, and by which numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from experiments.paper.cells import Row
from experiments.paper.published import HEART_RHO, HEART_RHO_DEVIATION
from experiments.paper.tables import group, numbers, quartiles

DEVIATIONS = 3
"""How many standard deviations rho may be from its mean over partitions into folds."""


TIE = 1e-6
"""Scores closer than this are equal."""


@dataclass(frozen=True)
class Statement:
    """A sentence, whether it holds, and the numbers that say so."""

    claim: str
    holds: bool
    numbers: str

    def __str__(self) -> str:
        return f"{'yes' if self.holds else 'NO '}  {self.claim}: {self.numbers}"


def check_heart(rows: Sequence[Row]) -> Iterator[Statement]:
    """Hold Table 1 against the paper's."""
    for (method,), some in group(rows, "method").items():
        known = [row for row in some if row["paper_score"] is not None]
        scores = sum(f"{row['score']:.2f}" == f"{row['paper_score']:.2f}" for row in known)
        sizes = sum(all(row[name] == row[f"paper_{name}"] for name in _SIZES) for row in known)
        yield Statement(
            f"by {method}, score, edges and dimensions are the paper's",
            scores == sizes == len(known),
            f"{scores} of {len(known)} scores, {sizes} of {len(known)} edges and dimensions",
        )
        far = max((abs(float(row["rho"] or 0) - HEART_RHO[float(row["kappa"] or 0)]) for row in known), default=0.0)
        limit = DEVIATIONS * HEART_RHO_DEVIATION
        yield Statement(
            f"by {method}, rho is an ordinary draw of the partition into folds",
            far <= limit,
            f"{far:.2f} from the mean of many partitions at most; {limit:.2f} are three standard deviations",
        )


_SIZES = ("edges", "dag_dimension", "dimension")


def check_simulation(rows: Sequence[Row], generator: str) -> Iterator[Statement]:
    """Hold the simulations against what the paper says of them."""
    sizes = sorted({int(size) for size in numbers(rows, "n")})
    largest = [row for row in rows if row["n"] == sizes[-1] and row["kappa"] == 0.1]
    if largest:
        found, skeleton = (sum(numbers(largest, name)) for name in ("found", "same_skeleton"))
        yield Statement(
            f"{generator}: with {sizes[-1]:,} rows and kappa 0.1 the true DAG is found in 80 % of the draws",
            found >= 0.8 * len(largest),
            f"{found:.0f} of {len(largest)}, its edges without direction in {skeleton:.0f}",
        )
    missed = [row for row in rows if not row["found"] and row.get("true_score") is not None]
    if missed:
        beaten = sum(float(row["score"] or 0) > float(row["true_score"] or 0) + TIE for row in missed)
        yield Statement(
            f"{generator}: where another graph was learned, it scores better than the true DAG with its best labels",
            beaten == len(missed),
            f"{beaten} of {len(missed)}; in the others the search missed the better graph",
        )
    chosen = _by_size([row for row in rows if row["chosen"]], sizes)
    yield Statement(
        f"{generator}: the median divergence falls with every doubling of the rows",
        all(a >= b for a, b in pairwise(chosen)),
        ", ".join(f"{kl:.4f}" for kl in chosen),
    )
    plain = _by_size([row for row in rows if row["kappa"] == min(numbers(rows, "kappa"))], sizes)
    if generator == "ldag":
        pairs = [(n, a, b) for n, a, b in zip(sizes, chosen, plain, strict=True) if n >= 500]
        yield Statement(
            "ldag: from 500 rows on, the median divergence of the chosen LDAG is at or below the DAG's",
            all(a <= b for _, a, b in pairs),
            ", ".join(f"n = {n:,}: {a:.4f} against {b:.4f}" for n, a, b in pairs),
        )
        saved = quartiles(numbers(largest, "saved"))
        yield Statement(
            f"ldag: with {sizes[-1]:,} rows and kappa 0.1 labels save about 20 parameters, the true number",
            15 <= saved[1] <= 25,
            f"median {saved[1]:.1f}, quartiles {saved[0]:.1f} and {saved[2]:.1f}",
        )


def _by_size(rows: Sequence[Row], sizes: Sequence[int]) -> list[float]:
    return [quartiles(numbers([row for row in rows if row["n"] == size], "kl"))[1] for size in sizes]
