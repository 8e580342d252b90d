"""The programs of a scan as they run on a device, or on the interpreter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from vyre_dialect.runtime.scanning.arrays import Bytes, Offsets
from vyre_dialect.runtime.scanning.buffers import DECODED, ENCODED, POSITIONS, WHICH
from vyre_dialect.runtime.scanning.chain import Stage
from vyre_dialect.runtime.scanning.kept_programs import Decoding, Locating, Wanted, compiled

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.runtime.interpreter.arrays import Array
    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.opencl.executor import Executor
    from vyre_dialect.runtime.opencl.session import DeviceArray

Text: TypeAlias = "Bytes | DeviceArray"
"""Bytes of the host, or what a run has left on a device."""

_NO_ROOM_FOR_MORE = 4
"""A device is given files of up to this fraction of what one of its buffers may hold."""
_MOST_POSITIONS = (1 << 32) - 1
"""Offsets are of 32 bits."""


class Runs(ABC):
    """What runs the programs of a scan for some literals; a program is made when it is needed."""

    def __init__(self, literals: Sequence[bytes]):
        self.literals = tuple(literals)

    @property
    @abstractmethod
    def name(self) -> str:
        """What runs them, for people."""

    @property
    @abstractmethod
    def most_bytes(self) -> int:
        """How large a file may be to be taken whole."""

    @abstractmethod
    def prepare(self, chain: Sequence[Stage]) -> None:
        """Compile now what would be compiled when it is needed."""

    @abstractmethod
    def decode(self, stage: Stage, encoded: Bytes) -> Text:
        """What a stage makes of digits. Raises a TrapError for wrong ones."""

    @abstractmethod
    def locate(self, text: Text) -> tuple[Offsets, Offsets]:
        """Where the literals occur, and which of them, in the order in which they end."""

    @abstractmethod
    def fetch(self, text: Text) -> Bytes:
        """The bytes of a text."""


class DeviceRuns(Runs):
    """Programs of one session on an OpenCL device; what is decoded stays there."""

    def __init__(self, device: Device, literals: Sequence[bytes]):
        from vyre_dialect.runtime.opencl.session import Session

        super().__init__(literals)
        self._device, self._session = device, Session(device)
        self._decoders = dict[Stage, "Executor"]()

    @property
    def name(self) -> str:
        return self._device.info.label

    @property
    def most_bytes(self) -> int:
        return min(self._device.info.max_alloc_bytes // _NO_ROOM_FOR_MORE, _MOST_POSITIONS)

    @cached_property
    def _locator(self) -> Executor:
        return self._executor(Locating(self.literals))

    def prepare(self, chain: Sequence[Stage]) -> None:
        for stage in chain:
            self._decoder(stage)
        _ = self._locator

    def _decoder(self, stage: Stage) -> Executor:
        if stage not in self._decoders:
            self._decoders[stage] = self._executor(Decoding(stage))
        return self._decoders[stage]

    def decode(self, stage: Stage, encoded: Bytes) -> DeviceArray:
        run = self._decoder(stage).run({ENCODED: encoded}, resident=(DECODED,))
        return run.resident[DECODED]

    def locate(self, text: Text) -> tuple[Offsets, Offsets]:
        return _offsets(self._locator.run({DECODED: text}).outputs)

    def fetch(self, text: Text) -> Bytes:
        return text if isinstance(text, np.ndarray) else text.get().view(np.uint8)

    def _executor(self, wanted: Wanted) -> Executor:
        """What runs a program that was kept or is compiled now."""
        from vyre_dialect.runtime.opencl.executor import Executor

        return Executor(compiled(wanted, self._device), self._session)


class ReferenceRuns(Runs):
    """Programs on the interpreter, which needs no device."""

    @property
    def name(self) -> str:
        return "reference"

    @property
    def most_bytes(self) -> int:
        return _MOST_POSITIONS

    def prepare(self, chain: Sequence[Stage]) -> None:
        pass

    def decode(self, stage: Stage, encoded: Bytes) -> Bytes:
        return self._run(Decoding(stage).program().module, {ENCODED: encoded})[DECODED].view(
            np.uint8
        )

    def locate(self, text: Text) -> tuple[Offsets, Offsets]:
        return _offsets(
            self._run(Locating(self.literals).program().module, {DECODED: self.fetch(text)})
        )

    def fetch(self, text: Text) -> Bytes:
        assert isinstance(text, np.ndarray)
        return text

    def _run(self, module: ModuleOp, inputs: Mapping[str, Bytes]) -> dict[str, Array]:
        from vyre_dialect.runtime.driver.execute import run_module
        from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE

        return run_module(module, inputs, device=REFERENCE_DEVICE).outputs


def _offsets(outputs: Mapping[str, Array]) -> tuple[Offsets, Offsets]:
    positions, which = (
        outputs[name].view(np.uint32).astype(np.int64) for name in (POSITIONS, WHICH)
    )
    return positions, which


def runs_on_each(devices: str, literals: Sequence[bytes]) -> list[Runs]:
    """What runs the programs on several devices, as `choose_devices` has their names."""
    from vyre_dialect.runtime.opencl.devices import choose_devices

    return [DeviceRuns(device, literals) for device in choose_devices(devices)]


def runs_on(device: str | None, literals: Sequence[bytes]) -> Runs:
    """What runs the programs on a device, by name; raises a VyreError where there is none."""
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE

    if device == REFERENCE_DEVICE:
        return ReferenceRuns(literals)
    from vyre_dialect.runtime.opencl.devices import choose_device

    return DeviceRuns(choose_device(device), literals)
