"""What comparisons, choices and conversions in the lanes of vectors compute."""

from __future__ import annotations

import numpy as np

from vyre_dialect.ir.implementations import Implementations
from vyre_dialect.ops.lanes import (
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    LookUpLanesOp,
    SelectLanesOp,
)
from vyre_dialect.runtime.interpreter.arith import (
    comparison,
    extend_signed,
    extend_unsigned,
)
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Binary, Compute, Meaning, Unary

LANE_MEANINGS = Implementations[Meaning]()
"""The ops of vyre on the lanes of vectors, and what each computes."""


@LANE_MEANINGS.impl(CompareLanesOp)
def _compare(op: CompareLanesOp) -> Binary:
    return comparison(op.predicate.data.number, op.lhs.type)


@LANE_MEANINGS.impl(SelectLanesOp)
def _select(_: SelectLanesOp) -> Compute:
    return np.where


@LANE_MEANINGS.impl(ConvertLanesOp)
def _convert(op: ConvertLanesOp) -> Unary:
    is_unsigned = op.conversion.data == Conversion.EXTUI
    return extend_unsigned(op) if is_unsigned else extend_signed(op)


@LANE_MEANINGS.impl(LookUpLanesOp)
def _look_up(_: LookUpLanesOp) -> Compute:
    def compute(table: Array, positions: Array) -> Array:
        numbers = positions.astype(np.intp) & (table.shape[-1] - 1)
        rows = np.broadcast_shapes(table.shape[:-1], numbers.shape[:-1])
        table = np.broadcast_to(table, (*rows, table.shape[-1]))
        return np.take_along_axis(
            table, np.broadcast_to(numbers, (*rows, numbers.shape[-1])), axis=-1
        )

    return compute
