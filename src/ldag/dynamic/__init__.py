"""Networks over time: learned from panels, asked about what comes next."""

from ldag.dynamic.door import DynamicNetwork as DynamicNetwork
from ldag.dynamic.door import RolledUp as RolledUp
from ldag.dynamic.histories import CodedSeries as CodedSeries
from ldag.dynamic.learned import DynamicFit as DynamicFit
from ldag.dynamic.learned import DynamicScore as DynamicScore
from ldag.dynamic.learned import Slicing as Slicing
from ldag.dynamic.learned import check_has_arrows as check_has_arrows
from ldag.dynamic.learned import learn_panel as learn_panel
