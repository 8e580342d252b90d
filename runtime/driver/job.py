"""What is asked for where a program is to run, and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.mode import Mode

if TYPE_CHECKING:
    from vyre_dialect.runtime.tuning.decisions import KeptDecision


@dataclass(frozen=True)
class Job:
    """A program that is to be built for a device."""

    module: ModuleOp
    """With the program, as the user wrote it."""
    device: Device
    inputs: Mapping[str, Array | Bytes]
    """As they were given, by the names of buffers."""
    passes: Passes
    tuner: Mode
    context: Context
    progress: Progress = no_progress
    timeout: float | None = None
    """Seconds that a run may take where tuning makes some."""
    is_measured: bool = False
    """Whether its forms are to be measured, so that none is chosen by what is predicted."""


class BuiltProgram(NamedTuple):
    """What a program has become for a device, and what it takes."""

    compiled: CompiledProgram
    inputs: ProgramInputs
    """Of the program as the user wrote it: passes may do without some of them."""
    decision: KeptDecision | None = None
    """What tuning has decided and it was compiled by; None for the default."""
    tuning_ns: int | None = None
    """Wall-clock time that it took to decide now; None for what was decided before."""
