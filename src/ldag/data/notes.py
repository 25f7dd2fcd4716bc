"""What reading did, in words that know what was lost."""

from typing import Literal

Loss = Literal["", "columns", "rows", "states"]
"""What a note says that is left out, if anything."""


class Note(str):
    """What reading did, in words; it knows what was ``lost``, and whether missing cells are what it tells of."""

    lost: Loss
    of_gaps: bool

    def __new__(cls, text: str, lost: Loss = "", of_gaps: bool = False) -> "Note":
        """Make a note of a text."""
        note = super().__new__(cls, text)
        note.lost, note.of_gaps = lost, of_gaps
        return note
