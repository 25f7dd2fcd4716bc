"""The network door: `Network`."""

from ldag.network.answers import Answer as Answer
from ldag.network.answers import AnswerKey as AnswerKey
from ldag.network.answers import Averaged as Averaged
from ldag.network.answers import AveragedAnswer as AveragedAnswer
from ldag.network.answers import Compiled as Compiled
from ldag.network.answers import Estimated as Estimated
from ldag.network.answers import Marginals as Marginals
from ldag.network.answers import StateMapping as StateMapping
from ldag.network.arguments import DrawOptions as DrawOptions
from ldag.network.arguments import Finding as Finding
from ldag.network.arguments import Findings as Findings
from ldag.network.arguments import QueryOptions as QueryOptions
from ldag.network.arguments import Targets as Targets
from ldag.network.base import Learned as Learned
from ldag.network.door import Network as Network
from ldag.network.influence import BoundedStates as BoundedStates
from ldag.network.influence import Contrast as Contrast
from ldag.network.prediction import RowTable as RowTable
from ldag.network.prediction import Unseen as Unseen
from ldag.network.prediction import describe_unknown as describe_unknown
from ldag.network.prediction import row_log_probabilities as row_log_probabilities
from ldag.network.views import ClassParameters as ClassParameters
from ldag.network.views import ConditionalTable as ConditionalTable
from ldag.network.views import NodeParameters as NodeParameters
from ldag.network.views import class_intervals as class_intervals
