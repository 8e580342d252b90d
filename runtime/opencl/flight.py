"""
A run on a device: what it was given, the memory it works on, and what it has enqueued. What it has
done can be recorded, so that runs on inputs of the same sizes do it again without the host plan,
as long as the host reads the same of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

import numpy as np

from vyre_dialect.runtime.errors import DeviceError, TimeLimitError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.host_plan import (
    Declaration,
    PendingRead,
    PendingResults,
    Results,
)
from vyre_dialect.runtime.interpreter.machine import Key
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.results import RunResult, ScratchBytes
from vyre_dialect.runtime.opencl.scratch_layout import ScratchSlice
from vyre_dialect.runtime.opencl.session import ArrayForm, DeviceArray, Session
from vyre_dialect.runtime.opencl.shared_memory import SharedMemory
from vyre_dialect.runtime.opencl.timings import Arm, Timings
from vyre_dialect.runtime.opencl.transfers import Download, Upload, Wait
from vyre_dialect.runtime.opencl.waiting import interruptible
from vyre_dialect.runtime.progress import Progress

if TYPE_CHECKING:
    import pyopencl as cl

T = TypeVar("T")

Contents: TypeAlias = Array | DeviceArray
"""What the host supplies for a buffer."""

Memory: TypeAlias = PooledBuffer | ScratchSlice | SharedMemory
"""What kernels work on: memory of the device, or of the host."""


Command: TypeAlias = Callable[["RunInFlight"], None]
"""Something that a run does with its memory, mostly by the queue of the device."""


BRIEF_NS = 10_000_000
"""
Runs that took less are waited for in the main thread, which hears of no signal meanwhile: another
thread would take 0.1 ms longer.
"""


class Pace:
    """How long runs that do the same have taken."""

    __slots__ = ("is_brief",)

    def __init__(self) -> None:
        self.is_brief = False
        """Whether the last one was; not before there was any."""


class Recording(NamedTuple):
    """A run of a program, without its memory and its inputs."""

    program: str
    device: str
    seen: Sequence[tuple[str, int, int, bytes]]
    """What the host has read of inputs, by name and range of bytes, to know what to do."""
    inputs: Sequence[tuple[Key, str]]
    """The arrays on the device that buffers are, as they lie there, by the names of inputs."""
    taken: Sequence[tuple[Key, int, str]]
    """What has memory from the pool, its size in bytes, and its name."""
    commands: Sequence[Command]
    """What is done with them, in order."""
    arms: Sequence[Arm]
    results: Results | None
    """None where the host is to have nothing, and no arm reports bad input."""
    left: Sequence[tuple[str, Key, ArrayForm]]
    """The live-out buffers that stay on the device, by name."""
    scratch: ScratchBytes | None
    pace: Pace


class Patience:
    """Waits in a run that may take long, up to a limit for all; the host can be interrupted."""

    def __init__(self, session: Session, held: object):
        self._session = session
        self._waited_ns = 0
        self._held = held
        """What must not go while kernels run, though nobody may wait for them any more."""

    def __call__(self, event: cl.Event) -> None:
        """Wait for an event. Raises a TimeLimitError when the run takes too long."""
        self.until(event.wait)

    def until(self, call: Callable[[], T], what: str = "the kernels") -> T:
        """
        What a call that blocks gives. Raises a TimeLimitError when the run takes too long, which
        says that `what` did.
        """
        if self._session.device.info.simulator:
            return call()  # Oclgrind runs kernels in the thread that waits, and crashes in others
        limit, before, begin = self._session.seconds, self._waited_ns, perf_counter_ns()
        left = None if limit is None else max(0.0, limit - before / 1e9)
        try:
            result = interruptible(partial(self._call, call), left)
        except TimeoutError as error:
            raise TimeLimitError(
                f"{what} took longer than {limit:g} s on {self._session.device.info.label}: "
                "allow more, or look for a loop that does not end"
            ) from error
        self._waited_ns = before + perf_counter_ns() - begin  # calls within this one are in it
        return result

    def _call(self, call: Callable[[], T]) -> T:
        return call()


def _at_once(event: cl.Event) -> None:
    event.wait()


class RunInFlight:
    """
    A run that has been started; until its result has been taken, its memory is its own. `begin` is
    when it was, by `perf_counter_ns`.
    """

    # After a kernel, the caches have forgotten the host's code: the less there is, the better.
    __slots__ = (
        "_begin",
        "_patience",
        "_pending",
        "_recording",
        "_resident",
        "_result",
        "_timings",
        "_uploads",
        "_wait",
        "events",
        "inputs",
        "memory",
        "progress",
        "queue",
        "session",
    )

    def __init__(
        self,
        session: Session,
        inputs: dict[str, Contents],
        progress: Progress,
        begin: int,
        pace: Pace | None,
    ):
        self.session = session
        self.queue = session.queue
        self.inputs = inputs
        self.progress = progress
        self.memory: dict[Key, Memory] = {}
        """Of the buffers that have come to be, and of the blocks that scratch buffers share."""
        self.events: list[cl.Event] = []
        """Of the arms that were launched, in order."""
        self._uploads: list[Upload] = []
        is_brief = pace is not None and pace.is_brief and session.seconds is None
        self._patience = None if is_brief else Patience(session, (self.memory, inputs))
        self._wait: Wait = self._patience or _at_once
        self._begin = begin
        self._pending: PendingResults | None = None
        self._result: RunResult | None = None

    def sees(self, recording: Recording) -> bool:
        """Whether the host reads of the inputs what it has read of others as they were recorded."""
        for name, begin, end, data in recording.seen:
            if self._input(name, begin, end).tobytes() != data:
                return False
        return True

    def on_host(self, compute: Callable[[], T]) -> T:
        """What the host computes. Raises a TimeLimitError where it takes longer than a run may."""
        if self._patience is None or self.session.seconds is None:
            return compute()
        return self._patience.until(compute, "the host's code")

    def replay(self, recording: Recording) -> None:
        """Do what another run did, on the inputs and in the memory of this one."""
        memory, inputs, take = self.memory, self.inputs, self.session.pool.take
        for key, name in recording.inputs:
            array = inputs[name]
            assert isinstance(array, DeviceArray)
            memory[key] = array.buffer
        for key, size, name in recording.taken:
            memory[key] = take(size, name)
        for command in recording.commands:
            command(self)

    def read_results(self, recording: Recording) -> None:
        """Start to read what the host is to have, behind all that was done."""
        self._recording = recording
        if recording.results is not None:
            self._pending = recording.results.start(self.read)
        if not self.session.device.info.simulator:  # it would run all kernels first
            self.queue.flush()
        # What follows the host does while the device is busy.
        self._timings = Timings(recording.arms, self.events)
        self._resident: dict[str, DeviceArray] = {}
        for name, key, form in recording.left:
            memory = self.memory[key]
            if not isinstance(memory, PooledBuffer):
                memory = self._copy(name, memory)
            self._resident[name] = DeviceArray(memory, form)

    @property
    def resident(self) -> Mapping[str, DeviceArray]:
        """The outputs that stay on the device, by name, for what is started from now on."""
        return self._resident

    def result(self) -> RunResult:
        """Wait for the run to end; every call gives the same result.

        Raises a TrapError when a kernel has reported bad input, and a DeviceError when the device
        has failed.
        """
        if self._result is not None:
            return self._result
        try:
            self._finish()
            self.memory.clear()
            self.inputs.clear()
            self._uploads.clear()
            outputs = {} if self._pending is None else self._pending.take()
        except opencl_error() as error:
            raise device_error(self.session.device, error) from error
        recording, total = self._recording, perf_counter_ns() - self._begin
        recording.pace.is_brief = total < BRIEF_NS
        self._result = RunResult(
            recording.program,
            recording.device,
            self._timings,
            outputs,
            total,
            resident=self._resident,
            scratch=recording.scratch,
        )
        return self._result

    def _finish(self) -> None:
        """Wait for all that was launched."""
        if self._patience is None:
            self._wait_for_all()
        else:
            self._patience.until(self._wait_for_all)

    def _wait_for_all(self) -> None:
        for event in reversed(self.events):  # behind the last, no other is waited for
            event.wait()

    def send(self, name: str, handle: cl.Buffer, contents: Array) -> None:
        """Start to copy `contents`, which must not change before the end of the run."""
        self._uploads.append(Upload(self.queue, handle, contents, self._wait, name, self.progress))

    def read(self, declaration: Declaration, begin: int, end: int) -> PendingRead:
        """
        The bytes from `begin` to before `end` of a buffer, as they are after what has been started
        so far.
        """
        memory = self.memory[declaration.key]
        if isinstance(memory, SharedMemory):
            data = memory.bytes[begin:end]
            return lambda: data.copy()
        name, progress = declaration.name, self.progress
        return Download(self.queue, memory.handle, begin, end, self._wait, name, progress)

    def _input(self, name: str, begin: int, end: int) -> Array:
        contents = self.inputs[name]
        if isinstance(contents, DeviceArray):
            return Download(self.queue, contents.buffer.handle, begin, end, self._wait)()
        return contents.reshape(-1).view(np.uint8)[begin:end]

    def _copy(self, name: str, memory: Memory) -> PooledBuffer:
        """A copy of memory of the host, which may change that after the run."""
        assert isinstance(memory, SharedMemory), "what escapes shares no memory"
        copy = self.session.pool.take(max(1, memory.bytes.size), name)
        self.send(name, copy.handle, memory.bytes)
        self.queue.flush()
        return copy


def opencl_error() -> type[Exception]:
    """What OpenCL raises; called only where something has been raised."""
    import pyopencl as cl

    return cl.Error


def device_error(device: Device, error: Exception) -> DeviceError:
    """What OpenCL has raised, for people."""
    import pyopencl as cl

    if isinstance(error, cl.MemoryError):
        return DeviceError(f"the program does not fit {device.info.label}: {error}")
    return DeviceError(f"{device.info.label} failed: {error}")
