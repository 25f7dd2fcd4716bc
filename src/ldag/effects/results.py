"""What is asked about an effect, and what is known of it: formulas and their reasons, or a proof that it has none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ldag.effects.formulas import Formula
from ldag.model import Model, Structure
from ldag.reasoning import Decision

States = Mapping[int, int]
"""States of variables, by number."""
Status = Literal["identified", "not identifiable", "unknown"]


@dataclass(frozen=True)
class EffectQuestion:
    """P(target | do(treatments), given, context), by number.

    A treatment that ``setting`` names is set to that state; the others are set to any, the formula being a function of
    it. ``given`` and ``target`` are axes of the formula, variables of the context are fixed.
    """

    target: tuple[int, ...]
    do: tuple[int, ...]
    given: tuple[int, ...] = ()
    context: States = field(default_factory=dict)
    setting: States = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Premise:
    """One independence that a step rests on: decided in the augmented graph, whose last node is the intervention."""

    structure: Structure
    decision: Decision


@dataclass(frozen=True, eq=False)
class Reason:
    """One step of a derivation: by which rule the question has this formula.

    ``steps`` are the questions that it was reduced to, in the order in which a reader should meet them.
    """

    rule: str
    question: EffectQuestion
    formula: Formula
    premises: tuple[Premise, ...] = ()
    steps: tuple["Reason", ...] = ()
    inserted: States = field(default_factory=dict)
    """States of further variables that the step conditions on, which make no difference."""
    adjusted: tuple[int, ...] = ()
    """Variables whose strata are summed over."""
    vanished: tuple[tuple[int, int], ...] = ()
    """Edges that vanish in the step's context, without which it would not hold."""


@dataclass(frozen=True, eq=False)
class CaseFormula:
    """A formula, and the states of treatments and given variables for which it holds: none of them, for all."""

    case: States
    formula: Formula
    reason: Reason


@dataclass(frozen=True)
class Hedge:
    """Two nested sets of one district that show a plain effect not to be identifiable (Shpitser and Pearl 2006)."""

    outer: frozenset[int]
    inner: frozenset[int]
    """Without treatments; ``outer`` has some."""
    target: frozenset[int] = frozenset()
    do: frozenset[int] = frozenset()


@dataclass(frozen=True)
class RankProof:
    """The effect is not a function of the table: at a random model a direction changes it and not the table."""

    latent_states: Mapping[int, int]
    """States that latent variables had."""
    rank: int
    """Of the derivatives of the observed table; with those of the effect it is larger."""
    n_parameters: int
    n_draws: int
    case: States = field(default_factory=dict)
    """The setting and the states of given variables for which it was shown."""
    cut: tuple[tuple[int, int], ...] = ()
    """Edges that make no difference in the models that show it: without them latents are harder to recover."""


@dataclass(frozen=True, eq=False)
class Twins:
    """Two models of the graph with one observed table and two effects: a proof that can be checked by hand."""

    models: tuple[Model, Model]
    """Over all variables, latent ones with the states that the proof needed."""
    setting: States
    """Where to look: states of treatments, of given variables and of the target."""
    given: States
    target: States
    effects: tuple[float, float]


EffectProof = Hedge | RankProof


@dataclass(frozen=True, eq=False)
class EffectOutcome:
    """What is known of an effect."""

    status: Status
    formulas: tuple[CaseFormula, ...] = ()
    """Formulas that together cover every setting if identified; otherwise those of the cases that are."""
    proof: EffectProof | None = None
    tried: tuple[str, ...] = ()
    """Of what is unknown: what was tried, in words."""
    is_cut: bool = False
    """Of what is unknown: whether the budget ended something that a larger one goes on with."""


@dataclass(frozen=True)
class Budget:
    """How far a decision goes before it says "unknown"."""

    cells: int = 2**22
    """Cells of the largest table that a premise or a rank test may build."""
    n_premises: int = 20_000
    """Independencies that may be asked for."""
    max_adjusted: int = 4
    """Variables whose strata are summed over at once."""
    max_inserted: int = 2
    """Further variables that one cell conditions on."""
    n_parameters: int = 2000
    """Of the largest model whose ranks are compared."""

    @classmethod
    def of(cls, cells: int) -> "Budget":
        """Return the budget with so many cells; the other limits grow and shrink with their root."""
        share = (cells / cls.cells) ** 0.5
        return cls(cells, max(1, round(cls.n_premises * share)), n_parameters=max(1, round(cls.n_parameters * share)))
