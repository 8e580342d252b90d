"""Puts the results of pieces together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.results import ArmTiming, RunResult
from vyre_dialect.runtime.streams.pieces import Pieces

Sink: TypeAlias = Callable[[Array], None]
"""Takes the parts of an output of which each piece has one, in order."""
SinkOf: TypeAlias = Callable[[str], Sink | None]
"""Gives the sink of an output, by its name, or None for one that is kept in memory."""


def kept_in_memory(name: str) -> None:
    """No output has a sink."""
    del name


class Joined:
    """What the pieces that are done have come to. What has a sink is not kept."""

    def __init__(self, pieces: Pieces, sink_of: SinkOf):
        self._pieces = pieces
        found = {name: sink_of(name) for name in pieces.joined}
        self._sinks = {name: sink for name, sink in found.items() if sink is not None}
        self._parts: dict[str, list[Array]] = {
            name: [] for name in pieces.joined if name not in self._sinks
        }
        self._arms: dict[str, tuple[int | None, int]] = {}
        self.last: RunResult | None = None

    def add(self, parts: Mapping[str, Array], run: RunResult) -> None:
        """A piece is done, of which these are the parts of outputs that are put together."""
        for name, part in parts.items():
            if (sink := self._sinks.get(name)) is not None:
                sink(part)
            else:
                self._parts[name].append(part)
        for arm in run.arms:
            time, bytes_ = self._arms.get(arm.generator, (0, 0))
            both = None if time is None or arm.kernel_ns is None else time + arm.kernel_ns
            self._arms[arm.generator] = both, bytes_ + arm.bytes
        self.last = run

    def result(self, total_ns: int, compile_ns: int, policy: str | None) -> RunResult:
        """All of it, as a run of the program."""
        assert self.last is not None
        joined = {name: np.concatenate(parts) for name, parts in self._parts.items()}
        outputs = {
            name: joined.get(name, self.last.outputs[name])
            for name in self._pieces.outputs
            if name not in self._sinks
        }
        arms = [ArmTiming(name, time, bytes_) for name, (time, bytes_) in self._arms.items()]
        last = self.last
        return RunResult(
            last.program, last.device, arms, outputs, total_ns, compile_ns=compile_ns, policy=policy
        )
