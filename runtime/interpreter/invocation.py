"""The ids of invocations, and the ops that a whole workgroup runs together."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from vyre_dialect.ir.interfaces import (
    AccessKind,
    HasInvocationsInterface,
    OrdersMemoryInterface,
    arm_of,
)
from vyre_dialect.ir.types import ReduceKind
from vyre_dialect.ops.invocation import (
    AsyncCopyOp,
    InvocationIdOp,
    LocalIdOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.batch import (
    GROUP,
    INVOCATION,
    LINEAR_WORKGROUP,
    LOCAL,
    LOCAL_POSITION,
    WORKGROUP,
    Batch,
    verify_whole_workgroups,
)
from vyre_dialect.runtime.interpreter.elements import (
    base_key,
    base_of,
    buffer_type,
    written,
)
from vyre_dialect.runtime.interpreter.formats import Array, integer_format, over_lanes, spread
from vyre_dialect.runtime.interpreter.machine import Compiler, Frame, Key, Step
from vyre_dialect.runtime.interpreter.observer import ObservedAccess
from vyre_dialect.runtime.interpreter.storage import Run

_REDUCTIONS: dict[ReduceKind, np.ufunc] = {
    ReduceKind.ADDI: np.add,
    ReduceKind.ANDI: np.bitwise_and,
    ReduceKind.ORI: np.bitwise_or,
    ReduceKind.XORI: np.bitwise_xor,
    ReduceKind.MAXS: np.maximum,
    ReduceKind.MAXU: np.maximum,
    ReduceKind.MINS: np.minimum,
    ReduceKind.MINU: np.minimum,
}
_SIGNED = frozenset({ReduceKind.MAXS, ReduceKind.MINS})
_FAR = 1 << 62
"""Farther than any element, and so near that sums with it do not wrap around."""


def _arm_of(op: Operation) -> HasInvocationsInterface:
    arm = arm_of(op)
    assert arm is not None
    return arm


def _alias(source: Key, result: Key) -> Step:
    def step(frame: Frame) -> None:
        frame.values[result] = frame.get(source)

    return step


def invocation_id(op: InvocationIdOp, compiler: Compiler) -> Step:
    """The position in the domain."""
    return _alias(compiler.need(INVOCATION, op.axis.data), compiler.key(op.id))


def workgroup_id(op: WorkgroupIdOp, compiler: Compiler) -> Step:
    """The position of the workgroup."""
    return _alias(compiler.need(WORKGROUP, op.axis.data), compiler.key(op.id))


def local_id(op: LocalIdOp, compiler: Compiler) -> Step:
    """The position in the workgroup."""
    return _alias(compiler.need(LOCAL, op.axis.data), compiler.key(op.id))


def subgroup_lane(op: SubgroupLaneOp, compiler: Compiler) -> Step:
    """The position in the subgroup."""
    lanes, result = _arm_of(op).lanes, compiler.key(op.id)
    local = compiler.need(*LOCAL_POSITION)

    def step(frame: Frame) -> None:
        frame.values[result] = frame.get(local) % lanes

    return step


def subgroup_id(op: SubgroupIdOp, compiler: Compiler) -> Step:
    """Which subgroup of the workgroup it is."""
    lanes, result = _arm_of(op).lanes, compiler.key(op.id)
    local = compiler.need(*LOCAL_POSITION)

    def step(frame: Frame) -> None:
        frame.values[result] = frame.get(local) // lanes

    return step


def _whole_workgroups(op: Operation, frame: Frame, group: Key) -> tuple[Batch, Array]:
    """
    The batch, and the positions in it of the workgroups in the frame. Raises VyreError
    unless they are there with all their invocations.
    """
    batch = frame.context
    assert isinstance(batch, Batch)
    if frame.size == batch.size:
        return batch, np.arange(batch.group_count)
    expected = batch.domain.group_size
    counts = np.bincount(frame.get(group), minlength=batch.group_count)
    partial = np.flatnonzero((counts != 0) & (counts != expected))
    if len(partial):
        raise VyreError(
            f"'{op.name}' expected all {expected} invocations of a workgroup, got "
            f"{counts[partial[0]]} of workgroup "
            f"{batch.span.start // expected + int(partial[0])} in arm "
            f'"{_arm_of(op).generator.data}"'
        )
    return batch, np.flatnonzero(counts)


def order_memory(op: OrdersMemoryInterface, compiler: Compiler) -> Step:
    """
    The step of any op that orders memory: invocations run in step, so that it need only begin a
    phase. Raises VyreError where not all invocations of a workgroup get there.
    """
    group, ordered = compiler.need(*GROUP), op.ordered_spaces

    def step(frame: Frame) -> None:
        batch, groups = _whole_workgroups(op, frame, group)
        for space in ordered:
            batch.phases[space][groups] += 1

    return step


def async_copy(op: AsyncCopyOp, compiler: Compiler) -> Step:
    """The copy is done at once; programs do not look before they wait for it."""
    group, token = compiler.need(*GROUP), compiler.key(op.token)
    operands = compiler.keys((op.source_index, op.destination_index, op.count))
    source, destination = compiler.key(op.source), compiler.key(op.destination)
    source_base, destination_base = (
        base_key(buffer, compiler) for buffer in (op.source, op.destination)
    )
    source_type = buffer_type(op.source)
    run = Run.of(source_type, source_type.element_type)
    compiler.need(*LINEAR_WORKGROUP)

    def step(frame: Frame) -> None:
        batch, groups = _whole_workgroups(op, frame, group)
        leaders = np.arange(len(groups)) * batch.domain.group_size
        begin, target, count = (spread(frame.get(key), frame.size)[leaders] for key in operands)
        first, count = _within(target, count, batch.buffers[destination].count)
        copies = np.repeat(np.arange(len(groups)), count)
        offsets = first[copies] + np.arange(len(copies)) - np.searchsorted(copies, copies)
        reads, writes = begin[copies] + offsets, target[copies] + offsets
        rows = leaders[copies]
        frame.values[token] = np.ones(1, dtype=np.bool_)
        if not len(copies):
            return
        values = batch.buffers[source].load(run, reads, _at(base_of(frame, source_base), rows))
        batch.buffers[destination].store(
            run, values, writes, _at(base_of(frame, destination_base), rows)
        )
        _report_copy(frame, op, AccessKind.READ, source, rows, reads, run)
        _report_copy(frame, op, AccessKind.WRITE, destination, rows, writes, run, values)

    return step


def _within(target: Array, count: Array, room: int) -> tuple[Array, Array]:
    """
    Which elements of copies to `target` end up in a buffer with room for so many: from which on,
    and how many, with one on either side that does not, so that it can be reported.
    """
    target, count = np.clip(target, -_FAR, _FAR), np.clip(count, 0, _FAR)
    first = np.clip(-target - 1, 0, np.maximum(count - 1, 0))
    end = np.maximum(np.minimum(count, room - target + 1), np.minimum(first + 1, count))
    return first, end - first


def _at(base: Array | None, rows: Array) -> Array | None:
    return None if base is None else base[rows]


def _report_copy(
    frame: Frame,
    op: AsyncCopyOp,
    kind: AccessKind,
    buffer: Key,
    rows: Array,
    elements: Array,
    run: Run,
    values: Array | None = None,
) -> None:
    batch = frame.context
    if batch.observer is None:
        return
    assert isinstance(batch, Batch)
    workgroups = spread(frame.get(LINEAR_WORKGROUP), frame.size)[rows]
    phases = batch.phases[batch.declarations[buffer].type.space]
    batch.observer.access(
        ObservedAccess(
            arm=batch.arm,
            op=op,
            buffer=batch.declarations[buffer],
            kind=kind,
            elements=elements,
            in_bounds=(elements >= 0) & (elements < batch.buffers[buffer].count),
            invocations=-1 - workgroups,
            workgroups=workgroups,
            phases=phases[frame.get(GROUP)[rows]],
            values=None if values is None else written(values, run),
        )
    )


def subgroup_shuffle(op: SubgroupShuffleOp, compiler: Compiler) -> Step:
    """A value of another invocation of the subgroup."""
    lanes, group = _arm_of(op).lanes, compiler.need(*GROUP)
    value, lane, result = compiler.keys((op.value, op.lane, op.result))

    def step(frame: Frame) -> None:
        _whole_workgroups(op, frame, group)
        values, wanted = spread(frame.get(value), frame.size), frame.get(lane)
        exists = (wanted >= 0) & (wanted < lanes)
        firsts = np.arange(frame.size) // lanes * lanes
        found = values[firsts + np.where(exists, wanted, 0)]
        there = over_lanes(exists, values.ndim - 1)
        frame.values[result] = np.where(there, found, values.dtype.type(0))

    return step


def subgroup_reduce(op: SubgroupReduceOp, compiler: Compiler) -> Step:
    """The values of a subgroup combined."""
    lanes, group = _arm_of(op).lanes, compiler.need(*GROUP)
    value, result = compiler.keys((op.value, op.result))
    fmt, ufunc = integer_format(op.value.type), _REDUCTIONS[op.kind.data]
    view = fmt.signed if op.kind.data in _SIGNED else fmt.unsigned

    def step(frame: Frame) -> None:
        _whole_workgroups(op, frame, group)
        values = view(spread(frame.get(value), frame.size)).reshape(-1, lanes)
        totals = ufunc.reduce(values, axis=1, dtype=values.dtype)
        frame.values[result] = fmt.pack(np.repeat(totals, lanes))

    return step


def check_whole_workgroups(op: CheckWholeWorkgroupsOp, compiler: Compiler) -> Step:
    """Raises where a count does not fill workgroups."""
    invocations = compiler.key(op.invocations)
    generator, size = op.generator.data, op.workgroup_size.value.data

    def step(frame: Frame) -> None:
        verify_whole_workgroups(generator, int(frame.get(invocations).item()), size)

    return step
