"""How each op is written in MLIR's own dialects: one table, from op to rule."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, math, scf, vector
from xdsl.ir import Operation

from vyre_dialect.lowering.mlir import (
    accesses,
    arithmetic,
    control_flow,
    invocations,
    updates,
    vectors,
)
from vyre_dialect.lowering.mlir.arithmetic import kept, same
from vyre_dialect.lowering.mlir.writer import Rule
from vyre_dialect.ops import buf_len, buffer, invocation, lanes, memory, words

RULES: Mapping[type[Operation], Rule] = {
    # Integers. `overflow` is dropped: results that do not fit are their low bits.
    arith.ConstantOp: kept("value"),
    **dict.fromkeys((arith.AddiOp, arith.SubiOp, arith.MuliOp), same),
    **dict.fromkeys((arith.AndIOp, arith.OrIOp, arith.XOrIOp), same),
    **dict.fromkeys((arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp), same),
    **dict.fromkeys((arith.ExtUIOp, arith.ExtSIOp, arith.TruncIOp, arith.IndexCastOp), same),
    **dict.fromkeys((arith.AddUIExtendedOp, arith.SelectOp), same),
    **dict.fromkeys((arith.MulUIExtendedOp, arith.MulSIExtendedOp), same),
    arith.CmpiOp: kept("predicate"),
    **dict.fromkeys((arith.DivUIOp, arith.RemUIOp, arith.CeilDivUIOp), arithmetic.divide),
    **dict.fromkeys((arith.DivSIOp, arith.RemSIOp), arithmetic.divide_signed),
    **dict.fromkeys((arith.CeilDivSIOp, arith.FloorDivSIOp), arithmetic.divide_signed),
    **dict.fromkeys((arith.ShLIOp, arith.ShRUIOp), arithmetic.shift),
    arith.ShRSIOp: arithmetic.shift_signed,
    # Floats. `fastmath` is dropped: nothing is fused or reordered.
    **dict.fromkeys((arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp), same),
    **dict.fromkeys((arith.NegfOp, arith.MinimumfOp, arith.MaximumfOp), same),
    **dict.fromkeys((arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp, arith.UIToFPOp), same),
    arith.BitcastOp: same,
    arith.CmpfOp: kept("predicate"),
    **dict.fromkeys((arith.MinnumfOp, arith.MaxnumfOp), arithmetic.number_extremum),
    **dict.fromkeys((arith.FPToSIOp, arith.FPToUIOp), arithmetic.to_integer),
    # Functions. What GPUs compute approximately is as precise as their libraries make it.
    **dict.fromkeys((math.AbsFOp, math.CopySignOp, math.CeilOp, math.FloorOp), same),
    **dict.fromkeys((math.TruncOp, math.RoundOp, math.RoundEvenOp, math.FmaOp), same),
    **dict.fromkeys((math.SqrtOp, math.RsqrtOp, math.CbrtOp, math.PowFOp), same),
    **dict.fromkeys((math.ExpOp, math.Exp2Op, math.ExpM1Op, math.ErfOp), same),
    **dict.fromkeys((math.LogOp, math.Log2Op, math.Log10Op, math.Log1pOp), same),
    **dict.fromkeys((math.SinOp, math.CosOp, math.TanOp, math.Atan2Op), same),
    **dict.fromkeys((math.AsinOp, math.AcosOp, math.AtanOp, math.TanhOp), same),
    **dict.fromkeys((math.SinhOp, math.CoshOp, math.AsinhOp, math.AcoshOp), same),
    **dict.fromkeys((math.AtanhOp, math.AbsIOp, math.CtPopOp, math.FPowIOp), same),
    **dict.fromkeys((math.CountLeadingZerosOp, math.CountTrailingZerosOp), same),
    math.IPowIOp: arithmetic.power,
    # Vectors.
    **dict.fromkeys((vector.BroadcastOp, vector.BitcastOp, vector.FMAOp), same),
    vector.CreateMaskOp: same,
    vector.ShuffleOp: vectors.shuffle,
    vector.ExtractOp: vectors.extract,
    vector.InsertOp: vectors.insert,
    vector.ReductionOp: vectors.reduction,
    lanes.CompareLanesOp: vectors.compare,
    lanes.CompareFloatLanesOp: vectors.compare_floats,
    lanes.SelectLanesOp: vectors.select,
    lanes.ConvertLanesOp: vectors.convert,
    lanes.LookUpLanesOp: vectors.look_up,
    words.PermuteBytesOp: vectors.permute_bytes,
    # Control flow.
    scf.IfOp: control_flow.if_op,
    scf.ForOp: control_flow.for_op,
    scf.WhileOp: control_flow.while_op,
    scf.IndexSwitchOp: control_flow.index_switch,
    scf.ExecuteRegionOp: control_flow.execute_region,
    scf.YieldOp: control_flow.yield_op,
    scf.ConditionOp: control_flow.condition,
    # Memory.
    buffer.BufferOp: accesses.declare,
    buf_len.BufLenOp: accesses.length,
    memory.LoadOp: accesses.load,
    memory.StoreOp: accesses.store,
    memory.AtomicRMWOp: updates.atomic_rmw,
    memory.AtomicCASOp: updates.atomic_cas,
    invocation.TrapOp: updates.trap,
    # Invocations and workgroups.
    invocation.InvocationIdOp: invocations.invocation_id,
    invocation.WorkgroupIdOp: invocations.workgroup_id,
    invocation.LocalIdOp: invocations.local_id,
    invocation.SubgroupIdOp: invocations.subgroup_id,
    invocation.SubgroupLaneOp: invocations.subgroup_lane,
    invocation.BarrierOp: invocations.barrier,
    invocation.AsyncCopyOp: invocations.async_copy,
    invocation.AsyncWaitOp: invocations.barrier,
    invocation.SubgroupShuffleOp: invocations.subgroup_shuffle,
    invocation.SubgroupReduceOp: invocations.subgroup_reduce,
}
