"""How much arithmetic a program asks for, whatever device it runs on."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation

from vyre_dialect.ir.types import element_bytes, lane_count, scalar_type
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.runtime.interpreter.sampled_runs import SampledRuns
from vyre_dialect.runtime.program.program_work import launch_extents

DIALECTS = (arith.Arith.name, math.Math.name)
_CASTS = (arith.ExtUIOp, arith.ExtSIOp, arith.TruncIOp, arith.IndexCastOp, arith.BitcastOp)


def data_bits(program: ProgramOp, counts: Mapping[str, int], least_bits: int) -> float:
    """
    Bits of results of all arithmetic on data that a program does, beside which its kernels stand,
    on inputs of so many elements, by name; a number counts as `least_bits` or more. Constants,
    casts, indices and truths count nothing, and where data decides, what is likely counts.
    """
    bits = 0.0
    for launch in launch_extents(program, counts):
        if launch.grid is not None and 0 not in launch.grid:
            runs = SampledRuns(launch.kernel, launch.grid, launch.numbers).runs
            bits += sum(each.count * _bits_of(op, least_bits) for op, each in runs.items())
    return bits


def _bits_of(op: Operation, least: int) -> int:
    """Bits of one run."""
    if op.dialect_name() not in DIALECTS or isinstance(op, (arith.ConstantOp, *_CASTS)):
        return 0
    return max((_bits(value.type, least) for value in (*op.operands, *op.results)), default=0)


def _bits(type: Attribute, least: int) -> int:
    scalar = scalar_type(type)
    if scalar == i1 or (size := element_bytes(scalar)) is None:
        return 0
    return lane_count(type) * max(8 * size, least)
