"""The commands do their work, as processes, too."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.commands import (
    HANDOFF,
    HISTOGRAM,
    Vyre,
    assert_one_line,
    command_line,
    double,
    process,
)
from support.example_data import matching_text

from examples.data import load_example
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.program.pipelines import DEFAULT, UNFUSED

AGAIN = """
vyre.program @again {
  %values = vyre.buffer @values live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "double" invocations [4] {
    %i = vyre.invocation_id x
    %value = vyre.load %values[%i] : !vyre.buffer<4xi32, read_write> -> i32
    %twice = arith.addi %value, %value : i32
    vyre.store %twice, %values[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
"""
"""Doubles what it is given, where it stands."""


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


def test_a_buffer_may_replace_what_it_was_read_from(vyre: Vyre, tmp_path: Path) -> None:
    Path("again.mlir").write_text(AGAIN)
    arguments = ("run", "again.mlir", "--input", "values=values")
    assert vyre(*arguments, "--output", "values=values").status == 0
    assert vyre(*arguments, "--json").json["outputs"]["values"] == [4, 8, -12, 16]


def test_a_buffer_does_not_replace_the_input_of_another(vyre: Vyre, tmp_path: Path) -> None:
    before = Path("values").read_bytes()
    outcome = vyre(*double("--output", "doubles=values"))
    assert outcome.status == 2
    assert "doubles=values would replace the input of 'values'" in outcome.err
    assert Path("values").read_bytes() == before


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


@pytest.mark.slow
def test_the_process_exits_with_the_status(vyre: Vyre, tmp_path: Path) -> None:
    del vyre  # makes the files
    assert process(*double(), cwd=tmp_path).returncode == 0
    assert process("run", "missing.mlir", cwd=tmp_path).returncode == 1
    assert process("run", "--fly", cwd=tmp_path).returncode == 2


def buffered() -> dict[str, str]:
    """The environment of a command whose output is kept until there is much of it, or the end."""
    return {name: each for name, each in os.environ.items() if name != "PYTHONUNBUFFERED"}


def test_a_reader_that_goes_away_is_no_crash(vyre: Vyre, tmp_path: Path) -> None:
    del vyre
    with subprocess.Popen(
        command_line(*double("--json")),
        cwd=tmp_path,
        env=buffered(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 1


def without_output(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command that is started with its standard output closed."""
    started = ["sh", "-c", 'exec "$@" >&-', "sh", *command_line(*arguments)]
    return subprocess.run(
        started, cwd=cwd, env=buffered(), capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", [double(), double("--json"), ("--version",), ("--help",)])
def test_what_cannot_be_printed_is_an_error(
    vyre: Vyre, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    del vyre
    failed = without_output(*arguments, cwd=tmp_path)
    assert failed.returncode == 1
    assert failed.stderr == "vyre: error: cannot write standard output: Bad file descriptor\n"


@pytest.mark.parametrize("arguments", ["--help", "run --help", "--version"])
def test_help_that_no_output_has_room_for_is_an_error(arguments: str) -> None:
    with open("/dev/full", "w") as full:
        failed = subprocess.run(
            command_line(*arguments.split()),
            stdin=full,  # nothing can be read from it, which nobody wants to
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert failed.returncode == 1
    assert failed.stderr == "vyre: error: cannot write standard output: No space left on device\n"


@pytest.mark.parametrize(
    "arguments", [("run", "double.mlir", "--input", "values=-"), ("scan", "--literal", "x", "-")]
)
def test_an_input_that_cannot_be_read_is_an_error(
    vyre: Vyre, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    del vyre
    started = ["sh", "-c", 'exec "$@" 0>/dev/null', "sh", *command_line(*arguments)]
    failed = subprocess.run(started, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert failed.stderr == "vyre: error: cannot read standard input: Bad file descriptor\n"


def test_outputs_of_who_calls_it_stay_as_they_are() -> None:
    code = (
        "import sys; from vyre_dialect.runtime.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "print(sys.stdout.errors)"
    )
    environment = os.environ | {"PYTHONIOENCODING": "ascii:replace"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "replace"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "ascii:surrogateescape"])
def test_what_an_encoding_has_no_character_for_is_escaped(
    vyre: Vyre, tmp_path: Path, encoding: str
) -> None:
    del vyre
    (tmp_path / "\u4e2d").write_text("a needle")
    scan = ("scan", "--literal", "needle", "--device", "reference", ".")
    done = process(*scan, cwd=tmp_path, env=os.environ | {"PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("./\\u4e2d:")


def test_a_folder_that_was_removed_is_no_error_where_it_does_not_matter(
    vyre: Vyre, tmp_path: Path
) -> None:
    del vyre
    leave = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); "
    program = str(tmp_path / "double.mlir")
    for more, said in {(): "", ("-o", "y.cl"): "cannot write 'y.cl'"}.items():
        done = process("compile", program, *more, cwd=tmp_path, before=leave)
        assert (done.returncode, "__kernel" in done.stdout) == ((1, False) if more else (0, True))
        assert said in done.stderr and done.stderr.count("\n") == bool(more)


@pytest.mark.parametrize("before", ["", "import xdsl.dialects; "])
def test_no_dialect_of_the_current_folder_is_read(vyre: Vyre, tmp_path: Path, before: str) -> None:
    del vyre
    (tmp_path / "absent.irdl").write_text("no dialect")
    code = (
        f"{before}import sys; from vyre_dialect.runtime.cli import main\n"
        "sys.argv[1:] = ['compile', 'double.mlir', '-o', 'double.cl']; assert main() == 0\n"
        "import xdsl.dialects.cmath\n"
        "try: import absent\n"
        "except ModuleNotFoundError: print('absent')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("absent\n", "")
    assert not (tmp_path / "absent.pyi").exists()


def test_an_output_that_cannot_be_printed_is_one_error(vyre: Vyre, tmp_path: Path) -> None:
    del vyre
    failed = without_output(*double("--output", "doubles=-"), cwd=tmp_path)
    assert failed.returncode == 1
    assert failed.stderr == "vyre: error: cannot write '-': Bad file descriptor\n"


def test_what_prints_nothing_needs_no_output(vyre: Vyre, tmp_path: Path) -> None:
    del vyre
    done = without_output("compile", "double.mlir", "-o", "double.cl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "__kernel" in (tmp_path / "double.cl").read_text()


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
