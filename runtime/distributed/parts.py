"""What runs on shards come to, and how neighbours are put together: nothing twice, nothing lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.atomics import combined
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.opencl.results import ArmTiming


@dataclass(frozen=True)
class Part:
    """What the shards `begin` to before `end` have come to."""

    begin: int
    end: int
    kept: Mapping[str, Array]
    """What they add to buffers of which there is one for all shards."""
    joined: Mapping[str, Array]
    """Their elements of outputs of which each shard has some."""
    others: Mapping[str, Array]
    """The other outputs, which are those of the last shard."""
    arms: tuple[ArmTiming, ...]
    device: str


@dataclass(frozen=True)
class Trapped:
    """Bad input in the shards `begin` to before `end`: the first that an arm reports."""

    begin: int
    end: int
    program: str
    message: str
    offset: int
    or_later: bool

    @classmethod
    def of(cls, shard: int, program: str, error: TrapError) -> Trapped:
        """What a run on a shard has raised."""
        return cls(shard, shard + 1, program, error.message, error.offset, error.or_later)

    def as_error(self) -> TrapError:
        """What a run on all of the input would have raised."""
        return TrapError(self.program, self.message, self.offset, or_later=self.or_later)


def merged(kept: Mapping[str, AtomicKind], *parts: Part | Trapped) -> Part | Trapped:
    """
    Neighbouring parts, in order, as one; buffers of `kept` are combined by their atomics. Raises a
    ValueError where they are no neighbours.
    """
    for one, other in pairwise(parts):
        if one.end != other.begin:
            raise ValueError(
                f"expected shard {one.end} behind those before, got shard {other.begin}"
            )
    begin, end = parts[0].begin, parts[-1].end
    trapped = next((each for each in parts if isinstance(each, Trapped)), None)
    if trapped is not None:
        return replace(trapped, begin=begin, end=end)
    whole = [each for each in parts if isinstance(each, Part)]
    last = whole[-1]
    return Part(
        begin,
        end,
        {name: _combined(kind, [part.kept[name] for part in whole]) for name, kind in kept.items()},
        {name: np.concatenate([part.joined[name] for part in whole]) for name in last.joined},
        last.others,
        _added(whole),
        last.device,
    )


def _combined(kind: AtomicKind, arrays: Sequence[Array]) -> Array:
    total = arrays[0]
    for array in arrays[1:]:
        total = combined(kind, total, array)
    return total


def _added(parts: Sequence[Part]) -> tuple[ArmTiming, ...]:
    """The times of each arm on all shards; those of arms that run on some alone, too."""
    totals = dict[str, ArmTiming]()
    for timing in (arm for part in parts for arm in part.arms):
        known = totals.get(timing.generator, ArmTiming(timing.generator, 0, 0))
        both = (known.kernel_ns, timing.kernel_ns)
        time = None if None in both else sum(each or 0 for each in both)
        totals[timing.generator] = ArmTiming(timing.generator, time, known.bytes + timing.bytes)
    return tuple(totals.values())
