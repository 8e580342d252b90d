"""The fit finds what a device takes for each kind of work, from what launches take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.devices import small_device

from vyre_dialect.analysis.work import Work
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.program_work import LaunchWork, counts_of, program_work
from vyre_dialect.runtime.tuning.calibration import CACHES, Observation, fitted, median_error
from vyre_dialect.runtime.tuning.calibration_programs import PROGRAMS
from vyre_dialect.runtime.tuning.device_model import DeviceModel, built_in, kinds_of

DEVICE = small_device(32768)
SIZES = {"launches": 1, "workgroups": 1e3, "read_bytes": 1e8, "written_bytes": 1e8}
"""How much there is of kinds that are not a million in a launch."""


def made(seed: int, count: int, true: DeviceModel, noise: float = 0.0) -> list[Observation]:
    """Launches of any work, and what a model says of them."""
    random = np.random.default_rng(seed)
    found = list[Observation]()
    for number in range(count):
        present = random.random(len(kinds_of("gpu"))) < 0.3
        counts = {
            kind: SIZES.get(kind, 1e6) * random.random() * (is_present or kind == "launches")
            for kind, is_present in zip(kinds_of("gpu"), present, strict=True)
        }
        work = Work(**counts)
        launch = LaunchWork("arm", work, work, is_open=False)
        ns = true.predict([launch]).ns * np.exp(noise * random.normal())
        found.append(Observation("made", "default", 1, number % 4 == 0, launch, float(ns)))
    return found


def test_the_fit_finds_the_device_that_times_are_of():
    known = built_in(DEVICE)
    random = np.random.default_rng(0)
    times = {kind: ns * 4 ** random.uniform(-1, 1) for kind, ns in known.ns.items()}
    true = DeviceModel(times, CACHES[3], 0.0)
    observed = made(1, 400, true)
    before = median_error(known, observed)
    found = fitted(observed, DEVICE)
    assert found.is_calibrated
    assert before > 0.3
    assert found.error < 0.05


def test_noise_of_some_launches_does_not_spoil_the_others():
    true = built_in(DEVICE)
    observed = made(2, 400, true, noise=0.1)
    disturbed = [
        replace(each, ns=each.ns * (20 if place % 10 == 0 else 1))
        for place, each in enumerate(observed)
    ]
    found = fitted(disturbed, DEVICE)
    assert median_error(found, observed) < 0.2


def test_too_little_is_said():
    with pytest.raises(VyreError, match="to calibrate by, got 7"):
        fitted(made(3, 10, built_in(DEVICE)), DEVICE)


def test_some_programs_are_held_back_and_names_are_unique():
    held_back = [program for program in PROGRAMS if program.is_held_back]
    assert 0 < len(held_back) < len(PROGRAMS) / 3
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS)


def test_inputs_are_the_same_each_time_and_hold_what_a_decoder_takes():
    for program in PROGRAMS:
        (first,), (second,) = (list(program.inputs(64).values()) for _ in range(2))
        assert (first == second).all()
        assert program.alphabet is None or set(first.tobytes()) <= set(program.alphabet)


def test_each_program_has_a_result_for_which_it_runs():
    for program in PROGRAMS:
        buffers = [op for op in program.module.walk() if isinstance(op, BufferOp)]
        assert any(buffer.live_out is not None for buffer in buffers), program.name


@pytest.mark.parametrize(("name", "groups"), [("words_grouped", 8), ("bytes_grouped_16", 16)])
def test_each_group_has_elements(name: str, groups: int):
    (program,) = (each for each in PROGRAMS if each.name == name)
    counts = interpret(program.module, program.inputs(1 << 12)).outputs["counts"]
    assert counts.shape == (groups,)
    assert (counts > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.name)
def test_each_program_compiles_and_its_work_is_known(program: object):
    from vyre_dialect.runtime.tuning.calibration_programs import CalibrationProgram

    assert isinstance(program, CalibrationProgram)
    compiled = compile_module(program.module, device=DEVICE)
    launches = program_work(compiled.program, counts_of(compiled.program, {"source": 1 << 16}))
    assert all(each.likely.read_bytes > 0 and not each.is_open for each in launches)
