"""Lanes that go along rows of a run-time size, from one to the next."""

from __future__ import annotations

import numpy as np
import pytest
from support.on_devices import require_results

from vyre_dialect.runtime.opencl.devices import Device

ROWS = """
vyre.program @rows {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %key = vyre.buffer @key : !vyre.buffer<?xi8, read_only>
  %scales = vyre.buffer @scales : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %size = vyre.buf_len %key : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c3 = arith.constant 3 : index
    %moved = arith.addi %i, %c3 : index
    %place = arith.REM %moved, %size : index
    %row = arith.DIV %moved, %size : index
    %letter = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %mask = vyre.load %key[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %scale = vyre.load %scales[%row] : !vyre.buffer<?xi32, read_only> -> i32
    %plain = arith.xori %letter, %mask : i8
    %word = arith.extui %plain : i8 to i32
    %scaled = arith.muli %word, %scale : i32
    %number = arith.index_cast %place : index to i32
    %sum = arith.addi %scaled, %number : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
"""

# What is taken of an index that may be negative where it does not matter.
GUARDED = """
vyre.program @guarded {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %key = vyre.buffer @key : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %size = vyre.buf_len %key : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c5 = arith.constant 5 : index
    %letter = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %zero = arith.constant 0 : i8
    %is_high = arith.cmpi slt, %letter, %zero : i8
    %plain = scf.if %is_high -> (i8) {
      %is_behind = arith.cmpi sge, %i, %c5 : index
      %behind = scf.if %is_behind -> (i8) {
        %moved = arith.subi %i, %c5 : index
        %place = arith.REM %moved, %size : index
        %mask = vyre.load %key[%place] : !vyre.buffer<?xi8, read_only> -> i8
        %changed = arith.xori %letter, %mask : i8
        scf.yield %changed : i8
      } else {
        scf.yield %letter : i8
      }
      scf.yield %behind : i8
    } else {
      scf.yield %letter : i8
    }
    vyre.store %plain, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
"""
SIZES = (0, 1, 2, 15, 16, 17, 37, 300)
LENGTHS = (0, 1, 15, 16, 17, 95, 96, 257)


def inputs(length: int, size: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(length)
    return {
        "text": random.integers(0, 256, length, dtype=np.uint8),
        "key": random.integers(0, 256, size, dtype=np.uint8),
        "scales": random.integers(1, 100, 9, dtype=np.int32),
    }


@pytest.mark.one_in(3)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(("remainder", "quotient"), [("remui", "divui"), ("remsi", "divsi")])
def test_rows_end_anywhere_among_lanes(
    device: Device, remainder: str, quotient: str, length: int
) -> None:
    text = ROWS.replace("REM", remainder).replace("DIV", quotient)
    require_results(device, text, [inputs(length, size) for size in SIZES])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("remainder", ["remui", "remsi"])
def test_rows_that_begin_behind_a_condition(device: Device, remainder: str, length: int) -> None:
    given = [inputs(length, size) for size in SIZES]
    for each in given:
        del each["scales"]
    require_results(device, GUARDED.replace("REM", remainder), given)
