"""What is kept of timings between processes: counted once, stale when it should be, never fatal."""

import json
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vyre_dialect.passes.schedule.hints import HotPathHints
from vyre_dialect.runtime.tuning.adapter import Adapter
from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile
from vyre_dialect.runtime.tuning.hot_paths import HotPathTable, RegionRecord
from vyre_dialect.runtime.tuning.kept_file import KeptFile


def kept_at(path: Path, **changes: object) -> HotPathFile:
    kept = HotPathFile(KeptFile(path), Adapter("platform", "device"), driver="1", vyre="0.1")
    return replace(kept, **changes)  # pyright: ignore[reportArgumentType]


def table_of(*names: str, structural_hash: str = "h") -> HotPathTable:
    table = HotPathTable()
    for name in names:
        table.record(name, 200_000, 10, structural_hash)
    return table


def add_often(path: Path, name: str) -> None:
    for _ in range(10):
        kept_at(path).add(table_of(name, "shared"))


@pytest.fixture
def kept(tmp_path: Path) -> HotPathFile:
    return kept_at(tmp_path / "hot.json")


def test_samples_of_several_processes_add_up(kept: HotPathFile):
    with ProcessPoolExecutor(4) as processes:
        list(processes.map(add_often, [kept.file.path] * 4, "abcd"))
    counts = {row.generator: row.record.dispatch_count for row in kept.read().rows}
    assert counts == {"a": 10, "b": 10, "c": 10, "d": 10, "shared": 40}


def test_a_row_keeps_all_that_is_known(kept: HotPathFile):
    kept.add(table_of("a"))
    kept.add(table_of("a"))
    (row,) = kept.read().rows
    assert (row.generator, row.structural_hash, row.driver, row.vyre) == ("a", "h", "1", "0.1")
    assert row.record == RegionRecord(2, 400_000, 200_000, 20)


def test_what_is_fresh_and_takes_long_is_hot(kept: HotPathFile):
    kept.add(table_of("a"))
    quick = HotPathTable()
    quick.record("b", 99_999, 10, "h")
    kept.add(quick)
    assert kept.is_hot("a", "h")
    assert not kept.is_hot("a", "other")
    assert not kept.is_hot("b", "h")
    assert not kept_at(kept.file.path, driver="2").is_hot("a", "h")


def test_the_oldest_rows_go(kept: HotPathFile):
    kept.set(capacity=2)
    kept.add(table_of("a", "b"))
    kept.add(table_of("a", "c"))
    assert [row.generator for row in kept.read().rows] == ["a", "c"]


@pytest.mark.parametrize("change", [{"driver": "2"}, {"vyre": "0.2"}])
def test_rows_of_another_driver_or_version_are_stale_and_stay_apart(
    kept: HotPathFile, change: dict[str, str]
):
    kept.add(table_of("a"))
    newer = kept_at(kept.file.path, **change)
    assert [newer.is_stale(row) for row in newer.read().rows] == [True]
    newer.add(table_of("a"))
    assert [newer.is_stale(row) for row in newer.read().rows] == [True, False]
    assert [row.record.dispatch_count for row in newer.read().rows] == [1, 1]


def test_passes_read_the_same_table_and_leave_stale_rows_out(kept: HotPathFile):
    kept.add(table_of("a", "b"))
    newer = kept_at(kept.file.path, driver="2")
    newer.add(table_of("a"))
    hints = HotPathHints.read(str(kept.file.path), {})
    assert hints.mean_ns == {"a": 200_000}
    assert (hints.stale, hints.rows) == (2, 3)
    assert hints.is_hot("a")


def test_a_row_of_another_structure_counts_for_nothing(kept: HotPathFile):
    kept.add(table_of("entry"))
    with pytest.warns(UserWarning, match="1 of 1 rows stale"):
        hints = HotPathHints.read(str(kept.file.path), {"entry": "other"})
    assert not hints.is_hot("entry")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert HotPathHints.read(str(kept.file.path), {"entry": "h"}).is_hot("entry")


