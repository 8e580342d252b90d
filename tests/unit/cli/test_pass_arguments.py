"""What the command line says about passes: what is inserted, left out, stopped at and shown."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from examples.data import EXAMPLES
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.program.compilation import make_context, parse_module
from vyre_dialect.runtime.tuning.mode import SECONDS_VARIABLE, VARIABLE, Mode

XOR = str(EXAMPLES / "xor_literal.mlir")
HISTOGRAM = str(EXAMPLES / "hex_histogram.mlir")
PIPELINE = "vyre-expand,canonicalize,vyre-outline-kernels,canonicalize"

Vyre = Callable[..., tuple[int, str, str]]


@pytest.fixture
def vyre(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Vyre:
    """Runs the command in an empty folder; gives its status, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def ran(vyre: Vyre, *arguments: str) -> list[str]:
    """The passes of a compilation, in order."""
    status, _, err = vyre("compile", XOR, "--print-ir-after-all", *arguments)
    assert status == 0, err
    return re.findall(r"IR Dump After (\S+) //", err)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ("", "vyre-expand canonicalize vyre-outline-kernels canonicalize"),
        (
            "--before canonicalize=cse",
            "vyre-expand cse canonicalize vyre-outline-kernels canonicalize",
        ),
        (
            "--after vyre-expand=cse,vyre-coarsen{items=4} --after vyre-expand=dce",
            "vyre-expand cse vyre-coarsen dce canonicalize vyre-outline-kernels canonicalize",
        ),
        ("--skip canonicalize", "vyre-expand vyre-outline-kernels"),
        ("--skip canonicalize --after canonicalize=cse", "vyre-expand cse vyre-outline-kernels"),
        ("--no-fuse", "vyre-expand canonicalize vyre-outline-kernels canonicalize"),
    ],
)
def test_edits_of_a_pipeline(vyre: Vyre, edits: str, expected: str) -> None:
    assert ran(vyre, "-p", PIPELINE, *edits.split()) == expected.split()


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ("--stop-after canonicalize", "vyre-expand canonicalize"),
        ("--stop-before canonicalize", "vyre-expand"),
        ("--stop-after canonicalize --after canonicalize=cse", "vyre-expand canonicalize cse"),
    ],
)
def test_stops_of_a_pipeline(vyre: Vyre, edits: str, expected: str) -> None:
    assert ran(vyre, "-p", PIPELINE, *edits.split()) == expected.split()


def test_no_fuse_leaves_the_passes_out_that_fuse(vyre: Vyre) -> None:
    assert "vyre-decode-scan-fuse" in ran(vyre)
    assert not {"vyre-decode-scan-fuse", "vyre-fuse-horizontally"} & set(ran(vyre, "--no-fuse"))
    fused = vyre("compile", XOR, "-p", "vyre-expand,vyre-decode-scan-fuse,vyre-outline-kernels")[1]
    plain = vyre("compile", XOR, "-p", "vyre-expand,vyre-outline-kernels")[1]
    options = ("-p", "vyre-expand,vyre-decode-scan-fuse,vyre-outline-kernels", "--no-fuse")
    assert vyre("compile", XOR, *options)[1] == plain != fused


def test_a_stop_prints_the_ir_as_it_then_is(vyre: Vyre) -> None:
    status, out, err = vyre("compile", XOR, "--stop-after", "arms")
    assert (status, err) == (0, "")
    module = parse_module(out, make_context())
    assert "vyre.region" in str(module)
    assert "vyre.kernel" not in str(module)
    status, written, _ = vyre("compile", XOR, "--stop-after", "arms", "-o", "arms.mlir")
    assert (status, written) == (0, "")
    assert Path("arms.mlir").read_text() == out


