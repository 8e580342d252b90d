"""The hot-path table: what it adds up, whom it forgets, and who may use it at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy, deepcopy

import pytest

from vyre_dialect.passes.schedule.hints import HotPathHints
from vyre_dialect.runtime.tuning.hot_paths import HotPathTable, RegionRecord


def test_an_empty_table_knows_nothing_of_any_arm():
    table = HotPathTable()
    assert not len(table)
    assert not table.is_hot("any")
    assert table.dispatch_count("any") == table.mean_kernel_ns("any") == 0
    assert table.record_for("any") is None


def test_the_defaults():
    table = HotPathTable()
    assert (table.capacity, table.hot_ns_threshold) == (256, 100_000)
    assert HotPathHints().threshold_ns == table.hot_ns_threshold


def test_samples_add_up_to_mean_and_maximum():
    table = HotPathTable()
    for kernel_ns, touched in ((1_000, 100), (3_000, 300), (2_000, 200)):
        table.record("matmul", kernel_ns, touched)
    record = table.record_for("matmul")
    assert record is not None and record == RegionRecord(3, 6_000, 3_000, 600)
    assert (record.mean_kernel_ns, record.mean_bytes) == (2_000, 200)
    assert table.mean_kernel_ns("matmul") == 2_000


def test_nothing_recorded_has_a_mean_of_nothing():
    assert (RegionRecord().mean_kernel_ns, RegionRecord().mean_bytes) == (0, 0)


def test_hot_is_who_reaches_the_threshold_on_average():
    table = HotPathTable(hot_ns_threshold=1_000)
    table.record("arm", 500, 0)
    assert not table.is_hot("arm")
    table.record("arm", 1_500, 0)
    assert table.is_hot("arm")


def test_the_oldest_goes_when_there_are_too_many():
    table = HotPathTable(capacity=2)
    for name in "abc":
        table.record(name, 100, 10)
    assert [key[0] for key, _ in table] == ["b", "c"]
    assert table.record_for("a") is None


def test_a_new_sample_keeps_an_arm():
    table = HotPathTable(capacity=2)
    for name in "abac":
        table.record(name, 100, 10)
    assert [key[0] for key, _ in table] == ["a", "c"]


def test_asking_keeps_nobody():
    table = HotPathTable(capacity=2)
    table.record("a", 100, 10)
    table.record("b", 100, 10)
    assert table.dispatch_count("a") == 1
    table.record("c", 100, 10)
    assert table.record_for("a") is None


def test_no_capacity_is_no_table():
    table = HotPathTable(capacity=0, hot_ns_threshold=0)
    table.record("a", 100, 10)
    assert not len(table)
    assert not table.is_hot("a")


def test_arms_of_one_generator_and_two_structures_are_two():
    table = HotPathTable()
    table.record("a", 100, 10, "one")
    table.record("a", 300, 10, "other")
    assert table.mean_kernel_ns("a", "one") == 100
    assert table.mean_kernel_ns("a", "other") == 300
    assert table.record_for("a", "third") is None


def test_what_was_asked_for_does_not_change_by_later_samples():
    table = HotPathTable()
    table.record("a", 100, 10)
    before, rows = table.record_for("a"), list(table)
    table.record("a", 100, 10)
    assert before == RegionRecord(1, 100, 100, 10)
    assert rows == [(("a", ""), before)]


@pytest.mark.parametrize(("kernel_ns", "touched"), [(-1, 0), (0, -1)])
def test_a_negative_sample_is_an_error(kernel_ns: int, touched: int):
    with pytest.raises(ValueError, match="expected no negative sample"):
        HotPathTable().record("a", kernel_ns, touched)


def test_a_negative_capacity_is_an_error():
    with pytest.raises(ValueError, match="expected no negative capacity, got -1"):
        HotPathTable(capacity=-1)


def test_threads_lose_no_sample():
    table = HotPathTable(capacity=3)

    def record(number: int) -> None:
        for step in range(2000):
            table.record("shared", 1, 2)
            table.record(f"{number}-{step}", 1, 2)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(record, range(8)))
    found = table.record_for("shared")
    assert len(table) == 3
    # A thread that waits long enough may lose the shared row to the others' rows, but not quietly.
    assert found is None or found.kernel_ns_total == found.dispatch_count


def test_threads_that_share_one_arm_count_every_sample():
    table = HotPathTable()

    def record(number: int) -> None:
        for _ in range(5000):
            table.record("a", 3, 2)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(record, range(8)))
    assert table.record_for("a") == RegionRecord(40_000, 120_000, 3, 80_000)


def test_a_generator_without_a_hash_stands_for_all_its_arms():
    table = HotPathTable()
    table.record("a", 100_000, 8, "one")
    table.record("a", 300_000, 16, "two")
    assert table.is_hot("a")
    assert table.dispatch_count("a") == 2
    assert table.mean_kernel_ns("a") == 200_000
    assert table.record_for("a") == RegionRecord(2, 400_000, 300_000, 24)
    assert table.dispatch_count("a", "one") == 1


@pytest.mark.parametrize("duplicate", [copy, deepcopy, HotPathTable.copy])
def test_a_copy_is_a_table_of_its_own(duplicate: Callable[[HotPathTable], HotPathTable]):
    table = HotPathTable(capacity=2, hot_ns_threshold=50)
    table.record("a", 100, 1)
    copied = duplicate(table)
    copied.record("a", 100, 1)
    copied.record("b", 100, 1)
    assert (copied.capacity, copied.hot_ns_threshold) == (2, 50)
    assert (table.dispatch_count("a"), len(table)) == (1, 1)
    assert (copied.dispatch_count("a"), len(copied)) == (2, 2)


def test_a_table_gives_the_hints_that_its_file_would_give():
    table = HotPathTable(hot_ns_threshold=1_000)
    table.record("entry", 2_000, 8, "one")
    table.record("entry", 4_000, 8, "two")
    table.record("arm", 500, 8)
    hints = table.hints()
    assert hints.mean_ns == {"entry": 3_000, "arm": 500}
    assert (hints.threshold_ns, hints.stale, hints.rows) == (1_000, 0, 3)
    assert hints.is_hot("entry")
    assert not hints.is_hot("arm")
    fresh = table.hints({"entry": "two", "arm": "any"})
    assert (fresh.mean_ns, fresh.stale) == ({"entry": 4_000, "arm": 500}, 1)
