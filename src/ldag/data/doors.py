"""How options are spelled to the person who reads a message: as arguments in Python, as options on the command line."""

from dataclasses import dataclass
from typing import Literal

Door = Literal["python", "command line"]
"""Where a table came in."""


@dataclass(frozen=True)
class Wording:
    """Spells options for one door."""

    door: Door = "python"

    def option(self, name: str, value: str | None = None) -> str:
        """Spell an option, with a value or without.

        Examples
        --------
        >>> Wording("python").option("missing", "drop"), Wording("command line").option("max_states")
        ("missing='drop'", '--max-states')
        """
        if self.door == "python":
            return f"{name}=" if value is None else f"{name}={value!r}"
        spelled = f"--{name.replace('_', '-')}"
        return spelled if value is None else f"{spelled} {_shell(value)}"

    def of_column(self, name: str, column: str, value: str) -> str:
        """Spell an option that is given by column, such as ``bins={'age': 4}`` or ``--bins age=4``."""
        if self.door == "python":
            return f"{name}={{{column!r}: {value}}}"
        return f"--{name} {_shell(column + '=' + value.strip('[]'))}"

    def leave_out(self, column: str) -> str:
        """Say how to leave a column out."""
        if self.door == "python":
            return "leave it out (columns= names those to read), or unusable='drop' leaves out all such columns"
        return f"leave {column!r} out of --columns"


def _shell(value: str) -> str:
    """Quote what a shell would split."""
    plain = value and all(sign.isalnum() or sign in "_-.,=+:/%" for sign in value)
    return value if plain else '"' + value.replace('"', '\\"') + '"'
