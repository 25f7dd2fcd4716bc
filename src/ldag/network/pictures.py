"""Pictures of a network: those of its graph."""

from typing import Unpack

from ldag.drawing import Picture
from ldag.graph import Drawable, PictureOptions
from ldag.network.base import NetworkBase


class NetworkPictures(NetworkBase, Drawable):
    """Drawing."""

    def picture(self, **options: Unpack[PictureOptions]) -> Picture:
        """Return what a picture shows, before any ink; for the library itself."""
        options.setdefault("forbidden", self.forbidden)
        return self.ldag.picture(**options)
