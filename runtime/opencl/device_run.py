"""A device as a backend of the host plan: the buffers of one run, and what it launches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr

from vyre_dialect.runtime.interpreter.host_plan import (
    Declaration,
    HostRun,
    PendingRead,
    RemoteStorage,
    Sizing,
)
from vyre_dialect.runtime.interpreter.machine import Key
from vyre_dialect.runtime.interpreter.storage import POISON
from vyre_dialect.runtime.opencl.arena import ScratchLayout, ScratchSlice
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.session import DeviceArray, Session
from vyre_dialect.runtime.opencl.shared_memory import SharedMemory, shared_memory
from vyre_dialect.runtime.opencl.transfers import Download, Upload
from vyre_dialect.runtime.program.arrays import (
    Array,
    array_shape,
    table_contents,
)
from vyre_dialect.runtime.program.results import ArmTiming, ScratchBytes
from vyre_dialect.runtime.progress import Progress, no_progress

if TYPE_CHECKING:
    import pyopencl as cl

Contents: TypeAlias = Array | DeviceArray
"""What the host supplies for a buffer."""


Memory: TypeAlias = PooledBuffer | ScratchSlice | SharedMemory
"""What kernels work on: memory of the device, or of the host."""


class DeviceStorage(RemoteStorage):
    """A buffer of the program in memory that the device works on."""

    def __init__(self, count: int, element_size: int, memory: Memory, queue: cl.CommandQueue):
        super().__init__(count, element_size)
        self.memory = memory
        self.nbytes = count * element_size
        self._queue = queue

    def fetch(self, begin: int, end: int) -> Array:
        return self.download(begin, end, "", no_progress)()

    def download(self, begin: int, end: int, name: str, progress: Progress) -> PendingRead:
        """The bytes `[begin, end)`, as they are after everything launched so far."""
        if isinstance(self.memory, SharedMemory):
            bytes = self.memory.bytes[begin:end]
            return lambda: bytes.copy()
        return Download(self._queue, self.memory.handle, begin, end, name, progress)


class Launched(NamedTuple):
    """An arm that a run has come to."""

    generator: str
    bytes: int
    """As ArmTiming has it."""

    event: cl.Event | None
    """None where there was nothing to launch."""

    def timing(self) -> ArmTiming:
        """The time of the launch, which has ended."""
        return ArmTiming(self.generator, _duration(self.event), self.bytes)


class DeviceRun(HostRun[DeviceStorage]):
    """The buffers and launches of one run. They are its own, but for the tables of the program."""

    def __init__(
        self,
        sizing: Sizing,
        session: Session,
        inputs: Mapping[str, Contents],
        tables: dict[Key, Memory],
        progress: Progress,
        layout: ScratchLayout,
        *,
        poison: bool = False,
    ):
        super().__init__(sizing)
        self.launched: list[Launched] = []
        self.session = session
        self.progress = progress
        self._inputs = inputs
        self._tables = tables
        self._uploads: list[Upload] = []
        self._layout = layout
        self._poison = poison
        self._blocks = [session.pool.take(size, "scratch") for size in layout.blocks]

    def scratch_bytes(self, recyclable: Iterable[Declaration]) -> ScratchBytes:
        """
        The memory that was allocated for `recyclable` buffers, and what they would take each by
        itself; inputs count where they share memory.
        """
        counted = [
            self.storages[each.key]
            for each in recyclable
            if each.key in self._layout.places or each.name not in self._inputs
        ]
        alone = sum(each.memory.size for each in counted if isinstance(each.memory, PooledBuffer))
        return ScratchBytes(
            sum(block.size for block in self._blocks) + alone,
            sum(max(1, each.nbytes) for each in counted),
            self._layout.lower_bound + alone,
        )

    def release(self, declaration: Declaration) -> None:
        """Nobody reads the buffer any more: where it is asked for, it is overwritten."""
        memory = self.storages[declaration.key].memory
        is_own = isinstance(memory, ScratchSlice) or declaration.name not in self._inputs
        if self._poison and is_own and not isinstance(memory, SharedMemory):
            self._overwrite(memory.handle, memory.size)

    def _overwrite(self, handle: cl.Buffer, size: int) -> None:
        import pyopencl as cl

        cl.enqueue_fill_buffer(self.session.queue, handle, np.full(1, POISON, np.uint8), 0, size)

    def make(self, declaration: Declaration, count: int) -> DeviceStorage:
        """The buffer with its initial contents: its table, those supplied, its fill, or any.

        Raises a DeviceError where the device has no room for it.
        """
        memory = self._memory(declaration, count)
        return DeviceStorage(count, declaration.element_size, memory, self.session.queue)

    def read(self, declaration: Declaration, begin: int, end: int) -> PendingRead:
        """The bytes `[begin, end)` of a buffer, as they are after what has been started so far."""
        storage = self.storages[declaration.key]
        return storage.download(begin, end, declaration.name, self.progress)

    def left(self, declaration: Declaration) -> DeviceArray:
        """A buffer as an array that stays on the device."""
        storage = self.storages[declaration.key]
        buffer = storage.memory
        if not isinstance(buffer, PooledBuffer):  # the host may change it after the run
            assert isinstance(buffer, SharedMemory)
            shared, buffer = buffer, self._own(declaration, storage.nbytes)
            self._send(buffer.handle, declaration, shared.bytes)
        shape = array_shape(declaration.type, storage.count)
        return DeviceArray(self.session, buffer, declaration.dtype, shape)

    def timings(self) -> tuple[ArmTiming, ...]:
        """The time of each launch, after the last has ended."""
        import pyopencl as cl

        events = [launched.event for launched in self.launched if launched.event is not None]
        if events:
            cl.wait_for_events(events)
        return tuple(launched.timing() for launched in self.launched)

    def _memory(self, declaration: Declaration, count: int) -> Memory:
        if declaration.contents is not None:
            return self._table(declaration.contents, declaration)
        contents = self._inputs.get(declaration.name)
        if contents is None:
            return self._filled(declaration, count)
        if isinstance(contents, DeviceArray):
            return self._resident(declaration, contents)
        return self._supplied(declaration, contents)

    def _table(self, contents: DenseIntOrFPElementsAttr, declaration: Declaration) -> Memory:
        """A table, copied to the device the first time."""
        known = self._tables.get(declaration.key)
        if known is not None:
            return known
        table = table_contents(contents, declaration.type)
        made = self._upload(declaration, table)
        self._tables[declaration.key] = made
        return made

    def _supplied(self, declaration: Declaration, contents: Array) -> Memory:
        """The host's own memory where the device can work on that and only reads, or a copy."""
        shared = None if declaration.type.writable else shared_memory(self.session, contents)
        return shared or self._upload(declaration, contents)

    def _resident(self, declaration: Declaration, contents: DeviceArray) -> Memory:
        """Memory of the device that a program may read; a copy where it may write."""
        import pyopencl as cl

        if not declaration.type.writable:
            return contents.buffer
        made = self._take(declaration, contents.nbytes)
        if contents.nbytes:
            cl.enqueue_copy(
                self.session.queue, made.handle, contents.buffer.handle, byte_count=contents.nbytes
            )
        return made

    def _filled(self, declaration: Declaration, count: int) -> Memory:
        import pyopencl as cl

        size = count * declaration.element_size
        if not declaration.is_filled or not size:
            return self._take(declaration, size)
        value = declaration.fill
        if self.session.device.info.simulator:  # Oclgrind takes filled memory for uninitialised
            contents = np.resize(value, size // value.nbytes)
            return self._upload(declaration, contents)
        made = self._take(declaration, size)
        cl.enqueue_fill_buffer(self.session.queue, made.handle, value, 0, size)
        return made

    def _upload(self, declaration: Declaration, contents: Array) -> PooledBuffer | ScratchSlice:
        made = self._take(declaration, contents.nbytes)
        self._send(made.handle, declaration, contents)
        return made

    def _send(self, handle: cl.Buffer, declaration: Declaration, contents: Array) -> None:
        queue, name = self.session.queue, declaration.name
        self._uploads.append(Upload(queue, handle, contents, name, self.progress))

    def _own(self, declaration: Declaration, size: int) -> PooledBuffer:
        """Memory that no other buffer shares."""
        return self.session.pool.take(max(1, size), declaration.name)

    def _take(self, declaration: Declaration, size: int) -> PooledBuffer | ScratchSlice:
        place = self._layout.places.get(declaration.key)
        if place is None or not size:
            return self._own(declaration, size)
        block = self._blocks[place.block]
        if place.offset is None:
            return ScratchSlice(block.handle, size, block)
        return ScratchSlice(block.handle.get_sub_region(place.offset, size), size, block)


def _duration(event: cl.Event | None) -> int:
    """Nanoseconds on the device. pyopencl's `event.profile` takes eight times as long."""
    import pyopencl as cl

    if event is None:
        return 0
    begin = cast("int", event.get_profiling_info(cl.profiling_info.START))
    end = cast("int", event.get_profiling_info(cl.profiling_info.END))
    return end - begin
