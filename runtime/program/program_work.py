"""The work of a compiled program on inputs of given sizes, launch by launch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, prod

from xdsl.ir import BlockArgument, SSAValue

from vyre_dialect.analysis.integers import Integers
from vyre_dialect.analysis.work import NO_WORK, Work, accessed_bytes, total, work_of
from vyre_dialect.ir.interfaces import AccessKind, BufferAccess, accesses_of
from vyre_dialect.ir.types import BufferType, MemorySpace, element_bytes
from vyre_dialect.ops.kernel import KernelOp, LaunchOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.runtime.interpreter.arrays import element_size
from vyre_dialect.runtime.interpreter.host_plan import HostPlan, HostRun, HostStep
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame
from vyre_dialect.runtime.interpreter.sampled_runs import OpRuns, SampledRuns
from vyre_dialect.runtime.interpreter.size_bounds import host_integers, is_close
from vyre_dialect.runtime.interpreter.storage import Storage

SECTOR_BYTES = 32
SUBGROUP = 32
"""Neighbours whose accesses are done together."""
ALWAYS = 1.0


@dataclass(frozen=True)
class LaunchWork:
    """The work of one launch."""

    generator: str
    """The arm that it is of."""
    likely: Work
    """Where conditions on data hold as often as is likely."""
    most: Work
    """Where all that data decides is done."""
    is_open: bool
    """Whether data decides how often a loop is run, or over how much."""


def counts_of(program: ProgramOp, sizes: Mapping[str, int]) -> dict[str, int]:
    """The number of elements of each input that a program has, from its bytes, by name."""
    types = ProgramInputs.of(program).types
    return {
        name: size // element_size(types[name]) for name, size in sizes.items() if name in types
    }


@dataclass(frozen=True)
class LaunchExtent:
    """Over how much a launch runs its kernel."""

    kernel: KernelOp
    grid: Sequence[int] | None
    """Workgroups along each axis; None where data decides how many there are."""
    numbers: Sequence[int | None]
    """What the host passes for each argument; None for a buffer."""


def launch_extents(program: ProgramOp, counts: Mapping[str, int]) -> list[LaunchExtent]:
    """
    The launches of a program, beside which its kernels stand, on inputs of so many elements, by
    name. Raises VyreError for sizes that make no sense.
    """
    plan = HostPlan[HostRun[Storage]](program, _no_arm, {})
    needed = {name: counts[name] for name in plan.run_time_sized if name in counts}
    integers = host_integers(plan, plan.sizing(needed))
    launches = [op for op in program.body.block.ops if isinstance(op, LaunchOp)]
    return [_extent(launch, integers) for launch in launches]


def program_work(program: ProgramOp, counts: Mapping[str, int]) -> list[LaunchWork]:
    """The work of each launch, of which `launch_extents` says over how much it runs."""
    return [_launch_work(each) for each in launch_extents(program, counts)]


def _no_arm(
    op: RegionOp | LaunchOp, compiler: Compiler, is_sized: bool
) -> HostStep[HostRun[Storage]]:
    """Nothing is run."""
    del op, compiler, is_sized

    def step(run: HostRun[Storage], frame: Frame) -> None:
        del run, frame

    return step


def _extent(launch: LaunchOp, integers: Integers) -> LaunchExtent:
    kernel = launch.callee()
    assert kernel is not None
    grid = [_host_number(each, launch, integers) for each in launch.workgroups]
    numbers = [
        None if isinstance(each.type, BufferType) else _host_number(each, launch, integers) or 0
        for each in launch.arguments
    ]
    known = [count for count in grid if count is not None]
    return LaunchExtent(kernel, known if len(known) == len(grid) else None, numbers)


def _launch_work(launch: LaunchExtent) -> LaunchWork:
    kernel, grid, numbers = launch.kernel, launch.grid, launch.numbers
    if grid is None or 0 in grid:
        return LaunchWork(kernel.generator.data, Work(), Work(), is_open=grid is None)
    likely = SampledRuns(kernel, grid, numbers)
    most = SampledRuns(kernel, grid, numbers, taken=ALWAYS)
    return LaunchWork(
        kernel.generator.data,
        kernel_work(kernel, grid, numbers, likely),
        kernel_work(kernel, grid, numbers, most),
        likely.has_open_loops,
    )


def _host_number(value: SSAValue | int, launch: LaunchOp, integers: Integers) -> int | None:
    """The most that a number of the host can be; None where data decides how much."""
    if isinstance(value, int):
        return value
    found = integers.range_at(value, launch.parent)
    return found.high if is_close(found) else None


def kernel_work(
    kernel: KernelOp, grid: Sequence[int], sizes: Sequence[int | None], sampled: SampledRuns
) -> Work:
    """The work of one launch over a grid of workgroups, by the runs of its ops."""
    once = {op: work_of(op) for op in sampled.runs}
    parts = [once[op].times(runs.count) for op, runs in sampled.runs.items()]
    own = Work(
        launches=1,
        workgroups=prod(grid),
        invocations=prod(grid) * prod(kernel.workgroup),
        branches=_iterations(sampled),
        data_branches=sum(runs.undecided for runs in sampled.runs.values()),
    )
    accesses = list(_accesses(sampled, MemorySpace.GLOBAL))
    updates = [*accesses, *_accesses(sampled, MemorySpace.WORKGROUP)]
    own = replace(
        own,
        private_gathers=sum(runs.gathered for _, runs in _accesses(sampled, MemorySpace.PRIVATE)),
        gathers=sum(runs.gathered for access, runs in accesses if not _is_update(access)),
        strided_words=sum(runs.count for access, runs in accesses if _is_strided(access, runs)),
        conflicts=sum(_conflicts(access, runs) for access, runs in updates if _is_update(access)),
        steps=sampled.most({op: 1.0 for op, work in once.items() if work != NO_WORK}),
        serial_words=sampled.most({op: work.global_words for op, work in once.items()}),
        sector_bytes=sum(_sector_bytes(access, runs) for access, runs in accesses),
        read_bytes=_footprint(sizes, accesses, reads=True),
        written_bytes=_footprint(sizes, accesses, reads=False),
    )
    return total([own, *parts])


def _iterations(sampled: SampledRuns) -> float:
    """How often loops begin anew."""
    ends = (op for op in sampled.runs if op.name == "scf.yield")
    return sum(sampled.runs[op].count for op in ends)


def _accesses(sampled: SampledRuns, space: MemorySpace) -> Iterator[tuple[BufferAccess, OpRuns]]:
    for op, runs in sampled.runs.items():
        for access in accesses_of(op):
            assert isinstance(access.buffer.type, BufferType)
            if access.buffer.type.space == space:
                yield access, runs


def _is_update(access: BufferAccess) -> bool:
    return access.kind == AccessKind.UPDATE


def _is_strided(access: BufferAccess, runs: OpRuns) -> bool:
    apart = _bytes_apart(access, runs)
    return not _is_update(access) and apart is not None and apart > SECTOR_BYTES


def _bytes_apart(access: BufferAccess, runs: OpRuns) -> float | None:
    """How far apart neighbours access a buffer; None where that is data."""
    if runs.stride is None:
        return None
    assert isinstance(access.buffer.type, BufferType)
    return runs.stride * (element_bytes(access.buffer.type.element_type) or 1)


def _conflicts(access: BufferAccess, runs: OpRuns) -> float:
    """
    Neighbours that update the same element at the same time: all, where all update one, and as many
    as chance has it among the elements that data names.
    """
    if runs.stride == 0 and not runs.gathered:
        return runs.count * SUBGROUP
    assert isinstance(access.buffer.type, BufferType)
    return runs.gathered * SUBGROUP / (access.buffer.type.static_count or SUBGROUP)


def _sector_bytes(access: BufferAccess, runs: OpRuns) -> float:
    """What an access moves between global memory and a cache next to the invocations."""
    size = accessed_bytes(access)
    alone = ceil(size / SECTOR_BYTES) * SECTOR_BYTES
    if (apart := _bytes_apart(access, runs)) is None:
        return runs.count * alone
    return runs.count * min(max(apart, size / SUBGROUP), alone)


def _footprint(
    sizes: Sequence[int | None], accesses: list[tuple[BufferAccess, OpRuns]], *, reads: bool
) -> float:
    """Distinct bytes that are read, or written: no more than a buffer has, or than is touched."""
    touched = dict[SSAValue, float]()
    for access, runs in accesses:
        if access.reads if reads else access.writes:
            size = accessed_bytes(access) * runs.count
            touched[access.buffer] = touched.get(access.buffer, 0.0) + size
    return sum(min(size, _buffer_bytes(buffer, sizes)) for buffer, size in touched.items())


def _buffer_bytes(buffer: SSAValue, sizes: Sequence[int | None]) -> float:
    """Bytes of a buffer that is an argument; the length of one that is sized stands behind it."""
    type = buffer.type
    assert isinstance(type, BufferType)
    if (size := type.static_bytes) is not None:
        return size
    length = sizes[buffer.index + 1] if isinstance(buffer, BlockArgument) else None
    return (length or 0) * (element_bytes(type.element_type) or 1)
