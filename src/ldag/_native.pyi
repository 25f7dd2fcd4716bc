from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Steps = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]
Nodes = Sequence[Sequence[int]]
Trace = list[tuple[int, float]]
FoundGraph = tuple[list[list[int]], float, Trace, bool, int, int]
FoundChain = tuple[int, list[list[int]], float, Trace, int, int]
GrownTree = tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.float64],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.float64],
    float,
    float,
]
OnProgress = Callable[[Mapping[str, float]], object]

class BadState(ValueError): ...

MAX_STATES: int
MAX_CELLS: int

class TextTable:
    def __init__(self, n_columns: int, decimal: str, merging: bool) -> None: ...
    def start(self, separator: str, has_header: bool) -> None: ...
    def feed(self, part: bytes, is_last: bool) -> tuple[str, int, int] | None: ...
    def cells(self, place: int) -> NDArray[np.int8] | NDArray[np.int16] | NDArray[np.int32] | NDArray[np.float64]: ...
    def texts(self, place: int) -> list[str]: ...
    @property
    def times(self) -> NDArray[np.int64]: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_kept(self) -> int: ...

class Columns:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        n_states: Sequence[int],
        weights: NDArray[np.int64] | NDArray[np.float64] | None = None,
        available: bool = False,
    ) -> None: ...
    def counts(self, variables: Sequence[int]) -> NDArray[np.int64] | NDArray[np.float64]: ...

class Structure:
    """Which partitions a family may have, and what follows from that: a row of cpp/families/structures.hpp."""

    @property
    def name(self) -> str: ...
    @property
    def classes(self) -> str:
        """What makes its classes, in a word."""
    @property
    def is_table(self) -> bool:
        """Whether no configurations share a distribution: nothing to search, and no labels to pay for."""
    @property
    def takes_fixed_labels(self) -> bool:
        """Whether constraints may fix the labels of its edges."""
    @property
    def takes_unlabelled(self) -> bool:
        """Whether constraints may forbid the labels of its edges."""
    @property
    def has_normalised_prior(self) -> bool:
        """Whether the sum of the prior over all its partitions is known, or a bound of it."""
    @property
    def has_leaf_prior(self) -> bool:
        """Whether its classes are leaves, each of which can have a sample size of its own."""
    @property
    def uses_order(self) -> bool:
        """Whether an order of the states of parents matters."""
    @property
    def has_greedy_prices(self) -> bool:
        """Whether the greedy search for several prices of a class is one search."""
    @property
    def has_label_steps(self) -> bool:
        """Whether each step of its greedy search adds an entry to a label."""
    @property
    def is_refined_to_the_best(self) -> bool:
        """Whether refining finds the best also on grids that are too large for enumeration, up to a limit."""
    def greedy_microseconds(self, n: float) -> float:
        """Return what the greedy search takes for a node of two states with so many configurations, as measured."""
    def unvisited_microseconds(self, n: float) -> float:
        """Return the same for configurations that no row visits."""

STRUCTURES: Mapping[str, Structure]

class FamilyScorer:
    def __init__(
        self,
        columns: Columns,
        equivalent_sample_size: float,
        parameter_saved: float,
        parameter_of_table: float,
        structure: str,
        labels: str,
        regular: bool,
        seed: int,
        n_restarts: int,
        cache_bytes: int,
        label_rules: Sequence[Sequence[tuple[int, Sequence[Sequence[tuple[int, int]]]]]] = [],
        ordered: Sequence[int] = [],
        normalised: bool = False,
        per_class: bool = False,
    ) -> None: ...
    def score(self, node: int, parents: Sequence[int]) -> float: ...
    def scores(
        self,
        nodes: NDArray[np.uint32],
        parents: NDArray[np.uint32],
        offsets: NDArray[np.int64],
        n_threads: int,
    ) -> NDArray[np.float64]: ...
    def scores_of_additions(self, node: int, parents: Sequence[int], further: Sequence[int]) -> list[float]: ...
    def scores_by_price(self, node: int, parents: Sequence[int], prices: Sequence[float]) -> list[float]: ...
    def log_predictives(
        self, parents: Nodes, fresh: Columns, smoothings: Sequence[tuple[float, bool]]
    ) -> list[float]: ...
    @property
    def cache_statistics(self) -> dict[str, int]: ...

