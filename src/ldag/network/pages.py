"""Pages about a model as methods of it; they stand to the right, and are reached by the front door."""

import os
from typing import Any


class Presentable:
    """What a page can be written about: a network, a fit."""

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        data: Any = None,
        posterior: Any = "auto",
        title: str | None = None,
    ) -> None:
        """Write a report to send to somebody (.html or .md): `ldag.report`, which says what the arguments mean."""
        from ldag import report

        report(self, path, data=data, posterior=posterior, title=title)  # type: ignore[arg-type]  # a Fit or a Network

    def explore(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write a page (.html) in which states can be clicked: `ldag.explore`."""
        from ldag import explore

        explore(self, path, title=title)  # type: ignore[arg-type]  # a Fit or a Network
