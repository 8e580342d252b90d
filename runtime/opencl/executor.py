"""Runs compiled programs on an OpenCL device."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from functools import cached_property
from time import perf_counter_ns

from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.errors import DeviceError
from vyre_dialect.runtime.interpreter.host_plan import HostPlan, HostStep, PendingResults
from vyre_dialect.runtime.interpreter.machine import Compiler, Key
from vyre_dialect.runtime.opencl.arena import ScratchLayouts
from vyre_dialect.runtime.opencl.device_run import Contents, DeviceRun, Memory
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.kernel_build import build_kernels
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.opencl.launch import Kernel, Launch
from vyre_dialect.runtime.opencl.session import DeviceArray, Session
from vyre_dialect.runtime.program.arrays import Bytes, as_elements, element_count
from vyre_dialect.runtime.program.compilation import CompiledProgram
from vyre_dialect.runtime.program.inputs import ProgramInputs, check_outputs
from vyre_dialect.runtime.program.launch_facts import check_fits
from vyre_dialect.runtime.program.results import ArmTiming, RunResult, ScratchBytes
from vyre_dialect.runtime.progress import Progress, no_progress


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
        self._inputs = ProgramInputs(compiled.program)
        self._tables: dict[Key, Memory] = {}
        self._kernels = self._build(cache or KernelCache.default())
        self._plan = HostPlan(compiled.program, self._compile_arm)
        self._layouts = ScratchLayouts(self._plan, self.device)
        self._poison_scratch = poison_scratch

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
        return {name: Kernel.of(program, op, self.device) for name, op in kernels.items()}

    def _compile_arm(
        self, op: RegionOp | LaunchOp, compiler: Compiler, is_sized: bool
    ) -> HostStep[DeviceRun]:
        assert isinstance(op, LaunchOp)  # the target refuses arms
        return Launch(self._kernels[op.kernel.string_value()], op, compiler, is_sized)

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
        self._inputs.verify_names(inputs)
        self._inputs.verify_complete(inputs)
        if not self._plan.outputs.keys() >= set(resident):
            check_outputs(self.compiled.program, resident)
        bound = {name: self._bound(name, contents) for name, contents in inputs.items()}
        sizing = self._plan.sizing({name: count for name, (_, count) in bound.items()})
        contents = {name: contents for name, (contents, _) in bound.items()}
        with device_errors(self.device):
            run = DeviceRun(
                sizing,
                self.session,
                contents,
                self._tables,
                self._progress,
                self._layouts.layout(sizing, self._in_place(contents)),
                poison=self._poison_scratch,
            )
            self._plan.walk(run)
            fetched = [out for out in self._plan.outputs.values() if out.name not in resident]
            pending = self._plan.results(run, fetched)
            left = {name: run.left(self._plan.outputs[name]) for name in resident}
            self.session.queue.flush()
        recyclable = self._plan.recyclable
        scratch = run.scratch_bytes(recyclable) if recyclable else None
        return RunInFlight(self.compiled.name, run, pending, left, begin, scratch)

    def _in_place(self, contents: Mapping[str, Contents]) -> frozenset[str]:
        """The inputs that a run may find in memory that is not its own."""
        of_host = self.device.info.kind == "cpu"
        return frozenset(
            name for name, each in contents.items() if of_host or isinstance(each, DeviceArray)
        )

    def _bound(self, name: str, contents: Contents | Bytes) -> tuple[Contents, int]:
        """What the host supplies for a buffer, and how many elements that is."""
        type = self._inputs.types[name]
        if not isinstance(contents, DeviceArray):
            elements = as_elements(name, type, contents)
            return elements, len(elements)
        if contents.session is not self.session:
            raise DeviceError(
                f"input '{name}' expected an array of the executor's own session, got one of "
                f"another on {contents.session.device.info.label}"
            )
        return contents, element_count(name, type, contents.dtype, contents.nbytes)


class RunInFlight:
    """A run that has been started; until its result has been taken, its memory is its own."""

    def __init__(
        self,
        program: str,
        run: DeviceRun,
        pending: PendingResults,
        resident: dict[str, DeviceArray],
        begin: int,
        scratch: ScratchBytes | None,
    ):
        self._program = program
        self._device = run.session.device
        self._run: DeviceRun | None = run
        self._pending = pending
        self._resident = resident
        self._begin = begin
        self._scratch = scratch

    def result(self) -> RunResult:
        """Wait for the run to end; every call gives the same result.

        Raises a TrapError when a kernel has reported bad input, and a DeviceError when the device
        has failed.
        """
        return self._result

    @cached_property
    def _result(self) -> RunResult:
        with device_errors(self._device):
            arms = self._arms
            outputs = self._pending.take()
        total = perf_counter_ns() - self._begin
        label = self._device.info.label
        return RunResult(
            self._program,
            label,
            arms,
            outputs,
            total,
            resident=self._resident,
            scratch=self._scratch,
        )

    @cached_property
    def _arms(self) -> tuple[ArmTiming, ...]:
        """The timings of the arms, when all have ended; the memory goes back to the pool."""
        assert self._run is not None
        arms = self._run.timings()
        self._run = None
        return arms


@contextmanager
def device_errors(device: Device) -> Generator[None]:
    """Turn what OpenCL raises into a DeviceError."""
    import pyopencl as cl

    try:
        yield
    except cl.MemoryError as error:
        raise DeviceError(f"the program does not fit {device.info.label}: {error}") from error
    except cl.Error as error:
        raise DeviceError(f"{device.info.label} failed: {error}") from error


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