def test_a_stop_before_kernels_is_interpreted(vyre: Vyre) -> None:
    stop = ("--stop-after", "vyre-decode-scan-fuse", "--input", "encoded=zeros:64")
    status, out, err = vyre("run", XOR, "--device", "reference", *stop)
    assert (status, err) == (0, "")
    assert "count = [0]" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--skip nope", "argument --skip: unknown pass 'nope'"),
        ("--skip arms", "argument --skip: expected a pass, got the phase 'arms' of schedules"),
        ("--before nope=cse", "argument --before: unknown pass 'nope'"),
        ("--before cse", "argument --before: expected STAGE=PASSES, got 'cse'"),
        ("--after arms=nope", "unknown pass 'nope'"),
        (
            "--after arms=vyre-coarsen{items=x}",
            "pass 'vyre-coarsen': option 'items' expected a whole number, got 'x'",
        ),
        (
            "--options vyre-coarsen{order=back}",
            "pass 'vyre-coarsen': option 'order' expected 'blocked' or 'strided', got 'back'",
        ),
        (
            "--options vyre-decode-scan-fuse{strategy=best}",
            "option 'strategy' expected 'auto', 'workgroup' or 'private', got 'best'",
        ),
        ("--options vyre-decode-scan-fuse{budget=1,2}", "expected a whole number, got 1, 2"),
        ("--options vyre-decode-scan-fuse{budget}", "expected a whole number, got none"),
        ("--options vyre-vectorize{annotate=1}", "'annotate' expected true or false, got 1"),
        ("--options vyre-expand{choices=3}", "'choices' expected texts with commas between, got 3"),
        (
            "--options decode-scan-fuse{budget=1}",
            "no pass of the schedule: did you mean 'vyre-decode-scan-fuse'?",
        ),
        ("--stop-after nope", "argument --stop-after: unknown pass 'nope'"),
        ("--stop-before arms -p cse", "argument --stop-before: expected a pass, got the phase"),
        ("--print-ir-after nope", "argument --print-ir-after: unknown pass 'nope'"),
        ("--stop-after dce -p cse", "the passes never come to 'dce'; those that ran are 'cse'"),
        (
            "--stop-after arms --after kernels=cse",
            "the passes never come to 'kernels'; those that ran are 'vyre-push-down-predicates'",
        ),
        ("--dump -", "argument --dump: expected a folder, got '-'"),
        ("--options nope{x=1}", "no pass of the schedule: 'vyre schedule FILE' prints those"),
    ],
)
def test_what_makes_no_sense(vyre: Vyre, arguments: str, message: str) -> None:
    status, out, err = vyre("compile", XOR, *arguments.split())
    assert (status in (1, 2), out, err.count("\n")) == (True, "", 1)
    assert err.startswith("vyre: error: ")
    assert message in err


def test_the_ir_is_printed_before_and_after_the_passes_that_are_named(vyre: Vyre) -> None:
    names = ("--print-ir-before", "vyre-outline-kernels", "--print-ir-after", "vyre-expand")
    status, out, err = vyre("compile", XOR, "-p", PIPELINE, *names)
    assert (status, "__kernel" in out) == (0, True)
    assert re.findall(r"IR Dump (\w+ \S+) //", err) == [
        "After vyre-expand",
        "Before vyre-outline-kernels",
    ]
    before = err.split("//----- //\n")[-1]
    assert "vyre.region" in str(parse_module(before, make_context()))


def test_before_all(vyre: Vyre) -> None:
    err = vyre("compile", XOR, "-p", PIPELINE, "--print-ir-before-all")[2]
    assert re.findall(r"IR Dump Before (\S+) //", err) == PIPELINE.split(",")


def test_a_dump_holds_the_ir_after_each_pass_and_the_kernels(vyre: Vyre) -> None:
    status, out, err = vyre("compile", XOR, "-p", PIPELINE, "--dump", "dump")
    assert (status, err) == (0, "")
    files = sorted(os.listdir("dump"))
    assert files == [
        "000-input.mlir",
        "001-vyre-expand.mlir",
        "002-canonicalize.mlir",
        "003-vyre-outline-kernels.mlir",
        "004-canonicalize.mlir",
        "kernels.cl",
    ]
    assert Path("dump/kernels.cl").read_text() == out
    context = make_context()
    modules = [str(parse_module(Path("dump", each).read_text(), context)) for each in files[:-1]]
    assert "vyre.decode.xor" in modules[0]
    assert "vyre.kernel" in modules[3]
    assert "vyre.kernel" not in modules[2]


def test_a_dump_of_a_schedule_numbers_its_passes(vyre: Vyre) -> None:
    names = ran(vyre, "--dump", "dump")
    files = sorted(os.listdir("dump"))[1:-1]
    assert files == [f"{number:03}-{name}.mlir" for number, name in enumerate(names, 1)]


