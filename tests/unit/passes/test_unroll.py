"""Loops over a tile that stays in memory are written out where that leaves little text."""

from __future__ import annotations

import pytest
from xdsl.dialects import scf

from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.passes.loop.unroll import MAX_KEPT
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context, parse_module

TRIPS = 4
KERNEL = """
vyre.kernel @sums(%out: !vyre.buffer<64xi32, write_only>) workgroup_size [1] generator "sums" {{
  %tile = vyre.buffer @tile : !vyre.buffer<8192xi32, read_write, private>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.constant {trips} : index
  %begin = arith.constant {begin} : index
  %end = arith.constant {end} : index
  scf.for %row = %begin to %end step %c1 {{
    %first = arith.muli %row, %{row} : index
    scf.for %k = %c0 to %trips step %c1 {{
      %place = arith.addi %first, %k : index
{loads}
      vyre.store %value0, %out[%place] : i32, !vyre.buffer<64xi32, write_only>
    }}
  }} {{vyre.unroll = 4 : i64}}
}}
"""
LOAD = "%value{} = vyre.load %tile[%place] : !vyre.buffer<8192xi32, read_write, private> -> i32"


def inner_loops(loads: int, row: str, rows: range = range(64)) -> int:
    """How many loops are left of the inner one, with so many loads of a tile."""
    text = "\n".join(LOAD.format(number) for number in range(loads))
    context = make_context()
    kernel_text = KERNEL.format(
        **{"trips": TRIPS, "loads": text, "row": row, "begin": rows.start, "end": rows.stop}
    )
    module = parse_module(kernel_text, context, "sums.mlir")
    apply_pipeline(module, "vyre-unroll", context)
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    return sum(isinstance(op, scf.ForOp) for op in kernel.walk()) - 1


@pytest.mark.parametrize(
    ("loads", "row", "left"),
    [
        (MAX_KEPT // TRIPS, "trips", 0),
        (MAX_KEPT // TRIPS + 1, "trips", 1),
        (MAX_KEPT // TRIPS + 1, "c0", 0),  # the tile is gone: the loop around does not choose
    ],
)
def test_many_loads_of_what_stays_in_memory_stay_a_loop(loads: int, row: str, left: int):
    assert inner_loops(loads, row) == left


def test_the_loop_around_may_have_more_iterations_than_python_counts():
    endless = range(-(2**63), 2**63 - 1)
    assert inner_loops(MAX_KEPT // TRIPS, "trips", endless) == 0
