"""What a run of a program gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vyre_dialect.ir.html import fragment
from vyre_dialect.runtime.display.drawings import Span, timeline
from vyre_dialect.runtime.display.tables import table
from vyre_dialect.runtime.interpreter.arrays import Array

if TYPE_CHECKING:
    from vyre_dialect.runtime.opencl.session import DeviceArray
    from vyre_dialect.runtime.program.decision import Decision

REFERENCE_DEVICE = "reference"
"""Name of the interpreter among the devices."""


@dataclass(frozen=True)
class ArmTiming:
    """One kernel of a run, in the order of the launches."""

    generator: str
    """The arm that the kernel was made from."""

    kernel_ns: int | None
    """Time on the device by its own clock; None where nothing was launched or nothing measures."""

    bytes: int
    """Bytes in the buffers that the arm may read, and once more in those it may write."""

    spread_ns: tuple[int, int] | None = None
    """The shortest and the longest time, where the time is the median of several."""

    begin_ns: int | None = None
    """When it began, by the clock of the device; None where the time is the median of several."""


@dataclass(frozen=True)
class ScratchBytes:
    """Device memory of the buffers that only the arms of a program know."""

    peak: int
    """What was allocated for them."""
    apart: int
    """What they would take each by itself."""
    lower_bound: int
    """What those that share memory take at once at most, and the others: no plan takes less."""


class RunResult(NamedTuple):
    """One execution of a program."""

    program: str
    device: str
    arms: Sequence[ArmTiming]
    """In the order of the launches."""
    outputs: dict[str, Array]
    """Contents of the live-out buffers that were read back, by name."""

    total_ns: int
    """Wall-clock time on the host, from the first buffer to the last output."""

    repeats: int = 1
    """How many runs the times are the median of."""

    spread_ns: tuple[int, int] | None = None
    """The shortest and the longest total."""

    compile_ns: int | None = None
    """Wall-clock time of passes and of the device's compiler; None where others have compiled."""

    resident: Mapping[str, DeviceArray] = MappingProxyType({})
    """The live-out buffers that were left on the device, by name."""

    scratch: ScratchBytes | None = None
    """None where no plan says which buffers are scratch."""

    decision: Decision | None = None
    """What tuning has decided and the program was compiled by; None for the default."""

    tuning_ns: int | None = None
    """Wall-clock time that it took to decide on it; None where that was decided before."""

    workgroup_size: int | None = None
    """What workgroups that follow live runs have come to; None where they do not."""

    policy: str | None = None
    """The policy for the device by which the program was compiled; None for none."""

    is_kept: bool = False
    """Whether no pass has run, as the program was compiled before."""

    def _repr_html_(self) -> str:
        """For notebooks: the outputs, and of each kernel the time, with when it ran."""
        total = f"{self.total_ns / 1e6:.3f} ms"
        head = f"<p><b>{escape(self.program)}</b> on {escape(self.device)}: {total} in all</p>"
        outputs = ((f"@{name}", *_described(array)) for name, array in self.outputs.items())
        parts = [head, table(("output", "type", "contents"), outputs)]
        if self.arms:
            rows = ((arm.generator, _time(arm.kernel_ns), f"{arm.bytes}") for arm in self.arms)
            parts.append(table(("kernel", "time", "bytes"), rows))
        if any(arm.kernel_ns for arm in self.arms):
            parts.append(f"<figure>{timeline(spans(self.arms))}</figure>")
        return fragment("".join(parts))


def _described(array: Array) -> tuple[str, str]:
    """The type and the first elements of an output."""
    shape = " x ".join(map(str, array.shape))
    return f"{shape} {array.dtype}", np.array2string(array, threshold=12, edgeitems=4)


def _time(taken: int | None) -> str:
    return "-" if taken is None else f"{taken / 1e3:.1f} µs"


def spans(arms: Sequence[ArmTiming]) -> list[Span]:
    """When arms ran, after the first began; one after the other where the device has no clock."""
    found, end = list[Span](), 0
    first = next((arm.begin_ns for arm in arms if arm.begin_ns is not None), 0)
    for arm in arms:
        begin = end if arm.begin_ns is None else arm.begin_ns - first
        found.append(Span(arm.generator, begin, arm.kernel_ns or 0))
        end = begin + found[-1].taken
    return found


def median_run(runs: list[RunResult], compile_ns: int | None = None) -> RunResult:
    """The last of several runs of one program, with the median of each of their times."""
    last = runs[-1]
    arms = tuple(
        _median_arm(arm, [run.arms[i].kernel_ns for run in runs]) for i, arm in enumerate(last.arms)
    )
    totals = [run.total_ns for run in runs]
    return last._replace(
        arms=arms,
        total_ns=round(median(totals)),
        spread_ns=(min(totals), max(totals)),
        repeats=len(runs),
        compile_ns=compile_ns,
    )


def _median_arm(arm: ArmTiming, times: list[int | None]) -> ArmTiming:
    measured = [time for time in times if time is not None]
    if not measured:
        return arm
    spread = (min(measured), max(measured))
    return replace(arm, kernel_ns=round(median(measured)), spread_ns=spread)
