"""Drives patterns over what has changed since they were last driven over it to a fixpoint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriteWalker

from vyre_dialect.ir.parts import (
    attributes_of,
    op_before,
    operands_of,
    parent_of,
    properties_of,
    results_of,
    type_of,
)
from vyre_dialect.ir.traversal import ops_inside

REACH = 2
"""How many uses away from a change a pattern may look at it: `(x op c) op d` sees `x` change."""


_State: TypeAlias = tuple[Block | None, tuple[SSAValue, ...], *tuple[object, ...]]
"""
What a pattern may see of an op, apart from its regions: its block and its operands, the op before
it, its attributes and properties, and types.
"""


States: TypeAlias = dict[Operation, _State]
"""The ops of a module at one time."""


@dataclass(eq=False, repr=False)
class ChangeWalker(PatternRewriteWalker):
    """
    Begins each walk with the ops that are not as they were before the last one, with those that
    use them and those around them. For patterns that look no farther than `REACH`.
    """

    states: States = field(default_factory=States)
    """What was seen last: nothing at first. To be kept by who walks over the same ops again."""

    def rewrite_region(self, region: Region) -> bool:
        """As in `PatternRewriteWalker`, but that a region is not swept twice as it is."""
        listener = self._get_rewriter_listener()
        result, changed = False, True
        while changed:
            self._populate_worklist(region)
            if not self._worklist:
                break
            changed = self._process_worklist(listener)
            is_swept = not changed and result
            if self.post_walk_func is not None and not is_swept:
                changed |= self.post_walk_func(region, listener)
            result |= changed
            if not self.apply_recursively:
                break
        return result

    def _populate_worklist(self, op: Operation | Region | Block) -> None:
        now = _states(op)
        concerned = _concerned(self.states, now) if self.states else now
        for each in reversed(now):
            if each in concerned:
                self._worklist.push(each)
        self.states.clear()
        self.states.update(now)


def _states(root: Operation | Region | Block) -> States:
    """The ops inside of `root` as they are now, found out without a call of Python for each."""
    ops = ops_inside(root)
    attributes, properties = list(map(attributes_of, ops)), list(map(properties_of, ops))
    states = zip(
        map(parent_of, ops),
        map(operands_of, ops),
        map(op_before, ops),
        map(tuple, attributes),
        map(tuple, map(_VALUES, attributes)),
        map(tuple, properties),
        map(tuple, map(_VALUES, properties)),
        [tuple(map(type_of, results)) for results in map(results_of, ops)],
        [_arguments(op) if op.regions else () for op in ops],
        strict=True,
    )
    return dict(zip(ops, states, strict=True))


_VALUES = dict[str, Attribute].values


def _arguments(op: Operation) -> tuple[Sequence[SSAValue], ...]:
    """Those of each block right in an op."""
    return tuple(block.args for region in op.regions for block in region.blocks)


def _concerned(then: Mapping[Operation, _State], now: Mapping[Operation, _State]) -> set[Operation]:
    """The ops of which a pattern may see that something has changed."""
    changed = [op for op, state in now.items() if then.get(op) != state]
    left = [then[op] for op in (*changed, *set(then).difference(now)) if op in then]
    concerned = set(changed)
    front: Iterable[Operation] = changed
    for _ in range(REACH):
        front = {use.operation for op in front for result in op.results for use in result.uses}
        concerned.update(front)
    for block, operands, *_ in left:
        # What they used may be dead now, and what they stood in may be empty.
        concerned.update(value.op for value in operands if isinstance(value, OpResult))
        if (parent := block and block.parent_op()) is not None:
            concerned.add(parent)
    for op in list(concerned):
        while (op := op.parent_op()) is not None and op not in concerned:
            concerned.add(op)
    return concerned
