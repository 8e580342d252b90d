"""What invocations hand to each other through global memory is there after a barrier."""

from __future__ import annotations

import numpy as np
from support.fusion import require_equal
from support.on_devices import require_result

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context, parse_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

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
    text = np.array([243, 64, 232, 82, 222, 72, 164, 118, 192, 80, 182, 148], np.uint8)
    require_result(device, NEIGHBOURS, {"text": text})


# PoCL 3.1 ended the process: the branch around the loop over `%k` ended the block of the barrier.
BRANCH_BEHIND = """
vyre.program @branch_behind workgroup_size [4] {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %out = vyre.buffer @out live_out fill 9 : i32 : !vyre.buffer<3xi32, read_write>
  %shared = vyre.buffer @shared : !vyre.buffer<4xi32, read_write, workgroup>
  vyre.region "update" invocations [4] attributes {vyre.items = 5 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c5 = arith.constant 5 : index
    %w1 = arith.constant 1 : i32
    %group = vyre.workgroup_id x
    %lane = vyre.local_id x
    %first = arith.muli %group, %c5 : index
    scf.for %offset = %c0 to %c5 step %c1 {
      %tile = arith.addi %first, %offset : index
      %in_domain = arith.cmpi slt, %tile, %c2 : index
      scf.if %in_domain {
        vyre.store %w1, %shared[%lane] : i32, !vyre.buffer<4xi32, read_write, workgroup>
        vyre.barrier
        %length = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
        %trips = arith.remsi %length, %c3 : index
        %few = arith.cmpi slt, %trips, %c1 : index
        %many = arith.cmpi sge, %trips, %c2 : index
        scf.for %k = %c0 to %trips step %c1 {
          scf.for %l = %c0 to %c3 step %c1 {
            scf.if %many {
              vyre.atomic_rmw mins %w1, %out[%lane] : i32, !vyre.buffer<3xi32, read_write>
            } else {
              scf.if %few {
                vyre.atomic_rmw mins %w1, %out[%tile] : i32, !vyre.buffer<3xi32, read_write>
              } else {
                vyre.atomic_rmw mins %w1, %out[%l] : i32, !vyre.buffer<3xi32, read_write>
              }
            }
          }
        }
        vyre.barrier memfence workgroup
      }
    }
  }
}
"""


def test_a_branch_may_stand_behind_a_barrier(device: Device) -> None:
    module = parse_module(BRANCH_BEHIND, make_context(), "branch_behind.mlir")
    data = np.zeros(5, np.uint32)
    expected = interpret(module, {"data": data}).outputs
    require_equal(
        run_module(module, {"data": data}, device=device, pipeline=UNFUSED).outputs, expected
    )
