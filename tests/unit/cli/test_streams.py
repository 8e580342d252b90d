"""`vyre run --stream`: what goes together with it, and what is said where a program is not cut."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Vyre

from vyre_dialect.runtime.driver import execute
from vyre_dialect.runtime.errors import OutOfMemoryError

SUMS = """
vyre.program @sums {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %first = vyre.buffer @first[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "first" invocations [%n] {
    %i = vyre.invocation_id x
    %at = arith.constant OFFSET : index
    %place = arith.addi %i, %at : index
    %own = vyre.load %text[PLACE] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %own, %first[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("next.mlir")
    path.write_text(SUMS.replace("OFFSET", "1").replace("PLACE", "%place"))
    return path


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--repeat", "2"), "argument --repeat"),
        (("--check",), "argument --check"),
        (("--tune",), "argument --tune"),
        (("--device", "reference"), "the interpreter, which has all of its input in memory"),
        (("-p", "vyre-expand"), "passes that are named, left out or watched"),
    ],
)
def test_what_looks_at_a_whole_run_does_not_go_with_pieces(
    vyre: Vyre, file: Path, arguments: tuple[str, ...], named: str
) -> None:
    failed = vyre("run", str(file), "--stream", "--input", "text=text:abc", *arguments)
    assert failed.status == 2
    assert failed.err.strip() == f"vyre: error: argument --stream: not allowed with {named}"


def test_memory_is_a_size(vyre: Vyre, file: Path) -> None:
    failed = vyre("run", str(file), "--memory", "some", "--input", "text=text:abc")
    assert failed.status == 2
    assert failed.err.strip() == "vyre: error: expected a size as 512MiB or 4GB, got 'some'"


def test_parts_are_written_to_their_file_and_described(vyre: Vyre, file: Path) -> None:
    done = vyre(
        *("run", str(file), "--stream", "--input", "text=text:abc", "--output", "first=out.bin")
    )
    assert done.status == 0, done.err
    assert Path("out.bin").read_bytes() == b"bc\0"
    assert "first = [98, 99, 0]" in done.out


def test_a_program_that_is_not_cut_is_refused_by_its_op_and_leaves_the_file(
    vyre: Vyre, file: Path
) -> None:
    file.write_text(SUMS.replace("OFFSET", "1").replace("PLACE", "%at"))
    Path("out.bin").write_bytes(b"before")
    failed = vyre(
        *("run", str(file), "--stream", "--input", "text=text:abc", "--output", "first=out.bin")
    )
    assert failed.status == 1
    assert "cannot take its input in pieces: 'vyre.load' of 'first' reads '@text'" in failed.err
    assert Path("out.bin").read_bytes() == b"before"


@pytest.mark.parametrize(("place", "status"), [("%place", 0), ("%at", 1)])
def test_what_a_device_has_no_room_for_runs_on_pieces_if_it_may(
    vyre: Vyre, file: Path, monkeypatch: pytest.MonkeyPatch, place: str, status: int
) -> None:
    def no_room(*_: object, **__: object) -> None:
        raise OutOfMemoryError("there is no room")

    monkeypatch.setattr(execute, "run_module", no_room)
    file.write_text(SUMS.replace("OFFSET", "1").replace("PLACE", place))
    done = vyre("run", str(file), "--input", "text=text:abc")
    assert done.status == status
    assert ("first = [98, 99, 0]" in done.out) == (status == 0)
    assert ("there is no room" in done.err) == (status == 1)
    assert "there is no room" in vyre("run", str(file), "--input", "text=text:a", "--check").err
