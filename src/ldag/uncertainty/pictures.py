"""Pictures of a posterior: its consensus, edges as wide as joining the two is probable, labels with theirs."""

from typing import Unpack

from ldag.drawing import Picture
from ldag.formats import Edge
from ldag.graph import Drawable, PictureOptions, absent_if
from ldag.reporting import Figure, Listing, write_fragment
from ldag.uncertainty.views import PosteriorViews


class PosteriorPictures(PosteriorViews, Drawable):
    """Drawing."""

    def picture(self, **options: Unpack[PictureOptions]) -> Picture:
        """Return the consensus graph with probabilities; for the library itself."""
        graph = self.consensus()
        chances = {(a, b): min(float(self.edge(a, b)) + float(self.edge(b, a)), 1.0) for a, b in graph.edges}
        notes: dict[Edge, list[str]] = {}
        for parent, child in graph.edges:
            others = [name for name in graph.parents(child) if name != parent]
            entries = [dict(zip(others, entry, strict=True)) for entry in sorted(graph.label(parent, child), key=str)]
            if entries:
                least = min(float(self.label(parent, child, context=entry)) for entry in entries)
                *lines, last = absent_if(graph.label_contexts(parent, child), graph.variables)
                notes[parent, child] = [*lines, f"{last} ({least:.2f})"]
        options.setdefault("probabilities", chances)
        options.setdefault("notes", notes)
        options.setdefault("title", "Edges more probable than not, as wide as it is probable that the two are joined")
        return graph.picture(**options)

    def _repr_html_(self) -> str:
        return write_fragment([Figure(self.to_svg()), Listing(str(self))])
