"""Kernels that do not end: they can be interrupted, and given up after a while."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from support.commands import command_line

from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.cli.arguments import seconds
from vyre_dialect.runtime.errors import TimeLimitError
from vyre_dialect.runtime.opencl import flight
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.opencl.waiting import interruptible
from vyre_dialect.runtime.program.compilation import compile_module, make_context, parse_module

ENDLESS = """
vyre.program @p {
  %o = vyre.buffer @o live_out : !vyre.buffer<16xi64, read_write>
  vyre.region "r" invocations [1000000000000] {
    %i = vyre.invocation_id x
    %v = arith.constant 5 : i64
    vyre.store %v, %o[%i] : i64, !vyre.buffer<16xi64, read_write>
  }
}
"""
BRIEF = ENDLESS.replace("1000000000000", "16")
ON_HOST = """
vyre.program @p {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 1000000000000 : index
  %first = vyre.buffer @first live_out initial host : !vyre.buffer<1xi64, read_write>
  %number = vyre.load %first[%zero] : !vyre.buffer<1xi64, read_write> -> i64
  %loaded = arith.index_cast %number : i64 to index
  %count = scf.for %i = %zero to %many step %one iter_args(%n = {begin}) -> (index) {{
    %next = arith.xori %n, %i : index
    scf.yield %next : index
  }}
  %size = arith.andi %count, %one : index
  %o = vyre.buffer @o[%size] live_out initial undefined : !vyre.buffer<?xi64, read_write>
}}
"""
"""A loop of the host: over what the sizes of inputs say, or over what it loads."""


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    path = tmp_path / "endless.mlir"
    path.write_text(ENDLESS)
    return path


@contextmanager
def started(endless: Path, device: str, *options: str) -> Generator[subprocess.Popen[str]]:
    """`vyre run` in a process that hears of interrupts, whatever its parents have chosen."""
    hear = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    run = command_line("run", str(endless), "--device", device, *options, before=hear)
    with subprocess.Popen(
        run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            yield running
        finally:
            running.kill()  # it takes every core, where it was not ended


def said(err: str) -> str:
    """What vyre says: the compiler of PoCL writes how many warnings it has, whoever asks."""
    return re.sub(r"^\d+ warnings? generated\.\n", "", err, flags=re.MULTILINE)


@pytest.mark.slow
def test_an_interrupt_ends_a_kernel_that_does_not(endless: Path, device: Device) -> None:
    seconds_of = os.sysconf("SC_CLK_TCK")
    with started(endless, device.info.platform) as running:
        while running.poll() is None:  # until the kernel is at work: starting takes no 5 s
            fields = Path(f"/proc/{running.pid}/stat").read_text().rsplit(")")[1].split()
            if (int(fields[11]) + int(fields[12])) / seconds_of > 5:
                break
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (out, said(err), running.returncode) == ("", "vyre: interrupted\n", 130)


@pytest.mark.slow
def test_a_limit_ends_a_kernel_that_does_not(endless: Path, device: Device) -> None:
    with started(endless, device.info.platform, "--timeout", "0.5") as running:
        out, err = running.communicate(timeout=120)
    assert (out, running.returncode) == ("", 124)
    message = f"vyre: error: the kernels took longer than 0.5 s on {device.info.label}"
    assert said(err).startswith(message)
    assert said(err).count("\n") == 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize("begin", ["%one", "%loaded"])
def test_a_limit_ends_a_loop_of_the_host(tmp_path: Path, device: Device, begin: str) -> None:
    (path := tmp_path / "host.mlir").write_text(ON_HOST.format(begin=begin))
    with started(path, device.info.platform, "--timeout", "0.5") as running:
        out, err = running.communicate(timeout=120)
    assert (out, running.returncode) == ("", 124)
    assert err.startswith("vyre: error: the host's code took longer than 0.5 s on ")


@pytest.mark.slow
def test_a_limit_ends_a_check(tmp_path: Path) -> None:
    (path := tmp_path / "host.mlir").write_text(ON_HOST.format(begin="%one"))
    with started(path, "reference", "--timeout", "0.5", "--check") as running:
        out, err = running.communicate(timeout=120)
    assert (out, running.returncode) == ("", 124)
    assert err == "vyre: error: the check took longer than 0.5 s\n"


@pytest.mark.slow
def test_a_limit_ends_an_interpretation(endless: Path) -> None:
    with started(endless, "reference", "--timeout", "0.5") as running:
        out, err = running.communicate(timeout=120)
    assert (out, running.returncode) == ("", 124)
    assert err == "vyre: error: the interpretation took longer than 0.5 s\n"


def executor(device: Device, seconds: float | None) -> Executor:
    context = make_context()
    compiled = compile_module(parse_module(BRIEF, context), context=context)
    return Executor(compiled, Session(device, seconds))


def test_a_run_that_keeps_its_limit_gives_its_result(device: Device) -> None:
    limited = executor(device, 60)
    for _ in range(3):
        assert np.array_equal(limited.run({}).outputs["o"], np.full(16, 5))


def test_a_run_is_given_up_and_others_follow(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = executor(device, 60)
    limited.run({})

    def in_no_time(call: Callable[[], object], seconds: float | None) -> None:
        call()
        raise TimeoutError

    with monkeypatch.context() as patch:
        patch.setattr(flight, "interruptible", in_no_time)
        with pytest.raises(TimeLimitError, match=r"took longer than 60 s on .*: allow more"):
            limited.run({})
    assert np.array_equal(limited.run({}).outputs["o"], np.full(16, 5))


def test_runs_that_are_brief_are_waited_for_without_another_thread(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = list[object]()
    real = flight.interruptible

    def counted(call: Callable[[], object], seconds: float | None = None) -> object:
        calls.append(call)
        return real(call, seconds)

    monkeypatch.setattr(flight, "interruptible", counted)
    monkeypatch.setattr(flight, "BRIEF_NS", 1 << 62)
    brief = executor(device, None)
    brief.run({})
    assert calls
    calls.clear()
    brief.run({})
    assert not calls
    monkeypatch.setattr(flight, "BRIEF_NS", 0)
    brief.run({})
    assert not calls  # it was not known, yet
    brief.run({})
    assert calls


@pytest.mark.parametrize("given", ["1e9", "1e308"])
def test_no_limit_is_longer_than_clocks_count(given: str) -> None:
    assert interruptible(lambda: 7, seconds(given)) == 7


def test_a_limit_is_a_positive_number(capsys: pytest.CaptureFixture[str]) -> None:
    for given in ("0", "-1", "nan", "inf", "soon", ""):
        for command in ("run", "tune"):
            assert main([command, "x.mlir", "--timeout", given]) == 2
            assert "argument --timeout: expected a positive number" in capsys.readouterr().err
