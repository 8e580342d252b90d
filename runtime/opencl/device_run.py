"""A device as a backend of the host plan: a walk does a run, and notes what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr

from vyre_dialect.runtime.interpreter.arrays import Array, array_shape, table_contents
from vyre_dialect.runtime.interpreter.host_plan import (
    Declaration,
    HostRun,
    RemoteStorage,
    Results,
    Sizing,
)
from vyre_dialect.runtime.interpreter.machine import Key
from vyre_dialect.runtime.opencl import commands
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.flight import Command, Pace, Recording, RunInFlight
from vyre_dialect.runtime.opencl.results import ScratchBytes
from vyre_dialect.runtime.opencl.scratch_layout import ScratchLayout, block_key
from vyre_dialect.runtime.opencl.session import ArrayForm, DeviceArray
from vyre_dialect.runtime.opencl.timings import Arm


class HostReads:
    """What the host has read of the buffers of a run as it went along."""

    def __init__(self, flight: RunInFlight):
        self._flight = flight
        self.of_inputs: list[tuple[str, int, int, bytes]] = []
        """As a Recording has it."""
        self.are_all_of_inputs = True
        """If so, another run can know beforehand whether it comes to the same."""

    def read(self, declaration: Declaration, begin: int, end: int) -> Array:
        """The bytes `[begin, end)` of a buffer, behind what has been started so far."""
        data = self._flight.read(declaration, begin, end)()
        if declaration.name in self._flight.inputs and not declaration.type.writable:
            self.of_inputs.append((declaration.name, begin, end, data.tobytes()))
        else:
            self.are_all_of_inputs = False
        return data


class DeviceStorage(RemoteStorage):
    """A buffer of a run in memory that the device works on."""

    def __init__(self, declaration: Declaration, count: int, reads: HostReads):
        super().__init__(count, declaration.element_size)
        self.nbytes = count * declaration.element_size
        self._declaration = declaration
        self._reads = reads

    def fetch(self, begin: int, end: int) -> Array:
        return self._reads.read(self._declaration, begin, end)


class DeviceRun(HostRun[DeviceStorage]):
    """A run that follows the host plan. `tables` are those that are on the device already."""

    def __init__(
        self,
        sizing: Sizing,
        flight: RunInFlight,
        tables: dict[Key, PooledBuffer],
        layout: ScratchLayout,
        *,
        poison: bool = False,
    ):
        super().__init__(sizing)
        self.flight = flight
        self.arms: list[Arm] = []
        self.reads = HostReads(flight)
        self._inputs: list[tuple[Key, str]] = []
        self._taken: list[tuple[Key, int, str]] = []
        self._commands: list[Command] = []
        self._tables = tables
        self._layout = layout
        self._poison = poison
        for number, size in enumerate(layout.blocks):
            self._take(block_key(number), size, "scratch")

    def recording(
        self,
        program: str,
        results: Results,
        left: Iterable[Declaration],
        recyclable: Sequence[Declaration],
    ) -> Recording:
        """All that was done, for other runs, with what the host gets and what stays."""
        return Recording(
            program,
            self.flight.session.device.info.label,
            self.reads.of_inputs,
            self._inputs,
            self._taken,
            self._commands,
            self.arms,
            results if results.traps or results.outputs else None,
            [(each.name, each.key, self._form(each)) for each in left],
            self._scratch_bytes(recyclable) if recyclable else None,
            Pace(),
        )

    def do(self, command: Command) -> None:
        """Do something now, and whenever a run does the same."""
        command(self.flight)
        self._commands.append(command)

    def make(self, declaration: Declaration, count: int) -> DeviceStorage:
        """The buffer with its initial contents: its table, those supplied, its fill, or any.

        Raises a DeviceError where the device has no room for it.
        """
        size = count * declaration.element_size
        if declaration.contents is not None:
            self.do(commands.use(declaration.key, self._table(declaration.contents, declaration)))
        elif (supplied := self.flight.inputs.get(declaration.name)) is None:
            self._make_filled(declaration, size)
        elif isinstance(supplied, DeviceArray):
            self._make_resident(declaration, supplied)
        else:
            self._make_supplied(declaration, size)
        return DeviceStorage(declaration, count, self.reads)

    def release(self, declaration: Declaration) -> None:
        """The buffer is dead: where it is asked for, it is overwritten."""
        if self._poison and self._is_own(declaration):
            self.do(commands.poison(declaration.key))

    def _is_own(self, declaration: Declaration) -> bool:
        return declaration.key in self._layout.places or declaration.name not in self.flight.inputs

    def _scratch_bytes(self, recyclable: Sequence[Declaration]) -> ScratchBytes:
        """
        The memory that was allocated for `recyclable` buffers, and what they would take each by
        itself; inputs count where they share memory.
        """
        counted = [each for each in recyclable if self._is_own(each)]
        memory = [self.flight.memory[each.key] for each in counted]
        alone = sum(each.size for each in memory if isinstance(each, PooledBuffer))
        return ScratchBytes(
            sum(self._layout.blocks) + alone,
            sum(max(1, self.storages[each.key].nbytes) for each in counted),
            self._layout.lower_bound + alone,
        )

    def _form(self, declaration: Declaration) -> ArrayForm:
        shape = array_shape(declaration.type, self.storages[declaration.key].count)
        return ArrayForm(self.flight.session, declaration.dtype, shape)

    def _make_resident(self, declaration: Declaration, contents: DeviceArray) -> None:
        """Memory of the device that a program may read; a copy where it may write."""
        key, name = declaration.key, declaration.name
        if declaration.type.writable:
            self._room(declaration, contents.nbytes)
            self.do(commands.copy_input(key, name))
        else:
            self.flight.memory[key] = contents.buffer
            self._inputs.append((key, name))

    def _make_supplied(self, declaration: Declaration, size: int) -> None:
        """The host's own memory where the device can work on that and only reads, or a copy."""
        key, name = declaration.key, declaration.name
        may_share = self.flight.session.device.info.kind == "cpu"
        if may_share and not declaration.type.writable:
            self.do(commands.share_input(key, name))
        else:
            self._room(declaration, size)
            self.do(commands.send_input(key, name))

    def _make_filled(self, declaration: Declaration, size: int) -> None:
        self._room(declaration, size)
        if not declaration.is_filled or not size:
            return
        key, value = declaration.key, declaration.fill
        if self.flight.session.device.info.simulator:  # it takes filled memory for uninitialised
            contents = np.resize(value, size // value.nbytes)
            self.do(commands.send(key, declaration.name, contents))
        else:
            self.do(commands.fill(key, value, size))

    def _room(self, declaration: Declaration, size: int) -> None:
        """Memory with any contents, in the place of the buffer if it has one."""
        place = self._layout.places.get(declaration.key)
        if place is not None and size:
            self.do(commands.cut(declaration.key, place, size))
        else:
            self._take(declaration.key, max(1, size), declaration.name)

    def _take(self, key: Key, size: int, name: str) -> None:
        self.flight.memory[key] = self.flight.session.pool.take(size, name)
        self._taken.append((key, size, name))

    def _table(self, contents: DenseIntOrFPElementsAttr, declaration: Declaration) -> PooledBuffer:
        """A table, copied to the device the first time."""
        known = self._tables.get(declaration.key)
        if known is not None:
            return known
        table = table_contents(contents, declaration.type)
        made = self.flight.session.pool.take(max(1, table.nbytes), declaration.name)
        self.flight.send(declaration.name, made.handle, table)
        self._tables[declaration.key] = made
        return made
