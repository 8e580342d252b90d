"""Files of Parquet with random schemas, as several writers make them, hold what pyarrow says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.parquet_values import Decodes, assert_like_pyarrow, interpreted, read_by_pyarrow
from support.parquet_writing import by_duckdb, by_polars, by_pyarrow, drawn_table

DECODERS = {"Plain", "PackedRuns", "Coded", "Differences", "Split", "Spaced"}
Writer = Callable[[Any, np.random.Generator, Path], bytes]
WRITERS: dict[str, Writer] = {
    "pyarrow": lambda table, random, _: by_pyarrow(table, random),
    "polars": lambda table, random, _: by_polars(table, random),
    "duckdb": by_duckdb,
}


@pytest.fixture(scope="module", name="decodes")
def _decodes() -> Decodes:
    return interpreted()


def is_read_by_pyarrow(written: bytes) -> bool:
    """Pyarrow reports pages of differences without a value, which DuckDB leaves empty."""
    try:
        read_by_pyarrow(written)
    except OSError as error:
        return "EOF" not in str(error)
    return True


def check(writer: str, seeds: range, decodes: Decodes, folder: Path) -> Counter[str]:
    """Check a file of each seed; gives how many columns each decoder has read as they lie."""
    seen = Counter[str]()
    for seed in seeds:
        random = np.random.default_rng(seed)
        written = WRITERS[writer](drawn_table(random), random, folder)
        if not is_read_by_pyarrow(written):
            continue
        file = assert_like_pyarrow(written, decodes)
        columns = [file.column(name) for name in file.names]
        seen.update(type(each.decoder).__name__ for each in columns if each.reason is None)
    return seen


@pytest.mark.slow
def test_every_encoding_of_pyarrow_is_read(decodes: Decodes, tmp_path: Path) -> None:
    assert {*check("pyarrow", range(25), decodes, tmp_path)} == DECODERS


@pytest.mark.parametrize("writer", ["polars", "duckdb"])
def test_other_writers_are_read(writer: str, decodes: Decodes, tmp_path: Path) -> None:
    assert sum(check(writer, range(4), decodes, tmp_path).values()) > 2


@pytest.mark.slow
@pytest.mark.parametrize(("writer", "count"), [("pyarrow", 300), ("polars", 100), ("duckdb", 100)])
def test_hundreds_of_files_are_read(
    writer: str, count: int, decodes: Decodes, tmp_path: Path
) -> None:
    assert sum(check(writer, range(1000, 1000 + count), decodes, tmp_path).values()) > count
