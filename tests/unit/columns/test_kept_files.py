"""What files say of themselves is read once, for as long as they do not change."""

from __future__ import annotations

import os
from pathlib import Path
from time import time_ns

import pytest
from support.parquet_values import pa, pq

from vyre_dialect.columns import kept_files
from vyre_dialect.columns.kept_files import KeptFiles
from vyre_dialect.columns.parquet import ParquetError
from vyre_dialect.columns.parquet import file as parquet_file

LONG_AGO = time_ns() - 60 * 10**9


def written(path: Path, values: list[int], at: int = LONG_AGO) -> Path:
    """A file that was last written to at some time."""
    pq.write_table(pa.table({"x": values}), path, compression="none")
    os.utime(path, ns=(at, at))
    return path


def test_headers_of_a_kept_file_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, read = KeptFiles(), list[int]()
    pages_of = parquet_file.pages_of

    def counted(chunk: memoryview, rows: int, *, optional: bool) -> object:
        read.append(rows)
        return pages_of(chunk, rows, optional=optional)

    monkeypatch.setattr(parquet_file, "pages_of", counted)
    path = written(tmp_path / "kept.parquet", [1, 2, 3])
    opened = [files.open(path, most_in_place=1 << 20) for _ in range(3)]
    for each in opened:
        assert each.column("x").rows == 3
    assert opened[0] is opened[2]
    assert read == [3]


def test_a_file_that_has_changed_is_opened_again(tmp_path: Path) -> None:
    files, path = KeptFiles(), tmp_path / "changing.parquet"
    before = files.open(written(path, [1, 2, 3]), most_in_place=1 << 20)
    after = files.open(written(path, [4, 5, 6], LONG_AGO + 1), most_in_place=1 << 20)
    assert before is not after
    assert after.column("x").maximum == 6


def test_a_file_that_was_just_written_is_not_kept(tmp_path: Path) -> None:
    files, path = KeptFiles(), written(tmp_path / "new.parquet", [1], time_ns())
    assert files.open(path, most_in_place=1 << 20) is not files.open(path, most_in_place=1 << 20)


def test_a_file_that_is_too_long_is_not_read_in_place(tmp_path: Path) -> None:
    path = written(tmp_path / "long.parquet", [1])
    size = path.stat().st_size
    for most, is_in_place in ((size, True), (size - 1, False)):
        inputs = KeptFiles().open(path, most_in_place=most).column("x").inputs
        assert ("file_" in inputs) == is_in_place


def test_files_in_place_are_others(tmp_path: Path) -> None:
    files, path = KeptFiles(), written(tmp_path / "both.parquet", [1])
    assert files.open(path, most_in_place=1 << 20) is not files.open(path, most_in_place=0)


def test_the_file_that_was_asked_for_the_longest_time_ago_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_files, "_MOST", 2)
    files = KeptFiles()
    first, second, third = (written(tmp_path / f"{n}.parquet", [n]) for n in range(3))
    kept = files.open(first, most_in_place=1 << 20)
    goes = files.open(second, most_in_place=1 << 20)
    files.open(first, most_in_place=1 << 20)
    files.open(third, most_in_place=1 << 20)
    assert files.open(first, most_in_place=1 << 20) is kept
    assert files.open(second, most_in_place=1 << 20) is not goes


def test_a_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ParquetError, match="missing"):
        KeptFiles().open(tmp_path / "missing.parquet", most_in_place=1 << 20)


def test_a_column_without_values_of_its_own_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "columns.parquet", [1, 2, 3])
    in_place, copied = (KeptFiles().open(path, most_in_place=each) for each in (1 << 20, 0))
    assert in_place.column("x") is in_place.column("x", [0])
    assert in_place.column("x") is not in_place.column("x", [])
    assert copied.column("x") is copied.column("x")  # it has three values


def test_a_column_with_many_values_of_its_own_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_file, "_KEPT_AT_LEAST", 20)
    path = written(tmp_path / "columns.parquet", [1, 2, 3])
    copied = KeptFiles().open(path, most_in_place=0)
    assert copied.column("x") is not copied.column("x")


def test_of_a_file_the_columns_asked_for_last_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "columns.parquet"
    pq.write_table(pa.table({name: [1, 2, 3] for name in "abc"}), path, compression="none")
    file = parquet_file.ParquetFile(path, in_place=True)
    columns = {name: file.column(name) for name in "abc"}
    of_two = columns["a"].own_bytes + columns["b"].own_bytes
    assert file.kept_bytes == of_two + columns["c"].own_bytes

    monkeypatch.setattr(parquet_file, "_KEPT_AT_LEAST", of_two)
    file = parquet_file.ParquetFile(path)
    columns = {name: file.column(name) for name in "ab"}
    assert file.column("a") is columns["a"]
    file.column("c")
    assert file.column("a") is columns["a"]
    assert file.column("b") is not columns["b"]


def test_files_whose_columns_take_too_much_are_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = KeptFiles()
    paths = [written(tmp_path / f"{number}.parquet", [number]) for number in range(3)]
    opened = [files.open(path, most_in_place=1 << 20) for path in paths]
    for each in opened:
        each.column("x")
    monkeypatch.setattr(kept_files, "_MOST_BYTES", opened[1].kept_bytes)
    assert files.open(paths[2], most_in_place=1 << 20) is opened[2]
    assert files.open(paths[1], most_in_place=1 << 20) is opened[1]
    assert files.open(paths[0], most_in_place=1 << 20) is not opened[0]
