"""What the ops mean that ask or tell other invocations."""

from __future__ import annotations

from vyre_dialect.ir.meaning import Meanings
from vyre_dialect.meanings.homes import HOMES
from vyre_dialect.ops.invocation import (
    AsyncCopyOp,
    AsyncWaitOp,
    BarrierOp,
    InvocationIdOp,
    LocalIdOp,
    SubgroupIdOp,
    SubgroupLaneOp,
    SubgroupReduceOp,
    SubgroupShuffleOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.kernel import CheckWholeWorkgroupsOp

OPS = Meanings(HOMES)
row = OPS.row

# Ids.

row(
    InvocationIdOp,
    step="invocation:invocation_id",
    statement="invocations:already_declared",
    range="invocation_id",
    affine="invocation_id",
    text_gpu_mlir="invocations:invocation_id",
)
row(
    WorkgroupIdOp,
    step="invocation:workgroup_id",
    statement="invocations:already_declared",
    range="workgroup_id",
    affine="workgroup_id",
    text_gpu_mlir="invocations:workgroup_id",
)
row(
    LocalIdOp,
    step="invocation:local_id",
    statement="invocations:already_declared",
    range="local_id",
    affine="local_id",
    text_gpu_mlir="invocations:local_id",
)
row(
    SubgroupIdOp,
    step="invocation:subgroup_id",
    statement="invocations:subgroup_id",
    range="subgroup",
    text_gpu_mlir="invocations:subgroup_id",
)
row(
    SubgroupLaneOp,
    step="invocation:subgroup_lane",
    statement="invocations:subgroup_lane",
    range="subgroup",
    text_gpu_mlir="invocations:subgroup_lane",
)

# Order.

row(
    BarrierOp,
    step="invocation:order_memory",
    statement="invocations:barrier",
    text_gpu_mlir="invocations:barrier",
)
row(
    AsyncCopyOp,
    step="invocation:async_copy",
    statement="invocations:async_copy",
    text_gpu_mlir="invocations:async_copy",
)
row(
    AsyncWaitOp,
    step="invocation:order_memory",
    statement="invocations:async_wait",
    text_gpu_mlir="invocations:barrier",
)

# Subgroups and the host.

row(
    SubgroupShuffleOp,
    step="invocation:subgroup_shuffle",
    statement="invocations:subgroup_shuffle",
    text_gpu_mlir="invocations:subgroup_shuffle",
)
row(
    SubgroupReduceOp,
    step="invocation:subgroup_reduce",
    statement="invocations:subgroup_reduce",
    text_gpu_mlir="invocations:subgroup_reduce",
)
row(CheckWholeWorkgroupsOp, step="invocation:check_whole_workgroups")
