"""A text of an op that is the same wherever the op is structurally the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from blake3 import blake3
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from vyre_dialect.ir.tuning import HasParametersInterface


def structural_hash(op: Operation, *, choices: bool = True) -> str:
    """The BLAKE3 digest, in hexadecimal digits, of the canonical text of `op`."""
    return blake3(canonical_text(op, choices=choices).encode()).hexdigest()


def canonical_text(op: Operation, *, choices: bool = True, symbols: bool = True) -> str:
    """
    A text of `op` on which names of values, locations, formatting and the order of attributes
    have no influence, and everything else has. It is made for comparison, not to be parsed.

    Without `choices`, what ops leave to choose (`HasParametersInterface`) has none, either, nor
    have the names of programs, buffers and kernels without `symbols`. Values, blocks and symbols
    are numbered as they are met. Linear, without recursion.
    """
    return "\n".join(_Writer(choices, symbols).lines(op))


class _Writer:
    def __init__(self, choices: bool, symbols: bool) -> None:
        self._choices, self._symbols = choices, symbols
        self._symbol_numbers: dict[str, int] = {}
        self._numbers: dict[int, int] = {}
        self._attributes: dict[int, tuple[Attribute, str]] = {}

    def lines(self, root: Operation) -> list[str]:
        lines = list[str]()
        stack: list[Operation | Block] = [root]
        while stack:
            each = stack.pop()
            if isinstance(each, Block):
                lines.append(
                    f"^{self._defined((each,))}({self._typed(each.args)}): {len(each.ops)}"
                )
                stack.extend(reversed(list(each.ops)))
                continue
            lines.append(self._line(each))
            for region in reversed(each.regions):
                stack.extend(reversed(region.blocks))
        return lines

    def _line(self, op: Operation) -> str:
        name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
        regions = ",".join(str(len(region.blocks)) for region in op.regions)
        return (
            f"{self._typed(op.results)} = {name}({self._defined(op.operands)})"
            f"[{self._defined(op.successors)}]<{self._dictionary(self._properties(op))}>"
            f"{{{self._dictionary(op.attributes)}}}({regions})"
        )

    def _properties(self, op: Operation) -> Mapping[str, Attribute]:
        if self._choices or not isinstance(op, HasParametersInterface):
            return op.properties
        chosen = {parameter.name for parameter in op.get_parameters()}
        return {name: value for name, value in op.properties.items() if name not in chosen}

    def _typed(self, values: Iterable[SSAValue]) -> str:
        return ",".join(f"{self._number(each)}:{self._text(each.type)}" for each in values)

    def _defined(self, values: Iterable[SSAValue | Block]) -> str:
        return ",".join(str(self._number(each)) for each in values)

    def _number(self, value: SSAValue | Block) -> int:
        return self._numbers.setdefault(id(value), len(self._numbers))

    def _dictionary(self, attributes: Mapping[str, Attribute]) -> str:
        return ",".join(
            f"{name}={self._symbol(name, attributes[name])}" for name in sorted(attributes)
        )

    def _symbol(self, name: str, attribute: Attribute) -> str:
        """The text of an attribute, or the number of the symbol that it defines or refers to."""
        if self._symbols:
            return self._text(attribute)
        if name == "sym_name" and isinstance(attribute, StringAttr):
            return self._symbol_number(attribute.data)
        if isinstance(attribute, SymbolRefAttr):
            names = (attribute.root_reference, *attribute.nested_references)
            return "::".join(self._symbol_number(each.data) for each in names)
        return self._text(attribute)

    def _symbol_number(self, name: str) -> str:
        return f"@{self._symbol_numbers.setdefault(name, len(self._symbol_numbers))}"

    def _text(self, attribute: Attribute) -> str:
        known = self._attributes.get(id(attribute))
        if known is None:
            # The attribute is kept, too: no other can get its id.
            known = self._attributes[id(attribute)] = attribute, str(attribute)
        return known[1]
