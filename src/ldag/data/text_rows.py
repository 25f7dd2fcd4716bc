"""Rows of text files as the engine keeps them: equal lines merged where they repeat, else every row, in little room."""

from contextlib import suppress
from dataclasses import dataclass, field

from ldag.data.database import Database, DatabaseError, quote_list, quote_name, quote_text

SAMPLE = 20_000
"""First rows that show whether lines repeat, and which texts a column has."""

FEW_ROWS = 1000
"""Rows up to which nothing needs to be saved."""

FEW_TEXTS = 250
"""Texts of a column in the sample up to which it is kept as numbers of texts: a byte a cell."""


@dataclass(frozen=True)
class LineSource:
    """A relation of whole lines ``l``, for files in which a line is a row, and the sign between cells."""

    relation: str
    separator: str


@dataclass
class TextRows:
    """Rows of text files, read once into a table of the engine by the first question.

    Merging whole lines costs a fifth of merging their cells, so where lines repeat they are merged before they are cut
    into cells. Where they do not, rows are kept in order, with texts of few values as an enumeration.
    """

    engine: Database
    source: str
    columns: tuple[str, ...]
    lines: LineSource | None = None
    _kept: set[str] = field(default_factory=set)

    def merged(self) -> str:
        """Return the relation to count in."""
        if "rows" in self._kept or "merged" in self._kept:
            return "rows" if "rows" in self._kept else "merged"
        if not self._looks_repeated():
            return self.ordered()
        if self.lines is not None:
            with suppress(DatabaseError):  # what is wrong is said when the rows are read cell by cell
                self._keep("merged", self._cut_lines(self.lines))
        if "merged" not in self._kept:
            columns = ", ".join(self.columns)
            self._keep("merged", f"SELECT {columns}, count(*) AS times FROM {self.source} GROUP BY {columns}")
        return "merged"

    def amount(self) -> str:
        """Return what counts rows in that relation."""
        return "sum(times)" if self.merged() == "merged" else "count(*)"

    def ordered(self) -> str:
        """Return a relation with a row per row, in order."""
        if "rows" not in self._kept:
            self._keep_rows()
        return "rows"

    def _keep(self, name: str, query: str) -> None:
        self.engine.run(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}")
        self._kept.add(name)

    def _cut_lines(self, lines: LineSource) -> str:
        """Return the query that merges lines and cuts each once; a line of another width is an error."""
        width = len(self.columns)
        cells = ", ".join(f"nullif(p[{place}], '') AS {name}" for place, name in enumerate(self.columns, start=1))
        return (
            f"SELECT {cells}, times FROM (SELECT CASE WHEN len(p) = {width} THEN p ELSE error('width') END AS p, times "
            f"FROM (SELECT string_split(l, {quote_text(lines.separator)}) AS p, times FROM "
            f"(SELECT l, count(*) AS times FROM {lines.relation} WHERE l <> '' GROUP BY l)))"
        )

    def _looks_repeated(self) -> bool:
        """Whether rows, or lines if they are rows, are at most half as many if equal ones are merged."""
        row, source = f"({', '.join(self.columns)})", self.source
        if self.lines is not None:
            row, source = "l", self.lines.relation
        try:
            n, different = self.engine.rows(
                f"SELECT count(*), count(DISTINCT {row}) FROM (SELECT * FROM {source} LIMIT {SAMPLE})"
            )[0]
            if n < SAMPLE or 2 * different <= n or self.lines is None:
                return bool(2 * different <= n or n < FEW_ROWS)
            n, different = self.engine.rows(f"SELECT count(*), approx_count_distinct(l) FROM {source}")[0]
            return bool(2 * different <= n)
        except DatabaseError:
            if self.lines is None:
                raise
            self.lines = None
            return self._looks_repeated()

    def _keep_rows(self) -> None:
        """Keep all rows; columns with few texts in the first rows as these texts' numbers, if no others follow."""
        types = self._few_texts()
        self._keep("rows", self._select(types))
        if not types:
            return
        gaps = self.engine.rows(f"SELECT {', '.join(f'count(*) - count({name})' for name in types)} FROM rows")[0]
        doubtful = [name for name, n in zip(types, gaps, strict=True) if n]
        if not doubtful:
            return
        tests = ", ".join(
            f"count(*) FILTER ({name} IS NOT NULL AND {_cast(name, types[name])} IS NULL)" for name in doubtful
        )
        unlisted = self.engine.rows(f"SELECT {tests} FROM {self.source}")[0]
        wrong = {name for name, n in zip(doubtful, unlisted, strict=True) if n}
        if wrong:
            self._keep("rows", self._select({name: kind for name, kind in types.items() if name not in wrong}))

    def _few_texts(self) -> dict[str, str]:
        """Return the types of columns whose first rows have few texts."""
        listed = ", ".join(f"list_sort(list(DISTINCT {name}) FILTER ({name} IS NOT NULL))" for name in self.columns)
        found = self.engine.rows(f"SELECT count(*), {listed} FROM (SELECT * FROM {self.source} LIMIT {SAMPLE})")[0]
        if found[0] < SAMPLE:  # no need to be thrifty
            return {}
        types = {}
        for name, texts in zip(self.columns, found[1:], strict=True):
            if texts and len(texts) <= FEW_TEXTS and not any("\0" in text for text in texts):
                kind = quote_name(f"texts of {name}")
                self.engine.run(f"CREATE TYPE {kind} AS ENUM ({quote_list(texts)})")
                types[name] = kind
        return types

    def _select(self, types: dict[str, str]) -> str:
        cells = [f"{_cast(name, types[name])} AS {name}" if name in types else name for name in self.columns]
        return f"SELECT {', '.join(cells)} FROM {self.source}"


def _cast(name: str, kind: str) -> str:
    """Return a cell as one of the texts, NULL for others; not of a bare column, which the reader would cast or fail."""
    return f"TRY_CAST(nullif({name}, '') AS {kind})"
