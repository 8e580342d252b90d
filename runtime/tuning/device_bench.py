"""Candidates of a program, built and run on a device."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.context import Context

from vyre_dialect.ir.canonical_text import structural_hash
from vyre_dialect.ir.tuning import Choice
from vyre_dialect.runtime.errors import TimeLimitError, VyreError, first_line
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.buffer_pool import BufferPool
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import DeviceArray, Session
from vyre_dialect.runtime.opencl.waiting import interruptible
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.compiled_program import CompiledProgram
from vyre_dialect.runtime.tuning.configuration import Configurations
from vyre_dialect.runtime.tuning.measurement import Run
from vyre_dialect.runtime.tuning.tuner import Bench, BusyError, CandidateError


class DeviceBench(Bench):
    """Runs the configurations of a program on inputs that stay in the memory of one session."""

    def __init__(
        self,
        configurations: Configurations,
        session: Session,
        inputs: Mapping[str, Array],
        context: Context,
    ):
        self._configurations, self._session = configurations, session
        self._inputs, self._context = inputs, context
        self._resident = self._put()
        self._expected: Mapping[str, Array] | None = None

    def build(self, choices: Mapping[str, Choice]) -> tuple[str, DeviceCandidate]:
        try:
            module, optimize = self._configurations.apply(choices)
            compiled = compile_module(
                module,
                optimize=optimize,
                context=self._context,
                device=self._session.device.info,
            )
        except VyreError as error:
            raise CandidateError(first_line(error)) from error
        except Exception as error:  # a pass that no one has run with these options before
            raise CandidateError(f"{type(error).__name__}: {first_line(error)}") from error
        lowered = compiled.program.parent_op()
        assert lowered is not None
        return structural_hash(lowered), DeviceCandidate(compiled, self)

    def check(self, run: Run) -> int:
        assert isinstance(run, DeviceCandidate)
        try:
            time, outputs = run.checked()
        except VyreError as error:
            raise CandidateError(first_line(error)) from error
        if self._expected is None:  # the default is what all others are compared with
            self._expected = outputs
        for name, expected in self._expected.items():
            if outputs[name].tobytes() != expected.tobytes():
                raise CandidateError(f"wrong: '{name}' is not what the default gives")
        return time

    def move(self) -> None:
        old = self._resident  # while it is there, nothing else can lie in its place
        self._session.pool = BufferPool(self._session.context, self._session.device.info)
        self._resident = self._put()
        del old

    def wait_until_idle(self) -> None:
        """
        Wait for what was given up, once more as long as it might have taken. Raises a BusyError
        where it goes on.
        """
        try:
            interruptible(self._session.queue.finish, self._session.seconds)
        except TimeoutError as error:
            raise BusyError(
                f"a candidate took more than twice {self._session.seconds:g} s on "
                f"{self._session.device.info.label}, and keeps others from running: nothing is "
                "decided"
            ) from error

    @property
    def session(self) -> Session:
        """Where everything runs."""
        return self._session

    def inputs_of(self, compiled: CompiledProgram) -> dict[str, DeviceArray]:
        """Those inputs that a compiled program still takes, on the device."""
        names = {buffer.sym_name.data for buffer in compiled.program.buffers()}
        return {name: each for name, each in self._resident.items() if name in names}

    def _put(self) -> dict[str, DeviceArray]:
        return {name: self._session.put(np.asarray(each)) for name, each in self._inputs.items()}


class DeviceCandidate:
    """A configuration, which is built when it first runs; gives its time on the device."""

    def __init__(self, compiled: CompiledProgram, bench: DeviceBench):
        self._compiled, self._bench = compiled, bench
        self._executor: Executor | None = None

    def __call__(self) -> int:
        return self._run(keep=True)[0]

    def checked(self) -> tuple[int, Mapping[str, Array]]:
        """The time of a run, and what it gives."""
        return self._run(keep=False)

    def _run(self, *, keep: bool) -> tuple[int, Mapping[str, Array]]:
        """The time of a run and what the host gets of it; with `keep`, that stays on the device."""
        if self._executor is None:
            self._executor = Executor(self._compiled, self._bench.session)
        live = [each.sym_name.data for each in self._compiled.program.buffers() if each.live_out]
        inputs = self._bench.inputs_of(self._compiled)
        try:
            result = self._executor.run(inputs, resident=live if keep else ())
        except TimeLimitError:
            self._bench.wait_until_idle()
            raise
        time = sum(arm.kernel_ns or 0 for arm in result.arms)
        self._bench.device_ns += time
        return time, result.outputs
