"""Files of Parquet that nobody here wrote, decoded by the reference interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.parquet_values import FILES, Decodes, assert_like_pyarrow, interpreted, outcomes

READABLE = sorted(FILES.glob("*.parquet"))
BAD = sorted((FILES / "bad_data").iterdir())
NOT_AS_THEY_LIE = {
    "delta_encoding_optional_column.parquet": "written as DELTA_BYTE_ARRAY",
    "delta_encoding_required_column.parquet": "written as DELTA_BYTE_ARRAY",
    "dict-page-offset-zero.parquet": "compressed by SNAPPY",
    "rle_boolean_encoding.parquet": "compressed by GZIP",
    "alltypes_dictionary.parquet": "values are of INT96",
    "alltypes_plain.parquet": "values are of INT96",
}
"""Why pyarrow decodes a column of each of these files."""
BAD_FILES = {
    "ARROW-GH-41317": "expected more of the headers of pages, got the end of its bytes",
    "ARROW-GH-41321": "expected runs of all values in a page, got one of none",
    "ARROW-GH-45185": "repetition level",
    "ARROW-GH-47662": "end of stream",
    "ARROW-RS-GH-6229-DICTHEADER": "a number of values of a page from 0 to 2147483647, got -26",
    "ARROW-RS-GH-6229-LEVELS": "levels do not match",
    "PARQUET-1481": "expected a known type of a column",
}
"""What is said of some columns in bad files; in the others, all columns are read."""


@pytest.fixture(scope="module", name="decodes")
def _decodes() -> Decodes:
    return interpreted()


def test_there_are_files() -> None:
    assert len(READABLE) == 12
    assert len(BAD) == 8


@pytest.mark.one_in(12)
@pytest.mark.parametrize("path", READABLE, ids=lambda path: path.stem)
def test_every_column_holds_what_pyarrow_says(path: Path, decodes: Decodes) -> None:
    file = assert_like_pyarrow(path, decodes)
    reasons = {file.column(name).reason for name in file.names} - {None}
    expected = NOT_AS_THEY_LIE.get(path.name)
    assert bool(reasons) == (expected is not None)
    assert all(expected is not None and expected in str(reason) for reason in reasons)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_files_are_errors_of_one_line_or_right(path: Path, decodes: Decodes) -> None:
    found = [each for each in outcomes(path, decodes) if each != "read"]
    expected = BAD_FILES.get(path.stem)
    assert bool(found) == (expected is not None)
    assert expected is None or any(expected in message for message in found)
    assert all(message.startswith(f"'{path}'") and "\n" not in message for message in found)
