"""Runs a program over and over, with workgroups whose size follows what the runs say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from time import perf_counter_ns

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ir.workgroup_choice import WORKGROUP_SIZE
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.interpreter.arrays import Bytes
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.flight import Contents
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.program.observers import Observer
from vyre_dialect.runtime.progress import Progress, no_progress
from vyre_dialect.runtime.tuning.configuration import Configurations
from vyre_dialect.runtime.tuning.feedback import WINDOW, ResizePolicy, Resizer

AXIS = f"{ProgramOp.name}.{WORKGROUP_SIZE}"


class LiveExecutor:
    """
    An executor that compiles its program again, for workgroups of another size, where the runs of
    a window suggest that. What runs give does not change; a program whose workgroup size means
    something keeps it. Raises what `compile_module` and `Executor` do.
    """

    def __init__(
        self,
        module: ModuleOp,
        device: Device | Session,
        policy: ResizePolicy,
        *,
        optimize: OptimizePass | None = None,
        observers: Sequence[Observer] = (),
        context: Context | None = None,
        progress: Progress = no_progress,
        window: int = WINDOW,
        clock: Callable[[], int] = perf_counter_ns,
    ):
        self.session = device if isinstance(device, Session) else Session(device)
        self._configurations = Configurations.of(module, self.session.device.info, optimize)
        self._context, self._observers = context, observers
        self._progress, self._clock = progress, clock
        size, sizes = _sizes_along_x(self._configurations)
        most = min(policy.most, max(sizes, default=policy.most))
        self._resizer = Resizer(sizes, size, replace(policy, most=most), window)
        self._executors: dict[int, Executor] = {}
        self._size, self._executor = size, self._built(size)
        self._end: int | None = None

    @property
    def workgroup_size(self) -> int:
        """Of the last run; 0 for a program whose size means something."""
        return self._size

    @property
    def compiled(self) -> CompiledProgram:
        """What the last run has run."""
        return self._executor.compiled

    def run(
        self, inputs: Mapping[str, Contents | Bytes], *, resident: Collection[str] = ()
    ) -> RunResult:
        """As `Executor.run`, with the size that earlier runs suggest."""
        if self._resizer.size != self._size:
            self._size, self._executor = self._resizer.size, self._built(self._resizer.size)
            self._end = None
        begin = self._clock() if self._end is None else self._end
        result = self._executor.run(inputs, resident=resident)
        self._end = self._clock()
        touched = sum(arm.bytes for arm in result.arms)
        device_ns = sum(arm.kernel_ns or 0 for arm in result.arms)
        self._resizer.record(touched, device_ns, self._end - begin)
        return result

    def _built(self, size: int) -> Executor:
        if size not in self._executors:
            module, optimize = self._configurations.apply({AXIS: size} if size else {})
            compiled = compile_module(
                module,
                optimize=optimize,
                observers=self._observers,
                context=self._context,
                device=self.session.device.info,
            )
            self._executors[size] = Executor(compiled, self.session, progress=self._progress)
        return self._executors[size]


def _sizes_along_x(configurations: Configurations) -> tuple[int, list[int]]:
    """The workgroup size of the program, and those to follow; 0 and none where it has more axes."""
    axis = next((each for each in configurations.axes if each.name == AXIS), None)
    if axis is None or not isinstance(axis.default, int):
        return 0, []
    return axis.default, [value for value in axis.values if isinstance(value, int)]
