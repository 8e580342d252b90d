"""
The host plan: what stands in a program around its arms. It declares buffers, computes their sizes
and how many invocations arms have, and starts the arms in order. Whatever runs the arms, the plan
is walked here, so that host code means the same everywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from vyre_dialect.ir.types import MAX_COUNT, BufferType, Initial, MemorySpace, three_axes
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arrays import (
    array_shape,
    element_dtype,
    element_size,
    fill_value,
)
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.inputs import check_supplied_count
from vyre_dialect.runtime.interpreter.machine import Compiler, Context, Frame, Key, Step
from vyre_dialect.runtime.interpreter.storage import Run, Storage
from vyre_dialect.runtime.interpreter.traps import verify_no_trap

MOST_SIZINGS = 64
"""Combinations of input sizes whose host values are kept."""

NO_BYTES = np.empty(0, np.uint8)

PendingRead: TypeAlias = Callable[[], Array]
"""Gives the bytes that were asked for, once they are there."""
Extents: TypeAlias = Callable[[Frame], tuple[int, int, int]]
"""An invocation domain or a grid, from the frame of the host code."""


@dataclass(frozen=True)
class Declaration:
    """A global buffer of a program, and what follows from its type."""

    op: BufferOp
    key: Key
    size: Key | None
    """The host value that counts its elements."""

    @cached_property
    def name(self) -> str:
        """The name of the buffer."""
        return self.op.sym_name.data

    @cached_property
    def type(self) -> BufferType:
        """The type of the buffer."""
        return self.op.type

    @cached_property
    def static_count(self) -> int | None:
        """The number of elements, where the type has it."""
        return self.type.static_count

    @cached_property
    def contents(self) -> DenseIntOrFPElementsAttr | None:
        """What a table holds."""
        return self.op.contents

    @cached_property
    def element_size(self) -> int:
        """Bytes in one element."""
        return element_size(self.type)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of one lane of an element."""
        return element_dtype(self.type)

    @cached_property
    def is_filled(self) -> bool:
        """Whether elements that the host does not supply have a value all the same."""
        return self.op.initial_contents == Initial.HOST

    @cached_property
    def fill(self) -> Array:
        """That value, as an array of one lane."""
        return fill_value(self.op)

    def count(self, supplied: int | None, frame: Frame) -> int:
        """How many elements there are, of which the host may have supplied some number.

        Raises a VyreError for fewer than none and too many, and for an input of another size than
        computed.
        """
        size = self.size
        count = self.static_count if size is None else int(frame.get(size).item())
        if supplied is not None:
            check_supplied_count(self.op, count, supplied)
            return supplied
        if count is None:
            raise VyreError(
                f"buffer '{self.name}' expected a size, got none: declare it with one, "
                f"as '@{self.name}[%n]', or, in the expansion of a decoder, by 'size_destination'"
            )
        if count < 0:
            raise VyreError(f"buffer '{self.name}' expected a size of 0 or more, got {count}")
        if count > MAX_COUNT:
            raise VyreError(
                f"buffer '{self.name}' expected at most {MAX_COUNT} elements, got {count}"
            )
        return count

    def elements(self, data: Array) -> Array:
        """The array that `bytes` of the whole buffer stand for."""
        count = data.size // self.element_size
        return data.view(self.dtype).reshape(array_shape(self.type, count))


@dataclass(frozen=True, eq=False)
class Sizing:
    """What follows from the sizes of the inputs alone, shared by the runs that have them."""

    supplied: Mapping[str, int]
    """Number of elements of each run-time sized buffer that the host supplies, by name."""
    frame: Frame
    """The values that the host computes from them."""
    counts: Mapping[Key, int]
    """The numbers of elements of buffers that are known before the first arm."""


StorageT = TypeVar("StorageT", bound=Storage)


class HostRun(Context, ABC, Generic[StorageT]):
    """One walk of a plan: its buffers as they come to be. Each backend has its own."""

    def __init__(self, sizing: Sizing):
        self.sizing = sizing
        self.storages: dict[Key, StorageT] = {}
        super().__init__(self.storages, {})

    @abstractmethod
    def make(self, declaration: Declaration, count: int) -> StorageT:
        """A buffer of `count` elements with its initial contents, from which the host may load."""

    def release(self, declaration: Declaration) -> None:
        """What has been started so far was the last to touch a recyclable buffer."""

    def declare(self, declaration: Declaration, frame: Frame) -> None:
        """A buffer comes to be."""
        count = self.sizing.counts.get(declaration.key)
        if count is None:
            count = declaration.count(self.sizing.supplied.get(declaration.name), frame)
        self.declarations[declaration.key] = declaration.op
        self.storages[declaration.key] = self.make(declaration, count)


