"""Effects of interventions: identified through labels, proved not to be, bounded, estimated."""

from ldag.effects.adjusting import adjustment_sets as adjustment_sets
from ldag.effects.answering import BoundedAnswer as BoundedAnswer
from ldag.effects.effect import Effect as Effect
from ldag.effects.identifying import identify as identify
from ldag.effects.results import Budget as Budget
