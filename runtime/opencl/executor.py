"""Runs compiled programs on an OpenCL device."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from time import perf_counter_ns
from typing import TypeAlias

from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes, as_elements, element_count
from vyre_dialect.runtime.interpreter.host_plan import HostPlan, HostStep
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs, check_outputs
from vyre_dialect.runtime.interpreter.machine import Compiler, Key
from vyre_dialect.runtime.interpreter.traps import printed_trap_messages
from vyre_dialect.runtime.opencl.arena import ScratchLayouts
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.device_run import DeviceRun
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.flight import (
    Contents,
    Recording,
    RunInFlight,
    device_error,
    opencl_error,
)
from vyre_dialect.runtime.opencl.kernel_build import build_kernels
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.opencl.launch import Kernel, Launch
from vyre_dialect.runtime.opencl.launch_facts import check_fits
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.opencl.session import DeviceArray, Session
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.progress import Progress, no_progress

MOST_RECORDINGS = 64
"""Kinds of runs that an executor remembers."""

_Kind: TypeAlias = "tuple[object, ...]"
"""What runs have in common that do the same: the outputs that stay, the inputs and their sizes."""


class Executor:
    """A program, built for one device, that runs any number of times, also several at once.

    Executors of one session share its memory, and take what runs of others left there. Raises a
    DeviceError when the program does not fit the device, and its BuildError when the device
    refuses the kernels.
    """

    def __init__(
        self,
        compiled: CompiledProgram,
        device: Device | Session,
        *,
        cache: KernelCache | None = None,
        progress: Progress = no_progress,
        poison_scratch: bool = False,
    ):
        self.session = device if isinstance(device, Session) else Session(device)
        self.device = self.session.device
        self.compiled = compiled
        check_fits(compiled, self.device.info)
        self._progress = progress
        self._inputs = ProgramInputs.of(compiled.program)
        self._tables: dict[Key, PooledBuffer] = {}
        self._kernels = self._build(cache or KernelCache.default())
        traps = printed_trap_messages(compiled.program, compiled.kernels)
        self._plan = HostPlan(compiled.program, self._compile_arm, traps)
        self._layouts = ScratchLayouts(self._plan, self.device)
        self._poison_scratch = poison_scratch
        self._recordings: dict[_Kind, Recording] = {}
        self._last: tuple[list[object], Recording | None] = [], None
        """The kind of the last run; to compare with it is cheaper than to look for it."""

    def _build(self, cache: KernelCache) -> dict[str, Kernel]:
        kernels = self.compiled.kernels
        if not kernels:
            return {}
        self._progress(f"building the kernels for {self.device.info.label}", None)
        program = build_kernels(
            self.session.context,
            self.device,
            self.compiled.source,
            _build_options(self.device),
            cache,
        )
        return {name: Kernel.of(program, each, self.device) for name, each in kernels.items()}

    def _compile_arm(
        self, op: RegionOp | LaunchOp, compiler: Compiler, is_sized: bool
    ) -> HostStep[DeviceRun]:
        assert isinstance(op, LaunchOp)  # the target refuses arms
        return Launch(self._kernels[op.kernel_name], op, compiler, is_sized)

    def run(
        self, inputs: Mapping[str, Contents | Bytes], *, resident: Collection[str] = ()
    ) -> RunResult:
        """Run the program on `inputs`, by buffer name, and wait for the result; see `start`."""
        return self.start(inputs, resident=resident).result()

    def start(
        self, inputs: Mapping[str, Contents | Bytes], *, resident: Collection[str] = ()
    ) -> RunInFlight:
        """Start a run on `inputs`, by buffer name, without waiting for it to end.

        Arrays of the host must not change before the result has been taken; no input is written
        to. The outputs `resident` stay on the device, whole. Only an arm whose count another has
        computed is waited for.

        Raises a VyreError when an input is missing or of the wrong size, or when the device cannot
        hold the buffers, and a UsageError for a name that the program does not know.
        """
        begin = perf_counter_ns()
        # In runs that are short, to call a generic type is felt: 0.2 µs in place of 0.02.
        contents: dict[str, Contents] = {}
        kind: list[object] = [*resident, None]
        for name, given in inputs.items():
            if isinstance(given, DeviceArray):
                contents[name] = given
                kind += name, given.form
            else:
                contents[name] = elements = self._elements(name, given)
                kind += name, len(elements)
        last, recording = self._last
        if kind != last:
            recording = self._recordings.get(tuple(kind))
            self._last = kind, recording
        pace = None if recording is None else recording.pace
        run = RunInFlight(self.session, contents, self._progress, begin, pace)
        try:
            if recording is not None and (not recording.seen or run.sees(recording)):
                run.replay(recording)
            else:
                recording = self._record(run, tuple(kind), resident)
            run.read_results(recording)
        except opencl_error() as error:
            raise device_error(self.device, error) from error
        return run

    def _elements(self, name: str, given: Array | Bytes) -> Array:
        """What the host supplies for a buffer, as its elements."""
        self._inputs.verify_names([name])
        return as_elements(name, self._inputs.types[name], given)

    def _record(self, run: RunInFlight, kind: _Kind, resident: Collection[str]) -> Recording:
        """Do a run that is like none before, and keep what it comes to."""
        plan, counts = self._plan, self._counts(run.inputs)
        sizing = run.on_host(lambda: plan.sizing(counts))
        if not plan.outputs.keys() >= set(resident):
            check_outputs(self.compiled.program, resident)
        layout = self._layouts.layout(sizing, self._in_place(run.inputs))
        walked = DeviceRun(sizing, run, self._tables, layout, poison=self._poison_scratch)
        run.on_host(lambda: plan.walk(walked))
        fetched = [out for out in plan.outputs.values() if out.name not in resident]
        recording = walked.recording(
            self.compiled.name,
            plan.results(walked, fetched),
            [plan.outputs[name] for name in resident],
            plan.recyclable,
        )
        if walked.reads.are_all_of_inputs:
            if len(self._recordings) >= MOST_RECORDINGS:
                self._recordings.clear()
            self._recordings[kind] = recording
            self._last = [], None
        return recording

    def _counts(self, inputs: Mapping[str, Contents]) -> dict[str, int]:
        """How many elements of each buffer the host supplies."""
        self._inputs.verify_names(inputs)
        self._inputs.verify_complete(inputs)
        return {name: self._count(name, each) for name, each in inputs.items()}

    def _count(self, name: str, contents: Contents) -> int:
        if not isinstance(contents, DeviceArray):
            return len(contents)
        if contents.session is not self.session:
            raise DeviceError(
                f"input '{name}' expected an array of the executor's own session, got one of "
                f"another on {contents.session.device.info.label}"
            )
        return element_count(name, self._inputs.types[name], contents.dtype, contents.nbytes)

    def _in_place(self, contents: Mapping[str, Contents]) -> frozenset[str]:
        """The inputs that a run may find in memory that is not its own."""
        of_host = self.device.info.kind == "cpu"
        return frozenset(
            name for name, each in contents.items() if of_host or isinstance(each, DeviceArray)
        )


def _build_options(device: Device) -> tuple[str, ...]:
    # A checker is to see every access that is written down; besides, Oclgrind's search for
    # uninitialised reads crashes on some optimised code.
    options = ("-cl-opt-disable",) if device.info.simulator else ()
    if _rounds_correctly(device):
        options += ("-cl-fp32-correctly-rounded-divide-sqrt",)
    return options


def _rounds_correctly(device: Device) -> bool:
    """Whether the device can divide f32 and take their roots as IEEE 754 asks for."""
    import pyopencl as cl

    config = device.handle.single_fp_config
    return bool(config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT)
