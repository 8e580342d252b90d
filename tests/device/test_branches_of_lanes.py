"""Lanes that take a branch are visited by the bits of their mask, whatever it is."""

from __future__ import annotations

import numpy as np
import pytest
from support.on_devices import require_results
from support.tiers import crossed

from benchmarks.gate.programs import PROGRAMS
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context

SUMS_OF_GROUPS = """
vyre.program @sums_of_groups workgroup_size [64] {{
  %keys = vyre.buffer @keys : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values : !vyre.buffer<?x{type}, read_only>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<256xi64, read_write>
  %first = vyre.buffer @first live_out fill -1 : i32 : !vyre.buffer<256xi32, read_write>
  %n = vyre.buf_len %keys : !vyre.buffer<?xi8, read_only>
  vyre.region "scan" invocations [%n] {{
    %i = vyre.invocation_id x
    %limit = arith.constant 100 : {type}
    %key = vyre.load %keys[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %value = vyre.load %values[%i] : !vyre.buffer<?x{type}, read_only> -> {type}
    %is_small = arith.cmpi ult, %value, %limit : {type}
    scf.if %is_small {{
      %wide = arith.extui %key : i8 to i64
      %place = arith.index_cast %wide : i64 to index
      %number = arith.index_cast %i : index to i32
      %a = vyre.atomic_rmw addi %wide, %sums[%place] : i64, !vyre.buffer<256xi64, read_write>
      %b = vyre.atomic_rmw minu %number, %first[%place] : i32, !vyre.buffer<256xi32, read_write>
    }}
  }}
}}
"""
SIZES = (0, 1, 15, 16, 17, 1000, 40_003)
MASKS = ("none", "all", "half", "few", "one of each row")


def values(mask: str, size: int) -> Array:
    """Numbers of which those below 100 count."""
    random, places = np.random.default_rng(size), np.arange(size)
    counts = {
        "none": np.zeros(size, bool),
        "all": np.ones(size, bool),
        "half": random.integers(0, 2, size) == 0,
        "few": random.integers(0, 64, size) == 0,
        "one of each row": places % 17 == 0,
    }
    return np.where(counts[mask], places % 100, 200)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("type", "mask"), crossed(["i8", "i16", "i32", "i64"], MASKS))
def test_sums_of_groups_under_a_filter(device: Device, type: str, mask: str) -> None:
    dtype = f"u{int(type[1:]) // 8}"
    keys = {size: np.random.default_rng(size).integers(0, 256, size, np.uint8) for size in SIZES}
    inputs = [{"keys": keys[size], "values": values(mask, size).astype(dtype)} for size in SIZES]
    require_results(device, SUMS_OF_GROUPS.format(type=type), inputs)


def test_columns_stay_in_a_tile_under_a_filter(device: Device) -> None:
    """Which lanes a filter lets pass is asked once all is fused: their places are data."""
    module = load_module(PROGRAMS["q1_aggregate"].path, make_context())
    kernels = compile_module(module, device=device.info).source.count("__kernel ")
    assert kernels == 1