def log_prior_sum(n_states: Sequence[int], class_lost: float) -> float: ...
def is_solved_exactly(parent_states: Sequence[int], n_states: int, structure: str) -> bool: ...
def optimise_family(
    counts: NDArray[np.float64],
    n_states: Sequence[int],
    equivalent_sample_size: float,
    class_lost: float,
    structure: str = "ldag",
    labels: str = "greedy",
    regular: bool = True,
    seed: int = 0,
    n_restarts: int = 10,
    fixed: Sequence[Sequence[int]] = [],
    ordered: Sequence[int] = [],
    per_class: bool = False,
) -> tuple[
    NDArray[np.int32],
    float,
    float,
    bool,
    Steps,
]: ...
def score_partition(
    counts: NDArray[np.float64],
    n_states: Sequence[int],
    equivalent_sample_size: float,
    class_lost: float,
    classes: NDArray[np.int32],
) -> tuple[float, float]: ...
def search_by_price(
    scorer: FamilyScorer,
    candidates: Nodes,
    required: Nodes,
    max_parents: Sequence[int],
    prices: Sequence[float],
    fresh: Columns,
    smoothings: Sequence[tuple[float, bool]],
) -> list[tuple[list[list[int]], list[float]]]: ...
def search_exact(
    scorer: FamilyScorer,
    candidates: Sequence[Sequence[int]],
    required: Sequence[Sequence[int]],
    max_parents: Sequence[int],
    n_threads: int,
    on_progress: OnProgress | None = None,
    resume: object = None,
    keep: Callable[[object], object] | None = None,
    keep_every: float = 1.0,
    time_limit: float | None = None,
) -> FoundGraph: ...
def rank_parent_sets(
    scorer: FamilyScorer,
    candidates: Nodes,
    required: Nodes,
    max_parents: Sequence[int],
    n_threads: int,
    on_progress: OnProgress | None = None,
    time_limit: float | None = None,
) -> list[tuple[list[int], list[float]]] | None: ...
def exact_cost(
    candidates: Sequence[Sequence[int]], required: Sequence[Sequence[int]], max_parents: Sequence[int]
) -> tuple[int, int]: ...
def search_chain(
    scorer: FamilyScorer,
    candidates: Nodes,
    required: Nodes,
    max_parents: Sequence[int],
    n_chains: int,
    n_iter: int,
    seed: int,
    n_threads: int,
    start: Nodes = ...,
    first_chain: int = 0,
    on_progress: OnProgress | None = None,
    resume: object = None,
    keep: Callable[[object], object] | None = None,
    keep_every: float = 1.0,
    time_limit: float | None = None,
) -> FoundGraph: ...

MAX_PERFECT: int

def search_perfect_exact(
    scorer: FamilyScorer,
    candidates: Nodes,
    max_parents: Sequence[int],
    n_threads: int,
    on_progress: OnProgress | None = None,
    time_limit: float | None = None,
) -> FoundGraph: ...
def search_perfect_climb(
    scorer: FamilyScorer,
    candidates: Nodes,
    max_parents: Sequence[int],
    n_restarts: int,
    seed: int,
    patience: int,
    start: Nodes,
    on_progress: OnProgress | None = None,
    resume: object = None,
    keep: Callable[[object], object] | None = None,
    keep_every: float = 1.0,
    time_limit: float | None = None,
) -> FoundGraph: ...
def search_climb(
    scorer: FamilyScorer,
    candidates: Nodes,
    required: Nodes,
    max_parents: Sequence[int],
    n_restarts: int,
    tabu_length: int,
    seed: int,
    n_threads: int,
    max_candidates: int,
    start: Nodes,
    on_progress: OnProgress | None = None,
    resume: object = None,
    keep: Callable[[object], object] | None = None,
    keep_every: float = 1.0,
    time_limit: float | None = None,
    patience: int = 0,
) -> FoundGraph: ...

TreeNumbers = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
FamilyClasses = Sequence[NDArray[np.int32] | TreeNumbers]

def classes_of_rows(
    tree: TreeNumbers, n_states: Sequence[int], codes: NDArray[np.uint8], n_threads: int
) -> NDArray[np.int32]: ...
def sample_rows(
    parents: Nodes,
    classes: FamilyClasses,
    probabilities: Sequence[NDArray[np.float64]],
    fixed: Sequence[int | None],
    order: Sequence[int],
    n_rows: int,
    seed: int,
    n_threads: int,
    weighted: bool,
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]: ...

