"""`--scheduler`: what workers of a cluster find is what this machine finds."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.clusters import cluster_here, doubled_sum
from support.commands import Vyre, assert_one_line
from support.tables import pa

from vyre_dialect.columns.extras import extra
from vyre_dialect.runtime.distributed import file_runs, scan_runs, shards
from vyre_dialect.runtime.interpreter.arrays import Array

REFERENCE = ("--device", "reference")
COUNT = """
vyre.program @count {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.scan.histogram %text bins %bins
    : !vyre.buffer<?xi8, read_only>, !vyre.buffer<256xi32, read_write>
}
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with cluster_here(2) as client:
        yield str(client.scheduler.address)


@pytest.fixture(autouse=True)
def files(vyre: Vyre, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "LEAST_BYTES", 64)
    monkeypatch.setattr(scan_runs, "BATCH_BYTES", 40)
    Path("count.mlir").write_text(COUNT)
    Path("text").write_bytes(bytes(range(200)) * 20)
    Path("tree").mkdir()
    for number in range(5):
        Path(f"tree/{number}.txt").write_text(f"line {number}\nimport {number}\n" * (number + 1))


def both(vyre: Vyre, address: str, *arguments: str) -> tuple[str, str]:
    """What a command says here, and by a cluster."""
    here = vyre(*arguments, *REFERENCE)
    there = vyre(*arguments, *REFERENCE, "--scheduler", address)
    assert (there.status, there.err) == (here.status, here.err)
    return here.out, there.out


def outputs(said: str) -> list[str]:
    return [line for line in said.splitlines() if " = " in line]


def test_a_run_has_the_same_results(vyre: Vyre, address: str) -> None:
    asked = ("run", "count.mlir", "--input", "text=text", "--output", "bins=bins")
    here, there = both(vyre, address, *asked)
    assert outputs(there) == outputs(here)
    assert there.startswith("count on 2 workers with reference\n")
    assert np.fromfile("bins", "<i4").tolist() == [20] * 200 + [0] * 56


def test_data_without_a_file_is_sent(vyre: Vyre, address: str) -> None:
    here, there = both(vyre, address, "run", "count.mlir", "--input", "text=text:abracadabra")
    assert outputs(there) == outputs(here)


@pytest.mark.slow
def test_each_of_many_files_has_its_results(vyre: Vyre, address: str) -> None:
    here, there = both(vyre, address, "run", "count.mlir", "--input", "text=tree/*.txt")
    assert there == here
    assert len(there.splitlines()) == 5


def test_a_file_that_is_wrong_is_told_of_and_others_go_on(vyre: Vyre, address: str) -> None:
    Path("words.mlir").write_text(str(doubled_sum()))
    for file in Path("tree").iterdir():
        file.write_bytes(b"abcd")
    Path("tree/0.txt").write_bytes(b"abc")
    failed = vyre(
        *("run", "words.mlir", "--input", "text=tree/*.txt", *REFERENCE, "--scheduler", address)
    )
    assert failed.status == 1
    assert "tree/0.txt: input 'text' expected a multiple of 4 bytes" in failed.err
    assert len(failed.out.splitlines()) == 4


@pytest.mark.parametrize("number", [np.array(7, "<i4"), np.array(7, ">i4")])
def test_an_array_without_axes_is_one_element(vyre: Vyre, address: str, number: Array) -> None:
    Path("words.mlir").write_text(str(doubled_sum()))
    np.save("1.npy", np.arange(4, dtype=np.int32))
    np.save("0.npy", number)
    here, there = both(vyre, address, "run", "words.mlir", "--input", "text=[01].npy")
    assert there == here
    assert [line.rpartition(" ")[2] for line in there.splitlines()] == ["[14]", "[12]"]


def test_whatever_one_file_causes_the_others_are_run(
    vyre: Vyre, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = file_runs.contents_of

    def raising(name: str, type: Any, given: Any) -> Any:
        if given.name == "tree/0.txt":
            raise IndexError("of a kind\nthat nobody knows")
        return read(name, type, given)

    monkeypatch.setattr(file_runs, "contents_of", raising)
    failed = vyre(
        *("run", "count.mlir", "--input", "text=tree/*.txt", *REFERENCE, "--scheduler", address)
    )
    assert failed.status == 1
    assert failed.err == "vyre: error: tree/0.txt: cannot read 'tree/0.txt': of a kind\n"
    assert len(failed.out.splitlines()) == 4


def test_an_op_that_forbids_shards_is_named(vyre: Vyre, address: str) -> None:
    Path("list.mlir").write_text(
        """
vyre.program @list {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %list = vyre.buffer @list live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %own = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %old = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
    %place = arith.index_cast %old : i32 to index
    vyre.store %own, %list[%place] : i8, !vyre.buffer<64xi8, read_write>
  }
}
"""
    )
    failed = vyre(*("run", "list.mlir", "--input", "text=text", *REFERENCE, "--scheduler", address))
    assert failed.status == 1
    assert_one_line(
        failed,
        "'list' cannot take its input in pieces: 'vyre.atomic_rmw' of 'scan' works on '@count' in "
        "an order",
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--repeat", "2"), "argument --repeat: not allowed with argument --scheduler"),
        (("--check",), "argument --check: not allowed with argument --scheduler"),
        (("--stream",), "argument --stream: not allowed with argument --scheduler"),
        (("--trace", "out.json"), "argument --trace: not allowed with argument --scheduler"),
        (("--report", "r.json"), "argument --report: not allowed with argument --scheduler"),
        (("--no-fuse",), "not allowed with passes that are named, left out or watched"),
    ],
)
def test_what_looks_at_one_machine_is_refused(
    vyre: Vyre, address: str, arguments: tuple[str, ...], named: str
) -> None:
    failed = vyre("run", "count.mlir", "--input", "text=text", "--scheduler", address, *arguments)
    assert failed.status == 2
    assert named in failed.err


