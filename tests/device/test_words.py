"""Permutations of bytes on devices: what the interpreter says."""

from __future__ import annotations

from support.fusion import require_equal
from support.generated.drawing import for_each
from support.generated.words import Words, words

from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

PROGRAMS = 8
PERMUTED = f"vyre-form-byte-permutes,{UNFUSED}"


def test_words_of_permuted_bytes(device: Device):
    def check(sample: Words) -> None:
        compiled = compile_module(sample.module, pipeline=PERMUTED, device=device.info)
        found = Executor(compiled, device).run(sample.inputs).outputs
        require_equal(found, interpret(sample.module, sample.inputs).outputs)

    for_each(words(), check, examples=PROGRAMS)
