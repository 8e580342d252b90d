"""What was stored as elements of one type is loaded as elements of a wider one."""

from __future__ import annotations

import numpy as np
from support.on_devices import require_result

from vyre_dialect.runtime.opencl.devices import Device

# PoCL's compiler took a `vload2` of 32 bits for a load of other memory than what 16 bits are in.
WIDER = """
vyre.program @wider {
  %text = vyre.buffer @text : !vyre.buffer<36xi16, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<36xi16, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<18xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode" invocations [12] workgroup_size [4] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %first = arith.muli %i, %c3 : index
    %second = arith.addi %first, %c1 : index
    %third = arith.addi %first, %c2 : index
    %a = vyre.load %text[%first] : !vyre.buffer<36xi16, read_only> -> i16
    vyre.store %a, %decoded[%first] : i16, !vyre.buffer<36xi16, read_write>
    %b = vyre.load %text[%second] : !vyre.buffer<36xi16, read_only> -> i16
    vyre.store %b, %decoded[%second] : i16, !vyre.buffer<36xi16, read_write>
    %c = vyre.load %text[%third] : !vyre.buffer<36xi16, read_only> -> i16
    vyre.store %c, %decoded[%third] : i16, !vyre.buffer<36xi16, read_write>
    %before = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
  }
  vyre.region "scan" invocations [18] workgroup_size [6] {
    %i = vyre.invocation_id x
    %c2 = arith.constant 2 : index
    %odd = arith.constant 31 : i32
    %four = vyre.load %decoded[%i] : !vyre.buffer<36xi16, read_write> -> i64
    %low = arith.trunci %four : i64 to i32
    %scaled = arith.muli %low, %odd : i32
    %two = vyre.load %decoded[%c2] : !vyre.buffer<36xi16, read_write> -> i32
    %sum = arith.addi %scaled, %two : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<18xi32, read_write>
  }
}
"""


def test_wider_elements_are_loaded_from_what_was_just_stored(device: Device) -> None:
    random = np.random.default_rng(0)
    inputs = {"text": random.integers(0, 65536, 36, dtype=np.uint16)}
    require_result(device, WIDER, inputs)
