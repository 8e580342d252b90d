"""What the ops of `scf` mean."""

from __future__ import annotations

from xdsl.dialects import scf

from vyre_dialect.ir.meaning import Meanings
from vyre_dialect.meanings.homes import HOMES

OPS = Meanings(HOMES)
row = OPS.row

# Branches.

row(
    scf.IfOp,
    step="control:if_op",
    statement="control_flow:if_op",
    affine="if_op",
    text_gpu_mlir="control_flow:if_op",
)
row(
    scf.IndexSwitchOp,
    step="control:index_switch",
    statement="control_flow:index_switch",
    text_gpu_mlir="control_flow:index_switch",
)
row(
    scf.ExecuteRegionOp,
    step="control:execute_region",
    statement="control_flow:execute_region",
    text_gpu_mlir="control_flow:execute_region",
)

# Loops.

row(
    scf.ForOp,
    step="control:for_op",
    statement="control_flow:for_op",
    text_gpu_mlir="control_flow:for_op",
)
row(
    scf.WhileOp,
    step="control:while_op",
    statement="control_flow:while_op",
    text_gpu_mlir="control_flow:while_op",
)

# What the op around them asks of them.

row(scf.YieldOp, statement="control_flow:terminator", text_gpu_mlir="control_flow:yield_op")
row(scf.ConditionOp, statement="control_flow:terminator", text_gpu_mlir="control_flow:condition")
