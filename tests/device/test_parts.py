"""An input that a device has no room for is refused, and it is said what keeps it from parts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from examples.data import EXAMPLES
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.errors import OutOfMemoryError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import load_module, make_context, parse_module

LIMIT = 1 << 16
ARMS = """
vyre.program @p {{
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %one = vyre.buffer @one live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "arm" invocations [%n] {{
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %byte = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %wide = arith.extui %byte : i8 to i32
    {op}
  }}
}}
"""
SUM = "%old = vyre.atomic_rmw addi %wide, %one[%zero] : i32, !vyre.buffer<1xi32, read_write>"
STORE = "vyre.store %wide, %one[%zero] : i32, !vyre.buffer<1xi32, read_write>"
LOOKUP = """
    %index = arith.index_cast %wide : i32 to index
    %there = vyre.load %in[%index] : !vyre.buffer<?xi8, read_only> -> i8
    %more = arith.extui %there : i8 to i32
    %old = vyre.atomic_rmw addi %more, %one[%zero] : i32, !vyre.buffer<1xi32, read_write>
"""


ADVICE = "; run it on pieces of the input, with --stream or 'stream' of a compiled program"


def small(device: Device) -> Device:
    return replace(device, info=replace(device.info, max_alloc_bytes=LIMIT))


def copied(array: Array) -> Array:
    """The same contents where no page and no cache line begins, so that no device shares them."""
    room = np.empty(array.size + 64, array.dtype)
    begin = 1 + -room.ctypes.data % 64
    room[begin : begin + array.size] = array
    return room[begin : begin + array.size]


def refusal(device: Device, path: Path) -> str:
    context = make_context()
    module = load_module(path, context)
    encoded = copied(np.full(2 * LIMIT, ord("A"), np.uint8))
    with pytest.raises(OutOfMemoryError) as error:
        run_module(module, {"encoded": encoded}, device=small(device), context=context)
    return str(error.value)


def refusal_of(device: Device, op: str) -> str:
    context = make_context()
    module = parse_module(ARMS.format(op=op), context, "p.mlir")
    contents = copied(np.zeros(2 * LIMIT, np.uint8))
    with pytest.raises(OutOfMemoryError) as error:
        run_module(module, {"in": contents}, device=small(device), context=context)
    return str(error.value)


def test_what_may_be_cut_is_to_be_streamed(device: Device) -> None:
    said = refusal(device, EXAMPLES / "xor_literal.mlir")
    assert f"buffer 'encoded' needs {2 * LIMIT} bytes; one buffer may have {LIMIT}" in said
    assert said.endswith(ADVICE)
    assert "\n" not in said


@pytest.mark.parametrize("op", [SUM, STORE])
def test_what_pieces_hand_on_is_to_be_streamed_too(device: Device, op: str) -> None:
    assert refusal_of(device, op).endswith(ADVICE)


def test_an_op_that_forbids_to_cut_is_named_with_its_line(device: Device) -> None:
    said = refusal_of(device, LOOKUP)
    assert "; buffers are taken whole: 'vyre.load' of 'arm' reads '@in' at an index that" in said
    assert said.endswith("(p.mlir:13)")


def test_a_device_that_has_room_runs_the_program(device: Device) -> None:
    context = make_context()
    module = parse_module(ARMS.format(op=SUM), context, "p.mlir")
    contents = np.ones(LIMIT, np.uint8)
    run = run_module(module, {"in": contents}, device=small(device), context=context)
    assert run.outputs["one"].tolist() == [LIMIT]
