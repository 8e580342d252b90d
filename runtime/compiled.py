"""What `import vyre` gives: programs from files, modules or the builder, compiled and run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import IO, NamedTuple, Protocol, TypeAlias, get_args, runtime_checkable

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.html import fragment, highlighted
from vyre_dialect.ir.scheduling import Profile
from vyre_dialect.passes.schedule.materialize_schedule import ProfileName
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.errors import UsageError, VyreError, did_you_mean
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.interpreter.programs import find_program, select_program
from vyre_dialect.runtime.opencl.devices import Device, choose_device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.flight import Contents
from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE, ArmTiming, RunResult
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import (
    compile_module,
    make_context,
    name_of,
    parse_module,
    read_text,
)
from vyre_dialect.runtime.program.device_info import DeviceInfo
from vyre_dialect.runtime.program.explanation import Explanation, SourceText, explain_module
from vyre_dialect.runtime.program.loading import warn_of_premature_reads
from vyre_dialect.runtime.program.observers import module_text
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.streams.limits import DEFAULT_MEMORY
from vyre_dialect.runtime.tuning.mode import Mode


@runtime_checkable
class HasModule(Protocol):
    """Something that holds a module, as the builder's `Program` does."""

    @property
    def module(self) -> ModuleOp: ...


_IN_MEMORY = np.ndarray, bytes, bytearray

Source: TypeAlias = "str | PathLike[str] | ModuleOp | HasModule"
"""A program: the file it stands in, its module, or what the builder has built."""


class _Loaded(NamedTuple):
    """A program, where its types are known, and its text."""

    module: ModuleOp
    context: Context
    text: SourceText


class Compiled:
    """
    A program, compiled for one device; call it with an array for each input.

        count = vyre.compile("examples/xor_literal.mlir")
        count(encoded=data)["count"]

    It may be called any number of times, from one thread at a time.
    """

    def __init__(self, loaded: _Loaded, passes: Passes, device: Device, *, measure: bool = False):
        self._loaded, self._passes, self._device = loaded, passes, device
        compiled = compile_module(
            loaded.module,
            pipeline=passes.pipeline,
            optimize=passes.optimize,
            context=loaded.context,
            device=device.info,
        )
        session, trial = Session(device), None
        if measure and passes.are_scheduled and Mode.from_environment() != Mode.OFF:
            from vyre_dialect.runtime.tuning.kept_forms import trial_of  # not before it measures

            trial = trial_of(compiled, loaded.module, session, passes.optimize, loaded.context)
        self._executor = trial or Executor(compiled, session)
        self._last: RunResult | None = None

    def __call__(self, **inputs: Contents | Bytes) -> dict[str, Array]:
        """
        Run on `inputs`, by the name of the buffer, and give the live-out buffers by theirs.

        Raises a UsageError for a name that is no input or for one that is missing, and a VyreError
        for a size that does not fit and for what a program reports of its data.
        """
        return self.run(inputs).outputs

    def run(
        self, inputs: Mapping[str, Contents | Bytes], *, resident: Collection[str] = ()
    ) -> RunResult:
        """As a call, with timings beside the outputs; those of `resident` stay on the device."""
        self._last = self._executor.run(inputs, resident=resident)
        return self._last

    def stream(
        self,
        inputs: Mapping[str, Array | Bytes | IO[bytes]],
        *,
        along: str = "",
        memory: int = DEFAULT_MEMORY,
        sinks: Mapping[str, Callable[[Array], None]] | None = None,
    ) -> RunResult:
        """
        Run on pieces of one input, one after the other, in about `memory` bytes.

        The input `along`, or the largest, is cut; it may be a binary file that is read on and on,
        as a pipe. Of outputs of which each piece has a part, the parts go to a function of `sinks`,
        in order, or are put together in memory.

            count.stream({"encoded": sys.stdin.buffer}).outputs["count"]

        Raises a RefusedStreamError where an op forbids to cut the program, which it names, a
        VyreError for an input that is neither an array nor a file, and what a call raises.
        """
        from vyre_dialect.runtime.streams.sources import PipeSource
        from vyre_dialect.runtime.streams.stream_run import run_stream

        sources = {
            name: given if isinstance(given, _IN_MEMORY) else PipeSource(name, _file(name, given))
            for name, given in inputs.items()
        }
        found = sinks or {}
        return run_stream(
            self._loaded.module,
            sources,
            along=along,
            device=self._device,
            passes=self._passes,
            memory=memory,
            sink_of=found.get,
            context=self._loaded.context,
        )

    @property
    def name(self) -> str:
        """The name of the program."""
        return self._executor.compiled.name

    @property
    def device(self) -> DeviceInfo:
        """The device that it is compiled for."""
        return self._device.info

    @property
    def source(self) -> str:
        """The kernels that run, as OpenCL C."""
        return self._executor.compiled.source

    @property
    def ir(self) -> str:
        """The kernels and the host plan, as IR."""
        module = self._executor.compiled.program.parent_op()
        assert isinstance(module, ModuleOp)
        return module_text(module)

    def __repr__(self) -> str:
        return f"<'{self.name}', compiled for {self.device.label}>"

    def _repr_html_(self) -> str:
        """For notebooks: the kernels and the host plan, highlighted."""
        head = f"<p><b>{escape(self.name)}</b>, compiled for {escape(self.device.label)}</p>"
        return fragment(head + highlighted(self.ir))

    @property
    def timings(self) -> Sequence[ArmTiming]:
        """Of the last run, in ns, a timing for each kernel in the order of the launches."""
        return () if self._last is None else self._last.arms

    def explain(self) -> Explanation:
        """What fused and what did not, which passes ran, and why; it is compiled once more."""
        module, context, text = self._loaded
        return explain_module(module, self._passes, self.device, context, text)


