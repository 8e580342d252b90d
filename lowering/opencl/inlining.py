"""
Which values may be printed where they are used, instead of in a variable of their own.

A value may move to its only use, in the same block, if computing it has no side effects. What reads
memory that the kernel may write moves only as far as nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from xdsl.dialects import vector
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from vyre_dialect.ir.effects import effects_of, is_effect_free
from vyre_dialect.ir.interfaces import is_convergent
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType
from vyre_dialect.lowering.opencl.vectors import is_inner_insertion


def inlinable_values(root: Block, is_expression: Callable[[Operation], bool]) -> set[SSAValue]:
    """The values of `root` and of the blocks inside it that may move to their use."""
    found, writing = set[SSAValue](), _writing(root)
    blocks = [root]
    while blocks:
        block = blocks.pop()
        found |= _inlinable_in(block, is_expression, writing)
        blocks += [inner for op in block.ops for region in op.regions for inner in region.blocks]
    return found


def _inlinable_in(
    block: Block, is_expression: Callable[[Operation], bool], writing: Set[Operation]
) -> set[SSAValue]:
    ops = list(block.ops)
    position = {op: number for number, op in enumerate(ops)}
    writes_before = _running_count([op in writing for op in ops])
    printed_at = dict[Operation, int]()
    found = set[SSAValue]()
    for op in reversed(ops):
        printed_at[op] = position[op]
        user = _only_user(op)
        if user is None or user not in printed_at or not is_expression(op):
            continue
        if has_side_effects(op):
            continue
        place = printed_at[user]
        crossed = writes_before[place] - writes_before[position[op] + 1]
        if crossed and _reads_what_may_change(op):
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


def reads_memory(op: Operation) -> bool:
    """Whether the result of an op without side effects may depend on memory."""
    return any(effect.kind == MemoryEffectKind.READ for effect in effects_of(op) or ())


def _reads_what_may_change(op: Operation) -> bool:
    """Whether `op` reads memory that may be written while the kernel runs."""
    return any(
        effect.kind == MemoryEffectKind.READ and not _is_constant(effect.value)
        for effect in effects_of(op) or ()
    )


def _is_constant(memory: SSAValue | SymbolRefAttr | None) -> bool:
    """Whether the memory is constant while a kernel runs."""
    if not isinstance(memory, SSAValue) or not isinstance(memory.type, BufferType):
        return False
    return not memory.type.writable


def has_side_effects(op: Operation) -> bool:
    """Whether `op` by itself may write memory or order accesses to it, or does not say."""
    if is_convergent(type(op)):
        return True  # they may be printed as exchanges through memory
    if is_effect_free(type(op)):
        return False
    effects = effects_of(op)
    return effects is None or any(effect.kind != MemoryEffectKind.READ for effect in effects)


def _writing(root: Block) -> set[Operation]:
    """The ops in `root` that may write memory or order accesses to it, or in which one may."""
    writing = set[Operation]()
    for op in ops_inside(root):
        around: Operation | None = op
        if not op.regions and has_side_effects(op):
            while around is not None and around not in writing:
                writing.add(around)
                around = around.parent_op()
    return writing


def is_inner(op: Operation) -> bool:
    """Whether `op` is printed as a part of the vector insertion that uses it."""
    return isinstance(op, vector.InsertOp) and is_inner_insertion(op.result)
