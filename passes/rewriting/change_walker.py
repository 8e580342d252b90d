"""Drives patterns over what has changed since they were last driven over it to a fixpoint."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriteWalker

from vyre_dialect.ir.traversal import operands_of, ops_inside

REACH = 2
"""How many uses away from a change a pattern may look at it: `(x op c) op d` sees `x` change."""


class _State(NamedTuple):
    """What a pattern may see of an op, apart from its regions."""

    parent: Block | None
    before: Operation | None
    operands: tuple[SSAValue, ...]
    said: Hashable
    """Its attributes, properties and types."""

    @staticmethod
    def of(op: Operation) -> _State:
        said = (
            tuple(op.attributes.items()),
            tuple(op.properties.items()),
            tuple([result.type for result in op.results]),
            tuple([block.args for region in op.regions for block in region.blocks]),
        )
        return _State(op.parent, op.prev_op, operands_of(op), said)


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

    def _populate_worklist(self, op: Operation | Region | Block) -> None:
        now = {each: _State.of(each) for each in ops_inside(op)}
        concerned = _concerned(self.states, now)
        for each in reversed(now):
            if each in concerned:
                self._worklist.push(each)
        self.states.clear()
        self.states.update(now)


def _concerned(then: Mapping[Operation, _State], now: Mapping[Operation, _State]) -> set[Operation]:
    """The ops of which a pattern may see that something has changed."""
    if not then:
        return set(now)
    changed = [op for op, state in now.items() if then.get(op) != state]
    left = [state for op, state in then.items() if now.get(op) != state]
    concerned = set(changed)
    front: Iterable[Operation] = changed
    for _ in range(REACH):
        front = {use.operation for op in front for result in op.results for use in result.uses}
        concerned.update(front)
    for state in left:
        # What they used may be dead now, and what they stood in may be empty.
        concerned.update(value.op for value in state.operands if isinstance(value, OpResult))
        if (parent := state.parent and state.parent.parent_op()) is not None:
            concerned.add(parent)
    for op in list(concerned):
        while (op := op.parent_op()) is not None and op not in concerned:
            concerned.add(op)
    return concerned
