"""`vyre run` of a program that it has run before runs no pass, and does all else as before."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.tiers import first_quick
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from examples.data import Example, example_files, load_example
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.passes.scalar.cse import CommonSubexpressionEliminationPass
from vyre_dialect.passes.schedule.instrumentation import Instrumentation
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.driver.program_cache import ProgramCache
from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.loading import make_context, parse_module
from vyre_dialect.runtime.tuning.hot_path_file import HotPathFile
from vyre_dialect.runtime.tuning.mode import SECONDS_VARIABLE, VARIABLE, Mode

CONTEXT = make_context()
HEX = """
vyre.program @p workgroup_size [64] entry_op_id "entry" {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.decode.hex %encoded to %decoded errors %errors
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>,
        !vyre.buffer<1xi32, read_write>
  vyre.scan.histogram %decoded bins %bins
      : !vyre.buffer<?xi8, read_write>, !vyre.buffer<256xi32, read_write>
}
"""
SAVED_MEMORY = """
vyre.program @chain workgroup_size [64] {
  %a = vyre.buffer @a : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %a : !vyre.buffer<?xi32, read_only>
  %b = vyre.buffer @b[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %c = vyre.buffer @c[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %d = vyre.buffer @d[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %e = vyre.buffer @e[%n] live_out : !vyre.buffer<?xi32, read_write>
  COPIES
}
"""


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.delenv("VYRE_NO_CACHE", raising=False)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the passes that run."""
    names, observed = list[str](), Instrumentation.observed

    def noting(self: Instrumentation, module_pass: ModulePass, module: ModuleOp) -> object:
        names.append(module_pass.name)
        return observed(self, module_pass, module)

    monkeypatch.setattr(Instrumentation, "observed", noting)
    return names


def file(tmp_path: Path, text: str = HEX) -> str:
    path = tmp_path / "program.mlir"
    path.write_text(text)
    return str(path)


def run(
    file: str, device: Device, capsys: pytest.CaptureFixture[str], *options: str
) -> dict[str, Any]:
    """What the command says of a run on text in hex."""
    given = ["--input", "encoded=text:616263", "--device", device.info.name, "--json"]
    capsys.readouterr()
    assert main(["run", file, *given, *options]) == 0
    return json.loads(capsys.readouterr().out)


def error(file: str, device: Device, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What the command says of a run that fails."""
    capsys.readouterr()
    assert main(["run", file, "--device", device.info.name, *options]) != 0
    return capsys.readouterr().err


def same(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    """Two runs gave and did the same, in whatever time."""
    for name in ("program", "device", "outputs", "peak_scratch_bytes", "decision"):
        assert first[name] == second[name]
    arms = [[(arm["generator"], arm["bytes"]) for arm in run["arms"]] for run in (first, second)]
    assert arms[0] == arms[1]


@pytest.mark.slow
def test_the_second_run_runs_no_pass(
    device: Device, tmp_path: Path, ran: list[str], capsys: pytest.CaptureFixture[str]
):
    first = run(file(tmp_path), device, capsys)
    assert first["compiled"] == "now" and len(ran) > 20
    ran.clear()
    second = run(file(tmp_path, f"// a comment\n{HEX}"), device, capsys)
    assert second["compiled"] == "cached" and ran == []
    assert second["compile_ns"] > 0
    same(first, second)


@pytest.mark.slow
@pytest.mark.parametrize("path", first_quick(example_files()), ids=lambda path: path.stem)
def test_examples_give_the_same(path: Path, device: Device, ran: list[str], tmp_path: Path):
    example: Example = load_example(path, b"def self.encode: return yield bytes" * 512)
    programs, results = ProgramCache(tmp_path / "programs"), list[Any]()
    for _ in range(2):
        result = run_module(
            example.module, {"encoded": example.encoded}, device=device, programs=programs
        )
        results.append(result)
        for name, expected in example.expected.items():
            np.testing.assert_array_equal(result.outputs[name], expected)
        ran.append("end")
    assert [each.is_kept for each in results] == [False, True]
    assert results[0].policy == results[1].policy is not None
    assert ran[-2:] == ["end", "end"], "the second run ran no pass"


@pytest.mark.slow
def test_buffers_share_memory_as_before(device: Device, tmp_path: Path):
    arms = "\n".join(
        f"""  vyre.region "{source}" invocations [%n] workgroup_size [64] {{
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %x = vyre.load %{source}[%i] : !vyre.buffer<?xi32, {access}> -> i32
    vyre.barrier
    vyre.store %x, %{target}[%i] : i32, !vyre.buffer<?xi32, read_write>
  }}"""
        for source, target, access in (
            ("a", "b", "read_only"),
            ("b", "c", "read_write"),
            ("c", "d", "read_write"),
            ("d", "e", "read_write"),
        )
    )
    module = parse_module(SAVED_MEMORY.replace("COPIES", arms), CONTEXT)
    programs, data = ProgramCache(tmp_path / "programs"), np.arange(4096, dtype=np.int32)
    first, second = (
        run_module(module, {"a": data}, device=device, programs=programs) for _ in range(2)
    )
    assert (first.is_kept, second.is_kept) == (False, True)
    assert second.scratch == first.scratch is not None
    np.testing.assert_array_equal(second.outputs["e"], data)


WRONG = [
    ("--input", "encoded=text:6162zz"),
    ("--input", "encoded=text:616"),
    ("--input", "other=text:61"),
    ("--input", "encoded=text:61", "--input", "bins=text:61"),
    (),
]


@pytest.mark.slow
@pytest.mark.parametrize("options", WRONG, ids=lambda options: " ".join(options) or "nothing")
def test_errors_are_the_same(
    options: tuple[str, ...], device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    program = file(tmp_path)
    before = error(program, device, capsys, *options)
    assert before.startswith("vyre: error: ")
    run(program, device, capsys)
    assert error(program, device, capsys, *options) == before


@pytest.mark.slow
def test_the_table_of_hot_paths_counts_both(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for _ in range(2):
        run(file(tmp_path), device, capsys)
    table = HotPathFile.of(device.info)
    assert table is not None
    rows = table.read().rows
    assert {row.record.dispatch_count for row in rows} == {2}
    assert "entry" in {row.generator for row in rows}


@pytest.mark.slow
def test_what_is_looked_at_is_compiled(
    device: Device, tmp_path: Path, ran: list[str], capsys: pytest.CaptureFixture[str]
):
    program = file(tmp_path)
    run(program, device, capsys)
    report = str(tmp_path / "report.json")
    for options in (("-v",), ("--report", report), ("--skip", "vyre-cse"), ("-p", "vyre-optimize")):
        ran.clear()
        assert run(program, device, capsys, *options)["compiled"] == "now"
        assert ran
    assert Path(report).exists()


@pytest.mark.slow
def test_the_variable_turns_it_off(
    device: Device,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("VYRE_NO_CACHE", "1")
    runs = [run(file(tmp_path), device, capsys)["compiled"] for _ in range(2)]
    assert runs == ["now", "now"]


@pytest.mark.slow
def test_a_decision_is_taken_from_then_on(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    module, programs = parse_module(HEX, CONTEXT), ProgramCache(tmp_path / "programs")
    inputs = {"encoded": np.frombuffer(b"61" * 256, np.uint8)}

    def once(mode: Mode) -> Any:
        return run_module(module, inputs, device=device, programs=programs, tuner=mode)

    monkeypatch.setenv(SECONDS_VARIABLE, "4")
    monkeypatch.delenv(VARIABLE, raising=False)
    assert [once(Mode.CACHED).is_kept for _ in range(2)] == [False, True]
    tuned = once(Mode.ON)
    assert tuned.decision is not None and not tuned.is_kept
    first, second = once(Mode.CACHED), once(Mode.CACHED)
    assert (first.is_kept, second.is_kept) == (False, True)
    assert first.decision == second.decision == tuned.decision
    assert once(Mode.OFF).decision is None


@pytest.mark.slow
def test_what_warned_is_compiled_again(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    module, programs = parse_module(HEX, CONTEXT), ProgramCache(tmp_path / "programs")
    rewrite = CommonSubexpressionEliminationPass.rewrite

    def warn(
        self: CommonSubexpressionEliminationPass,
        context: Context,
        op: ModuleOp,
        facts: AnalysisManager,
    ) -> bool:
        warnings.warn("odd", stacklevel=2)
        return rewrite(self, context, op, facts)

    monkeypatch.setattr(CommonSubexpressionEliminationPass, "rewrite", warn)
    for _ in range(2):
        with pytest.warns(UserWarning, match="odd"):
            result = run_module(module, {"encoded": b"61"}, device=device, programs=programs)
        assert not result.is_kept


@pytest.mark.slow
def test_a_tampered_file_is_compiled_again(device: Device, tmp_path: Path):
    module, programs = parse_module(HEX, CONTEXT), ProgramCache(tmp_path / "programs")

    def once() -> Any:
        return run_module(module, {"encoded": b"6161"}, device=device, programs=programs)

    expected = once().outputs["bins"]
    assert programs.folder is not None
    (kept,) = programs.folder.iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"__kernel", b"__knrnel"))
    again = once()
    assert not again.is_kept
    np.testing.assert_array_equal(again.outputs["bins"], expected)
    assert once().is_kept


def test_a_program_that_does_not_compile_says_so_each_time(device: Device, tmp_path: Path):
    module, programs = parse_module(HEX, CONTEXT), ProgramCache(tmp_path / "programs")
    for _ in range(2):
        with pytest.raises((UsageError, VyreError), match="expected an input for buffer 'encoded'"):
            run_module(module, {}, device=device, programs=programs)


LOADED = """
import sys
from vyre_dialect.runtime.cli import main
status = main(sys.argv[1:])
heavy = [name for name in sys.modules if name.startswith(("vyre_dialect.passes.", "islpy"))]
print(status, *sorted(heavy), file=sys.stderr)
"""


@pytest.mark.slow
def test_the_second_run_loads_no_pass(device: Device, tmp_path: Path):
    """Both in processes of their own: what a test has left in this one may be another compiler."""
    given = ["run", file(tmp_path), "--input", "encoded=text:61", "--device", device.info.name]
    _, second = (
        subprocess.run(
            [sys.executable, "-c", LOADED, *given], capture_output=True, text=True, check=True
        )
        for _ in range(2)
    )
    status, *loaded = second.stderr.splitlines()[-1].split()
    assert status == "0"
    assert len(list((tmp_path / "caches" / "vyre" / "programs").iterdir())) == 1
    assert set(loaded) <= {
        *("vyre_dialect.passes.schedule", "vyre_dialect.passes.schedule.instrumentation"),
        *("vyre_dialect.passes.schedule.files", "vyre_dialect.passes.schedule.hints"),
    }
