"""The dialect: every op, type and attribute of vyre."""

from xdsl.ir import Dialect

from vyre_dialect.ops import invocation, kernel, memory, program
from vyre_dialect.types import (
    AccessAttr,
    AtomicKindAttr,
    AxisAttr,
    BufferType,
    InitialAttr,
    MemorySpaceAttr,
    ReduceKindAttr,
    TokenType,
)

Vyre = Dialect(
    "vyre",
    [
        program.ProgramOp,
        program.BufferOp,
        program.BufLenOp,
        program.RegionOp,
        memory.LoadOp,
        memory.StoreOp,
        memory.AtomicRMWOp,
        memory.AtomicCASOp,
        invocation.InvocationIdOp,
        invocation.WorkgroupIdOp,
        invocation.LocalIdOp,
        invocation.SubgroupLaneOp,
        invocation.SubgroupIdOp,
        invocation.BarrierOp,
        invocation.AsyncCopyOp,
        invocation.AsyncWaitOp,
        invocation.SubgroupShuffleOp,
        invocation.SubgroupReduceOp,
        invocation.TrapOp,
        kernel.KernelOp,
        kernel.LaunchOp,
    ],
    [
        AccessAttr,
        AtomicKindAttr,
        AxisAttr,
        BufferType,
        InitialAttr,
        MemorySpaceAttr,
        ReduceKindAttr,
        TokenType,
    ],
)
