"""Reports and other files are written whole, and never over what else a command reads or writes."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from examples.data import EXAMPLES
from vyre_dialect import whole_files
from vyre_dialect.runtime.cli import main

XOR = (EXAMPLES / "xor_literal.mlir").read_text()
SCHEDULE = """vyre.schedule @s profile(release) {
  vyre.pass @"vyre-expand" phase expand family unknown boundary program preserves_abi
  vyre.pass @"vyre-outline-kernels" phase outline family unknown boundary module preserves_abi
}
"""
FILES = {"p.mlir": XOR, "s.mlir": SCHEDULE, "h.json": '{"rows": []}', "data": "text"}

Vyre = Callable[[str], tuple[int, str]]


@pytest.fixture
def vyre(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Vyre:
    """Runs the command in a folder with a program and what goes with it."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("link.mlir").symlink_to("p.mlir")
    os.link("p.mlir", "twin.mlir")

    def run(arguments: str) -> tuple[int, str]:
        status = main(arguments.split())
        return status, capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compile p.mlir --report p.mlir", "--report: 'p.mlir' is the program, too"),
        ("compile p.mlir --report ./p.mlir", "--report: 'p.mlir' is the program, too"),
        ("compile p.mlir --report link.mlir", "--report: 'link.mlir' is the program, too"),
        ("compile p.mlir --report twin.mlir", "--report: 'twin.mlir' is the program, too"),
        ("explain p.mlir --report p.mlir", "--report: 'p.mlir' is the program, too"),
        ("run p.mlir --report p.mlir", "--report: 'p.mlir' is the program, too"),
        ("tune p.mlir --report p.mlir", "--report: 'p.mlir' is the program, too"),
        ("compile p.mlir -o p.mlir", "--output: 'p.mlir' is the program, too"),
        (
            "compile p.mlir --schedule s.mlir --report s.mlir",
            "--report: 's.mlir' is the schedule, too",
        ),
        ("compile p.mlir --hints h.json --report h.json", "--report: 'h.json' is the telemetry"),
        (
            "run p.mlir --input encoded=data --report data",
            "--report: 'data' is an input, too",
        ),
        (
            "run p.mlir --input encoded=data --output count=new --report new",
            "--output: 'new' is what --report writes, too",
        ),
        ("run p.mlir --trace link.mlir", "--trace: 'link.mlir' is the program, too"),
        ("run p.mlir --schedule s.mlir --trace s.mlir", "--trace: 's.mlir' is the schedule, too"),
        ("run p.mlir --hints h.json --trace h.json", "--trace: 'h.json' is the telemetry, too"),
        (
            "run p.mlir --previous h.json --trace h.json",
            "--trace: 'h.json' is the earlier report, too",
        ),
        ("run p.mlir --input encoded=data --trace data", "--trace: 'data' is an input, too"),
        ("run p.mlir --report new --trace new", "--trace: 'new' is what --report writes, too"),
        ("compile p.mlir --input encoded=data -o data", "--output: 'data' is an input, too"),
        ("report p.mlir --input encoded=data -o data", "--output: 'data' is an input, too"),
        (
            "run p.mlir --input encoded=data --output count=data",
            "--output: count=data would replace the input of 'encoded'",
        ),
        ("run p.mlir --output count=p.mlir", "--output: 'p.mlir' is the program, too"),
        (
            "run p.mlir --input encoded=p.mlir --output count=p.mlir",
            "--output: 'p.mlir' is the program, too",
        ),
        (
            "run p.mlir --schedule s.mlir --input encoded=s.mlir --output count=s.mlir",
            "--output: 's.mlir' is the schedule, too",
        ),
        ("compile p.mlir -o new --report new", "--output: 'new' is what --report writes, too"),
        (
            "explain p.mlir --memory-plot new --report new",
            "--memory-plot: 'new' is what --report writes, too",
        ),
        ("run p.mlir --input encoded=dat* --report data", "--report: 'data' is an input, too"),
        ("run p.mlir --merge --input encoded=dat* --trace data", "--trace: 'data' is an input"),
        ("run p.mlir --merge --input encoded=dat* --report ./data", "--report: 'data' is an input"),
        (
            "run p.mlir --merge --input encoded=dat* --output count=data",
            "--output: count=data would replace the input of 'encoded'",
        ),
        (
            "run p.mlir --merge --input encoded=dat* --output encoded=data",
            "--output: encoded=data would replace the input of 'encoded'",
        ),
        (
            "run p.mlir --input encoded=dat* --output count={}.mlir --report data.mlir",
            "--output: 'data.mlir' is what --report writes, too",
        ),
        ("run p.mlir --input encoded=p.?lir --output count={}.mlir", "--output: 'p.mlir' is the"),
        (
            "run p.mlir --input encoded=h.* --hints h.json --output count={}.json",
            "--output: 'h.json' is the telemetry, too",
        ),
        ("run p.mlir --input encoded=file://{here}/data --report data", "--report: 'data' is an"),
        ("run p.mlir --input encoded=file://{here}/dat* --report data", "--report: 'data' is an"),
        (
            "run p.mlir --input encoded=simplecache::file://{here}/dat* --report data",
            "--report: 'data' is an input, too",
        ),
        (
            "compile p.mlir --dump new --report new/kernels.cl",
            "--report: 'new/kernels.cl' is in the folder of --dump",
        ),
    ],
)
def test_what_would_be_lost_is_refused(vyre: Vyre, arguments: str, message: str) -> None:
    status, err = vyre(arguments.replace("{here}", str(Path.cwd())))
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith(f"vyre: error: argument {message}")
    assert {name: Path(name).read_text() for name in FILES} == FILES
    assert set(os.listdir()) == {*FILES, "link.mlir", "twin.mlir"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run - --report p.mlir", "--report: 'p.mlir' is the program, too"),
        ("compile - -o /dev/stdin", "--output: '/dev/stdin' is the program, too"),
        ("run - --report /proc/self/fd/0", "--report: '/proc/self/fd/0' is the program, too"),
        ("run s.mlir --input encoded=- --trace /dev/fd/0", "--trace: '/dev/fd/0' is an input, too"),
        (
            "run s.mlir --input encoded=- --output count=/dev/stdin",
            "--output: count=/dev/stdin would replace the input of 'encoded'",
        ),
        ("run s.mlir --input encoded=- --report p.mlir", "--report: 'p.mlir' is an input, too"),
        (
            "run s.mlir --input encoded=- --output count=link.mlir",
            "--output: count=link.mlir would replace the input of 'encoded'",
        ),
    ],
)
def test_the_file_of_standard_input_is_kept(vyre: Vyre, arguments: str, message: str) -> None:
    with standard_input("p.mlir"):
        status, err = vyre(arguments)
    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith(f"vyre: error: argument {message}")
    assert Path("p.mlir").read_text() == XOR


