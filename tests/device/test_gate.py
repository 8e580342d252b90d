"""The programs of the gate on devices, and what the gate reports of them."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.gate import ANY_LENGTHS, LARGE, NAMES, SIZES, assert_answers, cut
from support.tiers import slow_if

from benchmarks.gate import __main__ as gate
from benchmarks.gate.forms import Forms
from benchmarks.gate.program import Answers, GateProgram
from benchmarks.gate.programs import PROGRAMS
from benchmarks.rounds import Rounds
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session

QUICK = ("q6", "edge_pixels", "string_hashes", "smoothed_samples", "set_bits")
"""A table of columns, a picture, a loop that varies, floats, words of eight bytes."""


@pytest.mark.one_in(10)
@pytest.mark.parametrize("form", ["default", "unfused"])
@pytest.mark.parametrize("name", slow_if(NAMES, {*NAMES} - {*QUICK}))
def test_programs_answer_as_numpy(name: str, form: str, device: Device) -> None:
    executor = executor_of(name, form, device)
    for size in (*SIZES, LARGE):
        inputs = PROGRAMS[name].inputs(size)
        assert_answers(name, inputs, executor.run(inputs).outputs)
    if name not in ANY_LENGTHS:
        return
    for seed, size in product(range(6), (200, 20_000)):
        inputs = cut(PROGRAMS[name].inputs(size), seed)
        assert_answers(name, inputs, executor.run(inputs).outputs)


def executor_of(name: str, form: str, device: Device) -> Executor:
    forms = Forms(PROGRAMS[name], Session(device))
    return forms.default() if form == "default" else forms.unfused()


def figures_of(tmp_path: Path, device: Device, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit status of the gate, and what it records."""
    output = tmp_path / "gate.json"
    small = ["--mib", "1", "--rounds", "2", "--device", device.info.name]
    with pytest.raises(SystemExit) as ended:
        gate.main([*small, *arguments, "--output", str(output)])
    return int(ended.value.code or 0), json.loads(output.read_text())


def test_what_is_recorded_of_a_program(tmp_path: Path, device: Device) -> None:
    status, figures = figures_of(tmp_path, device, "--programs", "hours")
    (row,) = figures["rows"]
    assert status == 0
    assert row["input_bytes"] == (1 << 20) + 8
    assert row["output_bytes"] == 24 * 4
    assert row.keys() >= {"default", "unfused", "default_over_unfused", "plain read"}
    assert row["share_of_bound"] > 0
    assert figures["summary"][row["device"]]["programs"] == 1


@pytest.mark.slow
def test_what_is_recorded_of_tuning(tmp_path: Path, device: Device) -> None:
    given = ("--programs", "set_bits", "--tune", "3")
    status, figures = figures_of(tmp_path, device, *given)
    (row,) = figures["rows"]
    assert status == 0
    assert row["candidates"] > 1
    assert not any(said.startswith("wrong") for said in row["failures"])
    assert ("default_over_tuned" in row) == bool(row["choices"])


@pytest.mark.parametrize("check_mib", ["1", "2"], ids=["by the unfused form", "by NumPy"])
def test_wrong_answers_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: Device, check_mib: str
) -> None:
    true = PROGRAMS["hours"]

    def hours(**inputs: Any) -> Answers:
        bins = true.answer(**inputs)["bins"]
        return {"bins": bins + np.arange(24, dtype=np.int32)}

    monkeypatch.setitem(PROGRAMS, "hours", GateProgram(hours, true.draw, true.bits))
    given = ("--programs", "hours", "--mib", "2", "--check-mib", check_mib)
    status, figures = figures_of(tmp_path, device, *given)
    assert status == 1
    assert figures["rows"][0]["failed"].startswith("hours, ")
    assert figures["rows"][0]["failed"].endswith("'bins' is wrong")
    assert figures["summary"][figures["rows"][0]["device"]]["failed"] == ["hours"]


def test_rounds_on_fresh_memory_are_right(device: Device) -> None:
    program, session = PROGRAMS["hours"], Session(device)
    inputs = program.inputs(LARGE)
    executors = {"default": Forms(program, session).default()}
    rounds = Rounds("hours", inputs, program.answer(**inputs), session, executors)
    rounds.run(3, reallocate=True)
    assert {name: len(times) for name, times in rounds.times.items()} == {
        "plain read": 3,
        "plain copy": 3,
        "default": 3,
    }
