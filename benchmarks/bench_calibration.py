"""Whether a posterior's claims are true: simulated data whose graph is known, today's default beside one assumption.

Reliability of edges, of directions that are determined, of labels and of separations in contexts, and how often 90 %
intervals of queries and effects hold the truth. `python -m benchmarks.bench_calibration --sets 2` is a quick look.
"""

import argparse
import csv
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, NamedTuple

import numpy as np

import ldag
from benchmarks.harness import RESULTS, machine
from ldag.drawing import LineChart, Series, lay_out_charts, write_svg
from ldag.model import CodedFamily, Partition, Structure
from ldag.simulate import random_ldag, random_network
from ldag.uncertainty.choices import FEW_KAPPAS, SIZES
from ldag.uncertainty.families import FamilyLabels, Setting
from ldag.uncertainty.space import MAX_CONFIGURATIONS

N_SETS = 15
"""Data sets of each regime and number of rows: 15 times 15 together."""
TIMES_ASSUMED = 5
"""So many times more where all is as assumed, which is quick and tells most: 225 more."""
ASKED_ALL = 3
"""Of one in so many, also what takes longer is asked: directions, separations, queries and effects."""
CLAIMED = 0.9
INTERVAL = 0.9
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0 + 1e-9)
"""Of the bins of probabilities."""
N_QUESTIONS = 3
"""Queries and effects asked of each data set, and twice as many separations."""
N_ROUNDS = 60
"""Completed tables that each run keeps where there are gaps."""
N_DRAWS = 60
"""Graphs drawn for a separation or an interval."""

Rng = np.random.Generator
Assumed = Literal["averaged", "size 1, labels"]


class Claim(NamedTuple):
    """Something a posterior said, and whether it is so."""

    about: str
    probability: float
    is_true: bool


@dataclass(frozen=True)
class Regime:
    """How data come about, and what is asked of claims there."""

    name: str
    draw: Callable[[Rng], ldag.Network]
    n_rows: tuple[int, ...] = (200, 500, 2000)
    max_parents: int = 2
    edges_true: float = 0.93
    n_networks: int = N_DRAWS
    """Graphs drawn for an interval, with twice as many parameters: the ends of few lie a little too near each other."""
    is_assumed: bool = False
    """Whether all that is assumed holds, so that what is said with p is true with p, except for chance."""
    share_of_gaps: float = 0.0
    """Of the cells, what is missing, depending on other columns."""

    def draw_data(self, n_rows: int, rng: Rng) -> tuple[ldag.Network, ldag.Dataset]:
        """Return a network and data from it.

        A column that has one state in the data gets no edges, whatever the prior says: where all is as assumed, such
        data are drawn again.
        """
        while True:
            truth = self.draw(rng)
            data = truth.sample(n_rows, rng=rng)
            if self.share_of_gaps:
                data = ldag.simulate.gaps(data, self.share_of_gaps, "mar", rng=rng)
            if not (self.is_assumed and data.constant_nodes):
                return truth, data


def draw_by_size(sizes: Sequence[float]) -> Callable[[Rng], ldag.Network]:
    """Return what draws a labelled DAG, and parameters from the prior of one of some equivalent sample sizes."""

    def draw(rng: Rng) -> ldag.Network:
        density = float(rng.choice([0.0, 0.1, 0.3]))
        graph = random_ldag(6, n_states=(2, 4), max_parents=2, label_density=density, rng=rng)
        return draw_parameters(graph, float(rng.choice(sizes)), rng)

    return draw


def draw_parameters(graph: ldag.LDAG, size: float, rng: Rng) -> ldag.Network:
    """Return a network with parameters from the prior of an equivalent sample size."""
    tables = {}
    for variable, family in zip(graph.variables, graph.structure.families, strict=True):
        alphas = size * family.partition.sizes / (variable.n_states * family.partition.grid.size)
        tables[variable.name] = [rng.dirichlet(np.full(variable.n_states, alpha)).tolist() for alpha in alphas]
    return ldag.Network.from_parameters(graph, tables)


def draw_as_assumed(rng: Rng) -> ldag.Network:
    """Draw all that a posterior sums over from what it assumes: a DAG, labels or none, a sample size, parameters.

    Four variables with 2 to 5 states and at most 2 parents each, so up to 25 configurations.
    """
    n_states = tuple(rng.integers(2, 6, 4).tolist())
    size, kappa = float(rng.choice(SIZES)), float(rng.choice(FEW_KAPPAS))
    setting = Setting("table", 1.0, size) if rng.random() < 0.5 else Setting("normalised", kappa, size)
    arrows = np.ones((4, 4), dtype=np.int64)
    while np.linalg.matrix_power(arrows, 4).any() or arrows.sum(axis=0).max() > 2:  # until it is a DAG
        arrows = rng.integers(2, size=(4, 4))
    families = []
    for node in range(4):
        parents = tuple(np.flatnonzero(arrows[:, node]).tolist())
        labels = FamilyLabels(n_states, None, MAX_CONFIGURATIONS)
        grid = labels.grid(parents)
        labels.counts[node, parents] = np.zeros((grid.size, n_states[node]))
        classes = labels.of(node, parents, setting).draw(1, int(rng.integers(2**31)))[0]
        families.append(CodedFamily.from_partition(parents, Partition.of(grid, classes)))
    schema = ldag.LDAG.from_edges([], states={f"x{i}": range(n) for i, n in enumerate(n_states)}).schema
    return draw_parameters(ldag.LDAG(schema, Structure(n_states, tuple(families))), size, rng)


