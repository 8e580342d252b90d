"""What a module is like at one time, to find out whether a pass has changed it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.traversal import ops_inside


class Snapshot:
    """
    A module at one time, equal to any that is structurally equal. Names of values and locations do
    not count.

    It refers to the parts of the module, of which most passes replace few: to compare two of one
    module is to compare the same objects. Linear, without recursion.
    """

    def __init__(self, module: ModuleOp):
        self._parts = _parts(module)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        return self._parts == other._parts or _are_alike(self._parts, other._parts)


def _parts(module: ModuleOp) -> Sequence[object]:
    """All that a module consists of, in its order."""
    parts = list[object]()
    for op in ops_inside(module):
        parts += op, op.parent
        parts.extend(op.operands)
        for result in op.results:
            parts += result, result.type
        if op.attributes:
            parts.append(len(op.attributes))
            parts.extend(op.attributes.items())
        parts.extend(op.properties.items())
        if op.next_op is None:  # a terminator, if it is one
            parts.extend(op.successors)
        for region in op.regions:
            parts.append(len(region.blocks))
            for block in region.blocks:
                parts += block, len(block.args)
                for argument in block.args:
                    parts += argument, argument.type
    return parts


def _are_alike(parts: Sequence[object], others: Sequence[object]) -> bool:
    """Whether parts are equal but for which ops, values and blocks stand in the same places."""
    if len(parts) != len(others):
        return False
    twins = dict[int, object]()
    for part, other in zip(parts, others, strict=True):
        if isinstance(part, Operation):
            if not isinstance(other, Operation) or part.name != other.name:
                return False
        elif isinstance(part, SSAValue | Block):
            # Each stands once where it is defined, so that no two have the same twin.
            if twins.setdefault(id(part), other) is not other:
                return False
        elif part != other:
            return False
    return True
