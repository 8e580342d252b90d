"""Arms written as text, and their values by name."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.program.compilation import make_context, parse_module

PROGRAM = """
vyre.program @p workgroup_size [16] {
  %in = vyre.buffer @in : !vyre.buffer<?xi64, read_write>
  %fixed = vyre.buffer @fixed : !vyre.buffer<48xi8, read_write>
  %n = vyre.buf_len %in : !vyre.buffer<?xi64, read_write>
  vyre.region "arm" invocations [INVOCATIONS] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c10 = arith.constant 10 : index
    %c100 = arith.constant 100 : index
    %wide = vyre.load %in[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %any = arith.index_cast %wide : i64 to index
    OPS
  }
}
"""


def arm(ops: str, invocations: str = "%n") -> RegionOp:
    """An arm of `ops`, after those that PROGRAM has in common to all."""
    text = PROGRAM.replace("INVOCATIONS", invocations).replace("OPS", ops)
    module = parse_module(text, make_context())
    module.verify()
    (found,) = (op for op in module.walk() if isinstance(op, RegionOp))
    return found


def named_values(arm: Operation) -> dict[str, SSAValue]:
    """The results and block arguments in an arm and in the program around it, by name."""
    found = dict[str, SSAValue]()
    program = arm.parent_op()
    assert program is not None
    for op in program.walk():
        arguments = [arg for region in op.regions for block in region.blocks for arg in block.args]
        found |= {value.name_hint: value for value in (*op.results, *arguments) if value.name_hint}
    return found


def block_of(value: SSAValue) -> Block | None:
    """The block that a value is defined in."""
    owner = value.owner
    return owner.parent if isinstance(owner, Operation) else owner
