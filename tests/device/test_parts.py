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


def test_a_scanner_that_looks_ahead_is_named(device: Device) -> None:
    said = refusal(device, EXAMPLES / "xor_literal.mlir")
    assert f"buffer 'encoded' needs {2 * LIMIT} bytes; one buffer may have {LIMIT}" in said
    assert (
        "; buffers are taken whole: 'scan.literal' reads elements of '@decoded' that other" in said
    )
    assert "xor_literal.mlir:" in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        (STORE, "'arm' writes '@one', of which all parts have one, and not by sums (p.mlir:11)"),
        (LOOKUP, "'arm' accesses '@in' at an index that is known only when it runs (p.mlir:13)"),
    ],
)
def test_what_keeps_an_arm_from_parts(device: Device, op: str, reason: str) -> None:
    assert refusal_of(device, op).endswith(f"; buffers are taken whole: {reason}")


def test_where_nothing_is_seen_the_advice_is_parts(device: Device) -> None:
    assert refusal_of(device, SUM).endswith(
        "; buffers are taken whole: run it on parts of the input, and join results"
    )


def test_a_device_that_has_room_runs_the_program(device: Device) -> None:
    context = make_context()
    module = parse_module(ARMS.format(op=SUM), context, "p.mlir")
    contents = np.ones(LIMIT, np.uint8)
    run = run_module(module, {"in": contents}, device=small(device), context=context)
    assert run.outputs["one"].tolist() == [LIMIT]
