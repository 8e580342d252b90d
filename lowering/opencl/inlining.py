"""
Which values may be printed where they are used, instead of in a variable of their own.

A value may move to its only use, in the same block. What loads memory that the kernel writes may
move only as far as nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import vector
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from vyre_dialect.effects import effects_of
from vyre_dialect.interfaces import Convergent
from vyre_dialect.lowering.opencl.vectors import is_inner_insertion
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.types import BufferType


def inlinable_values(root: Block, is_expression: Callable[[Operation], bool]) -> set[SSAValue]:
    """The values of `root` and of the blocks inside it that may move to their use."""
    found = set[SSAValue]()
    blocks = [root]
    while blocks:
        block = blocks.pop()
        found |= _inlinable_in(block, is_expression)
        blocks += [inner for op in block.ops for region in op.regions for inner in region.blocks]
    return found


def _inlinable_in(block: Block, is_expression: Callable[[Operation], bool]) -> set[SSAValue]:
    ops = list(block.ops)
    position = {op: number for number, op in enumerate(ops)}
    writes_before = _running_count([_writes(op) for op in ops])
    printed_at = dict[Operation, int]()
    found = set[SSAValue]()
    for op in reversed(ops):
        printed_at[op] = position[op]
        user = _only_user(op)
        if user is None or user not in printed_at or not is_expression(op):
            continue
        place = printed_at[user]
        crossed = writes_before[place] - writes_before[position[op] + 1]
        if isinstance(op, LoadOp) and crossed and not _is_constant_memory(op):
            continue
        printed_at[op] = place
        found.add(op.results[0])
    return found


def _running_count(flags: Sequence[bool]) -> list[int]:
    counts = [0]
    for flag in flags:
        counts.append(counts[-1] + flag)
    return counts


def _only_user(op: Operation) -> Operation | None:
    """The op of the same block that uses the only result of `op`, once."""
    if len(op.results) != 1:
        return None
    user = op.results[0].get_user_of_unique_use()
    return user if user is not None and user.parent is op.parent else None


def _is_constant_memory(op: LoadOp) -> bool:
    """Whether nobody writes the buffer while a kernel runs."""
    assert isinstance(op.buffer.type, BufferType)
    return not op.buffer.type.writable


def _writes(op: Operation) -> bool:
    """Whether `op`, or an op inside it, may write memory or order accesses to it."""
    return any(_may_write(inner) for inner in op.walk() if not inner.regions)


def _may_write(op: Operation) -> bool:
    if op.has_trait(Convergent):
        return True  # they may be printed as exchanges through memory
    if op.dialect_name() in ("arith", "math", "scf", "vector"):
        return False
    effects = effects_of(op)
    return effects is None or any(e.kind == MemoryEffectKind.WRITE for e in effects)


def is_inner(op: Operation) -> bool:
    """Whether `op` is printed as a part of the vector insertion that uses it."""
    return isinstance(op, vector.InsertOp) and is_inner_insertion(op.result)