def test_nothing_is_written_for_nothing(kept: HotPathFile):
    kept.add(HotPathTable())
    assert kept.file.read() is None


def test_what_was_set_holds_for_every_reader_and_is_never_overwritten(kept: HotPathFile):
    kept.set(hot_ns_threshold=300_000)
    kept.set(capacity=3)
    kept.add(table_of("a"))
    kept.clear()
    kept.add(table_of("a"))
    table = kept.read()
    assert (table.hot_ns_threshold, table.capacity) == (300_000, 3)
    assert not table.is_hot(table.rows[0])
    assert not kept.is_hot("a", "h")
    assert not HotPathHints.read(str(kept.file.path), {}).is_hot("a")
    kept.set(hot_ns_threshold=0)
    assert kept.is_hot("a", "h")
    assert not kept.is_hot("never recorded", "h")


def test_no_rows_are_kept_where_there_is_room_for_none(kept: HotPathFile):
    kept.set(capacity=0)
    kept.add(table_of("a"))
    assert kept.read().rows == ()


@pytest.mark.parametrize("setting", ["hot_ns_threshold", "capacity"])
@pytest.mark.parametrize("value", [-1, "1", None, True, 1.5, 10**400])
def test_a_setting_that_makes_no_sense_is_as_if_not_set(
    kept: HotPathFile, setting: str, value: object
):
    kept.add(table_of("a"))
    held = json.loads(kept.file.path.read_bytes()) | {setting: value}
    kept.file.path.write_text(json.dumps(held))
    with pytest.warns(UserWarning, match="is damaged"):
        table = kept.read()
    assert (table.hot_ns_threshold, table.capacity, len(table.rows)) == (100_000, 256, 1)


def test_brackets_in_any_number_are_survived(kept: HotPathFile):
    kept.file.path.write_text("[" * 200_000)
    with pytest.warns(UserWarning, match="is damaged"):
        assert kept.read().rows == ()


def test_clearing_forgets_all_rows(kept: HotPathFile):
    kept.add(table_of("a"))
    kept.clear()
    assert kept.read().rows == ()


@given(st.data())
def test_a_damaged_file_is_survived_and_kept_aside(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
):
    kept = kept_at(tmp_path_factory.mktemp("kept") / "hot.json")
    kept.add(table_of("a", "b", "c"))
    whole = kept.file.path.read_bytes()
    cut = data.draw(st.integers(0, len(whole) - 3))
    damaged = whole[:cut] + data.draw(st.binary(max_size=20))
    kept.file.path.write_bytes(damaged)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(kept.read().rows) <= 3
        kept.add(table_of("d"))
    assert kept.read().rows[-1].generator == "d"
    assert [" is damaged: " in str(each.message) for each in caught] == [True, True]
    aside = [path for path in kept.file.path.parent.iterdir() if "rejected" in path.name]
    assert [path.read_bytes() for path in aside] == [damaged]


def test_one_damaged_row_costs_no_other(kept: HotPathFile):
    kept.add(table_of("a", "b"))
    value = json.loads(kept.file.path.read_bytes())
    value["rows"][0]["dispatch_count"] = -1
    kept.file.path.write_text(json.dumps(value))
    with pytest.warns(UserWarning, match="what makes no sense in it is left out"):
        assert [row.generator for row in kept.read().rows] == ["b"]


def test_counts_that_no_clock_comes_to_are_left_out(kept: HotPathFile):
    kept.add(table_of("a"))
    held = json.loads(kept.file.path.read_bytes())
    held["rows"].append(held["rows"][0] | {"kernel_ns_total": 10**400})
    kept.file.path.write_text(json.dumps(held))
    with pytest.warns(UserWarning, match="is damaged"):
        assert len(kept.read().rows) == 1


def test_adapters_have_files_of_their_own():
    same, other = Adapter("p", "device (tm) 1"), Adapter("q", "device (tm) 1")
    assert same.file_stem == Adapter("p", "device (tm) 1").file_stem != other.file_stem
    assert same.file_stem.startswith("device-tm-1-")
    assert Adapter("p", "../../etc").file_stem.startswith("etc-")
