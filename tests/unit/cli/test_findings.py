"""What commands say beside the result: what checks have found, and what seems forgotten."""

from pathlib import Path

from support.commands import DOUBLE, HANDOFF, LITERAL, Vyre, assert_one_line, double

RACE = """
vyre.program @race {
  %a = vyre.buffer @a : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %a : !vyre.buffer<?xi8, read_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<1xi8, read_write>
  vyre.region "mine" invocations [%n] {
    %i = vyre.invocation_id x
    %x = vyre.load %a[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %z = arith.constant 0 : index
    vyre.store %x, %b[%z] : i8, !vyre.buffer<1xi8, read_write>
  }
}
"""
RUN_RACE = ("run", "race.mlir", "--input", "a=short", "--device", "reference", "--check")


def test_a_race_is_found_and_nothing_is_run(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "race.mlir").write_text(RACE)
    failed = vyre(*RUN_RACE, "--output", "b=b")
    assert (failed.status, failed.out) == (1, "")
    found, error = failed.err.splitlines()
    assert found == (
        "race.mlir:10: error: race: arm 0: element 0 of 'b': write by invocation 0 of "
        "workgroup 0, write by invocation 1 of workgroup 0"
    )
    assert error == "vyre: error: the check found 1 error; nothing was run"
    assert not (tmp_path / "b").exists()


def test_an_undefined_read_is_found(vyre: Vyre, tmp_path: Path) -> None:
    text = HANDOFF.replace("@h :", "@h initial undefined :").replace("%h[%i] : i32", "%h[%d] : i32")
    text = text.replace("%d = arith.addi %v, %v : i32\n    vyre.store %d, %h", "vyre.store %v, %h")
    text = text.replace("%h[%d]", "%h[%zero]")
    text = text.replace("%i = vyre.inv", "%zero = arith.constant 0 : index\n    %i = vyre.inv", 1)
    (tmp_path / "undefined.mlir").write_text(text)
    (tmp_path / "values").write_bytes(bytes(16))
    given = ("--input", "values=values", "--device", "reference", "--check")
    failed = vyre("run", "undefined.mlir", *given)
    assert failed.status == 1
    line = 1 + text[: text.index("vyre.load %h")].count("\n")
    assert failed.err.startswith(f"undefined.mlir:{line}: error: undefined read: arm 1: element 1")


def test_an_access_outside_is_a_warning(vyre: Vyre, tmp_path: Path) -> None:
    text = DOUBLE.replace("invocations [4]", "invocations [5]")
    (tmp_path / "double.mlir").write_text(text)
    done = vyre(*double("--check"))
    assert done.status == 0
    assert "doubles = [2, 4, -6, 8]" in done.out
    assert done.err.splitlines() == [
        "double.mlir:7: warning: read of element 4 outside of 'values' by invocation 4",
        "double.mlir:9: warning: write of element 4 outside of 'doubles' by invocation 4",
    ]


def test_library_ops_read_past_the_end_on_purpose(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"aGltc2VsZg==")
    given = ("run", LITERAL, "--input", "encoded=short", "--device", "reference", "--check")
    done = vyre(*given)
    assert (done.status, done.err) == (0, "")
    assert "count = [1]" in done.out


def test_a_program_without_results_is_warned_about(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "double.mlir").write_text(DOUBLE.replace(" live_out", ""))
    done = vyre(*double())
    assert done.status == 0
    assert done.err == (
        "vyre: warning: 'double' has no result: none of its buffers is 'live_out'\n"
    )


def test_a_buffer_that_is_not_live_out_is_no_output(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "handoff.mlir").write_text(HANDOFF)
    failed = vyre("run", "handoff.mlir", "--input", "values=values", "--output", "h=x")
    assert failed.status == 2
    assert_one_line(failed, "buffer 'h' of 'handoff' is not live out: declare it 'live_out'")
