"""Commands say in one line what is wrong, and then change nothing on disk."""

import os
from pathlib import Path

import pytest
from support.commands import DOUBLE, LITERAL, Vyre, assert_one_line, double, snapshot

from vyre_dialect.ir.broken_descriptions import DescriptionError

USAGE_ERRORS = [
    ((), "COMMAND"),
    (("fly",), "unknown command 'fly': expected one of devices, compile, run"),
    (("rnu", "double.mlir"), "unknown command 'rnu': did you mean 'run'?"),
    (double("-p", "vyre-coarsen{itms=4}"), "unknown option 'itms': did you mean 'items'?"),
    (double("--deivce", "x"), "unknown argument '--deivce': did you mean '--device'?"),
    (double("--devicee=x"), "unknown argument '--devicee': did you mean '--device'?"),
    (double("--profile", "relaese"), "unknown value 'relaese': did you mean 'release'?"),
    (("run",), "FILE"),
    (double("other.mlir"), "unexpected argument 'other.mlir': 'vyre run --help' says more"),
    (
        ("compile", "double.mlir", "--device", "reference"),
        "argument --device: the interpreter has no kernels, leave it out for those of any device",
    ),
    (double("--fly"), "--fly"),
    (double("--repeat", "0"), "expected a positive integer, got '0'"),
    (double("--repeat", "x"), "expected a positive integer, got 'x'"),
    (("hot-paths", "--threshold", f"1{'0' * 400}"), "expected at most 9223372036854775807, got '1"),
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
    (
        ("run", LITERAL, "--device", "reference"),
        "expected an input for buffer 'encoded', got none; name it by --input encoded=FILE",
    ),
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
        "buffer 'doubles' needs 400000000000000 bytes",
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


def test_too_little_memory_is_no_error_of_vyre(vyre: Vyre, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("vyre_dialect.runtime.driver.execute.run_module", fail)
    failed = vyre(*double())
    assert (failed.status, failed.err) == (
        1,
        "vyre: error: the memory of this machine is not enough\n",
    )


def test_a_mistake_of_a_package_is_no_error_of_vyre(
    vyre: Vyre, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DescriptionError("'numpy' of 'acme.mix', as 'acme' describes it, failed: KeyError: 1")

    monkeypatch.setattr("vyre_dialect.runtime.driver.execute.run_module", fail)
    failed = vyre(*double())
    assert failed.status == 1
    assert_one_line(failed, "vyre: error: 'numpy' of 'acme.mix', as 'acme' describes it, failed:")
    assert "DescriptionError" in vyre(*double("--debug")).err


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


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (
            "arith.addi %v, %v",
            "arith.addii %v, %v",
            "double.mlir:8:10: unknown operation 'arith.addii': did you mean 'arith.addi'?\n"
            "        %d = arith.addii %v, %v : i32\n"
            "             ^\n",
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
