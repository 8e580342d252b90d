"""Tokens of copies go where values go: through loops and branches, up to the wait."""

import numpy as np
import pytest

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import make_context, parse_module

COPIED = "!vyre.buffer<64xi32, read_only>, !vyre.buffer<16xi32, read_write, workgroup>"
PROGRAM = """
vyre.program @tokens workgroup_size [16] {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<16xi32, read_write, workgroup>
  vyre.region "r" invocations [64] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %g = vyre.workgroup_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %eight = arith.constant 8 : index
    %true = arith.constant true
    %first = vyre.async_copy %x[%zero], %tile[%zero], %eight : COPIED
    %last = scf.for %k = %one to %four step %one iter_args(%before = %first) -> (!vyre.token) {
      vyre.async_wait %before
      vyre.barrier
      %next = vyre.async_copy %x[%k], %tile[%zero], %eight : COPIED
      scf.yield %next : !vyre.token
    }
    %is = arith.cmpi ult, %g, %four : index
    %either = scf.if %is -> (!vyre.token) {
      %a = vyre.async_copy %x[%eight], %tile[%eight], %eight : COPIED
      scf.yield %a : !vyre.token
    } else {
      %b = vyre.async_copy %x[%zero], %tile[%eight], %eight : COPIED
      scf.yield %b : !vyre.token
    }
    vyre.async_wait %either
    %w, %n = scf.while (%t = %last, %c = %zero) : (!vyre.token, index) -> (!vyre.token, index) {
      %more = arith.cmpi ult, %c, %one : index
      scf.condition(%more) %t, %c : !vyre.token, index
    } do {
    ^bb0(%t : !vyre.token, %c : index):
      %c1 = arith.addi %c, %one : index
      scf.yield %t, %c1 : !vyre.token, index
    }
    vyre.async_wait %w
    vyre.barrier
    %v = vyre.load %tile[%l] : !vyre.buffer<16xi32, read_write, workgroup> -> i32
    vyre.store %v, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
""".replace("COPIED", COPIED)
INPUTS = {"x": np.arange(64, dtype=np.int32)}


@pytest.mark.parametrize(
    "optimize",
    [None, OptimizePass(profile="megakernel", options="vyre-vectorize{lanes=8}")],
    ids=["default", "vectorized"],
)
def test_a_device_waits_for_what_the_interpreter_waits_for(
    device: Device, optimize: OptimizePass | None
) -> None:
    context = make_context()
    module = parse_module(PROGRAM, context)
    expected = run_module(module, INPUTS, device="reference", context=context).outputs["out"]
    assert expected[:16].tolist() == [*range(3, 11), *range(8, 16)]
    got = run_module(module, INPUTS, device=device, optimize=optimize, context=context)
    np.testing.assert_array_equal(got.outputs["out"], expected)
