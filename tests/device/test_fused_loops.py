"""Loops of a fused kernel of a number of iterations that has no divisors."""

from __future__ import annotations

import numpy as np
from support.on_devices import require_result

from vyre_dialect.runtime.opencl.devices import Device

# Told to leave such a loop alone, Intel's compiler (2026.22) stored the values of four twice.
ELEVENS = """
vyre.program @elevens {
  %text = vyre.buffer @text : !vyre.buffer<11xi8, read_only>
  %decoded = vyre.buffer @decoded initial host fill 51 : i8 : !vyre.buffer<11xi8, read_write>
  %values = vyre.buffer @values live_out : !vyre.buffer<11xi32, read_write>
  %places = vyre.buffer @places live_out : !vyre.buffer<22xi32, read_write>
  vyre.region "decode" invocations [4] workgroup_size [4] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c10 = arith.constant 10 : index
    %behind = arith.muli %i, %c3 : index
    %third = arith.subi %c10, %behind : index
    %second = arith.subi %third, %c1 : index
    %first = arith.subi %second, %c1 : index
    %a = vyre.load %text[%first] : !vyre.buffer<11xi8, read_only> -> i8
    vyre.store %a, %decoded[%first] : i8, !vyre.buffer<11xi8, read_write>
    %b = vyre.load %text[%second] : !vyre.buffer<11xi8, read_only> -> i8
    vyre.store %b, %decoded[%second] : i8, !vyre.buffer<11xi8, read_write>
    %c = vyre.load %text[%third] : !vyre.buffer<11xi8, read_only> -> i8
    vyre.store %c, %decoded[%third] : i8, !vyre.buffer<11xi8, read_write>
  }
  vyre.region "scan" invocations [11] workgroup_size [4] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %bit = arith.remsi %i, %c2 : index
    %is_odd = arith.cmpi eq, %bit, %c1 : index
    %value = scf.if %is_odd -> (i32) {
      scf.yield %one : i32
    } else {
      %group = arith.floordivsi %i, %c4 : index
      %begin = arith.muli %group, %c4 : index
      %letter = vyre.load %decoded[%begin] : !vyre.buffer<11xi8, read_write> -> i8
      %wide = arith.extui %letter : i8 to i32
      scf.yield %wide : i32
    }
    vyre.store %value, %values[%i] : i32, !vyre.buffer<11xi32, read_write>
    %number = arith.index_cast %i : index to i32
    %scaled = arith.muli %number, %three : i32
    vyre.store %scaled, %places[%i] : i32, !vyre.buffer<22xi32, read_write>
  }
}
"""


def test_what_a_loop_stores_is_where_it_belongs(device: Device) -> None:
    random = np.random.default_rng(0)
    inputs = {"text": random.integers(0, 256, 11, dtype=np.uint8)}
    require_result(device, ELEVENS, inputs)
