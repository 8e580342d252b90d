"""
The programs of a scan as they were compiled before, kept by the literals and decoders that they are
made of: a second scan writes no program down, and loads neither what would nor what compiles it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vyre_dialect.runtime.scanning.buffers import DECODED, ENCODED
from vyre_dialect.runtime.scanning.chain import Stage

if TYPE_CHECKING:
    from vyre_dialect.builder import Program
    from vyre_dialect.runtime.driver.job import BuiltProgram
    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.program.compiled_program import CompiledProgram


class Wanted(ABC):
    """A program that is to be compiled, or was."""

    source: str
    """The buffer that it takes."""

    @abstractmethod
    def program(self) -> Program:
        """The program itself."""

    @abstractmethod
    def parts(self) -> Iterator[str | bytes]:
        """What it is made of, so that no two programs have the same parts."""


@dataclass(frozen=True)
class Decoding(Wanted):
    """What decodes a stage."""

    stage: Stage
    source = ENCODED

    def program(self) -> Program:
        from vyre_dialect.runtime.scanning.programs import decoding

        return decoding(self.stage)

    def parts(self) -> Iterator[str | bytes]:
        encoding = self.stage.encoding
        yield "decoding"
        yield "" if encoding is None else encoding.name
        yield from self.stage.keys


@dataclass(frozen=True)
class Locating(Wanted):
    """What locates literals."""

    literals: tuple[bytes, ...]
    source = DECODED

    def program(self) -> Program:
        from vyre_dialect.runtime.scanning.programs import locating

        return locating(self.literals)

    def parts(self) -> Iterator[str | bytes]:
        yield "locating"
        yield from self.literals


def compiled(wanted: Wanted, device: Device) -> CompiledProgram:
    """A program for a device, that was kept or is compiled now."""
    from vyre_dialect.runtime.driver.kept_programs import Kept, KeptPrograms
    from vyre_dialect.runtime.driver.plan_context import plan_context

    kept, context = KeptPrograms.default(), plan_context()
    key = kept.key(device.info, ["scan", *wanted.parts()])
    if key is not None and (known := kept.get(key, context)) is not None:
        return known.compiled
    built = _built(wanted, device)
    if key is not None:
        kept.put(key, Kept(built.compiled, built.inputs), context)
    return built.compiled


def _built(wanted: Wanted, device: Device) -> BuiltProgram:
    import numpy as np

    from vyre_dialect.runtime.driver.execute import built_program
    from vyre_dialect.runtime.driver.job import Job
    from vyre_dialect.runtime.program.loading import make_context
    from vyre_dialect.runtime.program.passes import Passes
    from vyre_dialect.runtime.tuning.mode import Mode

    nothing = {wanted.source: np.zeros(0, np.uint8)}
    module = wanted.program().module
    return built_program(Job(module, device, nothing, Passes(), Mode.OFF, make_context()))
