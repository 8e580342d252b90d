"""`--devices` of `vyre run` and `vyre query`: several devices give what one gives."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from support.commands import Vyre
from support.tables import pa

from vyre_dialect.columns.extras import extra
from vyre_dialect.runtime import queries
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.devices import Device, choose_devices

pytestmark = pytest.mark.device
SUM = """
vyre.program @sum {
  %values = vyre.buffer @values : !vyre.buffer<?xi32, read_only>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_only>
  vyre.region "sum" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %own = vyre.load %values[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_rmw addi %own, %sum[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
"""
ASKED = ("--select", "sum(amount) as total, count(*) as rows, max(day)", "--where", "amount > 3")


@pytest.fixture
def devices() -> list[Device]:
    found = choose_devices("all")
    if len(found) < 2:
        pytest.skip("one device is nobody to share with")
    return found


@pytest.fixture
def values(vyre: Vyre) -> int:
    """The sum of what stands in a file, and in three that it is cut into."""
    Path("sum.mlir").write_text(SUM)
    numbers = np.random.default_rng(2).integers(-99, 99, 100_000).astype("<i4")
    numbers.tofile("all.bin")
    for number, part in enumerate(np.split(numbers, [7, 60_000])):
        part.tofile(f"{number}.part")
    return int(numbers.sum())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("given", [("values=all.bin",), ("values=*.part", "--merge")])
def test_devices_share_a_run(vyre: Vyre, devices: list[Device], values: int, given: tuple[str]):
    said = vyre("run", "sum.mlir", "--devices", "all", "--json", "--input", *given)
    assert said.status == 0, said.err
    run = json.loads(said.out)
    assert run["outputs"] == {"sum": [values]}
    assert run["device"] == ", ".join(each.info.label for each in devices)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("values=all.bin", "--devices", "all", "--repeat", "2"), "--devices: not allowed with"),
        (("values=*.part", "--devices", "all"), "--devices: expected one input, or many files"),
        (("values=all.bin", "--devices", "none"), "unknown device 'none'"),
        (("values=all.bin", "--devices", "all", "--device", "cpu"), "not allowed with argument"),
    ],
)
def test_what_makes_no_sense_is_said(
    vyre: Vyre, values: int, arguments: tuple[str, ...], message: str
):
    said = vyre("run", "sum.mlir", "--input", *arguments)
    assert said.status in (1, 2)
    assert message in said.err
    assert len(said.err.splitlines()) == 1


@pytest.fixture
def tables(vyre: Vyre) -> None:
    """Files of several row groups."""
    for number in range(4):
        days = [date(1994, 1, 1) + timedelta(number * 50 + each) for each in range(50)]
        table = pa.table({"day": days, "amount": [(each * 7 + number) % 11 for each in range(50)]})
        extra("pyarrow.parquet").write_table(table, f"{number}.parquet")


def answer(vyre: Vyre, *arguments: str) -> tuple[object, set[str]]:
    said = vyre("query", "*.parquet", *ASKED, "--json", *arguments)
    assert said.status == 0, said.err
    shown = json.loads(said.out)
    return shown["rows"], {run["device"] for run in shown["runs"]}


@pytest.mark.parametrize("failing", [False, True])
def test_devices_share_the_parts_of_a_query(
    vyre: Vyre,
    devices: list[Device],
    tables: None,
    failing: bool,
    monkeypatch: pytest.MonkeyPatch,
):
    expected, _ = answer(vyre)
    asked, has_failed = queries._asked, Event()  # pyright: ignore[reportPrivateUsage]

    def asked_of(statement: object, part: object, device: Device) -> object:
        if failing and device == devices[0]:
            has_failed.set()
            raise DeviceError("lost")
        assert not failing or has_failed.wait(60)
        return asked(statement, part, device)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(queries, "_asked", asked_of)
    rows, ran = answer(vyre, "--devices", "all")
    assert rows == expected
    if failing:
        assert devices[0].info.label not in ran


def test_an_error_of_the_query_is_no_devices(vyre: Vyre, devices: list[Device], tables: None):
    said = vyre("query", "*.parquet", "--select", "sum(other)", "--devices", "all")
    assert said.status == 2
    assert "other" in said.err
    assert "failed" not in said.err