def draw_evenly(
    label_density: float, max_parents: int = 2, n_states: tuple[int, int] = (2, 4)
) -> Callable[[Rng], ldag.Network]:
    """Return what draws a labelled DAG, and every distribution evenly from all: no one sample size holds."""

    def draw(rng: Rng) -> ldag.Network:
        graph = random_ldag(6, n_states=n_states, max_parents=max_parents, label_density=label_density, rng=rng)
        return random_network(graph, rng=rng)

    return draw


REGIMES = (
    Regime("an assumed size (1, 10, 30)", draw_by_size((1.0, 10.0, 30.0))),
    Regime("another size (3, 60)", draw_by_size((3.0, 60.0))),
    Regime("random labels, any size", draw_evenly(0.3)),
    Regime("no labels, any size", draw_evenly(0.0)),
    Regime("more than 16 configurations", draw_evenly(0.0, 3, (3, 4)), (500, 2000, 10_000), 3, 0.88),
    Regime("all as assumed", draw_as_assumed, n_networks=150, is_assumed=True),
    Regime("all as assumed, gaps", draw_as_assumed, (200, 1000), n_networks=150, is_assumed=True, share_of_gaps=0.2),
)


def assume(assumed: Assumed, data: ldag.Dataset, max_parents: int) -> ldag.Posterior:
    """Return the posterior by default, or the one that assumes labels and a sample size of 1."""
    if assumed == "averaged":
        n_rounds = N_ROUNDS if data.has_gaps else None
        return ldag.posterior(data, max_parents=max_parents, n_rounds=n_rounds, n_jobs=1, progress=False)
    one = {"kappa": "evidence", "prior": "normalised", "equivalent_sample_size": 1}
    return ldag.posterior(data, max_parents=max_parents, n_jobs=1, progress=False, **one)  # type: ignore[call-overload, no-any-return]


def judge(post: ldag.Posterior, truth: ldag.Network, n_networks: int, rng: Rng) -> Iterator[Claim]:
    """Go through what a posterior says of everything that is known; what takes longer only with some networks."""
    graph = truth.ldag
    edges = set(graph.edges)
    for edge in post.edges:
        pair = edge.parent, edge.child
        yield Claim("edge", edge.probability, pair in edges)
        if n_networks:
            yield Claim("direction determined", float(post.determined(*pair)), pair in edges)
        if edge.parent < edge.child:
            yield Claim("joined", edge.either_direction, pair in edges or pair[::-1] in edges)
    for label in post.labels(0.1):
        pair, context = (label.parent, label.child), dict(label.context)
        is_there = pair in edges and all(name in graph.parents(label.child) for name in context)
        yield Claim("label", label.probability, is_there and pair not in graph.context_graph(context).edges)
    if n_networks:
        yield from _judge_statements(post, graph, rng)
        yield from _judge_answers(post, truth, n_networks, rng)


def _judge_statements(post: ldag.Posterior, graph: ldag.LDAG, rng: Rng) -> Iterator[Claim]:
    names = [variable.name for variable in graph.variables]
    for _ in range(2 * N_QUESTIONS):
        a, b, c = rng.permutation(names)[:3].tolist()
        context = {c: int(rng.integers(graph.schema[graph.schema.node(c)].n_states))}
        said = post.csi_separated(a, b, context=context, n_draws=N_DRAWS)
        yield Claim("separated in a context", float(said), graph.csi_separated(a, b, context=context))


def _judge_answers(post: ldag.Posterior, truth: ldag.Network, n_networks: int, rng: Rng) -> Iterator[Claim]:
    """Ask for intervals of conditional probabilities and of effects; a claim here is that the interval holds it."""
    n_states = {variable.name: variable.n_states for variable in truth.variables}
    pairs = list(permutations(n_states, 2))
    for number in rng.choice(len(pairs), N_QUESTIONS, replace=False).tolist():
        x, y = pairs[number]
        given, other = ({x: int(code)} for code in rng.permutation(n_states[x])[:2])
        state = int(rng.integers(n_states[y]))
        _, low, high = post.query(y, given, interval=INTERVAL, n_draws=n_networks, rng=1)[state]
        yield Claim("interval of a query", INTERVAL, low - 1e-12 <= truth.query(y, given)[state] <= high + 1e-12)
        effect = truth.query(y, do=given)[state] - truth.query(y, do=other)[state]
        said = post.contrast({y: state}, do=given, against=other, interval=INTERVAL, n_draws=n_networks, rng=1)
        _, low, high = said["difference"]
        is_none = abs(effect) < 1e-12
        yield Claim("interval of an effect", INTERVAL, low - 1e-12 <= effect <= high + 1e-12)
        if not low <= 0 <= high:
            yield Claim("effect is not zero", INTERVAL, not is_none)
        if is_none:
            yield Claim("no effect is called one", INTERVAL, not low <= 0 <= high)


