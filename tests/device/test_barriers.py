"""What invocations hand to each other through global memory is there after a barrier."""

from __future__ import annotations

import numpy as np
from support.fusion import require_equal

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context, parse_module

# An NVIDIA H200 loaded what the neighbour stores before it did: the pointer was `restrict`.
NEIGHBOURS = """
vyre.program @neighbours workgroup_size [4] {
  %text = vyre.buffer @text : !vyre.buffer<12xi8, read_only>
  %kept = vyre.buffer @kept initial host fill 51 : i32 : !vyre.buffer<20xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<4xi32, read_write>
  vyre.region "keep" invocations [4] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %w7 = arith.constant 7 : i32
    %w31 = arith.constant 31 : i32
    %byte = vyre.load %text[%i] : !vyre.buffer<12xi8, read_only> -> i8
    %word = arith.extui %byte : i8 to i32
    %at0 = arith.muli %i, %c3 : index
    %at1 = arith.addi %at0, %c1 : index
    %at2 = arith.addi %at0, %c2 : index
    %at3 = arith.addi %at0, %c3 : index
    %first = arith.muli %word, %w7 : i32
    %second = arith.muli %first, %w7 : i32
    %third = arith.muli %second, %w7 : i32
    vyre.store %first, %kept[%at0] : i32, !vyre.buffer<20xi32, read_write>
    vyre.store %second, %kept[%at1] : i32, !vyre.buffer<20xi32, read_write>
    vyre.store %third, %kept[%at2] : i32, !vyre.buffer<20xi32, read_write>
    vyre.barrier
    %a = vyre.load %kept[%at1] : !vyre.buffer<20xi32, read_write> -> i32
    %b = vyre.load %kept[%at2] : !vyre.buffer<20xi32, read_write> -> i32
    %c = vyre.load %kept[%at3] : !vyre.buffer<20xi32, read_write> -> i32
    %odd = arith.andi %i, %c1 : index
    %at4 = arith.muli %odd, %c3 : index
    %d = vyre.load %kept[%at4] : !vyre.buffer<20xi32, read_write> -> i32
    %ab = arith.muli %a, %w31 : i32
    %abc = arith.addi %ab, %b : i32
    %more = arith.muli %abc, %w31 : i32
    %most = arith.addi %more, %c : i32
    %all = arith.muli %most, %w31 : i32
    %sum = arith.addi %all, %d : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
}
"""


def test_a_load_stays_behind_the_barrier(device: Device) -> None:
    module = parse_module(NEIGHBOURS, make_context(), "neighbours.mlir")
    text = np.array([243, 64, 232, 82, 222, 72, 164, 118, 192, 80, 182, 148], np.uint8)
    expected = interpret(module, {"text": text}).outputs
    require_equal(run_module(module, {"text": text}, device=device).outputs, expected)
