"""Parquet files as tables that the engine keeps: values of columns, rows in order, and rows merged where they lie."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ldag._native import MAX_STATES
from ldag.data.columns import Column, Positions
from ldag.data.database import PATTERN, Database, DatabaseError, column_at, quote_list, quote_text, quote_value
from ldag.data.tables import LISTED, Distinct, Survey, Table, check_column_names
from ldag.data.text_files import FileSource
from ldag.data.writing import ORDERS_KEY
from ldag.errors import DataError
from ldag.model import Cuts, Variable

DATE = (
    r"[0-9]{4}(-(0[1-9]|1[0-2])-|/(0[1-9]|1[0-2])/)(0[1-9]|[12][0-9]|3[01])"
    r"([T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)? ?(Z|[+-][0-9]{2}(:?[0-5][0-9])?)?)?"
)
"""What `date_text` takes for a date, in the words of the engine."""

_WHOLE = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
KEY_BITS = 62


@dataclass
class DatabaseTable:
    """A relation of the engine, which is scanned again for each question: that is cheap for columnar files.

    Its columns are called by their places (`column_at`), so that no name can be mistaken for one of ours. Rows that do
    not meet the ``condition`` are not counted.
    """

    engine: Database
    source: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    categories: dict[str, tuple[list[object], bool]] = field(default_factory=dict)
    condition: str | None = None
    notes: tuple[str, ...] = ()
    _types: set[str] = field(default_factory=set)
    _surveys: dict[int, Survey] = field(default_factory=dict)

    @cached_property
    def n_rows(self) -> int:
        """How many rows there are, counted when it is asked."""
        return int(self.engine.one(f"SELECT count(*) FROM {self._rows()}"))

    def survey(self, place: int) -> Survey:
        """Return the different values of a column."""
        if place not in self._surveys:
            self._surveys[place] = self._count_values(place)
        return self._surveys[place]

    def column(self, place: int) -> Column:
        """Return a column row by row, in the order of the source."""
        rows = self.source
        survey = self.survey(place)
        if survey.measured is None and survey.n_values <= LISTED:
            positions = self.engine.arrays(f"SELECT {self._digit(place)} - 1 AS p FROM {rows}")[0]
            return self._column(place, survey.column.values, self._positions(place, positions))
        if survey.measured is not None and survey.measured[0].dtype == np.float64:
            numbers = self.engine.arrays(f"SELECT coalesce({self._number(place)}, 'nan'::DOUBLE) AS x FROM {rows}")[0]
            values, positions = np.unique(numbers, return_inverse=True)
            return self._column(place, values.tolist(), positions)
        cells = [row[0] for row in self.engine.rows(f"SELECT {self._cell(place)} FROM {rows}")]
        return self._column(place, *_number_cells(cells))

    def merge(self, places: Sequence[int], cut: Sequence[Variable | None]) -> tuple[list[Column], NDArray[np.int64]]:
        """Merge equal rows: every cell becomes a small number, rows become whole keys, and keys are counted.

        Measurements that are not cut, and texts of any number, stand beside the keys as they are.
        """
        raw = [
            i
            for i, (place, variable) in enumerate(zip(places, cut, strict=True))
            if variable is None and self._is_wide(place)
        ]
        small = [i for i in range(len(places)) if i not in raw]
        digits, sizes = self._digits([places[i] for i in small], [cut[i] for i in small])
        runs = _group_digits(sizes)
        chosen = {f"r{i}": self._raw_cell(places[i]) for i in raw}
        chosen |= {f"k{i}": _pack(digits[begin:end], sizes[begin:end]) for i, (begin, end) in enumerate(runs)}
        selected = ", ".join(f"{cell} AS {name}" for name, cell in chosen.items())
        names = ", ".join(chosen)
        *counted, times = self.engine.arrays(
            f"SELECT {selected}, count(*) AS n FROM {self._rows()} GROUP BY {names} ORDER BY {names}"
        )
        columns = {i: self._raw_column(places[i], cells) for i, cells in zip(raw, counted, strict=False)}
        unpacked: list[Positions] = []
        for (begin, end), packed in zip(runs, counted[len(raw) :], strict=True):
            unpacked += _unpack(packed, sizes[begin:end])
        for i, positions in zip(small, unpacked, strict=True):
            place, variable = places[i], cut[i]
            columns[i] = (
                self._column(place, self.survey(place).column.values, self._positions(place, positions))
                if variable is None
                else Column(self.names[place], list(variable.states), positions)
            )
        return [columns[i] for i in range(len(places))], times.astype(np.int64)

    def _digits(self, places: Sequence[int], cut: Sequence[Variable | None]) -> tuple[list[str], list[int]]:
        """Return cells as small numbers, and how many each can be."""
        digits, sizes = [], []
        for place, variable in zip(places, cut, strict=True):
            digits.append(self._digit(place) if variable is None else self._bin(place, variable.cuts))
            n_values = (
                self._span(place) or len(self.survey(place).column.values) if variable is None else variable.n_states
            )
            sizes.append(n_values + 1)
        return digits, sizes

    def _is_wide(self, place: int) -> bool:
        """Whether a column has more values than states can be."""
        survey = self.survey(place)
        return survey.measured is not None or survey.n_values > MAX_STATES

    def _raw_cell(self, place: int) -> str:
        """Return a cell as it is, something of its kind that no cell is where it is missing."""
        kind = self.types[place]
        is_number = kind in {"BOOLEAN", "FLOAT", "DOUBLE", *_WHOLE} or kind.startswith("DECIMAL")
        return f"coalesce({self._number(place)}, 'nan'::DOUBLE)" if is_number else f"coalesce({self._cell(place)}, '')"

    def _raw_column(self, place: int, cells: NDArray[Any]) -> Column:
        """Return a column of cells that were counted as they are."""
        values, positions = np.unique(cells, return_inverse=True)
        listed: list[object] = (
            [value or None for value in values.tolist()] if values.dtype == object else values.tolist()
        )
        return self._column(place, listed, positions)

    def complete(self, places: Sequence[int], variables: Sequence[Variable | None]) -> tuple[Table, float]:
        """Return the table of rows without a gap in some columns, and their share; what it is asked for is counts."""
        tests = [f"{self._cell(place)} IS NOT NULL" for place in places]
        del variables  # gaps are no texts here
        part = replace(self, condition=" AND ".join(tests), categories=dict(self.categories), _surveys={})
        return part, part.n_rows / self.n_rows

    def _column(self, place: int, values: list[object], positions: Positions | None = None) -> Column:
        """Return a column of values, with its rows or without."""
        name = self.names[place]
        declared, ordered = name in self.categories, self.categories.get(name, ([], False))[1]
        dates = _is_date(self.types[place])
        ordered = ordered or self.types[place] in _CLOCKS
        return Column(
            name,
            values,
            np.zeros(0, np.int64) if positions is None else positions,
            declared=declared,
            ordered=ordered,
            dates=dates,
            locate=lambda wanted: self._first_row(place, wanted),
        )

    def _first_row(self, place: int, values: Sequence[object]) -> int | None:
        """Return the first row, from 1, that has one of these values; None stands for a gap."""
        cell = self._cell(place)
        tests = [f"{cell} IS NULL"] if None in values else []
        tests += [f"{cell} = {quote_value(value)}" for value in values if value is not None]
        row = self.engine.one(
            f"SELECT min(r) FROM (SELECT row_number() OVER () AS r, {column_at(place)} FROM {self.source}) "
            f"WHERE {' OR '.join(tests)}"
        )
        return None if row is None else int(row)

    def _rows(self) -> str:
        """Return the relation to count in."""
        return self.source if self.condition is None else f"(SELECT * FROM {self.source} WHERE {self.condition})"

    def _count_values(self, place: int) -> Survey:
        self._check_kind(place)
        cell = self._cell(place)
        listed = self.engine.rows(
            f"SELECT {cell} AS v, count(*) AS n FROM {self._rows()} GROUP BY v LIMIT {LISTED + 2}"
        )
        if len(listed) > LISTED + 1:
            return self._wide_survey(place)
        times = dict(listed)
        n_null = times.pop(None, 0)
        values = sorted(times)
        known, _ = self.categories.get(self.names[place], (None, False))
        if known is not None and set(values) <= set(known):
            values = known
        else:
            self.categories.pop(self.names[place], None)
        counts = np.array([n_null, *(times.get(value, 0) for value in values)], dtype=np.int64)
        return Survey(self._column(place, values), counts, len(times))

    def _wide_survey(self, place: int) -> Survey:
        """Survey a column of so many values that it is a measurement or no variable."""
        self.categories.pop(self.names[place], None)
        cell = self._cell(place)
        total = self.n_rows
        measured = self._measure(place)
        if measured is not None:
            values, times = measured
            return Survey.of_numbers(self._column(place, values[:3].tolist()), total - int(times.sum()), values, times)
        n_values, n_given = self.engine.rows(
            f"SELECT count(DISTINCT {cell}), count(*) FROM {self._rows()} WHERE {cell} IS NOT NULL"
        )[0]
        examples = self.engine.rows(f"SELECT DISTINCT {cell} AS v FROM {self._rows()} ORDER BY v LIMIT 3")
        column = self._column(place, [row[0] for row in examples])
        return Survey.of_examples(column, total - int(n_given), int(n_given), int(n_values))

    def _check_kind(self, place: int) -> None:
        name, kind = self.names[place], self.types[place]
        if kind in _KNOWN or kind.startswith(("DECIMAL", "ENUM", "TIMESTAMP")):
            return
        example = self.engine.one(f"SELECT any_value(CAST({column_at(place)} AS VARCHAR)) FROM {self._rows()}")
        raise DataError(
            f"column {name!r} holds {example!r} ({kind.lower()}); a state is a string, a finite number or a "
            "boolean: convert the column, for instance to strings"
        )

    def _measure(self, place: int) -> tuple[Distinct, NDArray[np.int64]] | None:
        """Return the different numbers or dates in order and how often they occur; None if there are other cells."""
        cell = self._cell(place)
        known = f"{cell} IS NOT NULL"
        if self.types[place] == "BOOLEAN":
            return None
        if self.types[place] == "VARCHAR":
            dates, value = True, _iso_of_text(f"trim({cell})")
            if not self._matches_all(known, f"trim({cell})", DATE):
                return None
        else:
            dates = _is_date(self.types[place])
            value = cell if dates else self._number(place)
            known += "" if dates else f" AND {value} IS NOT NULL"
        rows = f"SELECT {value} AS v, count(*) AS n FROM {self._rows()} WHERE {known} GROUP BY v ORDER BY v"
        if dates:
            days = self.engine.rows(rows)
            return np.array([v for v, _ in days], dtype=object), np.array([n for _, n in days], dtype=np.int64)
        values, times = self.engine.arrays(rows)
        if not np.isfinite(values).all():
            shown = values[~np.isfinite(values)][0]
            raise DataError(f"column {self.names[place]!r} holds {shown}; a measurement is a finite number")
        return values.astype(np.float64) + 0.0, times.astype(np.int64)

    def _matches_all(self, known: str, cell: str, pattern: str) -> bool:
        return not self.engine.rows(
            f"SELECT 1 FROM {self._rows()} "
            f"WHERE {known} AND NOT regexp_full_match({cell}, {quote_text(pattern)}) LIMIT 1"
        )

    def _cell(self, place: int) -> str:
        """Return a cell as the value that is listed: dates as ISO texts, decimals as numbers."""
        column, kind = column_at(place), self.types[place]
        if kind == "DATE":
            return f"strftime({column}, '%Y-%m-%d')"
        if kind.startswith("TIMESTAMP"):
            zone = " AT TIME ZONE 'UTC'" if "ZONE" in kind else ""
            return _iso(f"CAST({column}{zone} AS VARCHAR)")
        if kind in _CLOCKS:
            return _without_zeros(f"CAST({column} AS VARCHAR)")
        if kind == "UUID" or kind.startswith("ENUM"):
            return f"CAST({column} AS VARCHAR)"
        if kind in ("FLOAT", "DOUBLE") or kind.startswith("DECIMAL"):
            return f"nullif(CAST({column} AS DOUBLE), 'nan'::DOUBLE)"
        return column

    def _number(self, place: int) -> str:
        """Return a measurement as a number, NULL where it is missing."""
        return f"nullif(CAST({column_at(place)} AS DOUBLE), 'nan'::DOUBLE)"

    def _digit(self, place: int) -> str:
        """Return a cell as the place of its value in the survey, from 1; 0 is a gap."""
        cell, kind = self._cell(place), self.types[place]
        values = self.survey(place).column.values
        if self._span(place) is not None:
            wide = "HUGEINT" if kind in ("HUGEINT", "UBIGINT") else "BIGINT"
            first = int(cast("int", values[0]))
            return f"coalesce(CAST(CAST({cell} AS {wide}) - ({first}) + 1 AS BIGINT), 0)"
        if kind in ("VARCHAR", "TEXT"):
            return f"coalesce(CAST(enum_code(CAST({cell} AS {self._enumeration(place)})) AS INTEGER) + 1, 0)"
        cases = " ".join(f"WHEN {quote_value(value)} THEN {code}" for code, value in enumerate(values, start=1))
        return f"coalesce(CASE {cell} {cases} END, 0)" if values else "0"

    def _span(self, place: int) -> int | None:
        """Return how many whole numbers lie from the least value to the largest, if a difference is a quick digit."""
        values = self.survey(place).column.values
        if not values or self.types[place] not in {"BOOLEAN", *_WHOLE}:
            return None
        span = int(cast("int", values[-1])) - int(cast("int", values[0])) + 1
        return span if span <= LISTED else None

    def _positions(self, place: int, digits: Positions) -> Positions:
        """Return the places of values in the survey from digits less one."""
        span = self._span(place)
        if span is None:
            return digits
        values = [int(cast("int", value)) for value in self.survey(place).column.values]
        places = np.full(span + 1, -1, dtype=np.int64)  # the last is a gap's
        places[[value - values[0] for value in values]] = np.arange(len(values))
        return places[digits]

    def _enumeration(self, place: int) -> str:
        """Return a type of the engine for the texts of a column, in the order of the survey."""
        name = f"column_{place}"
        if name not in self._types:
            cell = self._cell(place)
            texts = [str(value) for value in self.survey(place).column.values]
            if not any("\0" in text for text in texts):
                self.engine.run(f"CREATE TYPE {name} AS ENUM ({quote_list(texts)})")
            else:  # which a statement cannot spell
                self.engine.run(
                    f"CREATE TYPE {name} AS ENUM (SELECT DISTINCT {cell} AS v FROM {self._rows()} "
                    "WHERE v IS NOT NULL ORDER BY v)"
                )
            self._types.add(name)
        return name

    def _bin(self, place: int, cuts: Cuts) -> str:
        """Return a measurement as the number of its bin, from 1; 0 is a gap."""
        value = self._number(place)
        if cuts and isinstance(cuts[0], str):
            is_text = self.types[place] == "VARCHAR"
            value = _iso_of_text(f"trim({self._cell(place)})") if is_text else self._cell(place)
        above = " + ".join(f"CAST({value} > {quote_value(cut)} AS INTEGER)" for cut in cuts) or "0"
        return f"coalesce(1 + CASE WHEN {value} IS NOT NULL THEN {above} END, 0)"


_CLOCKS = ("TIME", "TIME_NS")
_KNOWN = {"VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE", "DATE", "UUID", *_CLOCKS, *_WHOLE}


def _iso(cell: str) -> str:
    """Return a date or time without a zone in its one spelling, as `date_text` does."""
    to_seconds = rf"regexp_replace(translate({cell}, ' /Z', 'T-'), '^(.{{10}}T..:..)$', '\1:00')"
    return rf"regexp_replace({_without_zeros(to_seconds)}, 'T00:00:00$', '')"


def _iso_of_text(cell: str) -> str:
    """Return a date or time of a text, which may have a zone, in its one spelling."""
    zoned = rf"TRY_CAST(regexp_replace({cell}, '([+-][0-9]{{2}})([0-9]{{2}})$', '\1:\2') AS TIMESTAMPTZ)"
    utc = _iso(f"CAST({zoned} AT TIME ZONE 'UTC' AS VARCHAR)")
    return f"CASE WHEN regexp_matches({cell}, ':.*[+-]') THEN {utc} ELSE {_iso(cell)} END"


def _without_zeros(time: str) -> str:
    """Return a time without zeros at the end of a fraction of a second."""
    return rf"regexp_replace({time}, '(\.[0-9]*[1-9])0+$|\.0+$', '\1')"


def _is_date(kind: str) -> bool:
    return kind == "DATE" or kind.startswith("TIMESTAMP")


def _number_cells(cells: Sequence[object]) -> tuple[list[object], Positions]:
    """Give different cells numbers by first appearance; None is -1."""
    numbering: dict[object, int] = {}
    positions = [-1 if cell is None else numbering.setdefault(cell, len(numbering)) for cell in cells]
    return list(numbering), np.array(positions, dtype=np.int64)


def _group_digits(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Cut a row of sizes into runs whose digits fit a whole number of 62 bits."""
    starts, used = [0], 0
    for place, n in enumerate(sizes):
        if used + _bits(n) > KEY_BITS:
            starts.append(place)
            used = 0
        used += _bits(n)
    return list(pairwise([*starts, len(sizes)]))


