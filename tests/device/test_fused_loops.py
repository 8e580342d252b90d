"""Loops of a fused kernel of a number of iterations that has no divisors."""

from __future__ import annotations

import numpy as np
import pytest
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


@pytest.mark.slow
def test_what_a_loop_stores_is_where_it_belongs(device: Device) -> None:
    random = np.random.default_rng(0)
    inputs = {"text": random.integers(0, 256, 11, dtype=np.uint8)}
    require_result(device, ELEVENS, inputs)


PAIRS = """
vyre.program @pairs {
  %text = vyre.buffer @text : !vyre.buffer<72xi8, read_only>
  %decoded = vyre.buffer @decoded initial host fill 51 : i8 : !vyre.buffer<72xi8, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<24xi32, read_write>
  vyre.region "decode" invocations [39] workgroup_size [4] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %key = arith.constant 90 : i8
    %first = arith.muli %i, %c2 : index
    scf.for %k = %c0 to %c2 step %c1 {
      %place = arith.addi %first, %k : index
      %byte = vyre.load %text[%place] : !vyre.buffer<72xi8, read_only> -> i8
      %plain = arith.xori %byte, %key : i8
      vyre.store %plain, %decoded[%place] : i8, !vyre.buffer<72xi8, read_write>
    }
  }
  vyre.region "scan" invocations [24] workgroup_size [8] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %factor = arith.constant 31 : i32
    %third = arith.muli %i, %c3 : index
    %first = arith.addi %third, %c2 : index
    %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%before = %one) -> (i32) {
      %place = arith.addi %first, %k : index
      %scaled = arith.muli %before, %factor : i32
      %byte = vyre.load %decoded[%place] : !vyre.buffer<72xi8, read_write> -> i8
      %wide = arith.extui %byte : i8 to i32
      %next = arith.addi %scaled, %wide : i32
      scf.yield %next : i32
    }
    vyre.store %sum, %sums[%i] : i32, !vyre.buffer<24xi32, read_write>
  }
}
"""


def test_no_iteration_is_left_out_where_loads_are_guarded(device: Device) -> None:
    """Intel's compiler made vectors of the loop over pairs, and left the last but one out."""
    random = np.random.default_rng(0)
    require_result(device, PAIRS, {"text": random.integers(0, 256, 72, dtype=np.uint8)})


LETTERS = """
vyre.program @letters workgroup_size [64] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %packed : !vyre.buffer<?xi8, read_only>
  %four = arith.constant 4 : index
  %n = arith.muli %length, %four : index
  %letters = vyre.buffer @letters contents dense<[65, 67, 71, 84]> : vector<4xi8>
    : !vyre.buffer<4xi8, uniform>
  %bases = vyre.buffer @bases[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %same = vyre.buffer @same live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %each = arith.constant 4 : index
    %two = arith.constant 2 : i8
    %mask = arith.constant 3 : i8
    %place = arith.divui %i, %each : index
    %within = arith.remui %i, %each : index
    %byte = vyre.load %packed[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %number = arith.index_cast %within : index to i8
    %shift = arith.muli %number, %two : i8
    %down = arith.shrui %byte, %shift : i8
    %code = arith.andi %down, %mask : i8
    %row = arith.index_cast %code : i8 to index
    %letter = vyre.load %letters[%row] : !vyre.buffer<4xi8, uniform> -> i8
    vyre.store %letter, %bases[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %three = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %after = arith.addi %i, %three : index
    %here = vyre.load %bases[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %next = vyre.load %bases[%after] : !vyre.buffer<?xi8, read_write> -> i8
    %is = arith.cmpi eq, %here, %next : i8
    scf.if %is {
      %old = vyre.atomic_rmw addi %one, %same[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
"""


@pytest.mark.one_in(8)
@pytest.mark.parametrize("size", [0, 1, 15, 16, 2047, 2048, 2049, 70_001])
def test_what_stands_side_by_side_leaves_nothing_out(device: Device, size: int) -> None:
    """Tiles of 8192 letters and three, on CPUs: in fours, three are left over."""
    random = np.random.default_rng(size)
    require_result(device, LETTERS, {"packed": random.integers(0, 256, size, dtype=np.uint8)})
