"""
The machine: bodies compiled to steps over frames, where a frame is the invocations that run
together. An op runs once for all of them; invocations that part ways get frames of their own,
so that no step ever sees an inactive one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from vyre_dialect.ir.interfaces import HasExpansionInterface
from vyre_dialect.ir.meaning import Facet, unsaid
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.interpreter.formats import Array, UnsupportedError
from vyre_dialect.runtime.interpreter.observer import Observer
from vyre_dialect.runtime.interpreter.storage import Storage


class Derived(NamedTuple):
    """A value that follows from the position of an invocation, not from an op."""

    what: str
    of: object = None


Key: TypeAlias = "int | Derived"
"""Names a value in a frame: the number of an SSA value, or what it is derived from."""
Compute: TypeAlias = Callable[..., Any]
"""From the arrays of an op's operands to that of its result, or to a tuple of several."""
Unary: TypeAlias = Callable[[Array], Array]
Binary: TypeAlias = Callable[[Array, Array], Array]
Computation: TypeAlias = Callable[[Any], Compute]
"""The computation that a pure op stands for; chosen once, when its body is compiled."""


def elementwise(function: Compute) -> Computation:
    """What a pure op means that stands for one function of arrays, whatever its types are."""
    return lambda _: function


def ufunc(name: str) -> Computation:
    """What a pure op means that stands for the function of NumPy of this name."""
    return elementwise(getattr(np, name))


class Context:
    """What the frames of one run share: the buffers, by the key of their SSA value."""

    def __init__(
        self,
        buffers: Mapping[Key, Storage],
        declarations: dict[Key, BufferOp] | None = None,
        observer: Observer | None = None,
    ):
        self.buffers = buffers
        self.declarations = {} if declarations is None else declarations
        self.observer = observer


class Frame:
    """
    Some invocations of a batch that run together, and the values they have.

    `selection` says which invocations of the parent they are; None stands for all of them.
    """

    __slots__ = ("context", "parent", "selection", "size", "values")

    def __init__(
        self,
        context: Context,
        size: int,
        parent: Frame | None = None,
        selection: Array | None = None,
    ):
        self.context = context
        self.size = size
        self.parent = parent
        self.selection = selection
        self.values: dict[Key, Array] = {}

    def get(self, key: Key) -> Array:
        """The value called `key` in each invocation of the frame."""
        value = self.values.get(key)
        return self._inherited(key) if value is None else value

    def _inherited(self, key: Key) -> Array:
        assert self.parent is not None, f"no value {key}"
        value = self.parent.get(key)
        if self.selection is not None and len(value) != 1:
            value = value.take(self.selection, axis=0)
        self.values[key] = value
        return value

    def narrow(self, selection: Array) -> Frame:
        """A frame of the invocations at the positions `selection`, in order."""
        return Frame(self.context, len(selection), self, selection)


Step: TypeAlias = Callable[[Frame], None]


@dataclass(frozen=True)
class Body:
    """A compiled block: its steps, each with the values that nothing needs after it."""

    arguments: tuple[Key, ...]
    steps: tuple[tuple[Step, tuple[Key, ...]], ...]
    results: tuple[Key, ...]
    """The operands of the terminator."""

    def run(self, frame: Frame, arguments: Sequence[Array] = ()) -> list[Array]:
        """Run the block in `frame` and return what it yields."""
        values = frame.values
        for key, value in zip(self.arguments, arguments, strict=True):
            values[key] = value
        for step, dead in self.steps:
            step(frame)
            for key in dead:
                values.pop(key, None)
        return [frame.get(key) for key in self.results]


Compile: TypeAlias = "Callable[[Any, Compiler], Step]"
"""The step of an op that touches memory, control flow or the invocation's place."""

NUMPY = Facet[Computation]("numpy", "vyre_dialect.runtime.interpreter.by_definition:numpy")
"""What the pure ops compute."""
STEP = Facet[Compile]("step")
"""The steps of the ops that touch memory, control flow or the invocation's place."""


@dataclass
class Compiler:
    """Turns blocks into bodies, by what their ops mean."""

    needs: set[Derived] = field(default_factory=set[Derived])
    """The derived values that the compiled steps ask of a frame."""
    _numbers: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def key(self, value: SSAValue) -> int:
        """The number under which frames hold `value`."""
        return self._numbers.setdefault(value, len(self._numbers))

    def keys(self, values: Sequence[SSAValue]) -> tuple[int, ...]:
        """The keys of several values."""
        return tuple(self.key(value) for value in values)

    def need(self, what: str, of: object = None) -> Derived:
        """The key of a derived value."""
        derived = Derived(what, of)
        self.needs.add(derived)
        return derived

    def body(self, block: Block) -> Body:
        """Compile a block without its terminator."""
        ops = list(block.ops)
        dead = _dead_after(block, ops)
        results: tuple[Key, ...] = ()
        if ops and ops[-1].has_trait(IsTerminator):
            results = self.keys(ops.pop().operands)
        steps = tuple((self.step(op), self.keys(dead.get(op, ()))) for op in ops)
        return Body(self.keys(block.args), steps, results)

    def step(self, op: Operation) -> Step:
        """The step of one op. Raises UnsupportedError for an op without a meaning."""
        if (action := STEP.of(type(op))) is not None:
            return action(op, self)
        if (meaning := NUMPY.of(type(op))) is not None:
            return compute_step(meaning(op), self.keys(op.operands), self.keys(op.results))
        raise UnsupportedError(no_meaning(op))


def no_meaning(op: Operation) -> str:
    """Why an op cannot be interpreted."""
    if isinstance(op, HasExpansionInterface):
        hint = "; run 'vyre-expand' first"
    else:
        hint = f": {unsaid(type(op), 'numpy', 'step', 'definition')}"
    return f"the reference interpreter gives no meaning to '{op.name}'{hint}"


def _dead_after(block: Block, ops: Sequence[Operation]) -> dict[Operation, list[SSAValue]]:
    """What each op of the block is the last to use of the values defined in the block."""
    last = dict[SSAValue, Operation]()
    local = set[SSAValue](block.args)
    for op in ops:
        local.update(op.results)
        last.update((result, op) for result in op.results)
        for inner in op.walk():
            last.update((operand, op) for operand in inner.operands if operand in local)
    dead = dict[Operation, list[SSAValue]]()
    for value, op in last.items():
        dead.setdefault(op, []).append(value)
    return dead


def compute_step(compute: Compute, operands: Sequence[Key], results: Sequence[Key]) -> Step:
    """The step that computes `results` from `operands`."""
    if len(results) != 1:
        return _compute_many(compute, operands, results)
    (result,) = results
    if len(operands) == 2:
        return _compute_binary(compute, operands[0], operands[1], result)

    def step(frame: Frame) -> None:
        frame.values[result] = compute(*[frame.get(operand) for operand in operands])

    return step


def _compute_binary(compute: Compute, lhs: Key, rhs: Key, result: Key) -> Step:
    def step(frame: Frame) -> None:
        frame.values[result] = compute(frame.get(lhs), frame.get(rhs))

    return step


def _compute_many(compute: Compute, operands: Sequence[Key], results: Sequence[Key]) -> Step:
    def step(frame: Frame) -> None:
        values = compute(*[frame.get(operand) for operand in operands])
        for result, value in zip(results, values, strict=True):
            frame.values[result] = value

    return step