@contextmanager
def standard_input(name: str) -> Generator[None]:
    """Let a file be what the process reads, as `< NAME` does."""
    before = os.dup(0)
    with Path(name).open() as file:
        os.dup2(file.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


def test_a_file_whose_name_is_a_dash_is_no_standard_stream(vyre: Vyre) -> None:
    Path("-").write_text(XOR)
    assert vyre("compile ./- -o k.cl") == (0, "")
    assert vyre("compile p.mlir -o ./-") == (0, "")
    assert Path("-").read_text() == Path("k.cl").read_text()
    status, err = vyre("compile ./- -o ./-")
    assert status == 2
    assert err.endswith("/-' is the program, too\n")


@pytest.mark.parametrize("name", ["a" * 300, "p.mlir/x", "a/" * 3000 + "a"])
@pytest.mark.parametrize(
    "arguments",
    [
        "run p.mlir --device reference --input encoded=data --output count={}",
        "run p.mlir --device reference --input encoded=data --trace {}",
        "compile p.mlir -o {}",
        "compile p.mlir --report {}",
        "explain p.mlir --memory-plot {}",
    ],
)
def test_a_name_that_no_file_can_have_is_said(vyre: Vyre, name: str, arguments: str) -> None:
    status, err = vyre(arguments.format(name))
    assert (status, err.count("\n")) == (1, 1), err
    assert err.startswith("vyre: error: cannot write ")


@pytest.mark.parametrize("option", ["-o", "--report", "--dump"])
def test_a_link_to_itself_is_said(vyre: Vyre, option: str) -> None:
    Path("loop").symlink_to("loop")
    status, err = vyre(f"compile p.mlir {option} loop")
    assert (status, err.count("\n")) == (1, 1), err
    assert err.startswith("vyre: error: cannot write 'loop")


def test_a_report_takes_the_place_of_the_one_before(vyre: Vyre) -> None:
    assert vyre("compile p.mlir --report r.json") == (0, "")
    assert vyre("compile p.mlir --previous r.json --report r.json") == (0, "")
    reasons = {row.get("reason") for row in json.loads(Path("r.json").read_text())["decisions"]}
    assert "pass_cost_report" in reasons


def test_devices_are_written_as_often_as_asked(vyre: Vyre) -> None:
    assert vyre("compile p.mlir -o /dev/null --report /dev/null") == (0, "")


def test_a_report_is_written_whole(vyre: Vyre, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("r.json").write_text("before")
    Path("r.json").chmod(0o600)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(whole_files.os, "replace", fail)
        status, err = vyre("compile p.mlir --report r.json")
    assert status == 1
    assert "cannot write the report 'r.json': No space left on device" in err
    assert Path("r.json").read_text() == "before"
    assert set(os.listdir()) == {*FILES, "link.mlir", "twin.mlir", "r.json"}
    assert vyre("compile p.mlir --report r.json") == (0, "")
    assert json.loads(Path("r.json").read_text())["version"] == 1
    assert stat.S_IMODE(Path("r.json").stat().st_mode) == 0o600


def test_a_link_in_the_place_of_what_is_being_written_changes_no_other_file(
    vyre: Vyre, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("r.json").write_text("before")
    Path("r.json").chmod(0o666)
    Path("precious").write_text("")
    Path("precious").chmod(0o600)
    made = whole_files.tempfile.mkstemp

    def swapped(prefix: str, dir: Path) -> tuple[int, str]:  # noqa: A002 - as it is called
        descriptor, name = made(prefix=prefix, dir=dir)
        os.rename(name, "aside")
        os.symlink(Path("precious").absolute(), name)
        return descriptor, name

    monkeypatch.setattr(whole_files.tempfile, "mkstemp", swapped)
    assert vyre("compile p.mlir --report r.json") == (0, "")
    assert stat.S_IMODE(Path("precious").stat().st_mode) == 0o600
    assert stat.S_IMODE(Path("aside").stat().st_mode) == 0o666
    assert Path("precious").read_text() == ""


def test_of_a_dump_nothing_is_left_that_could_not_be_written_whole(
    vyre: Vyre, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.open

    def full(path: Path, mode: str = "r", **options: Any) -> IO[Any]:
        opened = real(path, mode, **options)
        if path.name.startswith("002-"):
            os.dup2(os.open("/dev/full", os.O_WRONLY), opened.fileno())
        return opened

    monkeypatch.setattr(Path, "open", full)
    status, err = vyre("compile p.mlir --dump d")
    assert (status, err.count("\n")) == (1, 1), err
    assert "cannot write 'd/002-" in err
    left = {path.name[:4]: path.stat().st_size for path in Path("d").iterdir()}
    assert left.keys() == {"000-", "001-"}
    assert all(left.values())


def test_a_report_follows_a_link(vyre: Vyre) -> None:
    Path("there").mkdir()
    Path("r.json").symlink_to("there/r.json")
    assert vyre("compile p.mlir --report r.json") == (0, "")
    assert Path("r.json").is_symlink()
    assert os.listdir("there") == ["r.json"]