class Circuit:
    @property
    def n_gates(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def root(self) -> int: ...
    @property
    def inputs(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]: ...
    @property
    def terms(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]: ...

class Evaluator:
    def __init__(self, circuit: Circuit, parameters: NDArray[np.float64]) -> None: ...
    def log_probabilities(self, rows: NDArray[np.uint8], n_threads: int) -> NDArray[np.float64]: ...
    def marginals(self, rows: NDArray[np.uint8], n_threads: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def most_probable(
        self, rows: NDArray[np.uint8], n_threads: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.float64]]: ...
    def expected_uses(self, row: NDArray[np.uint8], n_parameters: int) -> NDArray[np.float64]: ...
    def log_derivatives(self, row: NDArray[np.uint8], n_parameters: int) -> NDArray[np.float64]: ...

def compile_circuit(
    n_states: Sequence[int],
    parents: Nodes,
    classes: FamilyClasses,
    parameters: Sequence[NDArray[np.int32]],
    fixed: Sequence[int],
    order: Sequence[int],
    max_size: int,
) -> tuple[Circuit | None, list[int]]: ...
def improve_orders(
    n_states: Sequence[int],
    parents: Nodes,
    classes: FamilyClasses,
    parameters: Sequence[NDArray[np.int32]],
    fixed: Sequence[int],
    orders: Nodes,
    effort: float,
    largest: float,
) -> list[tuple[float, list[int], list[int]]]: ...
def count_products(
    n_states: Sequence[int],
    parents: Nodes,
    classes: FamilyClasses,
    parameters: Sequence[NDArray[np.int32]],
    fixed: Sequence[int],
    order: Sequence[int],
) -> float: ...
def number_values(table: NDArray[np.float64], first: int) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def expected_counts(
    circuit: Circuit,
    parameters: NDArray[np.float64],
    rows: NDArray[np.uint8],
    weights: NDArray[np.float64],
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def draw_completions(
    circuit: Circuit,
    parameters: NDArray[np.float64],
    rows: NDArray[np.uint8],
    repeats: NDArray[np.uint32],
    n_copies: int,
    seed: int,
    is_systematic: bool,
    n_threads: int,
) -> NDArray[np.uint8]: ...
def row_key(seed: int, row: NDArray[np.uint8], repeat: int) -> int: ...

class SumsTooLarge(Exception): ...

class Sums:
    def __init__(
        self,
        n_states: Sequence[int],
        parents: Sequence[Sequence[int]],
        classes: FamilyClasses,
        probabilities: Sequence[NDArray[np.float64]],
        is_normalised: bool = True,
    ) -> None: ...
    def with_probabilities(self, probabilities: Sequence[NDArray[np.float64]], is_normalised: bool) -> Sums: ...
    def expected_counts(
        self, rows: NDArray[np.uint8], weights: NDArray[np.float64], n_threads: int, max_bytes: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def plan(self) -> tuple[float, float, list[int]]: ...
    def marginals(
        self, seen: Sequence[int], likelihoods: Sequence[tuple[int, Sequence[float]]]
    ) -> tuple[float, NDArray[np.float64]]: ...
    def joint(
        self,
        targets: Sequence[int],
        seen: Sequence[int],
        likelihoods: Sequence[tuple[int, Sequence[float]]],
        max_bytes: float,
    ) -> tuple[float, NDArray[np.float64], float]: ...
    def row_posteriors(
        self, target: int, rows: NDArray[np.uint8], n_threads: int, max_bytes: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def log_probability(
        self, seen: Sequence[int], likelihoods: Sequence[tuple[int, Sequence[float]]], max_bytes: float
    ) -> tuple[float, float]: ...
    def most_probable(
        self,
        targets: Sequence[int],
        seen: Sequence[int],
        likelihoods: Sequence[tuple[int, Sequence[float]]],
        max_bytes: float,
    ) -> tuple[float, list[int]]: ...
    def draw(
        self,
        seen: Sequence[int],
        likelihoods: Sequence[tuple[int, Sequence[float]]],
        n_rows: int,
        seed: int,
        max_bytes: float,
    ) -> NDArray[np.uint16]: ...

def elimination_orders(
    n_states: Sequence[int], parents: Nodes, fixed: Sequence[int], n_tries: int, seed: int, n_best: int
) -> list[list[int]]: ...

MAX_DAG_NODES: int
MAX_EXACT_CELLS: int

class FamilyPosterior:
    def __init__(
        self,
        counts: NDArray[np.float64],
        n_states: Sequence[int],
        equivalent_sample_size: float,
        class_lost: float,
        structure: str,
        regular: bool,
        fixed: Sequence[Sequence[int]] = [],
    ) -> None: ...
    @property
    def log_sum(self) -> float: ...
    def all_inside(self, lines: Sequence[tuple[int, int]]) -> float: ...
    def together(self) -> NDArray[np.float64]: ...
    def n_classes(self) -> NDArray[np.float64]: ...
    def mean_distributions(self) -> NDArray[np.float64]: ...
    def draw(self, n_draws: int, seed: int) -> NDArray[np.int32]: ...

def log_weights(
    columns: Columns,
    settings: Sequence[tuple[str, float, float]],
    max_configurations: int,
    label_rules: Sequence[Sequence[tuple[int, Sequence[Sequence[tuple[int, int]]]]]],
    nodes: NDArray[np.uint32],
    parents: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    n_threads: int,
    on_progress: OnProgress | None = None,
) -> NDArray[np.float64]: ...

class DagPosterior:
    def __init__(
        self,
        sets: Sequence[NDArray[np.uint32]],
        log_weights: Sequence[NDArray[np.float64]],
        n_threads: int,
        on_progress: OnProgress | None = None,
    ) -> None: ...
    def finish(self, n_threads: int, on_progress: OnProgress | None = None) -> None: ...
    @property
    def has_evidence(self) -> bool: ...
    @property
    def is_complete(self) -> bool: ...
    @property
    def log_evidence(self) -> float: ...
    def parent_sets(self) -> list[NDArray[np.float64]]: ...
    def ancestors(self) -> NDArray[np.float64]: ...
    def draw(self, n_draws: int, seed: int) -> NDArray[np.uint32]: ...

def dag_posterior_bytes(n_nodes: int) -> float: ...
def run_coupled_chains(
    candidates: Nodes,
    sets: Sequence[NDArray[np.uint32]],
    log_weights: Sequence[NDArray[np.float64]],
    log_priors: Sequence[float],
    n_runs: int,
    n_rounds: int,
    thin: int,
    seed: int,
    n_threads: int,
    on_progress: OnProgress | None = None,
) -> list[
    tuple[
        list[list[NDArray[np.float64]]],
        NDArray[np.float64],
        NDArray[np.uint32],
        NDArray[np.uint32],
        list[float],
    ]
]: ...
def grow_trees(
    columns: Columns,
    candidates: Nodes,
    required: Nodes,
    max_parents: Sequence[int],
    max_leaves: Sequence[int],
    prior: str,
    equivalent_sample_size: float,
    log_kappa: float,
    splits: str,
    ordered: Sequence[int],
    levels: bool,
    choice_prices: Sequence[float],
    n_threads: int,
    on_progress: OnProgress | None = None,
    time_limit: float | None = None,
) -> tuple[list[GrownTree], int, bool]: ...

class testing:  # noqa: N801  (a module, of what tests alone call)
    @staticmethod
    def exact_partition(
        counts: NDArray[np.float64],
        n_states: Sequence[int],
        equivalent_sample_size: float,
        class_lost: float,
        structure: str,
        regular: bool,
        ordered: Sequence[int] = [],
    ) -> tuple[NDArray[np.int32], float]: ...
    @staticmethod
    def log_sum_partitions(
        counts: NDArray[np.float64],
        n_states: Sequence[int],
        equivalent_sample_size: float,
        class_lost: float,
        structure: str,
        regular: bool,
        ordered: Sequence[int] = [],
    ) -> float: ...
    @staticmethod
    def watch_perfect_climb(
        scorer: FamilyScorer, candidates: Nodes, max_parents: Sequence[int], n_restarts: int, seed: int
    ) -> list[list[list[int]]]: ...
    @staticmethod
    def log_gamma(x: float) -> float: ...
    @staticmethod
    def bound_score(
        counts: NDArray[np.float64], n_states: Sequence[int], equivalent_sample_size: float, class_lost: float
    ) -> float: ...
    @staticmethod
    def run_chains(
        scorer: FamilyScorer,
        candidates: Nodes,
        required: Nodes,
        max_parents: Sequence[int],
        n_chains: int,
        n_iter: int,
        seed: int,
        n_threads: int,
        start: Nodes = ...,
        first_chain: int = 0,
        on_progress: OnProgress | None = None,
    ) -> list[FoundChain]: ...
    @staticmethod
    def merge_chains(chains: Sequence[FoundChain], n_chains: int, n_iter: int) -> FoundGraph: ...
    @staticmethod
    def pool_families(
        n_nodes: int, families: tuple[Sequence[int], Nodes, Sequence[float]]
    ) -> tuple[list[int], list[list[int]], list[float]]: ...
    @staticmethod
    def search_orders(
        families: tuple[Sequence[int], Nodes, Sequence[float]],
        start: Nodes,
        n_kicks: int,
        seed: int,
        turns: bool = False,
    ) -> list[list[int]]: ...
    @staticmethod
    def estimate_additions(
        scorer: FamilyScorer, node: int, parents: Sequence[int], further: Sequence[int]
    ) -> list[float]: ...
    @staticmethod
    def look_around(
        scorer: FamilyScorer,
        candidates: Nodes,
        required: Nodes,
        max_parents: Sequence[int],
        graph: Nodes,
        close: Nodes,
    ) -> tuple[list[int], list[list[int]], list[float]]: ...
    @staticmethod
    def find_close(scorer: FamilyScorer, candidates: Nodes, most: int, n_threads: int) -> list[list[int]]: ...
