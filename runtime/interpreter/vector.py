"""
What the ops of `vector` on values compute. Lanes are the axes after the first; a position
outside a vector, which `vector` leaves unspecified, reads 0 and inserts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects import vector
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import SSAValue

from vyre_dialect.runtime.interpreter.floats import (
    maximum,
    maximum_number,
    minimum,
    minimum_number,
)
from vyre_dialect.runtime.interpreter.formats import (
    Array,
    UnsupportedError,
    dtype_of,
    integer_format,
    is_integer,
    lanes_of,
    over_lanes,
)
from vyre_dialect.runtime.interpreter.machine import Compute, Unary
from vyre_dialect.runtime.interpreter.math import fused_multiply_add


def broadcast(op: vector.BroadcastOp) -> Compute:
    """A number, or a vector, in every lane."""
    source, target = lanes_of(op.source.type), lanes_of(op.vector.type)

    def compute(values: Array) -> Array:
        padded = values.reshape(len(values), *(1,) * (len(target) - len(source)), *source)
        return np.broadcast_to(padded, (len(values), *target))

    return compute


def extract(op: vector.ExtractOp) -> Compute:
    """One lane."""
    static = op.static_position.get_values()
    if op.dynamic_position:
        return partial(_extract_at, op.get_mixed_position())
    lane: Unary = lambda values: values[:, *static]  # noqa: E731
    return lane


def _extract_at(positions: Sequence[SSAValue | int], values: Array, *dynamic: Array) -> Array:
    rows, indices, inside = _lane_indices(positions, values.shape[1:], (values, *dynamic))
    values = np.broadcast_to(values, (len(rows), *values.shape[1:]))
    lanes = values[rows, *indices]
    return np.where(over_lanes(inside, lanes.ndim - 1), lanes, lanes.dtype.type(0))


def insert(op: vector.InsertOp) -> Compute:
    """A vector with another value in one lane."""
    static = op.static_position.get_values()
    if op.dynamic_position:
        return partial(_insert_at, op.get_mixed_position())

    def compute(source: Array, values: Array) -> Array:
        size = max(len(source), len(values))
        result = np.broadcast_to(values, (size, *values.shape[1:])).copy()
        result[:, *static] = source
        return result

    return compute


def _insert_at(
    positions: Sequence[SSAValue | int], source: Array, values: Array, *dynamic: Array
) -> Array:
    operands = (source, values, *dynamic)
    rows, indices, inside = _lane_indices(positions, values.shape[1:], operands)
    result = np.broadcast_to(values, (len(rows), *values.shape[1:])).copy()
    source = np.broadcast_to(source, (len(rows), *source.shape[1:]))
    kept = rows[inside]
    result[kept, *(index[kept] for index in indices)] = source[kept]
    return result


def _lane_indices(
    positions: Sequence[SSAValue | int], lanes: Sequence[int], operands: Sequence[Array]
) -> tuple[Array, list[Array], Array]:
    """The rows, the lane in each row along each axis, and whether that lane exists."""
    size = max(len(operand) for operand in operands)
    dynamic = iter(operands[len(operands) - sum(not isinstance(p, int) for p in positions) :])
    inside = np.ones(size, dtype=np.bool_)
    indices = list[Array]()
    for position, extent in zip(positions, lanes, strict=False):
        index = np.full(size, position) if isinstance(position, int) else next(dynamic)
        index = np.broadcast_to(index, size)
        inside &= (index >= 0) & (index < extent)
        indices.append(np.clip(index, 0, extent - 1))
    return np.arange(size), indices, inside


def shuffle(op: vector.ShuffleOp) -> Compute:
    """Lanes of two vectors, in an order that is known."""
    mask = np.array(op.mask.get_values(), dtype=np.int64)
    is_scalar = not lanes_of(op.v1.type)

    def compute(first: Array, second: Array) -> Array:
        if is_scalar:
            first, second = first[:, np.newaxis], second[:, np.newaxis]
        size = max(len(first), len(second))
        rows = [np.broadcast_to(part, (size, *part.shape[1:])) for part in (first, second)]
        return np.concatenate(rows, axis=1)[:, np.maximum(mask, 0)]

    return compute


def bitcast(op: vector.BitcastOp) -> Compute:
    """The bits of all lanes as other lanes."""
    lanes, dtype = lanes_of(op.result.type), dtype_of(op.result.type)
    if dtype == np.bool_ or dtype_of(op.source.type) == np.bool_:
        raise UnsupportedError(f"'{op.name}' of vectors of i1 is not supported by the interpreter")

    def compute(values: Array) -> Array:
        flat = np.ascontiguousarray(values).reshape(len(values), -1)
        return flat.view(dtype).reshape(len(values), *lanes)

    return compute


def create_mask(op: vector.CreateMaskOp) -> Compute:
    """A mask whose first lanes are set."""
    lanes = lanes_of(op.mask_vector.type)

    def compute(*sizes: Array) -> Array:
        mask = np.ones((max(map(len, sizes)), *lanes), dtype=np.bool_)
        for axis, size in enumerate(sizes):
            after = len(lanes) - axis - 1
            along = over_lanes(np.arange(lanes[axis]), after)
            mask &= along < over_lanes(size, len(lanes))
        return mask

    return compute


_UNSIGNED_REDUCTIONS: dict[CombiningKindFlag, Callable[[Array, Array], Array]] = {
    CombiningKindFlag.ADD: np.add,
    CombiningKindFlag.MUL: np.multiply,
    CombiningKindFlag.AND: np.bitwise_and,
    CombiningKindFlag.OR: np.bitwise_or,
    CombiningKindFlag.XOR: np.bitwise_xor,
    CombiningKindFlag.MINUI: np.minimum,
    CombiningKindFlag.MAXUI: np.maximum,
}
_SIGNED_REDUCTIONS: dict[CombiningKindFlag, Callable[[Array, Array], Array]] = {
    CombiningKindFlag.MINSI: np.minimum,
    CombiningKindFlag.MAXSI: np.maximum,
}
_FLOAT_REDUCTIONS: dict[CombiningKindFlag, Callable[[Array, Array], Array]] = {
    CombiningKindFlag.ADD: np.add,
    CombiningKindFlag.MUL: np.multiply,
    CombiningKindFlag.MINNUMF: minimum_number,
    CombiningKindFlag.MAXNUMF: maximum_number,
    CombiningKindFlag.MINIMUMF: minimum,
    CombiningKindFlag.MAXIMUMF: maximum,
}


def reduction(op: vector.ReductionOp) -> Compute:
    """From the accumulator, or lane 0, over the lanes in order."""
    combine = _combination(op)

    def compute(values: Array, *accumulator: Array) -> Array:
        lanes = [*accumulator, *np.moveaxis(values, 1, 0)]
        total = lanes[0]
        for lane in lanes[1:]:
            total = combine(total, lane)
        return total

    return compute


def _combination(op: vector.ReductionOp) -> Callable[[Array, Array], Array]:
    kind = op.kind.data
    if not is_integer(op.vector.type):
        return _FLOAT_REDUCTIONS[kind]
    fmt = integer_format(op.vector.type)
    view: Any = fmt.signed if kind in _SIGNED_REDUCTIONS else fmt.unsigned
    function = (_SIGNED_REDUCTIONS | _UNSIGNED_REDUCTIONS)[kind]
    return lambda lhs, rhs: fmt.pack(function(view(lhs), view(rhs)))


def multiply_and_add(_: vector.FMAOp) -> Compute:
    """A product and a sum, rounded once."""
    return fused_multiply_add
