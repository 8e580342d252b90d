"""Arms and launches of kernels, run batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vyre_dialect.ir.types import MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import KernelOp, LaunchOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.batch import Batch, Domain, verify_whole_workgroups
from vyre_dialect.runtime.interpreter.host_plan import Extents, compile_extents
from vyre_dialect.runtime.interpreter.machine import Body, Compiler, Derived, Frame, Key
from vyre_dialect.runtime.interpreter.observer import Observer
from vyre_dialect.runtime.interpreter.storage import Storage

DEFAULT_BATCH_INVOCATIONS = 32768
LOCAL_MEMORY_LIMIT = 16 << 20
"""Bytes of workgroup and private memory in a batch, if it has more than one workgroup."""


@dataclass(frozen=True)
class Arm:
    """A compiled arm, or a launch of a compiled kernel."""

    op: RegionOp | LaunchOp
    generator: str
    body: Body
    needs: set[Derived]
    extents: Extents
    """Invocations along each axis of an arm, workgroups along each axis of a launch."""
    workgroup: tuple[int, int, int]
    cooperative: bool
    local_buffers: Mapping[Key, BufferOp]
    """The workgroup and private buffers that the body uses."""
    arguments: Mapping[Key, Key]
    """What a launch gives to each argument of its kernel, by their keys."""

    def domain(self, frame: Frame) -> Domain:
        """The invocations, as many as the host has computed. Raises VyreError for a bad count."""
        extents = self.extents(frame)
        if isinstance(self.op, LaunchOp):
            x, y, z = (n * size for n, size in zip(extents, self.workgroup, strict=True))
            extents = x, y, z
        domain = Domain(extents, self.workgroup, self.cooperative)
        if self.cooperative:
            for extent, size in zip(domain.extents, domain.workgroup, strict=True):
                verify_whole_workgroups(self.generator, extent, size)
        return domain


def compile_arm(op: RegionOp, compiler: Compiler) -> Arm:
    """Compile an arm, with the compiler of the host code around it."""
    code = _arm_compiler(compiler)
    return Arm(
        op=op,
        generator=op.generator.data,
        body=code.body(op.body.block),
        needs=code.needs,
        extents=compile_extents(op.domain, compiler),
        workgroup=op.workgroup,
        cooperative=not op.is_data_parallel,
        local_buffers=_local_buffers(op, code),
        arguments={},
    )


def compile_launch(op: LaunchOp, compiler: Compiler) -> Arm:
    """Compile a launch and the kernel that it launches."""
    kernel = op.callee()
    if kernel is None:
        raise VyreError(f"'{op.name}' expected a 'vyre.kernel' of the module, got {op.kernel}")
    code = _arm_compiler(compiler)
    arguments = kernel.body.block.args
    return Arm(
        op=op,
        generator=kernel.generator.data,
        body=replace(code.body(kernel.body.block), arguments=()),
        needs=code.needs,
        extents=compile_extents(op.workgroups, compiler),
        workgroup=kernel.workgroup,
        cooperative=True,
        local_buffers=_local_buffers(kernel, code),
        arguments=dict(zip(code.keys(arguments), compiler.keys(op.arguments), strict=True)),
    )


def _arm_compiler(compiler: Compiler) -> Compiler:
    """A compiler that shares the names of values, as arms see the values of the host."""
    return replace(compiler, needs=set())


def _local_buffers(op: RegionOp | KernelOp, compiler: Compiler) -> dict[Key, BufferOp]:
    operands = (operand for inner in op.body.walk() for operand in inner.operands)
    owners = dict.fromkeys(operand.owner for operand in operands)
    return {
        compiler.key(owner.buffer): owner
        for owner in owners
        if isinstance(owner, BufferOp) and owner.type.space != MemorySpace.GLOBAL
    }


@dataclass
class ArmRunner:
    """Runs the arms of one program, each to its end."""

    observer: Observer | None
    batch_invocations: int
    _arm: int = 0

    def run(self, arm: Arm, host: Frame) -> None:
        """Run an arm from the frame of the host code."""
        domain = arm.domain(host)
        if self.observer is not None:
            self.observer.begin_arm(self._arm, arm.op)
        buffers, declarations = _bound(arm, host)
        parent = _with_arguments(arm, host)
        for span in domain.batches(self._batch_invocations(arm, domain)):
            local = _local_storages(arm, domain, len(span))
            batch = Batch(
                domain,
                span,
                {**buffers, **local},
                {**declarations, **arm.local_buffers},
                arm=self._arm,
                observer=self.observer,
            )
            arm.body.run(batch.frame(parent, arm.needs))
        self._arm += 1

    def _batch_invocations(self, arm: Arm, domain: Domain) -> int:
        data = sum(
            (op.type.static_bytes or 0) * _instances(op, domain, domain.group_size)
            for op in arm.local_buffers.values()
        )
        groups = LOCAL_MEMORY_LIMIT // max(data, 1)
        return min(self.batch_invocations, groups * domain.group_size)


def _bound(arm: Arm, host: Frame) -> tuple[dict[Key, Storage], dict[Key, BufferOp]]:
    """The global buffers that the body sees, by its keys, and their declarations."""
    storages, declarations = dict(host.context.buffers), dict(host.context.declarations)
    for argument, given in arm.arguments.items():
        if given in storages:
            storages[argument] = storages[given]
            declarations[argument] = declarations[given]
    return storages, declarations


def _with_arguments(arm: Arm, host: Frame) -> Frame:
    """The frame of the host, with the sizes that a kernel takes as arguments."""
    frame = Frame(host.context, 1, host)
    for argument, given in arm.arguments.items():
        if given not in host.context.buffers:
            frame.values[argument] = host.get(given)
    return frame


def _instances(op: BufferOp, domain: Domain, invocations: int) -> int:
    if op.type.space == MemorySpace.PRIVATE:
        return invocations
    return -(-invocations // domain.group_size)


def _local_storages(arm: Arm, domain: Domain, invocations: int) -> dict[Key, Storage]:
    return {
        key: Storage.garbage(op.type, _instances(op, domain, invocations))
        for key, op in arm.local_buffers.items()
    }