def _pack(digits: Sequence[str], sizes: Sequence[int]) -> str:
    """Return one number of several digits, the first slowest; whole bits, because they come apart quickly."""
    terms, shift = [], 0
    for digit, size in zip(reversed(digits), reversed(sizes), strict=True):
        terms.append(f"CAST({digit} AS BIGINT) * {1 << shift}")
        shift += _bits(size)
    return " + ".join(reversed(terms))


def _unpack(packed: NDArray[np.int64], sizes: Sequence[int]) -> list[Positions]:
    """Return the digits of numbers, less one, so that a gap is -1."""
    digits: list[Positions] = []
    for size in reversed(sizes):
        digits.append((packed & ((1 << _bits(size)) - 1)).astype(np.int16) - np.int16(1))
        packed = packed >> _bits(size)
    return digits[::-1]


def _bits(size: int) -> int:
    return (size - 1).bit_length()


def open_parquet(files: Sequence[FileSource]) -> DatabaseTable:
    """Open Parquet files of the same columns as one table."""
    engine, first, shown = Database(files), files[0].path, files[0].shown
    try:
        names = _column_names(engine, first)
        parts = [_query_rows(engine, file, names, shown) for file in files]
        source = f"({' UNION ALL '.join(parts)})"
        types = tuple(str(row[1]) for row in engine.rows(f"DESCRIBE SELECT * FROM {source}"))
    except DatabaseError as error:
        raise DataError(f"{shown} cannot be read as parquet: {str(error).splitlines()[0]}") from None
    check_column_names(names)
    table = DatabaseTable(engine, source, names, types)
    table.categories.update(_categories(first))
    table.categories.update(_own_orders(engine, first))
    return table