def test_a_dump_overwrites_nothing(vyre: Vyre) -> None:
    Path("mine").mkdir()
    Path("mine/kernels.cl").write_text("mine")
    Path("file").write_text("mine")
    for folder, why in (
        ("mine", "expected a new or an empty folder"),
        ("file", "Not a directory"),
        ("no/such", "there is no folder 'no'"),
    ):
        status, out, err = vyre("compile", XOR, "--dump", folder)
        assert (status, out) == (1, "")
        assert err == f"vyre: error: cannot write '{folder}': {why}\n"
    assert Path("mine/kernels.cl").read_text() == "mine"
    assert os.listdir("mine") == ["kernels.cl"]


def test_a_dump_into_an_empty_folder(vyre: Vyre) -> None:
    Path("empty").mkdir()
    assert vyre("compile", XOR, "--dump", "empty")[0] == 0
    assert Path("empty/kernels.cl").exists()


def test_a_program_with_an_error_makes_no_folder(vyre: Vyre) -> None:
    assert vyre("compile", "missing.mlir", "--dump", "dump")[0] == 1
    assert not Path("dump").exists()


def test_a_pass_that_fails_leaves_the_dump_of_those_before(vyre: Vyre) -> None:
    passes = "vyre-expand,vyre-decode-scan-fuse{tile=-1}"
    assert vyre("compile", XOR, "-p", passes, "--dump", "dump")[0] == 1
    assert sorted(os.listdir("dump")) == ["000-input.mlir", "001-vyre-expand.mlir"]


@pytest.mark.parametrize("command", ["compile", "run", "explain"])
def test_timings_of_passes_go_to_standard_error(vyre: Vyre, command: str) -> None:
    more = ("--device", "reference", "--input", "encoded=zeros:64") if command == "run" else ()
    status, out, err = vyre(command, XOR, "-v", "--profile", "release", *more)
    assert status == 0
    assert "passes: " not in out
    assert re.search(r"^passes: [0-9.]+ ms\n  pass +runs +ms +%\n", err, re.MULTILINE)
    assert re.search(r"^  vyre-expand +1 +[0-9.]+ +[0-9]+$", err, re.MULTILINE)


def test_options_of_passes_of_the_schedule(vyre: Vyre) -> None:
    options = ("--options", "vyre-decode-scan-fuse{strategy=workgroup tile=256}")
    assert "__local" in vyre("compile", XOR, *options)[1]
    assert "__local" not in vyre("compile", XOR)[1]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-p", PIPELINE], "not allowed with passes that are named or left out"),
        (["--no-fuse"], "not allowed with passes that are named or left out"),
        (["--device", "reference"], "the interpreter takes no times"),
    ],
)
@pytest.mark.parametrize("option", [["--tune"], ["--resize", "10"]])
def test_what_cannot_be_tuned_is_said(
    vyre: Vyre, option: list[str], arguments: list[str], reason: str
) -> None:
    status, _, err = vyre("run", XOR, *option, "--input", "encoded=zeros:64", *arguments)
    assert status != 0
    assert f"argument {option[0]}: {reason}" in err


@pytest.mark.parametrize("number", ["0", "-1", "inf", "nan", "fast"])
def test_a_rate_is_a_positive_number(vyre: Vyre, number: str) -> None:
    status, _, err = vyre("run", XOR, f"--resize={number}")
    assert status != 0
    assert f"argument --resize: expected a positive number, got '{number}'" in err


def test_the_variable_of_the_tuner_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "yes")
    with pytest.raises(UsageError, match="expected one of 'on', 'hot', 'cached', 'off', got 'yes'"):
        Mode.from_environment()


@pytest.mark.parametrize("command", [("devices",), ("compile", XOR), ("plan", "x.csv")])
@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        (VARIABLE, "yes", "expected one of 'on', 'hot', 'cached', 'off', got 'yes'"),
        *(
            (SECONDS_VARIABLE, value, f"expected a positive number of seconds, got '{value}'")
            for value in ("0", "-1", "inf", "nan", "soon")
        ),
    ],
)
def test_every_command_refuses_an_environment_that_makes_no_sense(
    vyre: Vyre,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    name: str,
    value: str,
    expected: str,
) -> None:
    monkeypatch.setenv(name, value)
    assert vyre(*command) == (2, "", f"vyre: error: {name} {expected}\n")


def test_a_choice_that_no_op_can_have_is_one_line(vyre: Vyre) -> None:
    options = 'vyre-expand{choices="workgruop=64"}'
    status, _, errors = vyre("compile", HISTOGRAM, "--options", options)
    assert status == 1
    assert "'vyre-expand' expected a parameter of the program's ops" in errors
    assert "got 'workgruop'" in errors
    assert errors.count("\n") == 1
