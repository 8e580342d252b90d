"""Running a whole program: its body is host code, whose steps bind buffers and run arms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import BufferOp, ProgramOp, RegionOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arms import (
    DEFAULT_BATCH_INVOCATIONS,
    ArmRunner,
    compile_arm,
    compile_launch,
)
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Compile, Compiler, Context, Frame, Key, Step
from vyre_dialect.runtime.interpreter.observer import Observer
from vyre_dialect.runtime.interpreter.storage import GARBAGE, Storage
from vyre_dialect.runtime.interpreter.tables import ACTIONS, COMPUTATIONS
from vyre_dialect.runtime.opencl.device_buffers import output_array
from vyre_dialect.runtime.program.arrays import (
    array_shape,
    element_dtype,
    element_size,
    fill_value,
    table_contents,
)
from vyre_dialect.runtime.program.inputs import bind_inputs, check_supplied_count
from vyre_dialect.runtime.program.programs import find_program
from vyre_dialect.runtime.program.traps import trap_messages, verify_no_trap
from vyre_dialect.types import Initial, MemorySpace

Input: TypeAlias = "Array | bytes | bytearray | memoryview"


@dataclass(frozen=True)
class Interpretation:
    """What a program computed, by the names of its buffers."""

    outputs: Mapping[str, Array]
    """The live-out buffers, or of those with an output range the bytes in it."""
    buffers: Mapping[str, Array]
    """All global buffers, as they are after the last arm."""


def interpret(
    module: ModuleOp,
    inputs: Mapping[str, Input],
    *,
    program: str | None = None,
    observer: Observer | None = None,
    batch_invocations: int = DEFAULT_BATCH_INVOCATIONS,
) -> Interpretation:
    """
    Run a program of `module`, with arms or with launches of kernels, without a device.

    `inputs` holds the contents of global buffers by name; they are not modified. `program`
    names the program where the module has several. About `batch_invocations` invocations run
    at once, always in whole workgroups. Arrays are given back as runtime/program/arrays.py says.

    Raises VyreError for inputs that do not fit, and for a program that breaks the rules of its
    ops as it runs; TrapError for input that the program rejects.
    """
    chosen = find_program(module, program)
    arrays = {name: _as_array(contents) for name, contents in inputs.items()}
    run = _ProgramRun(chosen, bind_inputs(chosen, arrays), ArmRunner(observer, batch_invocations))
    compiler = Compiler(COMPUTATIONS, ACTIONS, _PROGRAM_ACTIONS)
    steps = [compiler.step(op) for op in chosen.body.block.ops]
    host = Frame(run, 1)
    with np.errstate(all="ignore"):
        for step in steps:
            step(host)
    if observer is not None:
        observer.end_run()
    run.verify_no_traps()
    return run.result()


def _as_array(contents: Input) -> Array:
    return contents if isinstance(contents, np.ndarray) else np.frombuffer(contents, np.uint8)


@dataclass
class _ProgramRun(Context):
    """The buffers of a program as it runs."""

    program: ProgramOp
    inputs: Mapping[str, Array]
    runner: ArmRunner
    storages: dict[Key, Storage] = field(default_factory=dict[Key, Storage])
    keys: dict[BufferOp, Key] = field(default_factory=dict[BufferOp, Key])

    def __post_init__(self) -> None:
        super().__init__(self.storages, {})

    def declare(self, key: Key, op: BufferOp, computed: int | None) -> None:
        """A buffer comes to be, with its initial contents."""
        self.declarations[key] = op
        if op.type.space == MemorySpace.GLOBAL:
            self.keys[op] = key
            self.storages[key] = _initial_if_it_fits(
                op, computed, self.inputs.get(op.sym_name.data)
            )

    def verify_no_traps(self) -> None:
        """Raise TrapError if an arm has reported bad input."""
        for op, messages in trap_messages(self.program).items():
            storage = self.storages[self.keys[op]]
            if storage.count:
                first = int.from_bytes(storage.bytes[: storage.element_size].tobytes(), "little")
                verify_no_trap(self.program, op, messages, first)

    def result(self) -> Interpretation:
        """The buffers as arrays."""
        buffers = {op.sym_name.data: self._array(op) for op in self.keys}
        outputs = {op.sym_name.data: self._output(op) for op in self.keys if op.live_out}
        return Interpretation(outputs, buffers)

    def _array(self, op: BufferOp) -> Array:
        storage = self.storages[self.keys[op]]
        elements = storage.bytes.view(element_dtype(op.type))
        return elements.reshape(array_shape(op.type, storage.count))

    def _output(self, op: BufferOp) -> Array:
        storage = self.storages[self.keys[op]]
        return output_array(op, lambda begin, end: storage.bytes[begin:end], storage.count)


def _initial(op: BufferOp, computed: int | None, supplied: Array | None) -> Storage:
    """The buffer before the first arm: what the host supplies, its table, its fill, or garbage."""
    size = element_size(op.type)
    if op.contents is not None:
        return _storage(table_contents(op.contents, op.type), size)
    if supplied is not None:
        check_supplied_count(op, computed, supplied)
        return _storage(supplied.copy() if op.type.writable else supplied, size)
    count = computed or 0
    if count < 0:
        raise VyreError(f"buffer '{op.sym_name.data}' expected a size of 0 or more, got {count}")
    if op.initial_contents == Initial.UNDEFINED:
        return Storage(np.full(count * size, GARBAGE, np.uint8), count, size)
    value = fill_value(op)
    return Storage(np.tile(value.view(np.uint8), count * (size // value.nbytes)), count, size)


def _initial_if_it_fits(op: BufferOp, computed: int | None, supplied: Array | None) -> Storage:
    """As `_initial`; raises a VyreError where the memory of the host cannot hold the buffer."""
    try:
        return _initial(op, computed, supplied)
    except (MemoryError, OverflowError, ValueError) as error:  # NumPy's for sizes out of reach
        count = len(supplied) if supplied is not None else computed or 0
        raise VyreError(
            f"the program does not fit the memory of the host: buffer '{op.sym_name.data}' needs "
            f"{count * element_size(op.type)} bytes"
        ) from error


def _storage(elements: Array, size: int) -> Storage:
    bytes = np.ascontiguousarray(elements).reshape(-1).view(np.uint8)
    return Storage(bytes, len(bytes) // size, size)


def _run_of(frame: Frame) -> _ProgramRun:
    assert isinstance(frame.context, _ProgramRun)
    return frame.context


def _declare(op: BufferOp, compiler: Compiler) -> Step:
    buffer = compiler.key(op.buffer)
    size = None if op.size is None else compiler.key(op.size)

    def step(frame: Frame) -> None:
        count = op.type.static_count if size is None else int(frame.get(size).item())
        _run_of(frame).declare(buffer, op, count)

    return step


def _arm(op: RegionOp, compiler: Compiler) -> Step:
    arm = compile_arm(op, compiler)
    return lambda frame: _run_of(frame).runner.run(arm, frame)


def _launch(op: LaunchOp, compiler: Compiler) -> Step:
    launch = compile_launch(op, compiler)
    return lambda frame: _run_of(frame).runner.run(launch, frame)


_PROGRAM_ACTIONS: dict[type[Operation], Compile] = {
    BufferOp: _declare,
    RegionOp: _arm,
    LaunchOp: _launch,
}
