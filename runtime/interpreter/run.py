"""The reference interpreter as a backend of the host plan: buffers and arms without a device."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.arms import (
    DEFAULT_BATCH_INVOCATIONS,
    ArmRunner,
    compile_arm,
    compile_launch,
)
from vyre_dialect.runtime.interpreter.arrays import table_contents
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.host_plan import (
    Declaration,
    HostPlan,
    HostRun,
    HostStep,
    PendingRead,
    Sizing,
)
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.interpreter.machine import Compiler
from vyre_dialect.runtime.interpreter.observer import Observer
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.scratch_marks import verify_marks
from vyre_dialect.runtime.interpreter.storage import GARBAGE, POISON, Storage
from vyre_dialect.runtime.interpreter.traps import trap_messages

Input: TypeAlias = "Array | bytes | bytearray | memoryview"


@dataclass(frozen=True)
class Interpretation:
    """What a program computed, by the names of its buffers."""

    outputs: Mapping[str, Array]
    """The live-out buffers, or of those with an output range the bytes in it."""
    buffers: Mapping[str, Array]
    """All global buffers, as they are after the last arm."""


class Interpreter:
    """
    A program of `module`, made ready once for any number of runs without a device.

    `program` names the program where the module has several. Nothing may change the module before
    the last run. Raises VyreError for an op that has no meaning.
    """

    def __init__(self, module: ModuleOp, *, program: str | None = None):
        chosen = find_program(module, program)
        verify_marks(chosen)
        self._plan = HostPlan(chosen, _compile_arm, trap_messages(chosen))
        self._inputs = ProgramInputs.of(chosen)

    def run(
        self,
        inputs: Mapping[str, Input],
        *,
        observer: Observer | None = None,
        batch_invocations: int = DEFAULT_BATCH_INVOCATIONS,
        poison_scratch: bool = False,
    ) -> Interpretation:
        """Run the program, with arms or with launches of kernels, as `interpret` says."""
        plan = self._plan
        arrays = {name: _as_array(contents) for name, contents in inputs.items()}
        bound = self._inputs.bind(arrays)
        sizing = plan.sizing({name: len(contents) for name, contents in bound.items()})
        run = _Run(sizing, bound, ArmRunner(observer, batch_invocations), poison=poison_scratch)
        plan.walk(run)
        if observer is not None:
            observer.end_run()
        outputs = plan.results(run, plan.outputs.values()).start(run.read).take()
        return Interpretation(outputs, run.arrays(plan.declarations.values()))


def interpret(
    module: ModuleOp,
    inputs: Mapping[str, Input],
    *,
    program: str | None = None,
    observer: Observer | None = None,
    batch_invocations: int = DEFAULT_BATCH_INVOCATIONS,
    poison_scratch: bool = False,
) -> Interpretation:
    """
    Run a program of `module` once.

    `inputs` holds the contents of global buffers by name; they are not modified. `program`
    names the program where the module has several. About `batch_invocations` invocations run
    at once, always in whole workgroups. With `poison_scratch`, buffers that are marked as escaping
    nowhere are overwritten when their live range ends. Arrays are given back as
    runtime/program/arrays.py says.

    Raises VyreError for inputs that do not fit, and for a program that breaks the rules of its
    ops as it runs; TrapError for input that the program rejects.
    """
    return Interpreter(module, program=program).run(
        inputs,
        observer=observer,
        batch_invocations=batch_invocations,
        poison_scratch=poison_scratch,
    )


def _as_array(contents: Input) -> Array:
    return contents if isinstance(contents, np.ndarray) else np.frombuffer(contents, np.uint8)


class _Run(HostRun[Storage]):
    """A run whose buffers are arrays of the host."""

    def __init__(
        self, sizing: Sizing, inputs: Mapping[str, Array], runner: ArmRunner, *, poison: bool
    ):
        super().__init__(sizing)
        self._poison = poison
        self.inputs = inputs
        self.runner = runner

    def make(self, declaration: Declaration, count: int) -> Storage:
        supplied = self.inputs.get(declaration.name)
        try:
            return _initial(declaration, count, supplied)
        except (MemoryError, OverflowError, ValueError) as error:  # NumPy's for sizes out of reach
            raise VyreError(
                f"the program does not fit the memory of the host: buffer '{declaration.name}' "
                f"needs {count * declaration.element_size} bytes"
            ) from error

    def release(self, declaration: Declaration) -> None:
        if self._poison:
            storage = self.storages[declaration.key]
            storage.bytes = np.full_like(storage.bytes, POISON)

    def read(self, declaration: Declaration, begin: int, end: int) -> PendingRead:
        """The bytes `[begin, end)` of a buffer, as they are when this is called."""
        data = self.storages[declaration.key].bytes[begin:end]
        return lambda: data

    def arrays(self, declarations: Iterable[Declaration]) -> dict[str, Array]:
        """All buffers, by name."""
        return {
            buffer.name: buffer.elements(self.storages[buffer.key].bytes) for buffer in declarations
        }


def _compile_arm(op: RegionOp | LaunchOp, compiler: Compiler, is_sized: bool) -> HostStep[_Run]:
    del is_sized  # its counts are looked up each time
    arm = compile_arm(op, compiler) if isinstance(op, RegionOp) else compile_launch(op, compiler)
    return lambda run, frame: run.runner.run(arm, frame)


def _initial(declaration: Declaration, count: int, supplied: Array | None) -> Storage:
    """The buffer before the first arm: its table, what the host supplies, its fill, or garbage."""
    size = declaration.element_size
    if declaration.contents is not None:
        return _storage(table_contents(declaration.contents, declaration.type), size)
    if supplied is not None:
        return _storage(supplied.copy() if declaration.type.writable else supplied, size)
    if not declaration.is_filled:
        return Storage(np.full(count * size, GARBAGE, np.uint8), count, size)
    value = declaration.fill
    return Storage(np.tile(value.view(np.uint8), count * (size // value.nbytes)), count, size)


def _storage(elements: Array, size: int) -> Storage:
    data = np.ascontiguousarray(elements).reshape(-1).view(np.uint8)
    return Storage(data, len(data) // size, size)
