"""Files of Parquet with any schema, nulls, pages and versions, as several writers make them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="files of Parquet need pyarrow")
pq = pytest.importorskip("pyarrow.parquet", reason="files of Parquet need pyarrow")

ROWS = (0, 1, 7, 8, 9, 100, 1000, 3000)
_WORDS = ("", "a", "MAIL", "AIR", "REG AIR", "TRUCK", "größer", "🚚", "x" * 40)


def drawn_table(random: np.random.Generator) -> Any:
    """A table of some columns."""
    rows = int(random.choice(ROWS))
    fields, arrays = list[Any](), list[Any]()
    for number in range(random.integers(1, 5)):
        name, type = str(random.choice([*KINDS])), None
        array = _drawn(random, name, rows)
        type = array.type
        is_required = array.null_count == 0 and not pa.types.is_null(type) and _chance(random, 2)
        fields.append(pa.field(f"{name} {number}", type, nullable=not is_required))
        arrays.append(array)
    return pa.table(arrays, schema=pa.schema(fields))


def _chance(random: np.random.Generator, of: int) -> bool:
    return not random.integers(of)


def _drawn(random: np.random.Generator, kind: str, rows: int) -> Any:
    """A column of numbers in some order, of which some are missing, as values of a kind."""
    make = KINDS[kind]
    distinct = int(random.choice([1, 2, 5, 30, 1000]))
    known = random.integers(-(1 << 63), 1 << 63, distinct, np.int64)
    numbers = known[random.integers(0, distinct, rows)]
    shape = random.integers(4)
    if shape == 0:  # long runs
        numbers = np.repeat(numbers, random.integers(1, 40, rows))[:rows]
    elif shape == 1:  # small differences
        numbers = np.cumsum(random.integers(-3, 10, rows))
    elif shape == 2:
        numbers = random.integers(-(1 << 63), 1 << 63, rows, np.int64)
    missing = random.random(rows) < random.choice([0, 0, 0.01, 0.5, 1])
    if _chance(random, 3):  # in runs
        missing = np.sort(missing)
    values = [
        None if gone else make(each) for each, gone in zip(numbers.tolist(), missing, strict=True)
    ]
    return pa.array(values, _type(kind))


def _wrapped(bits: int, *, signed: bool = True) -> Callable[[int], int]:
    least = -(1 << bits - 1) if signed else 0
    return lambda number: (number - least) % (1 << bits) + least


def _digits(digits: int, scale: int) -> Callable[[int], Decimal]:
    most = 10**digits
    return lambda number: Decimal((-1 if number < 0 else 1) * (abs(number) % most)).scaleb(-scale)


def _float(dtype: Any) -> Callable[[int], float]:
    special = [0.0, -0.0, float("inf"), float("nan"), 1.5, float(np.finfo(dtype).tiny)]
    return lambda number: (
        special[number % 97] if number % 97 < 6 else float(dtype(number % 60001 / 7))
    )


KINDS: dict[str, Callable[[int], Any]] = {
    **{f"int{bits}": _wrapped(bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": _wrapped(bits, signed=False) for bits in (8, 16, 32, 64)},
    "float16": _float(np.float16),
    "float32": _float(np.float32),
    "float64": _float(np.float64),
    "bool": lambda number: bool(number & 4),
    "date32": lambda number: date.fromordinal(1 + number % 3_000_000),
    "date64": lambda number: date.fromordinal(1 + number % 3_000_000),
    "time32[ms]": lambda number: number % 86_400_000,
    "time64[us]": lambda number: number % 86_400_000_000,
    **{f"timestamp[{unit}]": _wrapped(44) for unit in ("s", "ms", "us")},
    "timestamp[ns]": lambda number: _wrapped(44)(number) * 1000,
    "duration[ms]": _wrapped(50),
    "decimal(7, 2)": _digits(7, 2),
    "decimal(15, 4)": _digits(15, 4),
    "string": lambda number: _WORDS[number % len(_WORDS)],
    "many strings": lambda number: str(number % 5000),
    "large_string": lambda number: _WORDS[number % len(_WORDS)],
    "dictionary": lambda number: _WORDS[number % len(_WORDS)],
    "binary": lambda number: (number % 999).to_bytes(3, "little"),
    "null": lambda number: None,
}


def _type(kind: str) -> Any:
    units = {f"timestamp[{unit}]": pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")}
    others = {
        "time32[ms]": pa.time32("ms"),
        "time64[us]": pa.time64("us"),
        "duration[ms]": pa.duration("ms"),
        "decimal(7, 2)": pa.decimal128(7, 2),
        "decimal(15, 4)": pa.decimal128(15, 4),
        "many strings": pa.string(),
        "dictionary": pa.dictionary(pa.int16(), pa.string()),
        "bool": pa.bool_(),
    }
    return units.get(kind) or others.get(kind) or getattr(pa, kind)()


def by_pyarrow(table: Any, random: np.random.Generator) -> bytes:
    """With any encodings, versions, sizes of pages and of row groups."""
    has_dictionaries = _chance(random, 2)
    sink = BytesIO()
    pq.write_table(
        table,
        sink,
        version=str(random.choice(["1.0", "2.4", "2.6"])),
        data_page_version=str(random.choice(["1.0", "2.0"])),
        compression="snappy" if _chance(random, 12) else "none",
        use_dictionary=has_dictionaries,
        column_encoding=None if has_dictionaries else _encodings(table.schema, random),
        data_page_size=int(random.choice([64, 1000, 1 << 20])),
        write_batch_size=int(random.choice([5, 64, 1024])),
        dictionary_pagesize_limit=int(random.choice([40, 1000, 1 << 20])),
        row_group_size=max(1, int(random.choice([50, 777, 1 << 20]))),
        write_statistics=not _chance(random, 4),
        write_page_index=_chance(random, 2),
        write_page_checksum=_chance(random, 3),
        store_decimal_as_integer=not _chance(random, 3),
    )
    return sink.getvalue()


def _encodings(schema: Any, random: np.random.Generator) -> dict[str, str]:
    return {
        field.name: str(random.choice(_encodings_of(field.type)))
        for field in schema
        if not pa.types.is_dictionary(field.type)
    }


def _encodings_of(type: Any) -> list[str]:
    types = pa.types
    if types.is_boolean(type):
        return ["PLAIN", "RLE"]
    if types.is_float16(type) or types.is_decimal(type):
        return ["PLAIN"]
    if types.is_floating(type):
        return ["PLAIN", "BYTE_STREAM_SPLIT"]
    if types.is_string(type) or types.is_large_string(type) or types.is_binary(type):
        return ["PLAIN", "DELTA_BYTE_ARRAY"]
    return ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]


def by_polars(table: Any, random: np.random.Generator) -> bytes:
    """What polars makes of the table."""
    polars: Any = pytest.importorskip("polars", reason="polars writes files, where it is there")
    sink = BytesIO()
    polars.from_arrow(table).write_parquet(
        sink,
        compression="uncompressed",
        statistics=not _chance(random, 4),
        row_group_size=int(random.choice([50, 777, 1 << 20])),
        data_page_size=int(random.choice([64, 1000, 1 << 20])),
    )
    return sink.getvalue()


def by_duckdb(table: Any, random: np.random.Generator, folder: Path) -> bytes:
    """What DuckDB makes of the table, without what it cannot write: halves and lengths of time."""
    unwritten = (pa.float16(), pa.duration("ms"))
    known = [name for name in table.column_names if table.column(name).type not in unwritten]
    table = table.select(known) if known else pa.table({"a": [1]})
    duckdb: Any = pytest.importorskip("duckdb", reason="DuckDB writes files, where it is there")
    path = folder / "written.parquet"
    version = random.choice(["V1", "V2"])
    with duckdb.connect() as connection:
        connection.register("given", table)
        connection.execute(
            f"copy given to '{path}' (format parquet, compression uncompressed, "
            f"parquet_version {version}, row_group_size {random.choice([2048, 100_000])})"
        )
    return path.read_bytes()
