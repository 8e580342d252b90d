"""The dialect: every op, type and attribute of vyre."""

from xdsl.dialect_interfaces.constant_materialization import (
    ConstantMaterializationInterface,
)
from xdsl.dialects import arith
from xdsl.ir import Attribute, Dialect, Operation

from vyre_dialect.ir.types import (
    AccessAttr,
    AtomicKindAttr,
    AxisAttr,
    BufferType,
    EscapeAttr,
    InitialAttr,
    MemorySpaceAttr,
    ReduceKindAttr,
    TokenType,
)
from vyre_dialect.ops import (
    aggregate,
    buf_len,
    columns,
    decode,
    invocation,
    kernel,
    lanes,
    literals,
    memory,
    packed,
    packed_runs,
    pass_options,
    program,
    query,
    scan,
    schedule,
    select,
    words,
)


class FoldsToArith(ConstantMaterializationInterface):
    """Constants that ops fold to are those of `arith`."""

    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:
        """The constant that a fold of an op has found."""
        return arith.ConstantOp.build(properties={"value": value}, result_types=[type])


Vyre = Dialect(
    "vyre",
    [
        program.ProgramOp,
        program.BufferOp,
        buf_len.BufLenOp,
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
        words.PermuteBytesOp,
        lanes.CompareLanesOp,
        lanes.CompareFloatLanesOp,
        lanes.SelectLanesOp,
        lanes.ConvertLanesOp,
        lanes.LookUpLanesOp,
        kernel.KernelOp,
        kernel.CheckWholeWorkgroupsOp,
        kernel.LaunchOp,
        decode.Base64Op,
        decode.HexOp,
        decode.XorOp,
        decode.DeltaOp,
        packed.BitUnpackOp,
        packed.BitUnpackBlocksOp,
        packed_runs.BitUnpackRunsOp,
        columns.DictionaryOp,
        columns.ByteStreamSplitOp,
        columns.AlpOp,
        columns.RunLengthOp,
        literals.LiteralOp,
        literals.LiteralsOp,
        literals.LocateOp,
        scan.HistogramOp,
        scan.FilterOp,
        scan.PrefixSumOp,
        aggregate.AggregateOp,
        select.SelectOp,
        query.YieldOp,
        schedule.ScheduleOp,
        schedule.PassOp,
        schedule.RequestOp,
    ],
    [
        AccessAttr,
        packed.LayoutAttr,
        decode.AlphabetAttr,
        AtomicKindAttr,
        AxisAttr,
        BufferType,
        lanes.ConversionAttr,
        EscapeAttr,
        InitialAttr,
        MemorySpaceAttr,
        pass_options.DevicePropertyAttr,
        lanes.PredicateAttr,
        lanes.FloatPredicateAttr,
        ReduceKindAttr,
        TokenType,
        schedule.BoundaryAttr,
        schedule.FamilyAttr,
        schedule.PhaseAttr,
        schedule.ProfileAttr,
        schedule.ReasonAttr,
    ],
    [FoldsToArith()],
)
