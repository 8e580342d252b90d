"""What `strategy=auto` takes for cheap enough to keep in private values."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith

from vyre_dialect.ops.program import BufferOp
from vyre_dialect.passes.analysis.access_relations import ArmAccesses
from vyre_dialect.passes.fusion.tiling.refusal import Reason, Refused
from vyre_dialect.passes.fusion.tiling.tiles import Share, Window, slope_of
from vyre_dialect.passes.fusion.tiling.windows import bytes_of

PRIVATE_BYTES = 64
"""What is kept in private values per invocation at the most."""
PRIVATE_COPIES = 4
"""How many producer invocations are repeated per consumer invocation at the most."""
PRIVATE_REDUNDANCY = 2
"""How often an element may be decoded, on average."""
PRIVATE_REPEATED_OPS = 64
"""How many ops of the producer are repeated per consumer invocation at the most."""


def require_few_bytes(windows: Mapping[BufferOp, Window]) -> None:
    """Raise Refused if private values of these windows would be too many."""
    if (held := bytes_of(windows)) > PRIVATE_BYTES:
        raise Refused(Reason.OVER_BUDGET, f"private values of {held} bytes are not cheap")


def require_little_repetition(
    producer: Share, consumer: ArmAccesses, windows: Mapping[BufferOp, Window]
) -> None:
    """Raise Refused if many elements, or many ops, would be done by more than one invocation."""
    if producer.count > PRIVATE_COPIES:
        raise Refused(Reason.OVER_BUDGET, f"{producer.count} repeated decodings are not cheap")
    for handoff in windows:
        _require_little_repetition(producer, consumer, handoff)


def _require_little_repetition(producer: Share, consumer: ArmAccesses, handoff: BufferOp) -> None:
    written = slope_of(producer.arm.writes_to(handoff))
    read = slope_of(consumer.reads_of(handoff))
    redundancy = 0
    if written is not None and read is not None and read.per_invocation:
        redundancy = abs(written.per_invocation / read.per_invocation) * producer.count
    if not 0 < redundancy <= PRIVATE_REDUNDANCY:
        raise Refused(Reason.OVER_BUDGET, "decoding elements several times is not cheap")
    ops = sum(not isinstance(op, arith.ConstantOp) for op in producer.arm.arm.walk())
    if (1 - 1 / redundancy) * producer.count * ops > PRIVATE_REPEATED_OPS:
        raise Refused(Reason.OVER_BUDGET, f"repeating {ops} operations is not cheap")
