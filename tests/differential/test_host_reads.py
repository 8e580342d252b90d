"""
Decoders that the host sizes by what it reads of a handoff, for which probes decode it: the same
results and errors as unfused, for every padding, and for input that is bad anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from support.example_data import matching_text
from support.fusion import UnmaskedReads, fused, program_of, require_equal
from support.oclgrind import CheckedRun
from xdsl.dialects.builtin import ModuleOp

from examples.encodings import Array, as_bytes, encode
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter import Interpreter, Observers, RaceChecker
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    load_module,
    make_context,
)
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.pipelines import UNFUSED

FOLDER = Path(__file__).parent / "fusion"
CHAINS = {
    "xor_base64_literal": ["decode.xor.probe"],
    "hex_padded_base64_literal": ["decode.hex.probe"],
    "base64_twice_literals": ["decode.base64.probe"],
    "hex_xor_base64_literal": ["decode.hex.probe", "decode.xor.probe"],
}
"""Programs by name, with the probes that they have when they are fused."""
FORMS = {
    "auto": Options(),
    "tiles of a workgroup": Options("workgroup"),
    "sliding": Options("private", steps=3),
}
LENGTHS = (*range(10), 47, 48, 49, 200)
SPOILT_LENGTHS = (1, 50)
CHECKED = ("0 bytes", "1 bytes", "49 bytes", "last bad at level 0, 50 bytes")
"""Inputs for checked runs, which take long."""
Change: TypeAlias = Callable[[Array], Array]


def _replaced(place: int, byte: bytes) -> Change:
    def change(data: Array) -> Array:
        if not data.size:
            return data
        changed = data.copy()
        changed[place % data.size] = byte[0]
        return changed

    return change


CHANGES: dict[str, Change] = {
    "first bad": _replaced(0, b"\xff"),
    "last bad": _replaced(-1, b"*"),
    "padding in the middle": _replaced(20, b"="),
    "padding at the end": _replaced(-1, b"="),
    "padding before the end": _replaced(-2, b"="),
    "one short": lambda data: data[:-1],
    "three short": lambda data: data[:-3],
}


@cache
def written(name: str) -> ModuleOp:
    """The program of a file, with its decoders."""
    return load_module(FOLDER / f"{name}.mlir", make_context())


@cache
def unfused(name: str) -> ModuleOp:
    """The program as arms."""
    module = written(name).clone()
    apply_pipeline(module, "vyre-expand", make_context())
    return module


@cache
def fused_as(name: str, form: str) -> ModuleOp:
    """The program as one arm with probes."""
    module, outcome = fused(unfused(name), FORMS[form])
    assert not outcome.refusals, list(map(str, outcome.refusals))
    return module


def _encoded(name: str, length: int, level: int | None = None, change: Change | None = None):
    """What decodes to a text, changed in front of the decoder at a level."""
    decoders = [op for op in written(name).walk() if isinstance(op, DecodeOp)]
    data = as_bytes(matching_text(length, seed=length))
    for number, decoder in reversed(list(enumerate(decoders))):
        data = encode(decoder, data)
        if number == level and change is not None:
            data = change(data)
    return data


@cache
def inputs(name: str) -> dict[str, Array]:
    """Inputs of a program by what they are: of all lengths, with any padding, and bad ones."""
    found = {f"{length} bytes": _encoded(name, length) for length in LENGTHS}
    found["only padding"] = np.frombuffer(b"=", np.uint8)
    levels = sum(isinstance(op, DecodeOp) for op in written(name).walk())
    for level in range(levels):
        for what, change in CHANGES.items():
            for length in SPOILT_LENGTHS:
                case = f"{what} at level {level}, {length} bytes"
                found[case] = _encoded(name, length, level, change)
    return found


Meaning: TypeAlias = "Mapping[str, Array] | str"
"""The results of a run, or the words of its error."""


def _meaning(run: Callable[[], Mapping[str, Array]]) -> Meaning:
    try:
        return run()
    except VyreError as error:
        return str(error)


@cache
def expected(name: str) -> dict[str, Meaning]:
    """What each of the inputs means to the unfused program."""
    interpreter = Interpreter(unfused(name))
    return {
        case: _meaning(lambda data=data: interpreter.run({"b0": data}).outputs)
        for case, data in inputs(name).items()
    }


def _require_same(got: Meaning, wanted: Meaning, case: str) -> None:
    if isinstance(got, str) or isinstance(wanted, str):
        assert got == wanted, case
    else:
        require_equal(got, wanted)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_is_one_arm_behind_its_probes(name: str, form: str) -> None:
    *probes, chain = [arm.generator.data for arm in program_of(fused_as(name, form)).arms()]
    assert probes == CHAINS[name]
    assert chain == "+".join(arm.generator.data for arm in program_of(unfused(name)).arms())


@pytest.mark.parametrize("name", CHAINS)
def test_some_inputs_are_rejected_and_some_are_not(name: str) -> None:
    meanings = list(expected(name).values())
    rejected = sum(isinstance(meaning, str) for meaning in meanings)
    assert len(LENGTHS) <= len(meanings) - rejected
    assert rejected >= len(CHANGES)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", CHAINS)
def test_results_and_errors_are_those_of_the_unfused_program(name: str, form: str) -> None:
    interpreter = Interpreter(fused_as(name, form))
    for case, data in inputs(name).items():
        races, undefined = RaceChecker(), UnmaskedReads()
        observer = Observers(races, undefined)
        got = _meaning(
            lambda data=data, seen=observer: interpreter.run({"b0": data}, observer=seen).outputs
        )
        races.verify()
        undefined.verify()
        _require_same(got, expected(name)[case], case)


def _executor(name: str, form: str, session: Session, device: DeviceInfo) -> Executor:
    compiled = compile_module(fused_as(name, form).clone(), pipeline=UNFUSED, device=device)
    return Executor(compiled, session, cache=KernelCache(None))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["auto", "sliding"])
@pytest.mark.parametrize("name", CHAINS)
def test_results_and_errors_are_the_same_on_a_device(name: str, form: str, device: Device) -> None:
    executor = _executor(name, form, Session(device), device.info)
    for case, data in inputs(name).items():
        got = _meaning(lambda data=data: executor.run({"b0": data}).outputs)
        _require_same(got, expected(name)[case], case)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["auto", "tiles of a workgroup"])
@pytest.mark.parametrize("name", CHAINS)
def test_chains_run_clean(name: str, form: str, oclgrind: Callable[..., CheckedRun]) -> None:
    for case in CHECKED:
        run = oclgrind(uninitialised=form == "auto")
        executor = _executor(name, form, run.session, run.device.info)
        data = inputs(name)[case]
        got = _meaning(lambda data=data, run=executor: run.run({"b0": data}).outputs)
        _require_same(got, expected(name)[case], case)