def simulate(regime: Regime, n_rows: int, n_sets: int) -> dict[Assumed, list[Claim]]:
    """Draw data sets, and collect what both posteriors say of them; where all is as assumed, only the default."""
    claims: dict[Assumed, list[Claim]] = (
        {"averaged": []} if regime.is_assumed else {"size 1, labels": [], "averaged": []}
    )
    for number in range(TIMES_ASSUMED * n_sets if regime.is_assumed else n_sets):
        rng = np.random.default_rng([REGIMES.index(regime), n_rows, number])
        truth, data = regime.draw_data(n_rows, rng)
        n_networks = regime.n_networks if regime.is_assumed or number % ASKED_ALL == 0 else 0
        for assumed, own in claims.items():
            post = assume(assumed, data, regime.max_parents)
            own.extend(judge(post, truth, n_networks, np.random.default_rng(number)))
    return claims


class Bin(NamedTuple):
    """What was said with about one probability: how often, the mean of it, and the share that is true."""

    about: str
    low: float
    high: float
    n: int
    said: float
    true: float


def bin_claims(claims: Sequence[Claim]) -> Iterator[Bin]:
    """Go through the claims of each kind by their probability."""
    kinds = defaultdict(list)
    for claim in claims:
        place = int(np.digitize(claim.probability, EDGES)) - 1
        kinds[claim.about, place].append(claim)
    for (about, place), own in sorted(kinds.items()):
        said, true = (float(np.mean(values)) for values in zip(*((c.probability, c.is_true) for c in own), strict=True))
        yield Bin(about, EDGES[place], min(EDGES[place + 1], 1.0), len(own), said, true)


def tell(regime: Regime, n_rows: int, claims: dict[Assumed, list[Claim]], seconds: float) -> None:
    """Print what was said above 0.9 and the intervals, both ways."""
    print(f"\n{regime.name}, {n_rows:,} rows ({seconds:.0f} s of CPU); goal for edges {regime.edges_true}")
    binned = {
        assumed: {one.about: one for one in bin_claims(own) if one.high == 1.0} for assumed, own in claims.items()
    }
    for about in sorted(set().union(*binned.values())):
        cells = []
        for assumed in claims:
            one = binned[assumed].get(about)
            cells.append(f"{assumed}: " + ("none" if one is None else f"{one.n:4d} said, {one.true:.3f} true"))
        print(f"  {about:24s} {'   '.join(cells)}", flush=True)


def draw_reliability() -> str:
    """Return the picture of the table, where both were asked: how often it is so over how probable it was said."""
    asked_both = {regime.name for regime in REGIMES if not regime.is_assumed}
    with (RESULTS / "calibration.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["regime"] in asked_both]
    charts = []
    for about in ("edge", "joined", "direction determined", "label", "separated in a context"):
        series = [Series("as said", [0.0, 1.0], [0.0, 1.0])]
        for assumed in ("size 1, labels", "averaged"):
            points = []
            for low in EDGES[:-1]:
                own = [r for r in rows if r["claim"] == about and r["assumed"] == assumed and float(r["low"]) == low]
                n = sum(int(r["n"]) for r in own)
                if n >= 10:
                    points.append([sum(int(r["n"]) * float(r[key]) for r in own) / n for key in ("said", "true")])
            if points:
                series.append(Series(assumed, [said for said, _ in points], [true for _, true in points]))
        charts.append(LineChart(about, series, "said", "true"))
    return write_svg(lay_out_charts(charts, title="How probable it was said to be, and how often it was so", columns=3))


def main() -> None:
    """Simulate, print, and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=N_SETS, help="data sets of each regime and number of rows")
    parser.add_argument("--only", help="regimes whose name holds that; nothing is kept then")
    given = parser.parse_args()
    print(f"calibration: {machine()}; {given.sets} sets of each regime and number of rows")
    rows = []
    for regime in REGIMES:
        if given.only is not None and given.only not in regime.name:
            continue
        for n_rows in regime.n_rows:
            start = time.process_time()
            claims = simulate(regime, n_rows, given.sets)
            tell(regime, n_rows, claims, time.process_time() - start)
            for assumed, own in claims.items():
                rows += [[regime.name, n_rows, assumed, *one] for one in bin_claims(own)]
            if given.only is None and given.sets == N_SETS:
                keep(rows)


def keep(rows: Sequence[Sequence[object]]) -> None:
    """Write the table."""
    with (RESULTS / "calibration.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["regime", "rows", "assumed", "claim", "low", "high", "n", "said", "true"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
