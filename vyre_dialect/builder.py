"""
Write programs from Python.

    with program("double") as p:
        values = p.buffer("values", i32, access=Access.READ_WRITE, live_out=True)
        with p.arm("double", values.length) as i:
            values[i] = values[i] + values[i]
    module = p.module

Arithmetic operators make `arith` ops at the current place. Integers are signless: `//`, `%`,
`>>`, `<`, … are unsigned on them, and signed on `index`; the methods named after the `arith`
ops say otherwise where it matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from vyre_dialect.ops.invocation import (
    BarrierOp,
    InvocationIdOp,
    LocalIdOp,
    TrapOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp, BufLenOp, ProgramOp, RegionOp
from vyre_dialect.types import (
    DYNAMIC,
    Access,
    AtomicKind,
    Axis,
    BufferType,
    Initial,
    MemorySpace,
    lane_count,
    scalar_type,
)

Scalar: TypeAlias = "Value | SSAValue | int | float"
index = IndexType()


def constant(value: int | float, type: Attribute = index) -> Value:
    """A constant of a scalar type, or of a vector type with `value` in every lane."""
    scalar = scalar_type(type)
    if isa(scalar, AnyFloat):
        attribute = FloatAttr(float(value), scalar)
    else:
        assert isinstance(scalar, IndexType | IntegerType)
        attribute = IntegerAttr(int(value), scalar, truncate_bits=True)
    if not isinstance(type, VectorType):
        return Value(arith.ConstantOp(attribute).result)
    lanes = [attribute.value.data] * lane_count(type)
    dense = DenseIntOrFPElementsAttr.from_list(type, lanes)
    return Value(arith.ConstantOp(dense).result)


def ssa(value: Scalar, like: Attribute = index) -> SSAValue:
    """The SSA value behind `value`; a Python number becomes a constant of type `like`."""
    if isinstance(value, Value):
        return value.ssa
    if isinstance(value, SSAValue):
        return value
    return constant(value, like).ssa


@dataclass(frozen=True, eq=False)
class Value:
    """An SSA value with operators. `named` gives it the name that printers show."""

    ssa: SSAValue

    @property
    def type(self) -> Attribute:
        return self.ssa.type

    def named(self, name: str) -> Value:
        self.ssa.name_hint = name
        return self

    @property
    def _is_index(self) -> bool:
        return isinstance(scalar_type(self.type), IndexType)

    @property
    def _is_float(self) -> bool:
        return isa(scalar_type(self.type), AnyFloat)

    def _binary(self, op: type[Operation], other: Scalar, swap: bool = False) -> Value:
        operands = [self.ssa, ssa(other, self.type)]
        if swap:
            operands.reverse()
        return Value(op(*operands).results[0])

    def __add__(self, other: Scalar) -> Value:
        return self._binary(arith.AddfOp if self._is_float else arith.AddiOp, other)

    def __radd__(self, other: Scalar) -> Value:
        return self + other

    def __sub__(self, other: Scalar) -> Value:
        return self._binary(arith.SubfOp if self._is_float else arith.SubiOp, other)

    def __rsub__(self, other: Scalar) -> Value:
        return self._binary(arith.SubfOp if self._is_float else arith.SubiOp, other, swap=True)

    def __mul__(self, other: Scalar) -> Value:
        return self._binary(arith.MulfOp if self._is_float else arith.MuliOp, other)

    def __rmul__(self, other: Scalar) -> Value:
        return self * other

    def __floordiv__(self, other: Scalar) -> Value:
        return self._binary(arith.FloorDivSIOp if self._is_index else arith.DivUIOp, other)

    def __mod__(self, other: Scalar) -> Value:
        return self._binary(arith.RemSIOp if self._is_index else arith.RemUIOp, other)

    def ceildiv(self, other: Scalar) -> Value:
        """The quotient rounded towards plus infinity."""
        return self._binary(arith.CeilDivSIOp if self._is_index else arith.CeilDivUIOp, other)

    def __and__(self, other: Scalar) -> Value:
        return self._binary(arith.AndIOp, other)

    def __or__(self, other: Scalar) -> Value:
        return self._binary(arith.OrIOp, other)

    def __xor__(self, other: Scalar) -> Value:
        return self._binary(arith.XOrIOp, other)

    def __invert__(self) -> Value:
        return self ^ -1

    def __lshift__(self, other: Scalar) -> Value:
        return self._binary(arith.ShLIOp, other)

    def __rshift__(self, other: Scalar) -> Value:
        return self._binary(arith.ShRSIOp if self._is_index else arith.ShRUIOp, other)

    def shrsi(self, other: Scalar) -> Value:
        """Shift right, filling with the sign bit."""
        return self._binary(arith.ShRSIOp, other)

    def min(self, other: Scalar) -> Value:
        return self._binary(arith.MinSIOp if self._is_index else arith.MinUIOp, other)

    def max(self, other: Scalar) -> Value:
        return self._binary(arith.MaxSIOp if self._is_index else arith.MaxUIOp, other)

    def compare(self, predicate: str, other: Scalar) -> Value:
        """`arith.cmpi` with one of its predicates: `eq`, `ne`, `slt`, `ult`, …"""
        return Value(arith.CmpiOp(self.ssa, ssa(other, self.type), predicate).result)

    def _ordered(self, predicate: str, other: Scalar) -> Value:
        return self.compare(("s" if self._is_index else "u") + predicate, other)

    def eq(self, other: Scalar) -> Value:
        return self.compare("eq", other)

    def ne(self, other: Scalar) -> Value:
        return self.compare("ne", other)

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
        typed = true if isinstance(true, Value | SSAValue) else false
        assert isinstance(typed, Value | SSAValue)
        like = typed.type
        return Value(arith.SelectOp(self.ssa, ssa(true, like), ssa(false, like)).result)

    def to(self, type: Attribute, *, signed: bool = False) -> Value:
        """Convert to another integer or index type; widening fills with zeros or the sign."""
        if type == self.type:
            return self
        if isinstance(type, IndexType) or self._is_index:
            return self._to_or_from_index(type, signed)
        source, target = scalar_type(self.type), scalar_type(type)
        assert isinstance(source, IntegerType) and isinstance(target, IntegerType)
        if target.width.data < source.width.data:
            return Value(arith.TruncIOp(self.ssa, type).result)
        widen = arith.ExtSIOp if signed else arith.ExtUIOp
        return Value(widen(self.ssa, type).result)

    def _to_or_from_index(self, type: Attribute, signed: bool) -> Value:
        wide = IntegerType(64)
        if isinstance(type, IndexType):
            return Value(arith.IndexCastOp(self.to(wide, signed=signed).ssa, type).result)
        cast = Value(arith.IndexCastOp(self.ssa, wide).result)
        return cast.to(type)

    def bitcast(self, type: Attribute) -> Value:
        """The same bits as another type of the same width."""
        return Value(arith.BitcastOp(self.ssa, type).result)

    def lane(self, position: int) -> Value:
        """One lane of a vector."""
        return Value(vector.ExtractOp(self.ssa, [position], scalar_type(self.type)).result)

    def broadcast(self, lanes: int) -> Value:
        """A vector with this scalar in each of its lanes."""
        return Value(vector.BroadcastOp(self.ssa, VectorType(self.type, [lanes])).vector)

    def shuffle(self, other: Value, positions: Sequence[int]) -> Value:
        """The lanes at `positions` of this vector followed by `other`."""
        mask = DenseArrayBase.from_list(i64, positions)
        type = VectorType(scalar_type(self.type), [len(positions)])
        return Value(vector.ShuffleOp(self.ssa, other.ssa, mask, result_type=type).result)

    def with_lane(self, position: int, value: Scalar) -> Value:
        """This vector with `value` in one lane."""
        operand = ssa(value, scalar_type(self.type))
        return Value(vector.InsertOp(operand, self.ssa, [position]).result)


@dataclass(frozen=True, eq=False)
class Buffer:
    """A buffer of the program; subscripts load and store single elements."""

    ssa: SSAValue

    @property
    def type(self) -> BufferType:
        assert isinstance(self.ssa.type, BufferType)
        return self.ssa.type

    @property
    def length(self) -> Value:
        """The element count, an index."""
        return Value(BufLenOp(self.ssa).length)

    def __getitem__(self, position: Scalar) -> Value:
        return self.load(position)

    def __setitem__(self, position: Scalar, value: Scalar) -> None:
        self.store(value, position)

    def load(self, position: Scalar, type: Attribute | None = None) -> Value:
        """Load from the element `position` on, as the element type or as `type`."""
        return Value(LoadOp(self.ssa, ssa(position), type).value)

    def store(self, value: Scalar, position: Scalar) -> None:
        """Store `value` from the element `position` on."""
        StoreOp(ssa(value, self.type.element_type), self.ssa, ssa(position))

    def atomic(self, kind: AtomicKind, value: Scalar, position: Scalar = 0) -> Value:
        """Combine `value` into an element atomically; yields the old value."""
        operand = ssa(value, self.type.element_type)
        return Value(AtomicRMWOp(kind, operand, self.ssa, ssa(position)).old)

    def compare_and_swap(self, expected: Scalar, desired: Scalar, position: Scalar) -> Value:
        """Store `desired` if the element holds `expected`; yields the old value."""
        like = self.type.element_type
        op = AtomicCASOp(ssa(expected, like), ssa(desired, like), self.ssa, ssa(position))
        return Value(op.old)

    def trap(self, message: str, offset: Scalar) -> None:
        """Report bad input at `offset`; this buffer holds the errors."""
        TrapOp(message, ssa(offset), self.ssa)


def invocation_id(axis: Axis = Axis.X) -> Value:
    return Value(InvocationIdOp(axis).id)


def workgroup_id(axis: Axis = Axis.X) -> Value:
    return Value(WorkgroupIdOp(axis).id)


def local_id(axis: Axis = Axis.X) -> Value:
    return Value(LocalIdOp(axis).id)


def barrier(memory_space: MemorySpace | None = None) -> None:
    """Wait for the workgroup; see `vyre.barrier`."""
    BarrierOp(memory_space)


@contextmanager
def if_(condition: Value) -> Iterator[None]:
    """An `scf.if` around what is built inside."""
    body = Block()
    with ImplicitBuilder(body):
        yield
        scf.YieldOp()
    scf.IfOp(condition.ssa, [], [body])


@dataclass
class Loop:
    """An `scf.for` under construction: its counter, and what it carries."""

    counter: Value
    carried: tuple[Value, ...]
    results: tuple[Value, ...] = ()
    """What the loop carried out; known once the loop is complete."""
    _yielded: tuple[Value, ...] = field(default=(), repr=False)

    def yields(self, *values: Value) -> None:
        """What the next iteration is to carry."""
        self._yielded = values


@contextmanager
def for_(
    begin: Scalar, end: Scalar, step: Scalar = 1, *, carry: Sequence[Value] = ()
) -> Iterator[Loop]:
    """An `scf.for` over an index range around what is built inside."""
    bounds = [ssa(bound) for bound in (begin, end, step)]
    body = Block(arg_types=[index, *(value.type for value in carry)])
    counter, *carried = (Value(argument) for argument in body.args)
    loop = Loop(counter, tuple(carried))
    with ImplicitBuilder(body):
        yield loop
        scf.YieldOp(*(value.ssa for value in loop._yielded))
    op = scf.ForOp(*bounds, [value.ssa for value in carry], body)
    loop.results = tuple(Value(result) for result in op.results)


@dataclass
class Program:
    """A program under construction."""

    op: ProgramOp

    @property
    def module(self) -> ModuleOp:
        """The program in a module of its own, or in the module that it already stands in."""
        parent = self.op.parent_op()
        return parent if isinstance(parent, ModuleOp) else ModuleOp([self.op])

    def buffer(
        self,
        name: str,
        element_type: Attribute,
        count: int | Value | None = None,
        *,
        access: Access = Access.READ_WRITE,
        memory_space: MemorySpace = MemorySpace.GLOBAL,
        binding: int | None = None,
        live_out: bool = False,
        initial: Initial | None = None,
        fill: int | None = None,
        contents: Sequence[int] | None = None,
    ) -> Buffer:
        """
        Declare a buffer of `count` elements: static, computed (a value), or, when it is None,
        as many as the host binds or as `contents` has.
        """
        if contents is not None:
            count = len(contents)
        type = BufferType(
            count if isinstance(count, int) else DYNAMIC, element_type, access, memory_space
        )
        op = BufferOp(
            name,
            type,
            size=count.ssa if isinstance(count, Value) else None,
            binding=binding,
            live_out=live_out,
            initial=initial,
            fill=None if fill is None else _integer(fill, element_type),
            contents=None if contents is None else _dense(contents, element_type),
        )
        return Buffer(op.buffer)

    def arm(
        self,
        generator: str,
        invocations: Scalar,
        *,
        workgroup_size: Sequence[int] | None = None,
    ) -> AbstractContextManager[Value]:
        """A one-dimensional arm around what is built inside; gives the invocation id."""
        return arm(generator, invocations, workgroup_size=workgroup_size)


def _integer(value: int, type: Attribute) -> IntegerAttr:
    assert isinstance(type, IntegerType)
    return IntegerAttr(value, type, truncate_bits=True)


def _dense(values: Sequence[int], type: Attribute) -> DenseIntOrFPElementsAttr:
    assert isinstance(type, IntegerType)
    return DenseIntOrFPElementsAttr.from_list(VectorType(type, [len(values)]), list(values))


@contextmanager
def arm(
    generator: str, invocations: Scalar, *, workgroup_size: Sequence[int] | None = None
) -> Iterator[Value]:
    """A one-dimensional arm around what is built inside, at the current place."""
    domain = invocations if isinstance(invocations, int) else ssa(invocations)
    body = Block()
    with ImplicitBuilder(body):
        i = InvocationIdOp()
        yield Value(i.id).named("i")
    if not i.id.uses:
        body.erase_op(i)
    RegionOp(generator, [domain], Region(body), workgroup_size=workgroup_size)


@contextmanager
def program(
    name: str, *, workgroup_size: Sequence[int] | None = None, entry_op_id: str | None = None
) -> Iterator[Program]:
    """A program around what is built inside; verified at the end."""
    op = ProgramOp(name, workgroup_size=workgroup_size, entry_op_id=entry_op_id)
    with ImplicitBuilder(op.body):
        yield Program(op)
    op.verify()


__all__ = [
    "Buffer",
    "Loop",
    "Program",
    "Value",
    "arm",
    "barrier",
    "constant",
    "for_",
    "if_",
    "index",
    "invocation_id",
    "local_id",
    "program",
    "ssa",
    "workgroup_id",
]