RunT = TypeVar("RunT", bound=HostRun[Any])
HostStep: TypeAlias = Callable[[RunT, Frame], None]
"""What happens to a run, given the frame of the host code."""
CompileArm: TypeAlias = Callable[[RegionOp | LaunchOp, Compiler, bool], HostStep[RunT]]
"""
How a backend runs an arm. The compiler knows the host's values by their keys; the last argument
says whether all that the arm is given follows from the sizing of a run.
"""


class RemoteStorage(Storage, ABC):
    """A buffer outside the memory of the host, which loads an element of it now and then."""

    def __init__(self, count: int, element_size: int):
        super().__init__(NO_BYTES, count, element_size)

    @abstractmethod
    def fetch(self, begin: int, end: int) -> Array:
        """The bytes `[begin, end)`, all of which exist, after what has been started so far."""

    def load(self, run: Run, index: Array, base: Array | None) -> Array:
        """The run from the element `index` on; 0 outside the buffer."""
        window = np.zeros(run.size, np.uint8)
        begin, size = int(index.item()), self.element_size
        first, last = max(begin, 0), min(begin + run.elements, self.count)
        if first < last:
            data = self.fetch(first * size, last * size)
            window[(first - begin) * size : (last - begin) * size] = data
        return run.values(window.view(run.raw))


Read: TypeAlias = Callable[[Declaration, int, int], PendingRead]
"""Starts to read the bytes `[begin, end)` of a buffer, behind what has been started so far."""


class PendingResults(NamedTuple):
    """What a program will have computed when all that a run has started has ended."""

    program: ProgramOp
    traps: Sequence[tuple[BufferOp, list[str], PendingRead]]
    outputs: Mapping[str, PendingRead]

    def take(self) -> dict[str, Array]:
        """The outputs, by name. Raises a TrapError where an arm has reported bad input."""
        for op, messages, read in self.traps:
            first = int.from_bytes(read().tobytes(), "little")
            verify_no_trap(self.program, op, messages, first)
        return {name: read() for name, read in self.outputs.items()}


class Results(NamedTuple):
    """Where the results of runs lie that have the same sizes."""

    program: ProgramOp
    traps: Sequence[tuple[Declaration, list[str]]]
    """What arms report bad input into, with the messages that it may mean."""
    outputs: Sequence[tuple[Declaration, int, int]]
    """The live-out buffers, each with the range of bytes that the host wants."""

    def start(self, read: Read) -> PendingResults:
        """Start to read them, behind the arms of a run."""
        traps = [
            (trap.op, messages, read(trap, 0, trap.element_size)) for trap, messages in self.traps
        ]
        outputs = {
            output.name: _as_declared(output, read(output, begin, end))
            for output, begin, end in self.outputs
        }
        return PendingResults(self.program, traps, outputs)