def _file(name: str, given: IO[bytes]) -> IO[bytes]:
    """A file that can be read on and on. Raises a VyreError for something else."""
    if not hasattr(given, "readinto"):
        kind = type(given).__name__
        advice = ": open it, as open(name, 'rb')" if isinstance(given, str | PathLike) else ""
        raise VyreError(
            f"input '{name}' expected bytes, an array of NumPy or a binary file, got {kind}{advice}"
        )
    return given


def compile(  # noqa: A001 - as `re.compile`
    source: Source,
    *,
    device: Device | str | None = None,
    program: str | None = None,
    profile: ProfileName | None = None,
    options: str | None = None,
    schedule: str | None = None,
    pipeline: str | None = None,
    measure: bool = True,
) -> Compiled:
    """
    Compile a program for a device: one of `vyre.devices()`, `cpu`, `gpu` or part of a name.

    `program` names one where the source has several. `profile`, `options`, `schedule` (a file) and
    `pipeline` say which passes run, as the arguments of `vyre run` do. With `measure`, the first
    runs take several forms by turns, unfused for one; the fastest is kept, and `source` and `ir`
    are those of the last run.

    Raises a VyreError in one line for a program, a device or an argument that cannot be used.
    """
    if device == REFERENCE_DEVICE:
        raise UsageError("the interpreter compiles nothing: use vyre.run(…, device='reference')")
    loaded = load_source(source, program)
    passes = _passes(profile, options, schedule, pipeline)
    chosen = device if isinstance(device, Device) else choose_device(device)
    return Compiled(loaded, passes, chosen, measure=measure)


def run(
    source: Source,
    inputs: Mapping[str, Array | Bytes] | None = None,
    *,
    device: Device | str | None = None,
    program: str | None = None,
    profile: ProfileName | None = None,
    options: str | None = None,
    schedule: str | None = None,
    pipeline: str | None = None,
    repeat: int = 1,
    measure: bool = True,
) -> RunResult:
    """
    Compile a program and run it `repeat` times on `inputs`, with the median of the times.

    As `compile`, and `device` may be `reference`: the interpreter, which needs no device. With
    `measure`, the forms are measured before, where it is to run several times.

    Raises a VyreError in one line for a program, an argument or an input that cannot be used, a
    DeviceError where the device fails, and an OutOfMemoryError where it has too little memory.
    """
    module, context, _ = load_source(source, program)
    passes = _passes(profile, options, schedule, pipeline)
    return run_module(
        module,
        inputs or {},
        device=device,
        pipeline=passes.pipeline,
        optimize=passes.optimize,
        repeat=repeat,
        measure=measure and Mode.from_environment() != Mode.OFF,
        context=context,
    )


def explain(
    source: Source,
    *,
    device: Device | str | None = None,
    program: str | None = None,
    profile: ProfileName | None = None,
    options: str | None = None,
    schedule: str | None = None,
    pipeline: str | None = None,
) -> Explanation:
    """
    What fuses in a program and what does not, which passes ran, and why.

    The arguments are those of `compile`; without `device`, or for the `reference`, it is for any
    device of OpenCL 1.2, and needs none. What isl is to prove is refused where islpy is missing.

    Raises a VyreError in one line for a program, a device or an argument that cannot be used.
    """
    loaded, passes = load_source(source, program), _passes(profile, options, schedule, pipeline)
    if device == REFERENCE_DEVICE:
        device = None
    found = choose_device(device) if isinstance(device, str) else device
    info = None if found is None else found.info
    return explain_module(loaded.module, passes, info, loaded.context, loaded.text)


def load_source(source: Source, program: str | None) -> _Loaded:
    """A program with the context it was read in. Raises a VyreError where it is none."""
    context, name, text = make_context(), "", ""
    if isinstance(source, ModuleOp | HasModule):
        module = source if isinstance(source, ModuleOp) else source.module
        warn_of_premature_reads(module)
    else:
        if "\n" in str(source):
            raise UsageError("expected the name of a file, got several lines: write them to a file")
        name, text = name_of(Path(source)), read_text(Path(source))
        module = parse_module(text, context, name)
    selected = select_program(module, program)
    find_program(selected)
    return _Loaded(selected, context, SourceText(name, text))


def _passes(
    profile: ProfileName | None, options: str | None, schedule: str | None, pipeline: str | None
) -> Passes:
    if profile is not None and profile not in get_args(ProfileName):
        hint = did_you_mean(profile, get_args(ProfileName), f"it is one of {', '.join(Profile)}")
        raise UsageError(f"unknown profile '{profile}': {hint}")
    if pipeline is None:
        return Passes(optimize=OptimizePass(profile=profile, options=options, schedule=schedule))
    if any(each is not None for each in (profile, options, schedule)):
        raise UsageError("'pipeline' names the passes that run: give no profile, options, schedule")
    return Passes(pipeline)
