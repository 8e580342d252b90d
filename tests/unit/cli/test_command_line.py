"""The commands do their work or say in one line what is wrong, and then change nothing on disk."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.example_data import matching_text
from support.told import message_of

from examples.data import EXAMPLES, load_example
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.program.pipelines import DEFAULT, UNFUSED

HISTOGRAM = str(EXAMPLES / "hex_histogram.mlir")
LITERAL = str(EXAMPLES / "base64_literal.mlir")

DOUBLE = """
vyre.program @double {
  %values = vyre.buffer @values : !vyre.buffer<4xi32, read_only>
  %doubles = vyre.buffer @doubles live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "double" invocations [4] {
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<4xi32, read_only> -> i32
    %d = arith.addi %v, %v : i32
    vyre.store %d, %doubles[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
"""
HANDOFF = """
vyre.program @handoff {
  %values = vyre.buffer @values : !vyre.buffer<4xi32, read_only>
  %h = vyre.buffer @h : !vyre.buffer<4xi32, read_write>
  %doubles = vyre.buffer @doubles live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "first" invocations [4] {
    %i = vyre.invocation_id x
    %v = vyre.load %values[%i] : !vyre.buffer<4xi32, read_only> -> i32
    %d = arith.addi %v, %v : i32
    vyre.store %d, %h[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
  vyre.region "second" invocations [4] {
    %i = vyre.invocation_id x
    %v = vyre.load %h[%i] : !vyre.buffer<4xi32, read_write> -> i32
    %d = arith.addi %v, %v : i32
    vyre.store %d, %doubles[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
"""
VALUES = [1, 2, -3, 4]


class Outcome:
    """What a command has printed, and its exit status."""

    def __init__(self, status: int, out: str, err: str):
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Vyre = Callable[..., Outcome]


@pytest.fixture
def vyre(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Vyre:
    """Runs a command in a folder that holds a program, its input, and some files to trip over."""
    monkeypatch.chdir(tmp_path)
    Path("double.mlir").write_text(DOUBLE)
    Path("values").write_bytes(np.array(VALUES, "<i4").tobytes())
    Path("short").write_bytes(b"abc")
    Path("malformed.mlir").write_text("vyre.program @p {")
    Path("invalid.mlir").write_text(DOUBLE.replace("4xi32, read_only", "0xi32, read_only"))
    Path("empty.mlir").write_text("builtin.module {}")
    Path("two.mlir").write_text(DOUBLE + DOUBLE.replace("@double {", "@other {"))
    Path("huge.mlir").write_text(DOUBLE.replace("4xi32, read_write", f"{10**15}xi32, read_write"))
    Path("folder").mkdir()

    def run(*arguments: str) -> Outcome:
        status = main(arguments)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


def snapshot(folder: Path) -> dict[str, bytes | None]:
    paths = sorted(folder.rglob("*"))
    return {str(path): None if path.is_dir() else path.read_bytes() for path in paths}


def double(*more: str) -> tuple[str, ...]:
    return ("run", "double.mlir", "--input", "values=values", "--device", "reference", *more)


# Work that is done.


def test_a_program_runs(vyre: Vyre) -> None:
    done = vyre(*double())
    assert (done.status, done.err) == (0, "")
    assert "double on reference" in done.out
    assert "doubles = [2, 4, -6, 8]" in done.out


def test_json_says_everything(vyre: Vyre) -> None:
    result = vyre(*double("--json")).json
    total = result.pop("total_ns")
    assert total > 0
    assert result.pop("spread_ns") == [total, total]
    assert result.pop("compile_ns") > 0
    assert result == {
        "program": "double",
        "device": "reference",
        "policy": None,
        "arms": [{"generator": "double", "kernel_ns": None, "bytes": 32, "spread_ns": None}],
        "repeats": 1,
        "outputs": {"doubles": [2, 4, -6, 8]},
        "peak_scratch_bytes": None,
        "unplanned_scratch_bytes": None,
        "lower_bound_scratch_bytes": None,
        "decision": None,
        "tuning_ns": None,
        "compiled": "now",
        "workgroup_size": None,
    }


def test_large_outputs_are_shown_by_their_digest(vyre: Vyre, tmp_path: Path) -> None:
    from blake3 import blake3

    example = load_example(Path(HISTOGRAM), matching_text(5000))
    (tmp_path / "data.hex").write_bytes(example.encoded.tobytes())
    given = ("run", HISTOGRAM, "--input", "encoded=data.hex", "--device", "reference", "--json")
    assert vyre(*given).json["outputs"]["bins"] == {
        "shape": [256],
        "dtype": "int32",
        "blake3": blake3(example.expected["bins"].tobytes()).hexdigest(),
    }


def test_outputs_are_written(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "doubles").write_bytes(b"old")
    assert vyre(*double("--output", "doubles=doubles")).status == 0
    assert (tmp_path / "doubles").read_bytes() == np.array([2, 4, -6, 8], "<i4").tobytes()


def test_arrays_are_read_and_written(vyre: Vyre, tmp_path: Path) -> None:
    np.save(tmp_path / "in.npy", np.array([5, 6, 7, 8], np.int32))
    given = ("--input", "values=in.npy", "--output", "doubles=out.npy", "--device", "reference")
    assert vyre("run", "double.mlir", *given).status == 0
    assert np.load(tmp_path / "out.npy").tolist() == [10, 12, 14, 16]


def test_an_output_may_replace_the_input(vyre: Vyre, tmp_path: Path) -> None:
    assert vyre(*double("--output", "doubles=values")).status == 0
    assert vyre(*double("--json")).json["outputs"]["doubles"] == [4, 8, -12, 16]


def test_times_of_repeated_runs_are_medians(vyre: Vyre) -> None:
    once, thrice = vyre(*double()).out, vyre(*double("--repeat", "3")).out
    assert "median of 3 runs" in thrice
    assert "spread µs" in thrice
    assert "spread µs" not in once


def test_a_program_is_compiled(vyre: Vyre, tmp_path: Path) -> None:
    printed = vyre("compile", "double.mlir")
    assert printed.status == 0
    assert "__kernel" in printed.out
    written = vyre("compile", "double.mlir", "-o", "double.cl")
    assert (written.status, written.out) == (0, "")
    assert (tmp_path / "double.cl").read_text() == printed.out


def test_compiled_programs_as_json(vyre: Vyre) -> None:
    result = vyre("compile", "double.mlir", "--json").json
    assert "__kernel" in result.pop("source")
    buffers = result.pop("buffers")
    assert [buffer["name"] for buffer in buffers] == ["values", "doubles"]
    assert buffers[1] == {
        "name": "doubles",
        "element_type": "i32",
        "count": 4,
        "access": "read_write",
        "memory_space": "global",
        "initial": "host",
        "fill": None,
        "contents": None,
        "live_out": True,
    }
    assert result == {
        "program": "double",
        "kernels": [
            {"name": "double_0_double", "generator": "double", "workgroup_size": [64, 1, 1]}
        ],
        "launches": [
            {
                "kernel": "double_0_double",
                "workgroups": [1],
                "arguments": [{"buffer": "values"}, {"buffer": "doubles"}],
            }
        ],
        "decision": None,
    }


def test_what_the_host_computes_as_json(vyre: Vyre) -> None:
    result = vyre("compile", HISTOGRAM, "--json", "-p", UNFUSED).json
    decoded = next(buffer for buffer in result["buffers"] if buffer["name"] == "decoded")
    assert decoded["count"] == ["shrsi", ["length", "encoded"], 1]
    (first, _) = result["launches"]
    assert first["arguments"][:2] == [
        {"buffer": "encoded"},
        {"type": "index", "value": ["length", "encoded"]},
    ]
    assert isinstance(first["workgroups"][0], list)


def test_pipelines_are_chosen(vyre: Vyre) -> None:
    pipeline = "vyre-expand,vyre-outline-kernels"
    assert vyre("compile", "double.mlir", "-p", pipeline).out.count("__kernel") == 1
    assert vyre(*double("-p", pipeline)).status == 0


def test_profiles_and_schedules_are_chosen(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "handoff.mlir").write_text(HANDOFF)
    fused = vyre("compile", "handoff.mlir").out
    apart = vyre("compile", "handoff.mlir", "--profile", "dataflow").out
    assert (fused.count("__kernel"), apart.count("__kernel")) == (1, 2)
    assert fused == vyre("compile", "handoff.mlir", "--profile", "release").out
    (tmp_path / "own.mlir").write_text(
        "vyre.schedule @own profile(release) {\n"
        '  vyre.pass @"vyre-outline-kernels" phase outline family unknown '
        "boundary module preserves_abi\n}\n"
    )
    plain = vyre("compile", "handoff.mlir", "-p", "vyre-outline-kernels").out
    assert vyre("compile", "handoff.mlir", "--schedule", "own.mlir").out == plain
    given = ("run", "handoff.mlir", "--input", "values=values", "--json")
    for device in (("--device", "reference"), ()):
        for chosen in (("--profile", "dataflow"), ("--schedule", "own.mlir")):
            result = vyre(*given, *device, *chosen).json
            assert result["outputs"] == {"doubles": [4, 8, -12, 16]}
            assert len(result["arms"]) == 2


def test_a_report_selects_passes_of_the_next_run(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "handoff.mlir").write_text(HANDOFF)
    assert vyre("compile", "handoff.mlir", "--report", "report.json").status == 0
    explained = vyre("explain", "handoff.mlir", "--previous", "report.json", "--json").json
    reasons = {row["pass"]: row["reason"] for row in explained["passes"]}
    assert reasons["vyre-cse"] == "pass_cost_report"


def test_one_of_several_programs_is_chosen(vyre: Vyre) -> None:
    given = ("--input", "values=values", "--device", "reference", "--json")
    result = vyre("run", "two.mlir", "--program", "other", *given).json
    assert (result["program"], result["outputs"]) == ("other", {"doubles": [2, 4, -6, 8]})
    compiled = vyre("compile", "two.mlir", "--program", "double", "--json").json
    assert compiled["program"] == "double"
    assert [kernel["name"] for kernel in compiled["kernels"]] == ["double_0_double"]


def test_handoffs_that_are_fused_away_still_take_input(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "handoff.mlir").write_text(HANDOFF)
    given = ("run", "handoff.mlir", "--input", "values=values", "--device", "reference")
    for pipeline in (UNFUSED, DEFAULT):
        for more in ((), ("--input", "h=values")):
            result = vyre(*given, *more, "-p", pipeline, "--json").json
            assert result["outputs"] == {"doubles": [4, 8, -12, 16]}
            assert len(result["arms"]) == (1 if pipeline == DEFAULT else 2)
        failed = vyre(*given, "--input", "h=short", "-p", pipeline)
        assert_one_line(failed, "input 'h' expected 16 bytes (4 elements of i32), got 3")
        assert_one_line(vyre(*given, "--input", "g=values", "-p", pipeline), "unknown input 'g'")


# Work that is not done.

USAGE_ERRORS = [
    ((), "COMMAND"),
    (("fly",), "unknown command 'fly': expected one of devices, compile, run"),
    (("rnu", "double.mlir"), "unknown command 'rnu': did you mean 'run'?"),
    (double("-p", "vyre-coarsen{itms=4}"), "unknown option 'itms': did you mean 'items'?"),
    (double("--deivce", "x"), "unknown argument '--deivce': did you mean '--device'?"),
    (double("--devicee=x"), "unknown argument '--devicee': did you mean '--device'?"),
    (double("--profile", "relaese"), "unknown value 'relaese': did you mean 'release'?"),
    (("run",), "FILE"),
    (double("--fly"), "--fly"),
    (double("--repeat", "0"), "expected a positive integer, got '0'"),
    (double("--repeat", "x"), "expected a positive integer, got 'x'"),
    (double("--output", "doubles"), "argument --output: expected NAME=PATH, got 'doubles'"),
    (double("--output", "=x"), "expected NAME=PATH, got '=x'"),
    (double("--input", "values=short"), "argument --input: buffer 'values' is given twice"),
    (double("--input", "vaules=short"), "unknown input 'vaules'"),
    (double("--input", "x=short"), "unknown input 'x' of 'double': it has values"),
    (double("--input", "doubles=x.npy"), "cannot read"),
    (double("--output", "double=x"), "unknown output 'double' of 'double': did you mean 'doubles'"),
    (double("--output", "values=x"), "buffer 'values' of 'double' is not live out"),
    (double("--output", "doubles=x", "--output", "other=x"), "written to one file"),
    (double("-p", "no-such-pass"), "unknown pass 'no-such-pass'"),
    (double("-p", "vyre-expand{no_such=1}"), "pass 'vyre-expand'"),
    (double("-p", "vyre-expand{"), "malformed pipeline"),
    (double("--options", "vyre-expand{"), "argument --options: malformed options 'vyre-expand{'"),
    (("run", "two.mlir", "--device", "reference"), "'double', 'other'"),
    (("run", "empty.mlir", "--device", "reference"), "expected a module of one program"),
    (("compile", "double.mlir", "-p", "no-such-pass"), "unknown pass"),
    (
        ("compile", "two.mlir", "--program", "third"),
        "unknown program 'third': the module has 'double', 'other'",
    ),
    (("run", "two.mlir", "--program", "third"), "unknown program 'third'"),
    (double("-p", "canonicalize", "--profile", "release"), "argument --profile: not allowed with"),
    (
        double("--profile", "fast"),
        "unknown value 'fast': expected one of release",
    ),
    (("run", LITERAL, "--device", "reference"), "expected an input for buffer 'encoded'"),
]
USER_ERRORS = [
    (double("--schedule", "missing"), "pass 'vyre-optimize': cannot read the schedule 'missing'"),
    (double("--schedule", "double.mlir"), "expected one 'vyre.schedule' in the schedule"),
    (double("--hints", "values"), "cannot read the hints 'values': it is no text"),
    (("explain", "double.mlir", "--previous", "double.mlir"), "malformed report 'double.mlir'"),
    (("run", "missing.mlir"), "cannot read 'missing.mlir': No such file or directory"),
    (("run", "folder"), "cannot read 'folder': Is a directory"),
    (("run", "values"), "cannot read 'values': it is no text"),
    (("run", "malformed.mlir"), "malformed.mlir:1:"),
    (("run", "invalid.mlir"), "invalid.mlir:3:3: 'vyre.buffer' expected a positive element count"),
    (("compile", "malformed.mlir"), "malformed.mlir:1:"),
    (("compile", "missing.mlir", "-o", "out.cl"), "cannot read 'missing.mlir'"),
    (("compile", "double.mlir", "-o", "missing/out.cl"), "there is no folder 'missing'"),
    (("compile", "double.mlir", "-o", "folder"), "cannot write 'folder': it is a folder"),
    (("compile", "double.mlir", "-p", "vyre-expand"), "vyre-outline-kernels"),
    (("run", "double.mlir", "--input", "values=missing"), "cannot read 'missing'"),
    (("run", "double.mlir", "--input", "values=folder"), "cannot read 'folder'"),
    (
        ("run", "double.mlir", "--input", "values=short", "--device", "reference"),
        "input 'values' expected 16 bytes (4 elements of i32), got 3",
    ),
    (
        ("run", "huge.mlir", "--input", "values=values", "--device", "reference"),
        "buffer 'doubles' needs 4000000000000000 bytes",
    ),
    (double("--output", "doubles=missing/x"), "there is no folder 'missing'"),
    (double("--output", "doubles=folder"), "it is a folder"),
    (("run", LITERAL, "--input", "encoded=short", "--device", "reference"), "at offset 3"),
]


@pytest.mark.parametrize(("arguments", "message"), USAGE_ERRORS)
def test_usage_errors(vyre: Vyre, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    before = snapshot(tmp_path)
    failed = vyre(*arguments)
    assert_one_line(failed, message)
    assert failed.status == (1 if "cannot read" in message else 2)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(("arguments", "message"), USER_ERRORS)
def test_errors_of_the_user(
    vyre: Vyre, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = snapshot(tmp_path)
    failed = vyre(*arguments)
    assert_one_line(failed, message)
    assert failed.status == 1
    assert snapshot(tmp_path) == before


def assert_one_line(failed: Outcome, message: str) -> None:
    assert failed.out == ""
    said = message_of(failed.err)
    assert said.startswith("vyre: error: ")
    assert message in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_output_that_may_not_be_written(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "folder").chmod(0o500)
    assert_one_line(vyre(*double("--output", "doubles=folder/x")), "may not be written to")


def test_a_trap_leaves_the_old_output(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "count").write_bytes(b"old")
    given = ("--input", "encoded=short", "--output", "count=count", "--device", "reference")
    assert vyre("run", LITERAL, *given).status == 1
    assert (tmp_path / "count").read_bytes() == b"old"


def test_debug_shows_where_an_error_came_up(vyre: Vyre) -> None:
    failed = vyre("run", "missing.mlir", "--debug")
    assert failed.status == 1
    assert "Traceback" in failed.err
    assert failed.err.splitlines()[-1].startswith("vyre: error: cannot read")


# The process itself.


def process(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; from vyre_dialect.runtime.cli import main; "]
    command[-1] += "sys.exit(main())"
    return subprocess.run(
        [*command, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_the_process_exits_with_the_status(vyre: Vyre, tmp_path: Path) -> None:
    del vyre  # makes the files
    assert process(*double(), cwd=tmp_path).returncode == 0
    assert process("run", "missing.mlir", cwd=tmp_path).returncode == 1
    assert process("run", "--fly", cwd=tmp_path).returncode == 2


def test_a_reader_that_goes_away_is_no_crash(vyre: Vyre, tmp_path: Path) -> None:
    del vyre
    program = "import sys; from vyre_dialect.runtime.cli import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", program, *double("--json")],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1


def test_help_needs_nothing_heavy() -> None:
    code = (
        "import sys; from vyre_dialect.runtime.cli import main\n"
        "try: main(['run', '--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numpy', 'pyopencl', 'rich', 'xdsl') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    from importlib.metadata import version

    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"vyre {version('vyre')}\n"


def test_what_nobody_foresaw_is_one_line(vyre: Vyre, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError("not\nforeseen")

    monkeypatch.setattr("vyre_dialect.runtime.driver.execute.run_module", fail)
    failed = vyre(*double())
    assert (failed.status, failed.out) == (70, "")
    assert failed.err == (
        "vyre: internal error: KeyError: 'not\\nforeseen'; run with --debug to see where, and "
        "please report it\n"
    )
    debugged = vyre(*double("--debug"))
    assert debugged.status == 70
    assert debugged.err.startswith("Traceback")
    assert debugged.err.splitlines()[-1].startswith("vyre: internal error: KeyError:")


NUMBER = "9" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "double.mlir", "--input", f"values=zeros:{NUMBER}"),
        ("run", "double.mlir", "--input", f"values=random:9:{NUMBER}"),
        ("run", "double.mlir", "--input", f"values=hex:{NUMBER}x"),
        double("--repeat", NUMBER),
        double("--timeout", NUMBER),
        double("--options", f"vyre-coarsen{{items={NUMBER}}}"),
        double("-p", f"vyre-coarsen{{items={NUMBER}}}"),
        double("--device", NUMBER),
        ("run", NUMBER),
        ("tune", "double.mlir", "--seed", NUMBER),
        ("tune", "double.mlir", "--evaluations", NUMBER),
        ("plan", "lives.csv"),
        ("plan", "lives.csv", "--capacity", NUMBER),
        (NUMBER,),
    ],
)
def test_a_number_of_thousands_of_digits_is_a_short_line(
    vyre: Vyre, arguments: tuple[str, ...]
) -> None:
    Path("lives.csv").write_text(f"id,lower,upper,size\na,0,1,{NUMBER}\n")
    failed = vyre(*arguments)
    assert failed.status in (1, 2)
    assert_one_line(failed, "…")
    assert len(failed.err) <= 301


def test_errors_stay_on_one_line(vyre: Vyre) -> None:
    assert_one_line(vyre("run", "a\nb"), r"cannot read 'a\nb'")
    assert_one_line(vyre("fly\nhigh"), "unknown command")
    assert_one_line(vyre(*double("--input", "a\nb=values")), r"unknown input 'a\nb'")


# What is said beside the result.

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


# Inputs without files.


@pytest.mark.parametrize(
    ("given", "doubles"),
    [
        ("hex:01000000 02000000 fdffffff 04000000", [2, 4, -6, 8]),
        ("zeros:16", [0, 0, 0, 0]),
        ("text:aa//bb=bcc::dddd", (np.frombuffer(b"aa//bb=bcc::dddd", "<i4") * 2).tolist()),
        (
            "random:16:7",
            (np.random.default_rng(7).integers(0, 256, 16, np.uint8).view("<i4") * 2).tolist(),
        ),
    ],
)
def test_data_is_made(vyre: Vyre, given: str, doubles: list[int]) -> None:
    arguments = ("run", "double.mlir", "--input", f"values={given}", "--device", "reference")
    assert vyre(*arguments, "--json").json["outputs"]["doubles"] == doubles


@pytest.mark.parametrize(
    "given",
    ["hex:0", "hex:xy", "zeros:", "zeros:-1", "zeros:1e3", "random:16", "random:16:x", "zeros:²"],
)
def test_data_that_makes_no_sense(vyre: Vyre, given: str) -> None:
    failed = vyre("run", "double.mlir", "--input", f"values={given}", "--device", "reference")
    assert failed.status == 2
    assert_one_line(failed, f"argument --input: values={given}: ")


@pytest.mark.parametrize(
    ("given", "role", "number"),
    [
        ("zeros:-5", "SIZE", "-5"),
        ("zeros:+5", "SIZE", "+5"),
        ("zeros:1.5", "SIZE", "1.5"),
        ("random:-5:0", "SIZE", "-5"),
        ("random:5:-1", "SEED", "-1"),
        ("zeros:10000000000000000000", "SIZE", "10000000000000000000"),
    ],
)
def test_which_numbers_data_is_made_of(vyre: Vyre, given: str, role: str, number: str) -> None:
    failed = vyre("run", "double.mlir", "--input", f"values={given}", "--device", "reference")
    assert failed.status == 2
    expected = f"expected {role} to be a whole number of 1 to 19 digits without a sign"
    assert_one_line(failed, f"argument --input: values={given}: {expected}, got '{number}'")


def test_a_file_whose_name_looks_like_data(vyre: Vyre, tmp_path: Path) -> None:
    (tmp_path / "zeros:16").write_bytes((tmp_path / "values").read_bytes())
    given = ("run", "double.mlir", "--input", "values=./zeros:16", "--device", "reference")
    assert "doubles = [2, 4, -6, 8]" in vyre(*given).out


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_arguments_are_completed(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", shell])
    assert ended.value.code == 0
    assert "--device" in capsys.readouterr().out


def test_bash_completes_commands_and_options(tmp_path: Path) -> None:
    done = process("--print-completion", "bash", cwd=tmp_path)
    (tmp_path / "completion").write_text(done.stdout)
    asked = "COMP_WORDS=(vyre run --ch); COMP_CWORD=2; _shtab_vyre; echo ${COMPREPLY[@]}"
    said = subprocess.run(
        ["bash", "-c", f"source completion; {asked}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["--check"]


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (
            "arith.addi %v, %v",
            "arith.addii %v, %v",
            "double.mlir:8:22: unknown operation 'arith.addii': did you mean 'arith.addi'?\n"
            "        %d = arith.addii %v, %v : i32\n"
            "                         ^\n",
        ),
        (
            "invocations [4]",
            "invocations [0]",
            "double.mlir:5: 'vyre.region' expected a positive invocation count, got 0\n"
            '      vyre.region "double" invocations [0] {\n'
            "      ^\n",
        ),
    ],
)
def test_the_line_of_an_error_is_shown(vyre: Vyre, old: str, new: str, shown: str) -> None:
    Path("double.mlir").write_text(DOUBLE.replace(old, new))
    failed = vyre(*double())
    assert failed.status == 1
    assert failed.err == f"vyre: error: {shown}"


def test_of_a_long_line_what_is_around_the_place_is_shown(vyre: Vyre) -> None:
    Path("double.mlir").write_text(
        DOUBLE.replace("%d =", f"{' ' * 5000}\t%d =").replace("addi", "?")
    )
    said, line, caret = vyre(*double()).err.splitlines()
    assert "double.mlir:8:" in said
    assert max(len(line), len(caret)) <= 104
    assert "arith.?" in line
