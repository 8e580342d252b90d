"""A number that tells modules apart, to find out whether a pass has changed one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

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
        numbers = dict[int, int]()
        parts = list[Hashable]()
        stack: list[Operation | Block] = [module]
        while stack:
            each = stack.pop()
            if isinstance(each, Block):
                ops = list(each.ops)
                self._values((each, *each.args), numbers)
                parts.extend((len(ops), len(each.args)))
                parts.extend([self._attribute(argument.type) for argument in each.args])
                stack.extend(reversed(ops))
                continue
            self._operation(each, numbers, parts)
            for region in reversed(each.regions):
                stack.extend(reversed(region.blocks))
        return hash(tuple(parts))

    def _operation(self, op: Operation, numbers: dict[int, int], parts: list[Hashable]) -> None:
        parts.append(op.op_name.data if isinstance(op, UnregisteredOp) else op.name)
        for uses in (op.operands, op.successors):
            self._values(uses, numbers)
            parts.append(len(uses))
            parts.extend([numbers[id(value)] for value in uses])
        self._values(op.results, numbers)
        parts.append(len(op.results))
        parts.extend([self._attribute(result.type) for result in op.results])
        for attributes in (op.attributes, op.properties):
            parts.append(len(attributes))
            for name, value in attributes.items():
                parts.extend((name, self._attribute(value)))
        parts.extend([len(region.blocks) for region in op.regions])

    def _values(self, values: Iterable[SSAValue | Block], numbers: dict[int, int]) -> None:
        """Number values and blocks, by their `id`, in the order in which they are met."""
        for value in values:
            if id(value) not in numbers:
                numbers[id(value)] = len(numbers)

    def _attribute(self, attribute: Attribute) -> int:
        known = self._hashes.get(id(attribute))
        if known is None:
            # The attribute is kept, too: no other can get its id.
            known = self._hashes[id(attribute)] = attribute, hash(attribute)
        return known[1]
