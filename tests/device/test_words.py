"""Bytes of words on devices, moved or computed with: what the interpreter says."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from support.fusion import require_equal
from support.generated.byte_lanes import ByteLanes, byte_lanes
from support.generated.drawing import for_each
from support.generated.words import Words, words

from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

PROGRAMS = 8


@pytest.mark.parametrize(
    ("name", "drawn"),
    [("vyre-form-byte-permutes", words()), ("vyre-pack-bytes", byte_lanes())],
    ids=["permuted", "packed"],
)
def test_bytes_of_words(
    device: Device, name: str, drawn: st.SearchStrategy[Words | ByteLanes]
) -> None:
    def check(sample: Words | ByteLanes) -> None:
        compiled = compile_module(sample.module, pipeline=f"{name},{UNFUSED}", device=device.info)
        found = Executor(compiled, device).run(sample.inputs).outputs
        require_equal(found, interpret(sample.module, sample.inputs).outputs)

    for_each(drawn, check, examples=PROGRAMS)
