"""
SSA values with operators, for the builder.

Integers are signless: `//`, `%`, `>>`, `<`, `min`, … are unsigned on them, signed on `index`
and ordered on floats. The methods named after ops of `arith` and `math` say which they mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, cast

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from vyre_dialect.ir.types import ReduceKind, lane_count, scalar_type
from vyre_dialect.ir.value_names import value_name
from vyre_dialect.ops.invocation import SubgroupReduceOp, SubgroupShuffleOp
from vyre_dialect.ops.lanes import Conversion, ConvertLanesOp, LookUpLanesOp

Scalar: TypeAlias = "Value | SSAValue | int | float"
"""What may stand where a value is expected: a Python number becomes a constant."""

index = IndexType()

_REMEMBERED = 4096
"""Attributes of integers that are kept, as decoders have the same ones many times."""


def number_attr(value: int | float, type: Attribute) -> IntegerAttr | FloatAttr:
    """
    The attribute that holds a number, `value`, of a scalar type.

    Raises TypeError for a number of another kind, ValueError for one that does not fit.
    """
    value = _python_number(value)
    if isinstance(type, AnyFloat):
        return FloatAttr(float(value), type)
    if not isinstance(type, IndexType | IntegerType) or isinstance(value, float):
        raise TypeError(f"expected a number of type {type}, got {value!r}")
    return _integer_attr(value, type)


@lru_cache(_REMEMBERED, typed=True)
def _integer_attr(value: int, type: IndexType | IntegerType) -> IntegerAttr:
    if isinstance(type, IntegerType) and not -(1 << type.width.data) < value < 1 << type.width.data:
        raise ValueError(f"expected a number of type {type}, got {value}")
    return IntegerAttr(value, type, truncate_bits=True)


def _python_number(value: object) -> int | float:
    """A number of Python for one of Python or NumPy."""
    value = getattr(value, "item", lambda: value)()
    if not isinstance(value, int | float):
        raise TypeError(f"expected a value of the program or a number, got {value!r}")
    return value


def dense_attr(values: Sequence[int | float], type: VectorType) -> DenseIntOrFPElementsAttr:
    """The attribute that holds the lanes of a vector type, or one number for all of them."""
    element = type.element_type
    values = getattr(values, "tolist", lambda: values)()  # of an array of NumPy
    if isinstance(element, IntegerType):
        lanes = _integers(values, element)
    else:
        lanes = [number_attr(value, element).value.data for value in values]
    return DenseIntOrFPElementsAttr.from_list(type, lanes)  # pyright: ignore


def _integers(values: Sequence[int | float], type: IntegerType) -> list[int]:
    """The bits of the values, checked without an attribute for each: tables may be large."""
    integers = [value for value in values if isinstance(value, int)]
    others = [value for value in values if not isinstance(value, int)]
    for value in (min(integers, default=0), max(integers, default=0), *others):
        number_attr(value, type)
    return [value % (1 << type.width.data) for value in integers]


def constant(value: int | float, type: Attribute = index) -> Value:
    """A constant of a scalar type, or of a vector type with `value` in every lane."""
    if isinstance(type, VectorType):
        # Equal floats need not be the same number: 0.0 and -0.0.
        splat = _integer_splat if isinstance(value, int) else _splat
        return Value(arith.ConstantOp(splat(value, type)).result)
    return Value(arith.ConstantOp(number_attr(value, type)).result)


def _splat(value: int | float, type: VectorType) -> DenseIntOrFPElementsAttr:
    return dense_attr([value] * lane_count(type), type)


_integer_splat = lru_cache(_REMEMBERED, typed=True)(_splat)


def constants(values: Sequence[int | float], type: VectorType) -> Value:
    """A constant vector, of a number for each lane."""
    return Value(arith.ConstantOp(dense_attr(values, type)).result)


def scalar(number: SSAValue | int) -> Value | int:
    """A number of the host that is known at compile time, or a value, to compute with."""
    return number if isinstance(number, int) else Value(number)


def ceildiv(count: Value | int, size: int) -> Value | int:
    """How many parts of a size cover a count, the last one perhaps not whole."""
    return -(-count // size) if isinstance(count, int) else count.ceildiv(size)


def ssa(value: Scalar, like: Attribute = index) -> SSAValue:
    """The SSA value behind `value`; a Python number becomes a constant of type `like`."""
    if isinstance(value, SSAValue):
        return value
    if isinstance(behind := getattr(value, "ssa", None), SSAValue):
        return behind
    return constant(cast(int | float, value), like).ssa


@dataclass(frozen=True, eq=False)
class Value:
    """
    An SSA value with operators. `named` gives it the name that printers show.

    Operators and methods raise a TypeError for operands of types that their op does not take.
    """

    ssa: SSAValue

    def __bool__(self) -> bool:
        raise TypeError(
            "a value of the program has no truth in Python: use `if_`, `while_` or `select`, and "
            "`&` and `|` for `and` and `or`"
        )

    def __index__(self) -> int:
        raise TypeError("a value of the program is no number in Python: use `for_` for `range`")

    def __eq__(self, other: Scalar) -> Value:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.eq(other)

    def __ne__(self, other: Scalar) -> Value:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.ne(other)

    __hash__ = object.__hash__

    @property
    def type(self) -> Attribute:
        """The type of the value."""
        return self.ssa.type

    def named(self, name: str) -> Value:
        """The value, called `name` in the text of the IR, where values may be called that."""
        self.ssa.name_hint = value_name(name)
        return self

    @property
    def _is_index(self) -> bool:
        return isinstance(scalar_type(self.type), IndexType)

    @property
    def _is_float(self) -> bool:
        return isinstance(scalar_type(self.type), AnyFloat)

    def _binary(self, op: type[Operation], other: Scalar, swap: bool = False) -> Value:
        operands = [self.ssa, ssa(other, self.type)]
        if operands[1].type != self.type:
            raise TypeError(
                f"'{op.name}' expected operands of one type, got {self.type} and {operands[1].type}"
            )
        if swap:
            operands.reverse()
        return Value(op(*operands).results[0])

    def _integral(self, op: type[Operation], other: Scalar, swap: bool = False) -> Value:
        if self._is_float:
            raise TypeError(f"'{op.name}' expected integers, got {self.type}")
        return self._binary(op, other, swap)

    def _by_type(
        self,
        of_floats: type[Operation],
        of_indices: type[Operation],
        of_integers: type[Operation],
        other: Scalar,
    ) -> Value:
        if self._is_float:
            return self._binary(of_floats, other)
        return self._binary(of_indices if self._is_index else of_integers, other)

    def __add__(self, other: Scalar) -> Value:
        return self._binary(arith.AddfOp if self._is_float else arith.AddiOp, other)

    def __radd__(self, other: Scalar) -> Value:
        return self + other

    def __sub__(self, other: Scalar) -> Value:
        return self._binary(arith.SubfOp if self._is_float else arith.SubiOp, other)

    def __rsub__(self, other: Scalar) -> Value:
        return self._binary(arith.SubfOp if self._is_float else arith.SubiOp, other, swap=True)

    def __neg__(self) -> Value:
        return Value(arith.NegfOp(self.ssa).result) if self._is_float else 0 - self

    def __mul__(self, other: Scalar) -> Value:
        return self._binary(arith.MulfOp if self._is_float else arith.MuliOp, other)

    def __rmul__(self, other: Scalar) -> Value:
        return self * other

    def __truediv__(self, other: Scalar) -> Value:
        if not self._is_float:
            raise TypeError(f"'arith.divf' expected floats, got {self.type}; use `//`")
        return self._binary(arith.DivfOp, other)

    def __floordiv__(self, other: Scalar) -> Value:
        return self._integral(arith.FloorDivSIOp if self._is_index else arith.DivUIOp, other)

    def __rfloordiv__(self, other: Scalar) -> Value:
        op = arith.FloorDivSIOp if self._is_index else arith.DivUIOp
        return self._integral(op, other, swap=True)

    def __mod__(self, other: Scalar) -> Value:
        return self._integral(arith.RemSIOp if self._is_index else arith.RemUIOp, other)

    def __rmod__(self, other: Scalar) -> Value:
        return self._integral(arith.RemSIOp if self._is_index else arith.RemUIOp, other, swap=True)

    def ceildiv(self, other: Scalar) -> Value:
        """The quotient rounded towards plus infinity."""
        return self._integral(arith.CeilDivSIOp if self._is_index else arith.CeilDivUIOp, other)

    def divsi(self, other: Scalar) -> Value:
        """The signed quotient, rounded towards zero."""
        return self._integral(arith.DivSIOp, other)

    def remsi(self, other: Scalar) -> Value:
        """The remainder of `divsi`, with the sign of this value."""
        return self._integral(arith.RemSIOp, other)

    def __and__(self, other: Scalar) -> Value:
        return self._integral(arith.AndIOp, other)

    def __rand__(self, other: Scalar) -> Value:
        return self & other

    def __or__(self, other: Scalar) -> Value:
        return self._integral(arith.OrIOp, other)

    def __ror__(self, other: Scalar) -> Value:
        return self | other

    def __xor__(self, other: Scalar) -> Value:
        return self._integral(arith.XOrIOp, other)

    def __rxor__(self, other: Scalar) -> Value:
        return self ^ other

    def __invert__(self) -> Value:
        return self ^ -1

    def __lshift__(self, other: Scalar) -> Value:
        return self._integral(arith.ShLIOp, other)

    def __rlshift__(self, other: Scalar) -> Value:
        return self._integral(arith.ShLIOp, other, swap=True)

    def __rshift__(self, other: Scalar) -> Value:
        return self._integral(arith.ShRSIOp if self._is_index else arith.ShRUIOp, other)

    def __rrshift__(self, other: Scalar) -> Value:
        op = arith.ShRSIOp if self._is_index else arith.ShRUIOp
        return self._integral(op, other, swap=True)

    def shrsi(self, other: Scalar) -> Value:
        """Shift right, filling with the sign bit."""
        return self._integral(arith.ShRSIOp, other)

    def ctpop(self) -> Value:
        """How many bits of an integer are set."""
        return Value(math.CtPopOp(self.ssa).result)

    def cttz(self) -> Value:
        """How many bits of an integer are below the lowest that is set; its width for 0."""
        return Value(math.CountTrailingZerosOp(self.ssa).result)

    def min(self, other: Scalar) -> Value:
        """The smaller value; of a float and a NaN, the float."""
        return self._by_type(arith.MinnumfOp, arith.MinSIOp, arith.MinUIOp, other)

    def max(self, other: Scalar) -> Value:
        """The larger value; of a float and a NaN, the float."""
        return self._by_type(arith.MaxnumfOp, arith.MaxSIOp, arith.MaxUIOp, other)

    def minsi(self, other: Scalar) -> Value:
        """The smaller as signed integers."""
        return self._integral(arith.MinSIOp, other)

    def maxsi(self, other: Scalar) -> Value:
        """The larger as signed integers."""
        return self._integral(arith.MaxSIOp, other)

    def compare(self, predicate: str, other: Scalar) -> Value:
        """
        `arith.cmpi` or, on floats, `arith.cmpf` with one of its predicates: `eq`, `slt`,
        `ult`, …, `oeq`, `olt`, …. Scalars only: the ops yield one `i1`.
        """
        operand = ssa(other, self.type)
        if isinstance(self.type, VectorType) or operand.type != self.type:
            raise TypeError(f"expected two scalars of one type, got {self.type} and {operand.type}")
        op = arith.CmpfOp if self._is_float else arith.CmpiOp
        return Value(op(self.ssa, operand, predicate).result)

    def _ordered(self, predicate: str, other: Scalar) -> Value:
        prefix = "o" if self._is_float else "s" if self._is_index else "u"
        return self.compare(prefix + predicate, other)

    def eq(self, other: Scalar) -> Value:
        """Whether both are equal."""
        return self.compare("oeq" if self._is_float else "eq", other)

    def ne(self, other: Scalar) -> Value:
        """Whether both differ."""
        return self.compare("une" if self._is_float else "ne", other)

    def __lt__(self, other: Scalar) -> Value:
        return self._ordered("lt", other)

    def __le__(self, other: Scalar) -> Value:
        return self._ordered("le", other)

    def __gt__(self, other: Scalar) -> Value:
        return self._ordered("gt", other)

    def __ge__(self, other: Scalar) -> Value:
        return self._ordered("ge", other)

    def select(self, true: Scalar, false: Scalar) -> Value:
        """`true` where this i1 is set, else `false`. At least one of them is a value."""
        if self.type != i1:
            raise TypeError(f"'arith.select' expected an i1 to choose by, got {self.type}")
        typed = next((case for case in (true, false) if isinstance(case, Value | SSAValue)), None)
        if typed is None:
            raise TypeError("expected a value among the cases of select, got two Python numbers")
        cases = ssa(true, typed.type), ssa(false, typed.type)
        if cases[0].type != cases[1].type:
            raise TypeError(
                f"'arith.select' expected cases of one type, got {cases[0].type} "
                f"and {cases[1].type}"
            )
        return Value(arith.SelectOp(self.ssa, *cases).result)

    def to(self, type: Attribute, *, signed: bool = False) -> Value:
        """
        Convert to another scalar type, or the integers in the lanes of a vector to those of
        another. Widening fills with zeros, or the sign if `signed`, and narrowing drops the high
        bits; `index` is signed. Between integers and floats, `signed` says how the integer is
        meant.
        """
        if type == self.type:
            return self
        if isinstance(self.type, VectorType) or isinstance(type, VectorType):
            return self._lanes_to(type, signed)
        if isinstance(self.type, IndexType):
            return Value(arith.IndexCastOp(self.ssa, i64).result).to(type, signed=True)
        if isinstance(type, IndexType):
            return Value(arith.IndexCastOp(self.to(i64, signed=signed).ssa, type).result)
        return Value(_conversion(self.ssa, type, signed).results[0])

    def _lanes_to(self, type: Attribute, signed: bool) -> Value:
        source, target = scalar_type(self.type), scalar_type(type)
        if not isinstance(source, IntegerType) or not isinstance(target, IntegerType):
            raise TypeError(f"expected integers to convert, got {self.type} and {type}")
        if not isinstance(type, VectorType) or lane_count(type) != lane_count(self.type):
            raise TypeError(f"expected as many lanes as in {self.type}, got {type}")
        grows = source.width.data < target.width.data
        extension = Conversion.EXTSI if signed else Conversion.EXTUI
        conversion = extension if grows else Conversion.TRUNCI
        return Value(ConvertLanesOp(conversion, self.ssa, type).result)

    def bitcast(self, type: Attribute) -> Value:
        """The same bits as another scalar, or as a vector of lanes in the same order."""
        if type == self.type:
            return self
        is_vector, becomes_vector = (isinstance(each, VectorType) for each in (self.type, type))
        if becomes_vector and not is_vector:
            return self.broadcast(1).bitcast(type)
        if is_vector and not becomes_vector:
            return self.bitcast(VectorType(type, [1])).lane(0)
        if lane_count(type) != lane_count(self.type):
            return Value(vector.BitcastOp(self.ssa, type).result)
        return Value(arith.BitcastOp(self.ssa, type).result)

    def lane(self, position: int) -> Value:
        """The lane of a vector at `position`, from 0 on."""
        return Value(vector.ExtractOp(self.ssa, [position], scalar_type(self.type)).result)

    def broadcast(self, lanes: int) -> Value:
        """A vector with this scalar in each of its lanes."""
        return Value(vector.BroadcastOp(self.ssa, VectorType(self.type, [lanes])).vector)

    def shuffle(self, other: Value, positions: Sequence[int]) -> Value:
        """The lanes at `positions` of this vector followed by `other`."""
        mask = DenseArrayBase.from_list(i64, positions)
        type = VectorType(scalar_type(self.type), [len(positions)])
        return Value(vector.ShuffleOp(self.ssa, other.ssa, mask, result_type=type).result)

    def look_up(self, positions: Value) -> Value:
        """The lanes of this vector whose numbers are the lowest bits of the lanes of another."""
        return Value(LookUpLanesOp(self.ssa, positions.ssa).result)

    def with_lane(self, position: int, value: Scalar) -> Value:
        """This vector with `value` in the lane at `position`, from 0 on."""
        operand = ssa(value, scalar_type(self.type))
        return Value(vector.InsertOp(operand, self.ssa, [position]).result)

    def subgroup_shuffle(self, lane: Scalar) -> Value:
        """What this value is in another lane of the subgroup; 0 for a lane outside it."""
        return Value(SubgroupShuffleOp(self.ssa, ssa(lane)).result)

    def subgroup_reduce(self, kind: ReduceKind) -> Value:
        """This value combined over all lanes of the subgroup."""
        return Value(SubgroupReduceOp(kind, self.ssa).result)


def _conversion(value: SSAValue, type: Attribute, signed: bool) -> Operation:
    source = value.type
    if isinstance(source, IntegerType) and isinstance(type, IntegerType):
        if type.width.data < source.width.data:
            return arith.TruncIOp(value, type)
        return (arith.ExtSIOp if signed else arith.ExtUIOp)(value, type)
    if isinstance(source, IntegerType) and isinstance(type, AnyFloat):
        return (arith.SIToFPOp if signed else arith.UIToFPOp)(value, type)
    if isinstance(source, AnyFloat) and isinstance(type, IntegerType):
        return (arith.FPToSIOp if signed else arith.FPToUIOp)(value, type)
    if isinstance(source, AnyFloat) and isinstance(type, AnyFloat):
        return (arith.ExtFOp if type.bitwidth > source.bitwidth else arith.TruncFOp)(value, type)
    raise TypeError(f"expected integers, indices or floats to convert, got {source} and {type}")
