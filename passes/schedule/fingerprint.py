"""A number that tells modules apart, to find out whether a pass has changed one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, SSAValue


class Fingerprints:
    """
    Fingerprints of a module at several times: equal where it is structurally equal, and else
    different but for a chance of 2^-61. Names of values and locations do not count.

    Linear, without recursion. Attributes are hashed once, as most of them stay.
    """

    def __init__(self) -> None:
        self._hashes: dict[int, tuple[Attribute, int]] = {}

    def of(self, module: ModuleOp) -> int:
        """The fingerprint of the module as it is."""
        numbers = dict[SSAValue | Block, int]()
        parts = list[Hashable]()
        stack: list[Operation | Block] = [module]
        while stack:
            each = stack.pop()
            if isinstance(each, Block):
                parts.append(self._block(each, numbers))
                stack.extend(reversed(list(each.ops)))
                continue
            parts.append(self._operation(each, numbers))
            for region in reversed(each.regions):
                stack.extend(reversed(list(region.blocks)))
        return hash(tuple(parts))

    def _block(self, block: Block, numbers: dict[SSAValue | Block, int]) -> Hashable:
        for value in (block, *block.args):
            numbers.setdefault(value, len(numbers))
        types = tuple(self._attribute(argument.type) for argument in block.args)
        return numbers[block], types, len(block.ops)

    def _operation(self, op: Operation, numbers: dict[SSAValue | Block, int]) -> Hashable:
        for value in (*op.operands, *op.successors, *op.results):
            if value not in numbers:
                numbers[value] = len(numbers)
        return (
            op.op_name.data if isinstance(op, UnregisteredOp) else op.name,
            self._attributes(op.attributes),
            self._attributes(op.properties),
            tuple(numbers[operand] for operand in op.operands),
            tuple(numbers[successor] for successor in op.successors),
            tuple((numbers[result], self._attribute(result.type)) for result in op.results),
            tuple(len(region.blocks) for region in op.regions),
        )

    def _attributes(self, attributes: Mapping[str, Attribute]) -> Hashable:
        if not attributes:
            return ()
        return tuple(sorted((name, self._attribute(value)) for name, value in attributes.items()))

    def _attribute(self, attribute: Attribute) -> int:
        known = self._hashes.get(id(attribute))
        if known is None:
            # The attribute is kept, too: no other can get its id.
            known = self._hashes[id(attribute)] = attribute, hash(attribute)
        return known[1]
