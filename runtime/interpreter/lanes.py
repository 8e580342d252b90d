"""What comparisons, choices and conversions in the lanes of vectors compute."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    LookUpLanesOp,
    SelectLanesOp,
)
from vyre_dialect.runtime.interpreter import floats
from vyre_dialect.runtime.interpreter.arith import (
    comparison,
    extend_signed,
    extend_unsigned,
)
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Binary, Compute, Unary


def compare(op: CompareLanesOp) -> Binary:
    """In which lanes a predicate holds."""
    return comparison(op.predicate.data.number, op.lhs.type)


def compare_floats(op: CompareFloatLanesOp) -> Binary:
    """In which lanes a predicate of floats holds."""
    return floats.comparison(op.predicate.data.number)


def select(_: SelectLanesOp) -> Compute:
    """Each lane from one of two vectors."""
    return np.where


def convert(op: ConvertLanesOp) -> Unary:
    """Each lane as a number of another type."""
    return _CONVERSIONS[op.conversion.data](op)


_CONVERSIONS: dict[Conversion, Callable[[ConvertLanesOp], Unary]] = {
    Conversion.EXTUI: extend_unsigned,
    Conversion.EXTSI: extend_signed,
    Conversion.TRUNCI: extend_signed,
    Conversion.UITOFP: floats.uitofp,
    Conversion.SITOFP: floats.sitofp,
    Conversion.FPTOUI: floats.fptoui,
    Conversion.FPTOSI: floats.fptosi,
}


def look_up(_: LookUpLanesOp) -> Compute:
    """Lanes of a vector, at positions that another one holds."""

    def compute(table: Array, positions: Array) -> Array:
        numbers = positions.astype(np.intp) & (table.shape[-1] - 1)
        rows = np.broadcast_shapes(table.shape[:-1], numbers.shape[:-1])
        table = np.broadcast_to(table, (*rows, table.shape[-1]))
        return np.take_along_axis(
            table, np.broadcast_to(numbers, (*rows, numbers.shape[-1])), axis=-1
        )

    return compute