class HostPlan(Generic[RunT]):
    """
    The body of a program as steps, made once and walked by any number of runs.

    What follows from the sizes of the inputs alone is computed once for each combination. `traps`
    are the buffers that arms report bad input into, with what they may mean. What kernels do is
    not looked at, so that the program may stand without them.
    Raises UnsupportedError for an op of the host that has no meaning.
    """

    def __init__(
        self,
        program: ProgramOp,
        compile_arm: CompileArm[RunT],
        traps: Mapping[BufferOp, list[str]],
    ):
        self.program = program
        self.declarations: dict[BufferOp, Declaration] = {}
        """The global buffers, in order."""
        self.recyclable: list[Declaration] = []
        """Those whose memory may be another's before and after their live range."""
        self._compiler = Compiler()
        self._steps: list[HostStep[RunT]] = []
        self._sizing: list[Declaration | Step] = []
        self._unsized = set[SSAValue]()
        ending = _last_touched(program)
        for op in program.body.block.ops:
            self._add(op, compile_arm)
            for buffer in ending.get(op, ()):
                self._add_release(self.declarations[buffer])
        self._sizings: dict[tuple[int | None, ...], Sizing] = {}
        self.run_time_sized = [
            declaration.name
            for declaration in self.declarations.values()
            if declaration.static_count is None
        ]
        self._traps = [(self.declarations[op], messages) for op, messages in traps.items()]

    @cached_property
    def outputs(self) -> dict[str, Declaration]:
        """The live-out buffers, by name."""
        declarations = self.declarations.values()
        return {output.name: output for output in declarations if output.op.live_out is not None}

    def _add(self, op: Operation, compile_arm: CompileArm[RunT]) -> None:
        if isinstance(op, BufferOp):
            self._add_declaration(op)
        elif isinstance(op, RegionOp | LaunchOp):
            is_sized = self._unsized.isdisjoint(op.operands)
            self._steps.append(compile_arm(op, self._compiler, is_sized))
        elif self._is_sized(op):
            self._sizing.append(self._compiler.step(op))
        else:
            step = self._compiler.step(op)
            self._steps.append(lambda _, frame: step(frame))
            self._unsized.update(op.results)

    def _add_declaration(self, op: BufferOp) -> None:
        size = None if op.size is None else self._compiler.key(op.size)
        declaration = Declaration(op, self._compiler.key(op.buffer), size)
        if op.type.space == MemorySpace.GLOBAL:
            self.declarations[op] = declaration
            self._steps.append(lambda run, frame: run.declare(declaration, frame))
        if op.size in self._unsized:
            self._unsized.add(op.buffer)
        else:
            self._sizing.append(declaration)

    def _add_release(self, declaration: Declaration) -> None:
        self.recyclable.append(declaration)
        self._steps.append(lambda run, _: run.release(declaration))

    def _is_sized(self, op: Operation) -> bool:
        """Whether what `op` computes follows from the sizes of the inputs."""
        operands = (operand for inner in op.walk() for operand in inner.operands)
        return is_side_effect_free(op) and self._unsized.isdisjoint(operands)

    def sizing(self, supplied: Mapping[str, int]) -> Sizing:
        """
        What follows from the number of elements of each buffer that the host supplies, by name.

        Raises VyreError for a size that makes no sense.
        """
        sizes = tuple([supplied.get(name) for name in self.run_time_sized])
        sizing = self._sizings.get(sizes)
        if sizing is None:
            if len(self._sizings) >= MOST_SIZINGS:
                self._sizings.clear()
            sizing = self._sizings[sizes] = self._evaluate_sizes(supplied)
        return sizing

    def _evaluate_sizes(self, supplied: Mapping[str, int]) -> Sizing:
        storages = dict[Key, Storage]()
        frame = Frame(Context(storages), 1)
        with np.errstate(all="ignore"):
            for step in self._sizing:
                if isinstance(step, Declaration):
                    count = step.count(supplied.get(step.name), frame)
                    storages[step.key] = Storage(NO_BYTES, count, 0)
                else:
                    step(frame)
        counts = {key: storage.count for key, storage in storages.items()}
        return Sizing(dict(supplied), frame, counts)

    def walk(self, run: RunT) -> None:
        """
        Evaluate the host code and start the arms, in order.

        Raises VyreError for a size or a count that makes no sense.
        """
        with np.errstate(all="ignore"):
            frame = Frame(run, 1, run.sizing.frame)
            for step in self._steps:
                step(run, frame)

    def results(self, run: RunT, outputs: Iterable[Declaration]) -> Results:
        """Where `outputs` and what traps report lie in the buffers of a run that was walked."""
        traps = [(trap, messages) for trap, messages in self._traps if run.storages[trap.key].count]
        return Results(self.program, traps, [_range_of(output, run) for output in outputs])


def _last_touched(program: ProgramOp) -> dict[Operation, list[BufferOp]]:
    """The buffers that are marked as escaping nowhere, by the op that touches them last."""
    marked = [buffer for buffer in program.buffers() if buffer.non_escaping is not None]
    live_ranges = program.live_ranges() if marked else {}
    ending = dict[Operation, list[BufferOp]]()
    for buffer in marked:
        if (last := live_ranges[buffer].last) is not None:
            ending.setdefault(last, []).append(buffer)
    return ending


def _range_of(output: Declaration, run: HostRun[Any]) -> tuple[Declaration, int, int]:
    """All of a live-out buffer, or its output range."""
    size = run.storages[output.key].count * output.element_size
    if output.op.output_range is None:
        return output, 0, size
    begin, end = output.op.output_range.get_values()
    if end > size:
        raise VyreError(
            f"output '{output.name}' expected a range within {size} bytes, got [{begin}, {end})"
        )
    return output, begin, end


def _as_declared(output: Declaration, read: PendingRead) -> PendingRead:
    """The elements of a live-out buffer, or the bytes of its output range."""
    return read if output.op.output_range is not None else lambda: output.elements(read())


def compile_extents(counts: Sequence[SSAValue | int], compiler: Compiler) -> Extents:
    """
    The invocations or workgroups of an arm along three axes, as the host has computed them: none
    for a number below zero, which is no longer the same once passes have divided it.
    """
    if all(isinstance(count, int) for count in counts):
        static = three_axes([count for count in counts if isinstance(count, int)])
        return lambda _: static
    axes = [_count(count, compiler) for count in counts]

    def extents(frame: Frame) -> tuple[int, int, int]:
        return three_axes([max(0, axis(frame)) for axis in axes])

    return extents


def _count(count: SSAValue | int, compiler: Compiler) -> Callable[[Frame], int]:
    if isinstance(count, int):
        return lambda _: count
    key = compiler.key(count)
    return lambda frame: int(frame.get(key).item())
