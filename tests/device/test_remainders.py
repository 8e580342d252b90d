"""What vectors leave over is computed like the rest."""

from __future__ import annotations

import numpy as np
from support.on_devices import require_result

from vyre_dialect.runtime.opencl.devices import Device

# Intel's compiler made a vector of the 8 invocations that 16 lanes leave over, and loaded 0 in it.
THIRDS = """
vyre.program @thirds {
  %text = vyre.buffer @text : !vyre.buffer<72xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<72xi16, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<24xi32, read_write>
  vyre.region "scan" invocations [24] workgroup_size [8] {
    %i = vyre.invocation_id x
    %c3 = arith.constant 3 : index
    %c72 = arith.constant 72 : index
    %zero = arith.constant 0 : i8
    %mask = arith.constant 1 : i8
    %one = arith.constant 1 : i32
    %odd = arith.constant 37 : i32
    %some = arith.constant 31 : i32
    %begin = arith.muli %i, %c3 : index
    %place = arith.addi %begin, %c3 : index
    %inside = arith.cmpi slt, %place, %c72 : index
    %sum = scf.if %inside -> (i32) {
      %letter = vyre.load %text[%i] : !vyre.buffer<72xi8, read_only> -> i8
      %bit = arith.andi %letter, %mask : i8
      %even = arith.cmpi eq, %bit, %zero : i8
      %chosen = scf.if %even -> (i32) {
        %value = vyre.load %values[%place] : !vyre.buffer<72xi16, read_only> -> i16
        %wide = arith.extui %value : i16 to i32
        %more = arith.addi %wide, %some : i32
        scf.yield %more : i32
      } else {
        scf.yield %odd : i32
      }
      scf.yield %chosen : i32
    } else {
      scf.yield %one : i32
    }
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<24xi32, read_write>
  }
}
"""


def test_elements_under_conditions_are_loaded_in_remainders(device: Device) -> None:
    random = np.random.default_rng(0)
    inputs = {
        "text": random.integers(0, 256, 72, dtype=np.uint8),
        "values": random.integers(1, 60000, 72, dtype=np.uint16),
    }
    require_result(device, THIRDS, inputs)
