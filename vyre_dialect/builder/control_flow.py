"""Branches and loops of a program that is built."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects import scf
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    i64,
)
from xdsl.ir import Attribute, Block, SSAValue

from vyre_dialect.builder.building import building
from vyre_dialect.builder.values import (
    Scalar,
    Value,
    index,
    ssa,
)
from vyre_dialect.ir.types import (
    UNROLL,
)

if TYPE_CHECKING:
    pass


class Structure:
    """Control flow under construction, and the values that come out of it."""

    results: tuple[Value, ...] = ()
    """What comes out; known once the construct is complete."""

    def __init__(self, types: Sequence[Attribute] | None):
        self._types = types
        self._yielded: list[SSAValue] = []

    def yields(self, *values: Scalar) -> None:
        """
        What comes out of this branch, or what the next iteration is to carry. Raises a ValueError
        for more or fewer values than that.
        """
        types = self._types
        if types is None:
            types = [ssa(value).type for value in values]
        if len(values) != len(types):
            raise ValueError(f"expected {len(types)} values to yield, got {len(values)}")
        self._yielded = [ssa(value, type) for value, type in zip(values, types, strict=True)]

    @contextmanager
    def build(self, body: Block) -> Generator[None]:
        """
        Build `body` with a terminator that yields what was asked for. Raises a ValueError where
        nothing was, though something comes out.
        """
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
        """
        What happens where the condition does not hold; after the first branch. Raises a ValueError
        before that, and for a second one.
        """
        if self._op is None or self._op.false_region.blocks:
            raise ValueError("expected one else branch, after the branch of the condition")
        body = Block()
        with self.build(body):
            yield self
        self._op.false_region.add_block(body)


def if_(condition: Value) -> AbstractContextManager[Branch]:
    """
    An `scf.if` around what is built inside. Raises a TypeError where the condition is no `i1`.

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
