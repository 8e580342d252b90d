"""
Write programs from Python.

    with program("double") as p:
        values = p.buffer("values", i32, live_out=True)
        with p.arm("double", values.length) as i:
            values[i] = values[i] + values[i]
    print(p)

Everything is built at the current place: in the program, in the arm, in the branch or loop
whose `with` is open. Operators and conversions are those of `Value`; `if_`, `for_` and
`while_` build control flow. Any other op is built by constructing it, and
`Value(op.result)` goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, overload

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    ModuleOp,
    UnitAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue

from vyre_dialect.building import building, building_program
from vyre_dialect.element_types import element_type_of
from vyre_dialect.ops.buf_len import BufLenOp
from vyre_dialect.ops.invocation import (
    AsyncCopyOp,
    AsyncWaitOp,
    BarrierOp,
    InvocationIdOp,
    LocalIdOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    TrapOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp
from vyre_dialect.ops.program import BufferOp, ProgramOp, RegionOp
from vyre_dialect.types import (
    DYNAMIC,
    UNROLL,
    Access,
    AtomicKind,
    Axis,
    BufferType,
    Initial,
    MemorySpace,
    scalar_type,
)
from vyre_dialect.values import (
    Scalar,
    Value,
    constant,
    constants,
    dense_attr,
    index,
    number_attr,
    ssa,
)

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

ID_NAMES = ("i", "j", "k")


@dataclass(frozen=True, eq=False)
class Buffer:
    """A buffer of the program; subscripts load and store single elements."""

    ssa: SSAValue

    __iter__ = None
    """Python would index without end."""

    @property
    def type(self) -> BufferType:
        """The type of the buffer."""
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

    def load(
        self, position: Scalar, type: Attribute | None = None, *, in_bounds: bool = False
    ) -> Value:
        """
        Load from the element `position` on, as the element type or as `type`. That it lies inside,
        as `in_bounds` says of this access and others, is believed of expansions and passes alone:
        what is compiled as a program proves it again.
        """
        op = LoadOp(self.ssa, ssa(position), type)
        op.in_bounds = UnitAttr() if in_bounds else None
        return Value(op.value)

    def store(self, value: Scalar, position: Scalar, *, in_bounds: bool = False) -> None:
        """Store `value` from the element `position` on."""
        op = StoreOp(ssa(value, self.type.element_type), self.ssa, ssa(position))
        op.in_bounds = UnitAttr() if in_bounds else None

    def atomic(
        self, kind: AtomicKind, value: Scalar, position: Scalar = 0, *, in_bounds: bool = False
    ) -> Value:
        """Combine `value` into an element atomically; yields the old value."""
        operand = ssa(value, self.type.element_type)
        op = AtomicRMWOp(kind, operand, self.ssa, ssa(position))
        op.in_bounds = UnitAttr() if in_bounds else None
        return Value(op.old)

    def compare_and_swap(self, expected: Scalar, desired: Scalar, position: Scalar) -> Value:
        """Store `desired` if the element holds `expected`; yields the old value."""
        like = self.type.element_type
        op = AtomicCASOp(ssa(expected, like), ssa(desired, like), self.ssa, ssa(position))
        return Value(op.old)

    def trap(self, message: str, offset: Scalar) -> None:
        """Report bad input at `offset`; this buffer holds the errors."""
        TrapOp(message, ssa(offset), self.ssa)


def invocation_id(axis: Axis = Axis.X) -> Value:
    """The position in the invocation domain along `axis`."""
    return Value(InvocationIdOp(axis).id)


def workgroup_id(axis: Axis = Axis.X) -> Value:
    """The position of the workgroup in the grid along `axis`."""
    return Value(WorkgroupIdOp(axis).id)


def local_id(axis: Axis = Axis.X) -> Value:
    """The position in the workgroup along `axis`."""
    return Value(LocalIdOp(axis).id)


def subgroup_lane() -> Value:
    """The position in the subgroup."""
    return Value(SubgroupLaneOp().id)


def subgroup_id() -> Value:
    """The position of the subgroup in the workgroup."""
    return Value(SubgroupIdOp().id)


def barrier(memory_space: MemorySpace | None = None) -> None:
    """Wait for the workgroup; see `vyre.barrier`."""
    BarrierOp(memory_space)


def async_copy(
    source: Buffer, begin: Scalar, destination: Buffer, at: Scalar, count: Scalar
) -> SSAValue:
    """
    Start to copy `count` elements from `begin` on to `at` on; see `vyre.async_copy`. Gives
    the token for `async_wait`.
    """
    return AsyncCopyOp(source.ssa, ssa(begin), destination.ssa, ssa(at), ssa(count)).token


def async_wait(token: SSAValue) -> None:
    """Wait until a copy is complete."""
    AsyncWaitOp(token)


class Structure:
    """Control flow under construction, and the values that come out of it."""

    results: tuple[Value, ...] = ()
    """What comes out; known once the construct is complete."""

    def __init__(self, types: Sequence[Attribute] | None):
        self._types = types
        self._yielded: list[SSAValue] = []

    def yields(self, *values: Scalar) -> None:
        """What comes out of this branch, or what the next iteration is to carry."""
        types = self._types
        if types is None:
            types = [ssa(value).type for value in values]
        if len(values) != len(types):
            raise ValueError(f"expected {len(types)} values to yield, got {len(values)}")
        self._yielded = [ssa(value, type) for value, type in zip(values, types, strict=True)]

    @contextmanager
    def build(self, body: Block) -> Generator[None]:
        """Build `body` with a terminator that yields what was asked for."""
        self._yielded = []
        with building(body):
            yield
            self._check_types()
            scf.YieldOp(*self._yielded)

    def _check_types(self) -> None:
        got = [value.type for value in self._yielded]
        if self._types is None or list(self._types) == got:
            return
        expected = ", ".join(map(str, self._types))
        raise ValueError(
            f"expected `yields` with values of type ({expected}), got ({', '.join(map(str, got))})"
        )

    def complete(self, results: Sequence[SSAValue]) -> None:
        """Make the results of the finished op known."""
        self.results = tuple(Value(result) for result in results)


class Branch(Structure):
    """An `scf.if` under construction."""

    def __init__(self, condition: Value):
        super().__init__(None)
        self._condition = condition.ssa
        self._op: scf.IfOp | None = None

    @contextmanager
    def then(self) -> Generator[Branch]:
        """What runs where the condition holds."""
        body = Block()
        with self.build(body):
            yield self
        self._types = [value.type for value in self._yielded]
        self._op = scf.IfOp(self._condition, self._types, [body])
        self.complete(self._op.results)

    @contextmanager
    def else_(self) -> Generator[Branch]:
        """What happens where the condition does not hold; after the first branch."""
        if self._op is None or self._op.false_region.blocks:
            raise ValueError("expected one else branch, after the branch of the condition")
        body = Block()
        with self.build(body):
            yield self
        self._op.false_region.add_block(body)


def if_(condition: Value) -> AbstractContextManager[Branch]:
    """
    An `scf.if` around what is built inside.

        with if_(i < n) as branch:
            branch.yields(values[i])
        with branch.else_():
            branch.yields(0)
        total + branch.results[0]
    """
    got = getattr(condition, "type", condition)
    if got != IntegerType(1):
        raise TypeError(f"expected a condition of type i1, got {got}")
    return Branch(condition).then()


class Carrying(Structure):
    """A loop under construction, and what it carries from iteration to iteration."""

    carried: tuple[Value, ...]

    def named(self, *names: str) -> tuple[Value, ...]:
        """What the loop carries, once each value has been given its name."""
        return tuple(value.named(name) for value, name in zip(self.carried, names, strict=True))


class Loop(Carrying):
    """An `scf.for` under construction: its counter, and what it carries."""

    def __init__(self, body: Block):
        counter, *carried = (Value(argument) for argument in body.args)
        super().__init__([value.type for value in carried])
        self.counter = counter
        self.carried = tuple(carried)


@contextmanager
def for_(
    begin: Scalar,
    end: Scalar,
    step: Scalar = 1,
    *,
    carry: Sequence[Scalar] = (),
    unroll: int | None = None,
) -> Generator[Loop]:
    """
    An `scf.for` over an index range around what is built inside.

    `unroll` asks the device's compiler to write the body out so many times, up to 1024; 1 keeps a
    loop that runs rarely from being written out at all.

        with for_(0, n, carry=[constant(0, i32)]) as loop:
            loop.yields(loop.carried[0] + values[loop.counter])
        total = loop.results[0]
    """
    bounds = ssa(begin), ssa(end), ssa(step)
    initial = [ssa(value) for value in carry]
    body = Block(arg_types=[index, *(value.type for value in initial)])
    loop = Loop(body)
    with loop.build(body):
        yield loop
    op = scf.ForOp(*bounds, initial, body)
    if unroll is not None:
        op.attributes[UNROLL] = IntegerAttr(unroll, i64)
    loop.complete(op.results)


Condition: TypeAlias = (
    Callable[[Value], Value]
    | Callable[[Value, Value], Value]
    | Callable[[Value, Value, Value], Value]
    | Callable[[Value, Value, Value, Value], Value]
)
"""Decides, from the values that a loop carries, whether it goes on."""


class WhileLoop(Carrying):
    """An `scf.while` under construction, and what it carries."""

    def __init__(self, body: Block):
        super().__init__([argument.type for argument in body.args])
        self.carried = tuple(Value(argument) for argument in body.args)


@contextmanager
def while_(condition: Condition, carry: Sequence[Scalar]) -> Generator[WhileLoop]:
    """
    An `scf.while` around what is built inside, as long as `condition` holds for what it carries.

        with while_(lambda stride: stride > 1, carry=[64]) as loop:
            loop.yields(loop.carried[0] // 2)
    """
    initial = [ssa(value) for value in carry]
    types = [value.type for value in initial]
    before, body = Block(arg_types=types), Block(arg_types=types)
    holds: Callable[..., Value] = condition
    with building(before):
        scf.ConditionOp(holds(*map(Value, before.args)).ssa, *before.args)
    loop = WhileLoop(body)
    with loop.build(body):
        yield loop
    for tested, carried in zip(before.args, body.args, strict=True):
        tested.name_hint = carried.name_hint
    op = scf.WhileOp(initial, types, [before], [body])
    loop.complete(op.results)


@overload
def arm(
    generator: str,
    invocations: Scalar,
    *,
    workgroup_size: Sequence[int] | None = None,
    subgroup_size: int | None = None,
    source_region: str | None = None,
) -> AbstractContextManager[Value]: ...


@overload
def arm(
    generator: str,
    invocations: Sequence[Scalar],
    *,
    workgroup_size: Sequence[int] | None = None,
    subgroup_size: int | None = None,
    source_region: str | None = None,
) -> AbstractContextManager[tuple[Value, ...]]: ...


def arm(
    generator: str,
    invocations: Scalar | Sequence[Scalar],
    *,
    workgroup_size: Sequence[int] | None = None,
    subgroup_size: int | None = None,
    source_region: str | None = None,
) -> AbstractContextManager[Value] | AbstractContextManager[tuple[Value, ...]]:
    """
    An arm around what is built inside, at the current place. Gives the invocation id, or,
    for a domain of several axes (`[width, height]`), one id for each.
    """
    body = Block()
    domain = invocations if isinstance(invocations, Sequence) else [invocations]
    op = RegionOp(
        generator,
        [count if isinstance(count, int) else ssa(count) for count in domain],
        Region(body),
        workgroup_size=workgroup_size,
        subgroup_size=subgroup_size,
        source_region=source_region,
    )
    ids = _ids(op)
    return ids if isinstance(invocations, Sequence) else _first(ids)


@contextmanager
def _ids(arm: RegionOp) -> Generator[tuple[Value, ...]]:
    axes = tuple(Axis)[: len(arm.domain)]
    with building(arm.body.block):
        ids = [InvocationIdOp(axis) for axis in axes]
        yield tuple(Value(op.id).named(name) for op, name in zip(ids, ID_NAMES, strict=False))
    for op in ids:
        if not op.id.uses:
            arm.body.block.erase_op(op)


@contextmanager
def _first(
    ids: AbstractContextManager[tuple[Value, ...]],
) -> Generator[Value]:
    with ids as (first, *_):
        yield first


@dataclass
class Program:
    """A program under construction."""

    op: ProgramOp

    @property
    def module(self) -> ModuleOp:
        """The program in a module of its own, or in the module that it already stands in."""
        parent = self.op.parent_op()
        return parent if isinstance(parent, ModuleOp) else ModuleOp([self.op])

    def __str__(self) -> str:
        """The program as IR."""
        return str(self.op)

    def buffer(
        self,
        name: str,
        element_type: Attribute | DTypeLike,
        count: int | Value | SSAValue | None = None,
        *,
        access: Access = Access.READ_WRITE,
        memory_space: MemorySpace = MemorySpace.GLOBAL,
        binding: int | None = None,
        live_out: bool = False,
        initial: Initial | None = None,
        fill: int | float | None = None,
        contents: Sequence[int | float] | None = None,
        output_range: tuple[int, int] | None = None,
    ) -> Buffer:
        """
        Declare a buffer of `count` elements: static, computed (a value), or, when it is None,
        as many as the host binds or as `contents` has. Elements are of an MLIR type or one of
        NumPy; the contents may be bytes, too.
        """
        element_type = element_type_of(element_type)
        if contents is not None:
            count = len(contents)
        static = count if isinstance(count, int) else DYNAMIC
        size = None if count is None or isinstance(count, int) else ssa(count)
        table = None
        if contents is not None:
            table = dense_attr(contents, VectorType(element_type, [len(contents)]))
        op = BufferOp(
            name,
            BufferType(static, element_type, access, memory_space),
            size=size,
            binding=binding,
            live_out=live_out,
            initial=initial,
            fill=None if fill is None else number_attr(fill, scalar_type(element_type)),
            contents=table,
            output_range=output_range,
        )
        return Buffer(op.buffer)

    @property
    def arm(self):
        """The function `arm`, which builds at the current place."""
        return arm


@contextmanager
def program(
    name: str, *, workgroup_size: Sequence[int] | None = None, entry_op_id: str | None = None
) -> Generator[Program]:
    """A program around what is built inside; verified at the end."""
    op = ProgramOp(name, workgroup_size=workgroup_size, entry_op_id=entry_op_id)
    with building_program(op):
        yield Program(op)


__all__ = [
    "Branch",
    "Buffer",
    "Loop",
    "Program",
    "Scalar",
    "Value",
    "WhileLoop",
    "arm",
    "async_copy",
    "async_wait",
    "barrier",
    "constant",
    "constants",
    "for_",
    "if_",
    "index",
    "invocation_id",
    "local_id",
    "program",
    "ssa",
    "subgroup_id",
    "subgroup_lane",
    "while_",
    "workgroup_id",
]
