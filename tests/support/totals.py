"""Every op on numbers, on all pairs of the numbers where something special happens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    ModuleOp,
    VectorType,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.builder import Buffer, Program, Value, constant, program
from vyre_dialect.ir.types import Access, lane_count, scalar_type
from vyre_dialect.ops.lanes import (
    CompareFloatLanesOp,
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    FloatPredicate,
    Predicate,
)
from vyre_dialect.passes.rewriting.vector_forms import VECTOR_FORM
from vyre_dialect.runtime.interpreter.arrays import Array

index = IndexType()
INTEGERS: dict[str, Attribute] = {
    "i1": i1,
    "i8": i8,
    "i16": i16,
    "i32": i32,
    "i64": i64,
    "index": index,
}
FLOATS: dict[str, Attribute] = {"f16": f16, "f32": f32, "f64": f64}
TYPES = INTEGERS | FLOATS
LANES = (1, 4)
"""Lanes of the values that ops compute with, as far as they have a form for vectors."""

_DTYPES = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
_FLOAT_DTYPES = {16: np.float16, 32: np.float32, 64: np.float64}

PER_ARM = 24
"""Outputs of an arm: devices take a limited number of arguments."""

Build = Callable[[SSAValue, SSAValue], Operation]


@dataclass(frozen=True)
class Case:
    """An op on one or two numbers of one type."""

    name: str
    build: Build
    result: Attribute
    """The type of its result, in each lane."""
    part: int = 0
    """Which of its results."""
    lanes: tuple[int, ...] = LANES
    """The vectors that it is for; 1 stands for a scalar."""


def width_of(type: Attribute) -> int:
    """The bits of a number of a type."""
    if isinstance(type, IndexType):
        return 64
    assert isinstance(type, IntegerType | AnyFloat)
    return type.width.data if isinstance(type, IntegerType) else type.bitwidth


def stored(type: Attribute) -> Attribute:
    """The type of buffer elements that hold numbers of a type."""
    return i64 if isinstance(type, IndexType) else type


def dtype_of(type: Attribute) -> np.dtype[Any]:
    """The type of arrays that hold numbers of a type."""
    table = _FLOAT_DTYPES if isinstance(type, AnyFloat) else _DTYPES
    return np.dtype(table[width_of(type)])


# The numbers.


def special(type: Attribute) -> Array:
    """The numbers of a type at which ops change what they do."""
    if isinstance(type, AnyFloat):
        return _special_floats(type)
    width = width_of(type)
    numbers = {0, 1, 2, 3, 5, width - 1, width, width + 1, 31, 32, 33, 63, 64, 100}
    numbers |= {2 ** (width - 1) + offset for offset in (-1, 0, 1)}
    numbers |= {2**width - offset for offset in (1, 2, 3, width)}
    inside = sorted({number % 2**width for number in numbers})
    return np.array(inside, dtype=np.uint64).astype(dtype_of(type))


def _special_floats(type: AnyFloat) -> Array:
    dtype = dtype_of(type)
    info = np.finfo(dtype.name)
    edges = [float(2**power) for power in (7, 8, 15, 16, 31, 32, 63, 64)]
    small = [0.0, 0.25, 0.5, 1.0, 1.5, 2.5, 3.0, 100.75, float("inf"), float("nan")]
    with np.errstate(over="ignore"):
        limits = [float(info.max), float(info.tiny), float(info.smallest_subnormal)]
        positive = np.array([*small, *edges, *limits], dtype)
        below = np.nextafter(np.array(edges, dtype), dtype.type(0))
    whole = np.concatenate([positive, below])
    bits = np.concatenate([whole, -whole]).view(f"u{dtype.itemsize}")
    signalling = np.array([_signalling_nan(dtype)], bits.dtype)
    return np.unique(np.concatenate([bits, signalling])).view(dtype)


def _signalling_nan(dtype: np.dtype[Any]) -> int:
    """The bits of infinity, and one more."""
    return int(np.array([np.inf], dtype).view(f"u{dtype.itemsize}")[0]) + 1


def pairs(type: Attribute) -> tuple[Array, Array]:
    """All pairs of the special numbers of a type, as many as fill vectors."""
    found = special(type)
    left, right = np.array(list(product(range(len(found)), repeat=2))).T
    rows = -(-len(left) // max(LANES)) * max(LANES)
    return np.resize(found[left], rows), np.resize(found[right], rows)


# The ops.


def _integer_ops() -> tuple[type[Operation], ...]:
    return (
        *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
        *(arith.DivUIOp, arith.DivSIOp, arith.RemUIOp, arith.RemSIOp),
        *(arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
        *(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp),
        *(arith.MinUIOp, arith.MaxUIOp, arith.MinSIOp, arith.MaxSIOp),
    )


def _float_ops() -> tuple[type[Operation], ...]:
    return (
        *(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp),
        *(arith.MinimumfOp, arith.MaximumfOp, arith.MinnumfOp, arith.MaxnumfOp),
        math.CopySignOp,
    )


INTEGER_FUNCTIONS = (
    *(math.AbsIOp, math.CountLeadingZerosOp, math.CountTrailingZerosOp, math.CtPopOp),
)
FLOAT_FUNCTIONS = (
    *(arith.NegfOp, math.AbsFOp, math.CeilOp, math.FloorOp, math.TruncOp),
    *(math.RoundOp, math.RoundEvenOp, math.SqrtOp),
)
INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)


def cases(type: Attribute) -> list[Case]:
    """What a type's numbers are computed with, one result each."""
    return _of_floats(type) if isinstance(type, AnyFloat) else _of_integers(type)


