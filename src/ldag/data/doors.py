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

    def several(self, name: str, value: str) -> str:
        """Spell one of several values of an option, such as ``keep=['id']`` or ``--keep id``."""
        return f"{name}=[{value!r}]" if self.door == "python" else self.option(name, value)

    def of_column(self, name: str, column: str, value: str) -> str:
        """Spell an option that is given by column, such as ``bins={'age': 4}`` or ``--bins age=4``."""
        if self.door == "python":
            return f"{name}={{{column!r}: {value}}}"
        return f"--{name} {_shell(column + '=' + value.strip('[]'))}"

    def two_spellings(self, column: str) -> str:
        """Say what to do if one number is spelled in two ways."""
        if self.door == "python":
            return f"say what they are with states={{{column!r}: [...]}}, as numbers or as texts"
        return f"spell it in one way, or {self.option('unusable', 'drop')} takes both for one state"


def _shell(value: str) -> str:
    """Quote what a shell would split."""
    plain = value and all(sign.isalnum() or sign in "_-.,=+:/%" for sign in value)
    return value if plain else '"' + value.replace('"', '\\"') + '"'
