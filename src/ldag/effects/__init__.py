"""Effects of interventions: identified through labels, proved not to be, bounded, estimated."""

from ldag.effects.effect import Effect as Effect
from ldag.effects.identifying import identify as identify