def _of_integers(type: Attribute) -> list[Case]:
    found = [Case(op.name, _binary(op), type) for op in _integer_ops()]
    found += [_compared(predicate) for predicate in INTEGER_PREDICATES]
    if not isinstance(type, IndexType):
        found += [_compared_lanes(predicate) for predicate in INTEGER_PREDICATES]
    if type != i1:
        found += [Case(op.name, _unary(op), type) for op in INTEGER_FUNCTIONS]
        found += [Case("math.ipowi", _binary(math.IPowIOp), type, lanes=(1,))]
        found += _extended(type)
    if not isinstance(type, IndexType):
        found += _conversions(type)
    return found + _casts(type)


def _extended(type: Attribute) -> list[Case]:
    ops = (arith.MulUIExtendedOp, arith.MulSIExtendedOp)
    found = [Case(f"{op.name} {part}", _binary(op), type, part) for op in ops for part in (0, 1)]
    if isinstance(type, IndexType):  # which xDSL 0.74 does not add so
        return found
    add = arith.AddUIExtendedOp
    return [
        *found,
        Case(f"{add.name} 0", _binary(add), type, lanes=(1,)),
        Case(f"{add.name} 1", _binary(add), i1, 1, (1,)),
    ]


def _compared(predicate: str) -> Case:
    return Case(
        f"arith.cmpi {predicate}", lambda a, b: arith.CmpiOp(a, b, predicate), i1, lanes=(1,)
    )


def _compared_lanes(predicate: str) -> Case:
    compare = partial(CompareLanesOp, Predicate(predicate))
    return Case(f"vyre.compare_lanes {predicate}", compare, i1, lanes=(4,))


def _conversions(type: Attribute) -> list[Case]:
    """To all other widths, lanes by an op of vyre."""
    found = list[Case]()
    for other in INTEGERS.values():
        if isinstance(other, IndexType) or other == type:
            continue
        widens = width_of(other) > width_of(type)
        for op in (arith.ExtUIOp, arith.ExtSIOp) if widens else (arith.TruncIOp,):
            found += _both_casts(op, other)
    return found


def _both_casts(op: type[Operation], other: Attribute) -> list[Case]:
    """An op of `arith`, and that of vyre for lanes."""
    conversion = Conversion(op.name.partition(".")[2])
    lanes = _unary(partial(_convert_lanes, conversion, other))
    name = f"{ConvertLanesOp.name} {conversion} to {other}"
    return [_cast(op, other), Case(name, lanes, other, 0, (4,))]


def _casts(type: Attribute) -> list[Case]:
    """From an index and to one, and to floats."""
    if isinstance(type, IndexType):
        others = [other for other in INTEGERS.values() if other != type]
        return [_cast(arith.IndexCastOp, other) for other in others]
    floats = [(op, other) for op in (arith.SIToFPOp, arith.UIToFPOp) for other in FLOATS.values()]
    return [
        _cast(arith.IndexCastOp, index),
        *(case for op, other in floats for case in _both_casts(op, other)),
    ]


def _cast(op: type[Operation], other: Attribute) -> Case:
    return Case(f"{op.name} to {other}", _unary(partial(_to, op, other)), other, lanes=(1,))


def _of_floats(type: AnyFloat) -> list[Case]:
    found = [Case(op.name, _binary(op), type) for op in _float_ops()]
    found += [Case(op.name, _unary(op), type) for op in FLOAT_FUNCTIONS]
    found += [Case("math.fma", lambda a, b: math.FmaOp(a, b, a), type)]
    found += [Case("vector.fma", lambda a, b: vector.FMAOp(a, b, b), type, lanes=(4,))]
    found += [
        Case(f"arith.cmpf {predicate}", partial(_compare_floats, predicate), i1, lanes=(1,))
        for predicate in FLOAT_PREDICATES
    ]
    found += [_compared_float_lanes(predicate) for predicate in FLOAT_PREDICATES]
    found += [
        case
        for other in INTEGERS.values()
        for op in (arith.FPToSIOp, arith.FPToUIOp)
        if not isinstance(other, IndexType)
        for case in _both_casts(op, other)
    ]
    for other in FLOATS.values():
        if other != type:
            op = arith.ExtFOp if width_of(other) > width_of(type) else arith.TruncFOp
            found.append(Case(f"{op.name} to {other}", _unary(partial(_resized, op, other)), other))
    return found


