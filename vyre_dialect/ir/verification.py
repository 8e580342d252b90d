"""
What xDSL leaves unverified in a program or a kernel: that values are defined before they are used,
that the regions of `scf` take and yield what their ops say, that loops are not asked to be written
out too often, and that values are of types that every target computes with, of which vectors have
the lanes named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import repeat
from typing import NamedTuple, NoReturn, TypeAlias

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import MAX_LANES, MAX_UNROLL, UNROLL, scalar_type

Node: TypeAlias = "Operation | Block"


def verify_structure(root: Operation) -> None:
    """
    Raise VerifyException unless each op inside `root` is dominated by the definitions of its
    operands, and the regions of `scf` are complete.

    It asks for nothing that a verifier has to establish first. What follows values or loops, other
    verifiers included, may rely on it.
    """
    reached = set[Node]()
    for node, entering in _events(root):
        if not entering and isinstance(node, Block):
            reached.remove(node)
        elif entering and isinstance(node, Operation):
            _verify_operands(node, reached, root)
            _verify_regions(node)
            _verify_unroll(node)
        else:
            reached.add(node)


_PREDICATES: dict[type[Operation], int] = {
    arith.CmpiOp: len(arith.CMPI_COMPARISON_OPERATIONS),
    arith.CmpfOp: len(arith.CMPF_COMPARISON_OPERATIONS),
}
"""How many predicates there are."""
INTEGER_WIDTHS = (1, 8, 16, 32, 64)
"""Bits of the integers that programs compute with."""


def verify_values(root: Operation) -> None:
    """
    Raise VerifyException unless the integers inside `root`, whose ops verify, are as wide as
    targets have them, its comparisons ask what there is to ask, and its vectors have lanes, and
    those that `vector.extract` and `vector.insert` name.
    """
    for op in ops_inside(root):
        arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
        for value in (*op.results, *arguments):
            _verify_type(op, value.type)
        if (predicates := _PREDICATES.get(type(op))) is not None:
            _verify_predicate(op, predicates)
        if isinstance(op, vector.ExtractOp):
            _verify_position(op, op.static_position.get_values(), op.vector.type)
        if isinstance(op, vector.InsertOp):
            _verify_position(op, op.static_position.get_values(), op.dest.type)


class NamedOperation(Operation):
    """An op with a name, which its errors tell."""

    def _error(self, message: str) -> VerifyException:
        symbol = self.properties["sym_name"]
        assert isinstance(symbol, StringAttr)
        return VerifyException(f"'{self.name}' @{symbol.data}: {message}")


class StructureError(VerifyException):
    """What is wrong with an op that another one verifies."""

    def __init__(self, op: Operation, message: str):
        super().__init__(message)
        self.op = op


def failing_op(root: Operation, error: Exception) -> Operation:
    """
    The op inside `root` that an error of a verifier is about: the one that it names, or else the
    first that does not verify, those inside an op before it.
    """
    if isinstance(error, StructureError):
        return error.op
    for op in root.walk(region_first=True):  # as they are verified
        try:
            op.verify(verify_nested_ops=False)
        except Exception:  # verifiers raise more than VerifyException
            return op
    return root


def reject(op: Operation, message: str) -> NoReturn:
    """Raise StructureError with the IR as a note, where the error of `op` is marked."""
    message = f"'{op.name}' {message}"
    op.emit_error(f"Operation does not verify: {message}", StructureError(op, message))


def _events(root: Operation) -> Iterator[tuple[Node, bool]]:
    """Each op and block of a tree in order, once entered (True) and once left (False)."""
    pending: list[tuple[Node, bool]] = [(root, True)]
    while pending:
        node, entering = pending.pop()
        yield node, entering
        if entering:
            pending.append((node, False))
            pending.extend((child, True) for child in reversed(_children(node)))


def _children(node: Node) -> list[Block] | list[Operation]:
    if isinstance(node, Block):
        return list(node.ops)
    return [block for region in node.regions for block in region.blocks]


def _verify_operands(op: Operation, reached: AbstractSet[Node], root: Operation) -> None:
    """`reached` holds the blocks that are open, and the ops that are complete."""
    if op is root:
        return
    for position, value in enumerate(op.operands):
        owner = value.owner
        block = owner if isinstance(owner, Block) else owner.parent
        if owner not in reached or block not in reached:
            reject(
                op,
                f"expected operand {position} to be defined before it, got "
                f"{_named(value)}, {_definition(op, value, root)}",
            )


def _named(value: SSAValue) -> str:
    return "a value" if value.name_hint is None else f"%{value.name_hint}"


def _definition(op: Operation, value: SSAValue, root: Operation) -> str:
    """Where `value`, which `op` cannot see, comes from."""
    owner = value.owner
    if isinstance(owner, Block):
        block, definition = owner, "which is an argument of a block"
    else:
        block, definition = owner.parent, f"which '{owner.name}' defines"
    if owner is op:
        return "which it defines itself"
    if block is None or not root.is_ancestor(block):
        return f"{definition} outside '{root.name}'"
    if block.is_ancestor(op):
        return f"{definition} later"
    parent = block.parent_op()
    assert parent is not None
    return f"{definition} in a '{parent.name}' that does not contain '{op.name}'"


class _Contract(NamedTuple):
    """What the block of a region of `scf` takes, and how it ends."""

    arguments: Sequence[Attribute]
    terminator: type[Operation]
    yields: Sequence[Attribute]


def _contracts(op: Operation) -> Iterator[_Contract]:
    """What is expected of the regions of an op, as far as that is known here."""
    operands, results = op.operand_types, op.result_types
    match op:
        case scf.ForOp():
            # The counter has the type of the bounds and the step; the rest is carried.
            yield _Contract((*operands[:1], *operands[3:]), scf.YieldOp, results)
        case scf.WhileOp():
            yield _Contract(operands, scf.ConditionOp, (i1, *results))
            yield _Contract(results, scf.YieldOp, operands)
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            yield from repeat(_Contract((), scf.YieldOp, results), len(op.regions))
        case _:
            pass


def _verify_regions(op: Operation) -> None:
    for region in op.regions:
        if len(region.blocks) > 1:
            reject(op, f"expected regions of one block, got one of {len(region.blocks)}")
    for region, contract in zip(op.regions, _contracts(op), strict=False):
        _verify_region(op, region, contract)


def _verify_region(op: Operation, region: Region, contract: _Contract) -> None:
    arguments, terminator, yields = contract
    if (block := region.first_block) is None:
        if yields or not isinstance(op, scf.IfOp):
            reject(op, f"expected a block that yields {_types(yields)} in each region, got none")
        return
    if tuple(block.arg_types) != tuple(arguments):
        reject(op, f"expected block arguments {_types(arguments)}, got {_types(block.arg_types)}")
    last = block.last_op
    if not isinstance(last, terminator):
        got = "an empty block" if last is None else f"'{last.name}'"
        reject(op, f"expected '{terminator.name}' at the end of each region, got {got}")
    if tuple(last.operand_types) != tuple(yields):
        reject(
            op,
            f"expected '{terminator.name}' of {_types(yields)}, got {_types(last.operand_types)}",
        )


def _verify_unroll(op: Operation) -> None:
    if not isinstance(op, scf.ForOp) or (factor := op.attributes.get(UNROLL)) is None:
        return
    if not isinstance(factor, IntegerAttr) or not 1 <= factor.value.data <= MAX_UNROLL:
        reject(op, f"expected '{UNROLL}' from 1 to {MAX_UNROLL}, got {factor}")


def _types(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


def _verify_type(op: Operation, type: Attribute) -> None:
    scalar = scalar_type(type)
    if isinstance(scalar, IntegerType) and scalar.width.data not in INTEGER_WIDTHS:
        widths = ", ".join(map(str, INTEGER_WIDTHS[:-1]))
        reject(op, f"expected integers of {widths} or {INTEGER_WIDTHS[-1]} bits, got {type}")
    if not isinstance(type, VectorType):
        return
    if min(type.get_shape(), default=1) <= 0:
        reject(op, f"expected vectors of at least one lane, got {type}")
    if len(type.get_shape()) != 1:
        reject(op, f"expected vectors along one axis, got {type}")
    if type.get_shape()[0] > MAX_LANES:
        reject(op, f"expected vectors of at most {MAX_LANES} lanes, got {type}")


def _verify_predicate(op: Operation, count: int) -> None:
    assert isinstance(op, arith.CmpiOp | arith.CmpfOp)
    number = op.predicate.value.data
    if not 0 <= number < count:
        reject(op, f"expected a predicate from 0 to {count - 1}, got {number}")


def _verify_position(op: Operation, position: Sequence[int], type: Attribute) -> None:
    assert isinstance(type, VectorType)
    if len(position) != len(type.get_shape()):
        reject(op, f"expected the position of a lane of {type}, got {len(position)} indices")
    for index, extent in zip(position, type.get_shape(), strict=False):
        if index != DYNAMIC_INDEX and not 0 <= index < extent:
            reject(op, f"expected a lane from 0 to {extent - 1} of {type}, got {index}")
