"""What every public value has in common: a short repr, and its text in a notebook."""

from ldag.reporting.document import Listing
from ldag.reporting.html import write_fragment


class ShownAsText:
    """A value whose text tells everything: its repr is the first line, and a notebook shows the text."""

    def __repr__(self) -> str:
        first = str(self).strip().partition("\n")[0].strip()
        return f"<{type(self).__name__}: {first}>"

    def _repr_html_(self) -> str:
        return write_fragment([Listing(str(self))])
