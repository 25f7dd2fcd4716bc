"""What the engine refuses, in our words."""

import duckdb
import pytest

from ldag.data.database import Database, DatabaseError
from ldag.errors import DataError


class Late:
    """A connection whose answers cannot be fetched."""

    def __init__(self, message: str) -> None:
        self.message = message

    def execute(self, query: str) -> "Late":
        """Do nothing yet."""
        del query
        return self

    def fetchall(self) -> object:
        """Fail as late as this."""
        raise duckdb.InvalidInputException(self.message)

    fetchnumpy = fetchall
    close = fetchall


@pytest.mark.parametrize(
    ("message", "kind", "told"),
    [
        ("Invalid Input Error: Invalid unicode (byte sequence mismatch)", DataError, "text that is not UTF-8 .*decode"),
        ("IO Error: gone", DatabaseError, "IO Error: gone"),
    ],
)
def test_errors_may_show_when_an_answer_is_fetched(message: str, kind: type[DataError], told: str) -> None:
    """They are ours then, too."""
    engine = Database()
    engine.connection = Late(message)  # type: ignore[assignment]  # an engine that fails
    for ask in (engine.rows, engine.arrays, engine.one):
        with pytest.raises(kind, match=told):
            ask("SELECT 1")
