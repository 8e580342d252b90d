"""Queries are prepared once for all files of a form, and answer each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.parquet_values import pa, pq

from vyre_dialect.runtime import prepared_queries, queries
from vyre_dialect.runtime.driver import building
from vyre_dialect.runtime.opencl.devices import Device

Written = Callable[[str, int, int], tuple[Path, Any]]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Files of one schema, by a name, how many rows they have, and where values begin."""

    def write(name: str, rows: int, low: int) -> tuple[Path, Any]:
        random = np.random.default_rng(rows)
        table = pa.table(
            {
                "price": random.integers(low, low + 60, rows),
                "shop": pa.array(random.choice(["north", "south"], rows)).dictionary_encode(),
            }
        )
        path = tmp_path / f"{name}.parquet"
        pq.write_table(table, path, compression="none", row_group_size=rows // 2)
        return path, table

    return write


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often programs are made and built, by a process that has asked nothing yet."""
    counts = {"plan_of": 0, "build": 0}
    monkeypatch.setattr(queries, "_PREPARED", prepared_queries.PreparedQueries())
    for owner, name in ((queries, "plan_of"), (building, "build")):
        count_calls(monkeypatch, owner, name, counts)
    monkeypatch.setenv("VYRE_NO_CACHE", "1")
    return counts


def count_calls(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, counts: dict[str, int]
) -> None:
    called = getattr(owner, name)

    def call(*arguments: Any) -> Any:
        counts[name] += 1
        return called(*arguments)

    monkeypatch.setattr(owner, name, call)


def total(path: Path, device: Device, where: str = "price < 40") -> int:
    answer = queries.query(path, select="sum(price) as total", where=where, device=device)
    return int(answer.column("total")[0].as_py() or 0)


def expected(table: Any, most: int = 40) -> int:
    prices = table.column("price").to_numpy()
    return int(prices[prices < most].sum())


@pytest.mark.slow
def test_a_file_of_the_same_form_makes_and_builds_nothing(
    device: Device, written: Written, prepared: dict[str, int]
) -> None:
    for name, rows, low in (("first", 1000, 5), ("second", 900, 9), ("first", 1000, 5)):
        path, table = written(name, rows, low)
        assert total(path, device) == expected(table)
    assert prepared == {"plan_of": 1, "build": 1}


@pytest.mark.slow
def test_a_file_of_greater_values_has_a_program_of_its_own(
    device: Device, written: Written, prepared: dict[str, int]
) -> None:
    for low in (5, 1 << 40, -(1 << 40)):
        path, table = written(f"from {low}", 1000, low)
        assert total(path, device, f"price < {low + 40}") == expected(table, low + 40)
    assert prepared["plan_of"] == 3


@pytest.mark.slow
def test_keys_are_those_of_the_file(device: Device, written: Written) -> None:
    for rows, low in ((1000, 5), (900, 30)):
        path, table = written(f"keys {low}", rows, low)
        found = queries.query(path, select="count(*) as n", group_by="price", device=device)
        counts = table.group_by("price").aggregate([([], "count_all")]).sort_by("price")
        assert found.column("price").to_pylist() == counts.column("price").to_pylist()
        assert found.column("n").to_pylist() == counts.column("count_all").to_pylist()


@pytest.mark.slow
def test_no_more_queries_are_kept_than_there_is_room_for(
    device: Device, written: Written, prepared: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared_queries, "_MOST", 1)
    path, table = written("first", 1000, 5)
    for most in (40, 41, 41, 40):
        assert total(path, device, f"price < {most}") == expected(table, most)
    assert prepared["plan_of"] == 3