def _compared_float_lanes(predicate: str) -> Case:
    compare = partial(CompareFloatLanesOp, FloatPredicate(predicate))
    return Case(f"{CompareFloatLanesOp.name} {predicate}", compare, i1, lanes=(4,))


def _unary(op: Callable[..., Operation]) -> Build:
    return lambda a, _: op(a)


def _binary(op: Callable[..., Operation]) -> Build:
    return lambda a, b: op(a, b)


def _to(op: Callable[..., Operation], type: Attribute, value: SSAValue) -> Operation:
    return op(value, type)


def _convert_lanes(conversion: Conversion, type: Attribute, value: SSAValue) -> Operation:
    return ConvertLanesOp(conversion, value, VectorType(type, [lane_count(value.type)]))


def _resized(op: Callable[..., Operation], type: Attribute, value: SSAValue) -> Operation:
    return op(value, in_lanes(type, lane_count(value.type)))


def _compare_floats(predicate: str, a: SSAValue, b: SSAValue) -> Operation:
    return arith.CmpfOp(a, b, predicate)


# Programs.


def in_lanes(type: Attribute, lanes: int) -> Attribute:
    """A type, or vectors of it."""
    return type if lanes == 1 else VectorType(type, [lanes])


def chosen(type: Attribute, lanes: int, without: Collection[Attribute]) -> list[Case]:
    """The cases that a sheet has, those first that neighbours can do as lanes."""
    found = [case for case in cases(type) if lanes in case.lanes and case.result not in without]
    return sorted(found, key=lambda case: not _may_be_lanes(case, in_lanes(type, lanes)))


def _may_be_lanes(case: Case, type: Attribute) -> bool:
    op = case.build(create_ssa_value(type), create_ssa_value(type))
    return VECTOR_FORM.of(op.__class__) is not None


def sheet(
    type: Attribute, lanes: int, without: Collection[Attribute] = ()
) -> tuple[ModuleOp, dict[str, Array]]:
    """
    A program with an output for each case of all pairs, `case0` and so on, and its inputs.

    Cases with results of the types `without` are left out.
    """
    left, right = pairs(type)
    rows, some = len(left) // lanes, chosen(type, lanes, without)
    with program("sheet") as p:
        inputs = [_buffer(p, name, type, lanes, rows, is_output=False) for name in "ab"]
        outputs = [
            _buffer(p, f"case{number}", case.result, lanes, rows, is_output=True)
            for number, case in enumerate(some)
        ]
        for begin in range(0, len(some), PER_ARM):
            arm = slice(begin, begin + PER_ARM)
            with p.arm(f"cases.{begin}", rows) as row:
                a, b = (_loaded(each[row], type) for each in inputs)
                for case, out in zip(some[arm], outputs[arm], strict=True):
                    result = Value(case.build(a.ssa, b.ssa).results[case.part])
                    out[row] = _stored(result)
    return p.module, {"a": left, "b": right}


def _buffer(
    p: Program, name: str, type: Attribute, lanes: int, rows: int, *, is_output: bool
) -> Buffer:
    access = Access.READ_WRITE if is_output else Access.READ_ONLY
    return p.buffer(name, in_lanes(stored(type), lanes), rows, access=access, live_out=is_output)


def _loaded(value: Value, type: Attribute) -> Value:
    return _lane_by_lane(value, type) if isinstance(type, IndexType) else value


def _stored(value: Value) -> Value:
    return _lane_by_lane(value, i64) if isinstance(scalar_type(value.type), IndexType) else value


def _lane_by_lane(value: Value, type: Attribute) -> Value:
    """Indices for other integers, or those for indices, which xDSL 0.74 converts as scalars."""
    if not isinstance(value.type, VectorType):
        return value.to(type)
    lanes = lane_count(value.type)
    found = constant(0, VectorType(type, [lanes]))
    for lane in range(lanes):
        found = found.with_lane(lane, value.lane(lane).to(type))
    return found


def differences(
    type: Attribute,
    lanes: int,
    expected: Mapping[str, Array],
    got: Mapping[str, Array],
    without: Collection[Attribute] = (),
) -> list[str]:
    """The cases in which two runs of a sheet differ. All NaNs are one, and -0 is not +0."""
    return [
        case.name
        for number, case in enumerate(chosen(type, lanes, without))
        if not same_bits(expected[f"case{number}"], np.asarray(got[f"case{number}"]))
    ]


def same_bits(one: Array, other: Array) -> bool:
    """Whether two arrays hold the same, NaNs of any kind being one."""
    one, other = one.ravel(), other.ravel()
    if one.dtype.kind != "f":
        return bool((one == other).all())
    bits = f"u{one.dtype.itemsize}"
    are_nan = np.isnan(one) & np.isnan(other)
    return bool(((one.view(bits) == other.view(bits)) | are_nan).all())
