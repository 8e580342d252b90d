"""Programs that fuse run in both forms by turns, answer alike, and keep the faster one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vyre
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.results import ArmTiming, RunResult
from vyre_dialect.runtime.tuning.decisions import DecisionFile
from vyre_dialect.runtime.tuning.trial import ROUNDS, Form

PROGRAM = """
vyre.program @shifted workgroup_size [64] {
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %next = arith.addi %byte, %byte : i8
    vyre.store %next, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
"""
DATA = np.arange(5000, dtype=np.uint8)
MOST_RUNS = 2 + len(Form) * (1 + ROUNDS)
FUSED, UNFUSED = ("decode+scan",), ("decode", "scan")


class Clock:
    """Lets runs take what a form is said to take; counts them by form."""

    def __init__(self, ns: Mapping[tuple[str, ...], int]):
        self.ns, self.forms = ns, list[tuple[str, ...]]()
        self._run = Executor.run

    def run(self, executor: Executor, *inputs: Any, **options: Any) -> RunResult:
        result = self._run(executor, *inputs, **options)
        form = tuple(arm.generator for arm in result.arms)
        self.forms.append(form)
        if form not in self.ns:
            raise DeviceError("the device is full")
        each = self.ns[form] // len(result.arms)
        return result._replace(arms=[arm_of(arm, each) for arm in result.arms])


def arm_of(arm: ArmTiming, ns: int) -> ArmTiming:
    return ArmTiming(arm.generator, ns, arm.bytes)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("VYRE_NO_CACHE", raising=False)
    monkeypatch.delenv("VYRE_AUTOTUNER", raising=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shifted.mlir"
    path.write_text(PROGRAM)
    return path


def clock(monkeypatch: pytest.MonkeyPatch, ns: Mapping[tuple[str, ...], int]) -> Clock:
    told = Clock(ns)

    def run(executor: Executor, *given: Any, **options: Any) -> RunResult:
        return told.run(executor, *given, **options)

    monkeypatch.setattr(Executor, "run", run)
    return told


def compiled_forms(
    file: Path, device: Device, sizes: Sequence[int], **options: Any
) -> vyre.Compiled:
    """The program after a run on so many elements each, of which all answers were right."""
    compiled = vyre.compile(file, device=device, **options)
    for size in sizes:
        data = DATA[:size]
        assert np.array_equal(compiled(**{"in": data})["out"], (data * 2).astype(np.uint8))
    return compiled


def test_the_faster_form_is_kept_and_taken_by_the_next(
    file: Path, device: Device, monkeypatch: pytest.MonkeyPatch
):
    told = clock(monkeypatch, {FUSED: 2_000_000, UNFUSED: 1_000_000})
    compiled_forms(file, device, [5000] * (MOST_RUNS + 3))
    assert told.forms[-3:] == [UNFUSED] * 3
    assert {FUSED, UNFUSED} == set(told.forms[:-3])
    told.forms.clear()
    compiled_forms(file, device, [5000, 4900])  # both sizes lie between 4096 and 8192
    assert told.forms == [UNFUSED] * 2
    told.forms.clear()
    compiled_forms(file, device, [100])
    assert told.forms == [FUSED]


def test_the_default_is_kept_where_it_is_faster(
    file: Path, device: Device, monkeypatch: pytest.MonkeyPatch
):
    told = clock(monkeypatch, {FUSED: 1_000_000, UNFUSED: 2_000_000})
    compiled_forms(file, device, [5000] * (MOST_RUNS + 3))
    assert told.forms[-3:] == [FUSED] * 3
    assert UNFUSED in told.forms
    kept = DecisionFile.of(device.info)
    assert kept is not None
    (decision,) = kept.all().values()
    assert decision.choices == decision.default


def test_a_form_that_does_not_run_is_dropped(
    file: Path, device: Device, monkeypatch: pytest.MonkeyPatch
):
    told = clock(monkeypatch, {FUSED: 1_000_000})
    compiled_forms(file, device, [5000] * 6)
    assert told.forms.count(UNFUSED) == 1


def test_runs_of_other_sizes_are_not_compared(
    file: Path, device: Device, monkeypatch: pytest.MonkeyPatch
):
    told = clock(monkeypatch, {FUSED: 2_000_000, UNFUSED: 1_000_000})
    compiled_forms(file, device, [5000, 4000, 3000, 2000, 1000, 500] * 3)
    assert set(told.forms) == {FUSED}


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_nothing_is_measured_that_is_not_to_be(
    file: Path, device: Device, monkeypatch: pytest.MonkeyPatch, how: str
):
    told = clock(monkeypatch, {FUSED: 2_000_000, UNFUSED: 1_000_000})
    if how == "environment":
        monkeypatch.setenv("VYRE_AUTOTUNER", "off")
    compiled_forms(file, device, [5000] * MOST_RUNS, measure=how != "argument")
    assert set(told.forms) == {FUSED}


def test_the_command_measures_before_it_repeats(
    file: Path,
    device: Device,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    np.save(tmp_path / "in.npy", DATA)
    told = clock(monkeypatch, {FUSED: 2_000_000, UNFUSED: 1_000_000})
    run = ["run", str(file), "--input", f"in={tmp_path / 'in.npy'}", "--device", device.info.name]
    assert main([*run, "--repeat", "3", "--no-measure"]) == 0
    assert set(told.forms) == {FUSED}
    assert main(run) == 0
    assert set(told.forms) == {FUSED}
    capsys.readouterr()
    assert main([*run, "--repeat", "3"]) == 0
    assert told.forms[-3:] == [UNFUSED] * 3
    assert "vyre-decode-scan-fuse=False" in capsys.readouterr().err
    told.forms.clear()
    assert main(run) == 0
    assert told.forms == [UNFUSED]


@pytest.mark.slow
def test_explain_measures_both_forms_and_keeps_the_faster(
    file: Path,
    device: Device,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    np.save(tmp_path / "in.npy", DATA)
    given = [str(file), "--input", f"in={tmp_path / 'in.npy'}", "--device", device.info.name]
    told = clock(monkeypatch, {FUSED: 2000, UNFUSED: 1000})
    assert main(["explain", *given, "--measure"]) == 0
    assert "measured: default 2.0 µs, unfused 1.0 µs (noise 2%): it runs unfused" in (
        capsys.readouterr().out
    )
    told.ns = {FUSED: 1000, UNFUSED: 2000}
    assert main(["explain", *given, "--measure", "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)["measured"]
    assert measured == {
        "ns": {"default": 1000, "unfused": 2000},
        "noise": 0.02,
        "kept": "default",
    }
    assert main(["run", *given]) == 0
    assert told.forms[-1] == FUSED


def test_explain_measures_nothing_where_there_is_one_form(
    tmp_path: Path, device: Device, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "one.mlir"
    path.write_text(PROGRAM.replace("@decoded[%n] initial undefined", "@decoded[%n] live_out"))
    np.save(tmp_path / "in.npy", DATA)
    given = [str(path), "--input", f"in={tmp_path / 'in.npy'}", "--device", device.info.name]
    assert main(["explain", *given, "--measure"]) == 0
    assert "measured: nothing, the program has one form" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--device", "reference"], "the interpreter takes no times"),
        (["--no-fuse"], "not allowed with passes that are named or left out"),
    ],
)
def test_explain_refuses_to_measure_what_has_no_forms(
    file: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
):
    assert main(["explain", str(file), "--measure", "--input", "in=zeros:99", *arguments]) == 2
    assert why in capsys.readouterr().err
