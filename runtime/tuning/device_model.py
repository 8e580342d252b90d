"""
What a device takes for each kind of work, and what a program takes by that.

A launch takes what starting it and what waiting for each other takes, and the longest of three that
happen at the same time: memory, arithmetic, and what the busiest invocation does one after another.
Source: Williams, Waterman and Patterson, "Roofline".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from vyre_dialect.analysis.work import KINDS, Work
from vyre_dialect.runtime.program.device_info import DeviceInfo, DeviceKind
from vyre_dialect.runtime.program.program_work import LaunchWork


class Bound(StrEnum):
    """What most of the time of a launch is taken for."""

    LATENCY = "latency"
    """What is done one after another, or by all in turn."""
    MEMORY = "memory"
    ARITHMETIC = "arithmetic"


class Component(StrEnum):
    """What the time of a launch is made of."""

    OVERHEAD = "overhead"
    """What comes on top of the rest: starting, waiting for each other, atomics."""
    CHAIN = "chain"
    """What the busiest invocation does, at the same time as the others."""
    MEMORY = "memory"
    ARITHMETIC = "arithmetic"

    @property
    def bound(self) -> Bound:
        """What it bounds a launch by."""
        return Bound.LATENCY if self in (Component.OVERHEAD, Component.CHAIN) else Bound(self.value)


AT_ONCE = (Component.CHAIN, Component.MEMORY, Component.ARITHMETIC)
"""Those of which the longest counts."""
_COMPONENTS = {
    **dict.fromkeys(("launches", "workgroups", "invocations", "barriers"), Component.OVERHEAD),
    **dict.fromkeys(("global_atomics", "workgroup_atomics"), Component.OVERHEAD),
    **dict.fromkeys(("wide_atomics", "conflicts"), Component.OVERHEAD),
    **dict.fromkeys(("steps", "serial_words"), Component.CHAIN),
    **dict.fromkeys(("read_bytes", "written_bytes", "traffic_bytes"), Component.MEMORY),
    **dict.fromkeys(("sector_bytes", "strided_words", "gathers"), Component.MEMORY),
}
DISTINCT_KINDS = ("read_bytes", "written_bytes")
"""Of bytes that count once, however often they are touched."""
_OF_CPUS = frozenset({"global_vectors", "vector_ops", "private_moves", "traffic_bytes"})
"""Kinds that GPUs know otherwise: they have lanes, words and sectors."""
_OF_GPUS = frozenset({"global_words", "lane_ops", "sector_bytes", "invocations", "conflicts"})


def kinds_of(device: DeviceKind) -> tuple[str, ...]:
    """The kinds of work that take time on devices of a kind."""
    others = _OF_CPUS if device == "gpu" else _OF_GPUS
    return tuple(kind for kind in KINDS if kind not in others)


def component_of(kind: str) -> Component:
    """What the time of a kind of work counts for."""
    return _COMPONENTS.get(kind, Component.ARITHMETIC)


def counted(work: Work, cache_bytes: float) -> dict[str, float]:
    """Work by its kinds; of distinct bytes, those count that the cache has no room for."""
    counts: dict[str, float] = {kind: getattr(work, kind) for kind in KINDS}
    touched = work.footprint_bytes
    outside = max(0.0, touched - cache_bytes) / touched if touched else 0.0
    for kind in DISTINCT_KINDS:
        counts[kind] *= outside
    return counts


@dataclass(frozen=True)
class Prediction:
    """What something is to take, in ns, and what that is made of."""

    ns: float
    parts: Mapping[Component, float]
    most_ns: float
    """What it takes if all is done that data decides."""
    is_open: bool = False
    """Whether data decides how often a loop is run, or over how much, so that it may be more."""
    roofline_ns: float = 0.0
    """What it takes to read and write all that is touched once, in memory or in the cache."""

    @property
    def roofline_share(self) -> float:
        """Which share of the time that is: how near it comes to the roofline of memory."""
        return self.roofline_ns / self.ns if self.ns else 0.0

    @property
    def bound(self) -> Bound:
        """What most of the time is taken for."""
        return max(self.parts, key=self.parts.__getitem__).bound

    @property
    def is_uncertain(self) -> bool:
        """Whether what data decides may make it take much more."""
        return self.is_open or self.most_ns > UNCERTAIN * self.ns


UNCERTAIN = 1.25
"""How many times what is likely all that data decides takes, where that is uncertain."""


@dataclass(frozen=True)
class DeviceModel:
    """What a device as a whole takes."""

    ns: Mapping[str, float]
    """Ns for one of each kind of work, as far as it takes any."""
    cache_bytes: float
    """Bytes that stay in the last level of its cache from one launch to the next."""
    error: float
    """By which share of what is measured predictions are wrong, in the median."""
    is_calibrated: bool = False
    """Whether it was measured on the device, or is what devices of its kind take."""
    details: Mapping[str, object] = field(default_factory=dict[str, object], compare=False)

    def predict(self, launches: Iterable[LaunchWork]) -> Prediction:
        """What the launches of a program take, one after another."""
        return total([self._predict(each) for each in launches])

    def is_slower(self, one: Prediction, other: Prediction, times: float = 1.0) -> bool:
        """
        Whether one thing takes more than so many times what the other does, even if both
        predictions are wrong by as much as they are in the median.
        """
        if one.is_open or other.is_open or self.error >= 1:
            return False
        return one.ns * (1 - self.error) > other.ns * (1 + self.error) and one.ns > times * other.ns

    def _predict(self, launch: LaunchWork) -> Prediction:
        likely, most = self._times(launch.likely), self._times(launch.most)
        most_ns, roofline = max(_ns(likely), _ns(most)), self._roofline(launch.likely)
        return Prediction(_ns(likely), likely, most_ns, launch.is_open, roofline)

    def _roofline(self, work: Work) -> float:
        """What it takes to touch each byte once, in memory or in the cache."""
        counts = counted(work, self.cache_bytes)
        outside = sum(counts[kind] * self.ns.get(kind, 0.0) for kind in DISTINCT_KINDS)
        inside = max(self.ns.get("traffic_bytes", 0.0), self.ns.get("sector_bytes", 0.0))
        return outside + inside * work.footprint_bytes

    def _times(self, work: Work) -> dict[Component, float]:
        times = dict.fromkeys(Component, 0.0)
        for kind, count in counted(work, self.cache_bytes).items():
            times[component_of(kind)] += count * self.ns.get(kind, 0.0)
        return times


def _ns(times: Mapping[Component, float]) -> float:
    return times[Component.OVERHEAD] + max(times[part] for part in AT_ONCE)


def total(parts: Sequence[Prediction]) -> Prediction:
    """What all of them take together."""
    of_all = {part: sum(each.parts[part] for each in parts) for part in Component}
    return Prediction(
        sum(each.ns for each in parts),
        of_all,
        sum(each.most_ns for each in parts),
        any(each.is_open for each in parts),
        sum(each.roofline_ns for each in parts),
    )


_CPU_NS = {
    "launches": 5000.0,
    "workgroups": 150.0,
    "read_bytes": 0.03,
    "written_bytes": 0.06,
    "traffic_bytes": 0.008,
    "global_vectors": 0.1,
    "strided_words": 0.05,
    "gathers": 0.3,
    "private_accesses": 0.3,
    "private_gathers": 0.3,
    "private_vectors": 0.2,
    "private_splits": 0.3,
    "private_moves": 0.2,
    "scalar_ops": 0.1,
    "wide_ops": 0.1,
    "divisions": 1.0,
    "vector_ops": 0.15,
    "shuffles": 0.2,
    "branches": 0.15,
    "data_branches": 1.5,
    "global_atomics": 5.0,
    "workgroup_accesses": 0.3,
    "workgroup_atomics": 5.0,
    "wide_atomics": 1.0,
    "barriers": 5.0,
    "steps": 0.3,
    "serial_words": 1.0,
}
"""Of two cores with vectors of 64 bytes."""
_GPU_NS = {
    "launches": 4000.0,
    "workgroups": 0.5,
    "invocations": 0.002,
    "read_bytes": 0.0005,
    "written_bytes": 0.0005,
    "sector_bytes": 0.0002,
    "global_words": 0.002,
    "strided_words": 0.002,
    "gathers": 0.003,
    "private_accesses": 0.002,
    "private_gathers": 0.003,
    "private_vectors": 0.003,
    "private_splits": 0.003,
    "workgroup_accesses": 0.0005,
    "scalar_ops": 0.0001,
    "wide_ops": 0.0002,
    "divisions": 0.002,
    "lane_ops": 0.0001,
    "shuffles": 0.0002,
    "branches": 0.0003,
    "data_branches": 0.0005,
    "global_atomics": 0.01,
    "workgroup_atomics": 0.002,
    "wide_atomics": 0.002,
    "conflicts": 0.0005,
    "barriers": 0.0005,
    "steps": 5.0,
    "serial_words": 50.0,
}
"""Of a GPU with some hundred units and 2 TB/s."""
UNCALIBRATED_ERROR = 1.0
_BUILT_IN: Mapping[bool, DeviceModel] = MappingProxyType(
    {
        False: DeviceModel(_CPU_NS, 4 << 20, UNCALIBRATED_ERROR),
        True: DeviceModel(_GPU_NS, 32 << 20, UNCALIBRATED_ERROR),
    }
)


def built_in(device: DeviceInfo) -> DeviceModel:
    """What devices of this kind take, to be replaced by what this one does."""
    return _BUILT_IN[device.kind == "gpu"]