def _query_rows(engine: Database, file: FileSource, names: Sequence[str], first: str) -> str:
    """Return the query for the rows of a Parquet file; its folders are no columns, and its name is no pattern."""
    own = _column_names(engine, file.path)
    if set(own) != set(names):
        odd = sorted(set(own) ^ set(names))[0]
        raise DataError(f"{file.shown} has other columns than {first}: {odd!r} is in one of them only")
    source = f"read_parquet([{quote_text(_plain_name(file.path))}], hive_partitioning=false)"
    inner = ", ".join(f"o{place}" for place in range(len(own)))  # the engine takes a and A for one name
    chosen = ", ".join(f"o{own.index(name)} AS {column_at(place)}" for place, name in enumerate(names))
    return f"SELECT {chosen} FROM {source} AS f({inner})"


def _column_names(engine: Database, path: Path) -> tuple[str, ...]:
    """Return the names of a Parquet file's columns as they are written, without those of their parts."""
    names, n_parts = [], 0
    rows = engine.rows(f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({quote_text(_plain_name(path))})")
    for name, n in rows[1:]:
        if n_parts == 0:
            names.append(str(name))
        n_parts += n - (n_parts > 0)
    return tuple(names)


def _plain_name(path: Path) -> str:
    """Return a path of which the engine takes no sign for a pattern's."""
    return "".join(f"[{sign}]" if sign in PATTERN else sign for sign in str(path.absolute()))


def _categories(path: Path) -> dict[str, tuple[list[object], bool]]:
    """Return the categories that a dataframe's library kept in a Parquet file, if pyarrow is there to read them."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        return {}
    try:
        file = parquet.ParquetFile(path)
        if file.num_row_groups == 0:
            return {}
        fields = [field for field in file.schema_arrow if hasattr(field.type, "index_type")]
        if not fields:
            return {}
        group = file.read_row_group(0, columns=[field.name for field in fields])
        return {
            field.name: (group.column(field.name).chunk(0).dictionary.to_pylist(), bool(field.type.ordered))
            for field in fields
        }
    except (ArrowException, OSError, ValueError, KeyError):
        return {}


def _own_orders(engine: Database, path: Path) -> dict[str, tuple[list[object], bool]]:
    """Return the orders that this library wrote into a Parquet file."""
    file, key = quote_text(_plain_name(path)), quote_text(ORDERS_KEY)
    for (value,) in engine.rows(f"SELECT value FROM parquet_kv_metadata({file}) WHERE key = {key}::BLOB"):
        try:
            return {str(name): (list(states), True) for name, states in json.loads(value).items()}
        except (ValueError, AttributeError, TypeError):  # somebody else's
            return {}
    return {}
