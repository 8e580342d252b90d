"""The times that the arms of a run have taken, by the clock of the device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast, overload

from vyre_dialect.runtime.opencl.results import ArmTiming

if TYPE_CHECKING:
    import pyopencl as cl


class Arm(NamedTuple):
    """An arm that a run has come to."""

    generator: str
    bytes: int
    """As ArmTiming has it."""
    is_launched: bool
    """Not where it has no invocations."""


class Timings(Sequence[ArmTiming]):
    """The times of the arms of a run that has ended, read when the first is asked for."""

    __slots__ = ("_arms", "_events", "_known")

    def __init__(self, arms: Sequence[Arm], events: Sequence[cl.Event]):
        self._arms, self._events = arms, events
        self._known: tuple[ArmTiming, ...] | None = None

    @property
    def _read(self) -> tuple[ArmTiming, ...]:
        if self._known is None:
            events = iter(self._events)
            self._known = tuple(
                _timing(each, next(events))
                if each.is_launched
                else ArmTiming(each.generator, 0, each.bytes)
                for each in self._arms
            )
        return self._known

    @overload
    def __getitem__(self, index: int) -> ArmTiming: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ArmTiming, ...]: ...
    def __getitem__(self, index: int | slice) -> ArmTiming | tuple[ArmTiming, ...]:
        return self._read[index]

    def __len__(self) -> int:
        return len(self._arms)

    def __repr__(self) -> str:
        return repr(self._read)


def _timing(arm: Arm, event: cl.Event | None) -> ArmTiming:
    """
    Nanoseconds on the device, 0 for an arm that was not launched. pyopencl's `event.profile` takes
    eight times as long.
    """
    import pyopencl as cl

    if event is None:
        return ArmTiming(arm.generator, 0, arm.bytes)
    begin = cast("int", event.get_profiling_info(cl.profiling_info.START))
    end = cast("int", event.get_profiling_info(cl.profiling_info.END))
    return ArmTiming(arm.generator, end - begin, arm.bytes, begin_ns=begin)
