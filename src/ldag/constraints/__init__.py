"""What a learned graph must and must not have: `Constraints`, and the search space they leave."""

from ldag.constraints.given import Constraints as Constraints
from ldag.constraints.given import check_max_parents as check_max_parents
from ldag.constraints.given import read_edge as read_edge
from ldag.constraints.given import read_names as read_names
from ldag.constraints.slices import PanelRules as PanelRules
from ldag.constraints.space import FixedLabels as FixedLabels
from ldag.constraints.space import LabelRule as LabelRule
from ldag.constraints.space import LabelRules as LabelRules
from ldag.constraints.space import SearchSpace as SearchSpace
from ldag.constraints.space import check_result as check_result
from ldag.constraints.space import fix_labels as fix_labels
from ldag.constraints.space import search_space as search_space
