"""What arms and kernels say of bad input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Region, SSAValue

from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ops.invocation import TrapOp


def messages_of_traps(body: Region) -> Mapping[SSAValue, Sequence[str]]:
    """The buffers that the traps of a body report into, each with their messages, in order."""
    messages = dict[SSAValue, dict[str, None]]()
    for op in ops_inside(body):
        if isinstance(op, TrapOp):
            messages.setdefault(op.errors, {})[op.message.data] = None
    return {errors: tuple(found) for errors, found in messages.items()}
