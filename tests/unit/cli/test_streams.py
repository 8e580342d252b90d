"""Pipes and standard streams, in a process of their own as the shell starts it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.tiers import first_quick

ADD = """
vyre.program @add {
  %a = vyre.buffer @a : !vyre.buffer<4xi8, read_only>
  %b = vyre.buffer @b : !vyre.buffer<4xi8, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<4xi8, read_write>
  vyre.region "add" invocations [4] {
    %i = vyre.invocation_id x
    %x = vyre.load %a[%i] : !vyre.buffer<4xi8, read_only> -> i8
    %y = vyre.load %b[%i] : !vyre.buffer<4xi8, read_only> -> i8
    %s = arith.addi %x, %y : i8
    vyre.store %s, %sums[%i] : i8, !vyre.buffer<4xi8, read_write>
  }
}
"""
RUN = "vyre run add.mlir --device reference --input a=a --input b=b"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "add.mlir").write_text(ADD)
    (tmp_path / "a").write_bytes(b"\1\2\3\4")
    (tmp_path / "b").write_bytes(b"abcd")
    return tmp_path


def shell(command: str, folder: Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """What bash makes of a command, where `vyre` is the one of these tests."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
    }
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        input=given,
        capture_output=True,
        timeout=100,
        check=False,
    )


def test_an_input_may_be_standard_input(folder: Path) -> None:
    done = shell(f"cat b | {RUN.replace('b=b', 'b=-')}", folder)
    assert b"sums = [98, 100, 102, 104]" in done.stdout
    assert done.returncode == 0


def test_a_program_may_be_standard_input(folder: Path) -> None:
    for command in (RUN, "vyre compile add.mlir", "vyre explain add.mlir"):
        done = shell(f"cat add.mlir | {command.replace('add.mlir', '-')}", folder)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout
    failed = shell("echo 'vyre.program @p {' | vyre compile -", folder)
    assert failed.stderr.startswith(b"vyre: error: <stdin>:")


def test_standard_input_is_read_once(folder: Path) -> None:
    done = shell(f"{RUN.replace('b=b', 'b=-').replace('add.mlir', '-')}", folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"standard input is read once" in done.stderr


@pytest.mark.parametrize("name", first_quick(["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]))
def test_an_output_may_be_standard_output(folder: Path, name: str) -> None:
    done = shell(f"{RUN} --output sums={name}", folder)
    assert done.stdout == b"bdfh"
    assert b"add on reference" in done.stderr
    assert b"total" in done.stderr


@pytest.mark.parametrize("name", first_quick(["-", "/dev/stdout"]))
def test_a_file_that_is_standard_output_keeps_what_it_has(folder: Path, name: str) -> None:
    shell(f"(echo first; {RUN} --output sums={name}; echo last) > all", folder)
    assert (folder / "all").read_bytes() == b"first\nbdfhlast\n"
    printed = shell(f"vyre compile add.mlir; (vyre compile add.mlir -o {name}) > all", folder)
    assert (folder / "all").read_bytes() == printed.stdout


def test_process_substitution(folder: Path) -> None:
    done = shell(
        f"{RUN.replace('b=b', 'b=<(printf efgh)')} --output sums=>(cat > copy) && sleep 1", folder
    )
    assert done.returncode == 0
    assert (folder / "copy").read_bytes() == b"fhjl"


@pytest.mark.parametrize("more", first_quick(["", "--json", "--output sums=-"]))
def test_a_reader_that_goes_away_is_no_crash(folder: Path, more: str) -> None:
    done = shell(f"({RUN} {more}; echo $? > status) 2> errors | true", folder)
    assert done.returncode == 0
    assert (folder / "status").read_text() in ("0\n", "1\n")
    assert b"Traceback" not in (folder / "errors").read_bytes()
    assert b"error" not in (folder / "errors").read_bytes()


def test_a_full_device_is_an_error(folder: Path) -> None:
    done = shell(f"{RUN} > /dev/full", folder)
    assert done.returncode == 1
    assert done.stderr == b"vyre: error: cannot write standard output: No space left on device\n"
    done = shell(f"{RUN} --output sums=- > /dev/full", folder)
    assert done.returncode == 1
    assert b"cannot write '-': No space left on device" in done.stderr


def test_closed_streams_are_as_good_as_none(folder: Path) -> None:
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = shell(f"{RUN} --output sums=sums {closed}", folder)
        assert done.returncode == 0
        assert (folder / "sums").read_bytes() == b"bdfh"
        (folder / "sums").unlink()


def test_what_is_large_is_written_whole(folder: Path) -> None:
    program = ADD.replace("4xi8", "1000000xi8").replace("invocations [4]", "invocations [1000000]")
    (folder / "add.mlir").write_text(program)
    data = np.arange(1_000_000, dtype=np.uint8)
    (folder / "a").write_bytes(data.tobytes())
    done = shell(
        f"{RUN.replace('b=b', 'b=-')} --output sums=- 2> errors | cat", folder, data.tobytes()
    )
    assert done.stdout == (data + data).tobytes()
