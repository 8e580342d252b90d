"""Bytes that words compute on devices: what the interpreter says."""

from __future__ import annotations

from support.fusion import require_equal
from support.generated.byte_lanes import ByteLanes, byte_lanes
from support.generated.drawing import for_each

from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

PROGRAMS = 8
PACKED = f"vyre-pack-bytes,{UNFUSED}"


def test_bytes_in_words(device: Device):
    def check(sample: ByteLanes) -> None:
        compiled = compile_module(sample.module, pipeline=PACKED, device=device.info)
        found = Executor(compiled, device).run(sample.inputs).outputs
        require_equal(found, interpret(sample.module, sample.inputs).outputs)

    for_each(byte_lanes(), check, examples=PROGRAMS)
