"""`vyre run --merge`: many files come to what one file with all of them comes to."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.commands import Vyre

from vyre_dialect.runtime.opencl.executor import Executor

PLACES = """
vyre.program @places {
  %text = vyre.buffer @text : !vyre.buffer<?xi16, read_only>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi32, read_write>
  %rises = vyre.buffer @rises live_out : !vyre.buffer<1xi32, read_write>
  %least = vyre.buffer @least live_out fill 9999 : i32 : !vyre.buffer<1xi32, read_write>
  %last = vyre.buffer @last live_out fill -1 : i64 : !vyre.buffer<1xi64, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi16, read_only>
  %more = vyre.buffer @more[%n] live_out : !vyre.buffer<?xi16, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %before = arith.subi %i, %one : index
    %own = vyre.load %text[%i] : !vyre.buffer<?xi16, read_only> -> i16
    %left = vyre.load %text[%before] : !vyre.buffer<?xi16, read_only> -> i16
    %number = arith.extsi %own : i16 to i32
    %added = vyre.atomic_rmw addi %number, %sum[%zero] : i32, !vyre.buffer<1xi32, read_write>
    %lower = vyre.atomic_rmw mins %number, %least[%zero] : i32, !vyre.buffer<1xi32, read_write>
    %next = arith.addi %own, %left : i16
    vyre.store %next, %more[%i] : i16, !vyre.buffer<?xi16, read_write>
    %does_rise = arith.cmpi sgt, %own, %left : i16
    scf.if %does_rise {
      %counted = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %counted, %rises[%zero] : i32, !vyre.buffer<1xi32, read_write>
      %place = arith.index_cast %i : index to i64
      %far = vyre.atomic_rmw maxs %place, %last[%zero] : i64, !vyre.buffer<1xi64, read_write>
    }
  }
}
"""
FROM_THE_END = PLACES.replace("arith.subi %i, %one", "arith.subi %n, %one")


@pytest.fixture
def lengths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Files of several lengths, and one of all of them, in the folder in which commands run."""
    monkeypatch.chdir(tmp_path)
    Path("places.mlir").write_text(PLACES)
    Path("parts").mkdir()
    random, lengths, whole = np.random.default_rng(4), [7, 0, 1, 40_000, 3, 900], b""
    for number, length in enumerate(lengths):
        part = random.integers(-500, 500, length).astype("<i2").tobytes()
        Path(f"parts/{number}.bin").write_bytes(part)
        whole += part
    Path("whole.bin").write_bytes(whole)
    return lengths


def outputs(vyre: Vyre, *arguments: str) -> dict[str, object]:
    said = vyre("run", "places.mlir", "--json", *arguments)
    assert said.status == 0, said.err
    return json.loads(said.out)["outputs"]


@pytest.mark.one_in(2)
@pytest.mark.device
@pytest.mark.parametrize("memory", ["512MiB", "512KiB"])
def test_files_come_to_what_they_come_to_in_one(
    vyre: Vyre, lengths: list[int], memory: str, monkeypatch: pytest.MonkeyPatch
):
    runs = list[str]()
    started = Executor.start

    def counted(self: Executor, *given: object, **more: object) -> object:
        runs.append(self.compiled.name)
        return started(self, *given, **more)  # pyright: ignore[reportArgumentType]

    expected = outputs(vyre, "--input", "text=whole.bin", "--output", "more=expected.bin")
    monkeypatch.setattr(Executor, "start", counted)
    merged = "--merge", "--memory", memory, "--input", "text=parts/*.bin"
    assert outputs(vyre, *merged, "--output", "more=merged.bin") == expected
    assert Path("merged.bin").read_bytes() == Path("expected.bin").read_bytes()
    assert len(runs) == 1 if memory == "512MiB" else len(runs) > 1, "small files share a piece"


@pytest.mark.device
def test_arrays_of_numpy_are_merged_without_their_headers(vyre: Vyre, lengths: list[int]):
    for number in range(len(lengths)):
        np.save(f"parts/{number}.npy", np.fromfile(f"parts/{number}.bin", "<i2"))
    expected = outputs(vyre, "--input", "text=whole.bin")
    assert outputs(vyre, "--merge", "--input", "text=parts/*.npy") == expected


@pytest.mark.device
def test_what_cannot_be_cut_is_refused_by_name(vyre: Vyre, lengths: list[int]):
    Path("places.mlir").write_text(FROM_THE_END)
    failed = vyre("run", "places.mlir", "--merge", "--input", "text=parts/*.bin")
    assert failed.status == 1
    assert "'places' cannot take its input in pieces: 'vyre.load' of 'scan'" in failed.err


@pytest.mark.device
def test_a_file_that_does_not_fit_is_named(vyre: Vyre, lengths: list[int]):
    Path("parts/2.bin").write_bytes(b"abc")
    failed = vyre("run", "places.mlir", "--merge", "--input", "text=parts/*.bin")
    assert failed.status == 1
    assert failed.err.startswith("vyre: error: parts/2.bin: ")
    assert len(failed.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--input", "text=whole.bin"),
            "--merge: expected an input of many files, as 'NAME=*.b64'",
        ),
        (("--input", "text=parts/*.bin", "--check"), "--merge: not allowed with argument --check"),
        (
            ("--input", "text=parts/*.bin", "--output", "more={}.x"),
            "--output: more={}.x: '{}' stands for one of many files, and --merge has one result",
        ),
    ],
)
def test_what_makes_no_sense_is_said(
    vyre: Vyre, lengths: list[int], arguments: tuple[str, ...], message: str
):
    failed = vyre("run", "places.mlir", "--merge", *arguments)
    assert failed.status == 2
    assert f"vyre: error: argument {message}" in failed.err
