"""What structural EM goes through and ends with: graphs with parameters by EM, ways up, and where they ended."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ldag.errors import counted
from ldag.hook import Printable
from ldag.inference import CodedGaps, Completions
from ldag.learning.searches import GraphParents
from ldag.learning.structures import CountedFamily
from ldag.model import ClassTable, Structure
from ldag.scoring import ExpectedCounts, expect_configurations

SMALLEST_RISE = 1e-6
"""Nats: a bound that is higher by less is no better."""

GIVEN, AVAILABLE, COMPLETE, NOTHING = "given graph", "available cases", "complete rows", "nothing"
FURTHER = "drawn completion"
"""What starts are called; further ones have a number."""


class EMStart(NamedTuple):
    """One way up: where it began, the bound at its end, and the number of rounds."""

    name: str
    score: float
    n_rounds: int


@dataclass(frozen=True, repr=False)
class StructuralEM(Printable):
    """How a graph was learned from data with gaps."""

    starts: tuple[EMStart, ...]
    """In the order they were tried; the best score is that of the fit."""
    log_likelihood: float
    """Of the observed cells, under the parameters of the search."""
    n_with_gaps: float
    """Observations with gaps; a latent variable that nobody observed is none."""

    @property
    def best(self) -> EMStart:
        """The start whose graph was taken."""
        most = max(start.score for start in self.starts)
        return next(start for start in self.starts if start.score >= most - SMALLEST_RISE)

    @property
    def n_rounds(self) -> int:
        """Rounds of all starts together."""
        return sum(start.n_rounds for start in self.starts)

    def promise(self) -> str:
        """Say what is known of the graph."""
        starts = counted(len(self.starts), "start")
        return f"the best of {starts}, and no round of structural EM raises its bound; a better graph may exist"

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            "n_rounds": self.n_rounds,
            "log_likelihood": self.log_likelihood,
            "n_with_gaps": self.n_with_gaps,
            "best": self.best.name,
            "starts": [start._asdict() for start in self.starts],
        }

    def __repr__(self) -> str:
        starts, rounds = counted(len(self.starts), "start"), counted(self.n_rounds, "round")
        return f"<StructuralEM: {starts}, {rounds}, bound {self.best.score:.2f}>"

    def __str__(self) -> str:
        best, n_further = self.best, sum(start.name.startswith(FURTHER) for start in self.starts)
        told = [f"{one.name} {one.score:.2f}" for one in self.starts if not one.name.startswith(FURTHER)]
        if n_further:
            top = max(one.score for one in self.starts if one.name.startswith(FURTHER))
            told.append(f"{counted(n_further, FURTHER)} at most {top:.2f}")
        gaps = f"gaps in {counted(self.n_with_gaps, 'observation')}" if self.n_with_gaps else "latent variables"
        rounds = counted(self.n_rounds, "round")
        return f"{gaps}: structural EM, {rounds}; bound by start: {', '.join(told)}; taken: {best.name}"


@dataclass(frozen=True, eq=False)
class EMGraph:
    """A graph with parameters by EM, and what it makes of the gaps."""

    completions: Completions = field(repr=False)
    expected: ExpectedCounts
    log_likelihood: float
    score: float
    """The bound, with the log prior of the graph."""

    @property
    def structure(self) -> Structure:
        """The graph by number."""
        return self.completions.structure

    @property
    def probabilities(self) -> tuple[ClassTable, ...]:
        """The parameters."""
        return self.expected.weights

    @property
    def parents(self) -> GraphParents:
        """The parents of every node."""
        return tuple(family.parents for family in self.structure.families)

    def count_configurations(self, table: CodedGaps, n_threads: int) -> tuple[CountedFamily, ...]:
        """Return the families with their expected counts, a row per configuration of the parents."""
        counts = expect_configurations(self.structure, self.probabilities, table, n_threads)
        return tuple(map(CountedFamily, self.structure.families, counts))

    def plain(self) -> dict[str, object]:
        """Return what a checkpoint keeps."""
        return {
            **plain_structure(self.structure),
            "probabilities": [own.tolist() for own in self.probabilities],
            "entropy": self.expected.entropy,
            "log_likelihood": self.log_likelihood,
        }


@dataclass
class Way:
    """The way up from one start: where it is, the best so far, and how long that did not change."""

    name: str
    current: EMGraph
    best: EMGraph
    n_rounds: int = 0
    n_idle: int = 0

    def go_to(self, following: EMGraph) -> None:
        """Take a round's graph, which is kept if it is better."""
        self.current = following
        if following.score > self.best.score + SMALLEST_RISE:
            self.best, self.n_idle = following, 0
        else:
            self.n_idle += 1


def plain_structure(structure: Structure) -> dict[str, object]:
    """Return a graph as a checkpoint has it."""
    return {
        "parents": [list(family.parents) for family in structure.families],
        "classes": [family.partition.to_array().tolist() for family in structure.families],
    }