def test_standard_input_is_refused(vyre: Vyre, address: str) -> None:
    failed = vyre("run", "count.mlir", "--input", "text=-", "--scheduler", address)
    assert (failed.status, "workers read no pipe of this machine" in failed.err) == (2, True)
    failed = vyre("scan", "--literal", "x", "-", "--scheduler", address)
    assert (failed.status, "workers do not read standard input" in failed.err) == (2, True)


def test_a_cluster_that_is_not_there_is_one_line(
    vyre: Vyre, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vyre_dialect.runtime.distributed.cluster.PATIENCE_SECONDS", 0.3)
    failed = vyre(
        *("run", "count.mlir", "--input", "text=text", "--scheduler", "tcp://127.0.0.1:9")
    )
    assert failed.status == 1
    assert_one_line(failed, "no scheduler answers at 'tcp://127.0.0.1:9'")


@pytest.fixture
def sales() -> list[str]:
    """Two files of four row groups each."""
    for number in range(2):
        table = pa.table(
            {
                "price": pa.array(range(number * 400, number * 400 + 400), pa.int64()),
                "mode": [("AIR", "MAIL", None, "SHIP")[each % 4] for each in range(400)],
                "rate": [each / 7 for each in range(400)],
            }
        )
        extra("pyarrow.parquet").write_table(table, f"{number}.parquet", row_group_size=100)
    return ["0.parquet", "1.parquet"]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "asked",
    [
        ("--select", "sum(price) as total, count(mode), min(price), max(rate), avg(price)"),
        ("--select", "count(*), sum(price)", "--group-by", "mode"),
        ("--select", "price, mode", "--where", "price < 3 or price > 797"),
        ("--where", "price > 390 and price < 410"),
        ("--select", "sum(price)", "--where", "price > 5000"),
        ("--select", "price", "--where", "price > 5000"),
    ],
)
def test_a_query_has_the_same_answer(
    vyre: Vyre, address: str, sales: list[str], asked: tuple[str, ...]
) -> None:
    here, there = (
        json.loads(said) for said in both(vyre, address, "query", *sales, *asked, "--json")
    )
    assert there["rows"] == here["rows"]
    assert there["columns"] == here["columns"]
    assert there["skipped"] == here["skipped"]


def test_a_query_that_makes_no_sense_says_the_same(
    vyre: Vyre, address: str, sales: list[str]
) -> None:
    both(vyre, address, "query", *sales, "--select", "sum(prize)")


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "asked",
    [
        ("--literal", "import"),
        ("--count", "--literal", "line"),
        ("--json", "--literal", "3", "--literal", "import 2"),
        ("--literal", "nowhere"),
    ],
)
def test_a_scan_finds_the_same(vyre: Vyre, address: str, asked: tuple[str, ...]) -> None:
    both_said = both(vyre, address, "scan", *asked, "tree", "text", "missing")
    assert both_said[0] == both_said[1]


@pytest.mark.slow
def test_an_encoded_file_is_decoded_by_workers(vyre: Vyre, address: str) -> None:
    Path("good").write_bytes(base64.encodebytes(b"import this\n"))
    Path("bad").write_bytes(b"aW1w?3J0")
    asked = ("scan", "--decode", "base64", "--literal", "import", "good", "bad")
    here, there = both(vyre, address, *asked)
    assert here == there
    assert "import this" in here


@pytest.mark.slow
def test_workers_need_not_work_in_the_same_folder(
    vyre: Vyre, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, seen = os.getcwd(), list[Any]()
    moved = scan_runs._moved

    def noted(found: Any, base: str) -> Any:
        seen.append(moved(found, base).name)
        return moved(found, base)

    monkeypatch.setattr(scan_runs, "_moved", noted)
    vyre("scan", "--literal", "import", "tree", *REFERENCE, "--scheduler", address)
    assert sorted(seen) == [f"{folder}/tree/{number}.txt" for number in range(5)]
