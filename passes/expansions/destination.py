"""The size of what a decoder writes to, computed on the host."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.builder import Value
from vyre_dialect.ir.types import Initial, InitialAttr
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.passes.rewriting.moving import move
from vyre_dialect.passes.rewriting.rewriters import building


def size_destination(
    op: DecodeOp, rewriter: PatternRewriter, decoded_length: Callable[[], Value]
) -> None:
    """
    Give the destination of `op` its size, unless it has one: what `decoded_length` computes.

    The declaration moves to the place of `op`, where the contents of the source are known. All
    of the destination is decoded, so it starts undefined. Raises PassFailedException when
    something before `op` uses the destination.
    """
    declaration = op.decoded.owner
    if not isinstance(declaration, BufferOp) or not declaration.is_sized_by_host:
        return
    _verify_unused_before(op, declaration)
    with building(rewriter, InsertPoint.before(op)):
        size = decoded_length()
        if size.ssa.name_hint is None:
            size.named(f"{declaration.sym_name.data}_length")
    declaration.operands = [size.ssa]
    if declaration.initial is None and declaration.fill is None:
        declaration.initial = InitialAttr(Initial.UNDEFINED)
    rewriter.notify_op_modified(declaration)
    move([declaration], InsertPoint.before(op), rewriter)


def _verify_unused_before(op: DecodeOp, declaration: BufferOp) -> None:
    block = op.parent_block()
    for use in declaration.buffer.uses:
        user: Operation | None = use.operation
        while user is not None and user.parent_block() is not block:
            user = user.parent_op()
        if user is not None and user.is_before_in_block(op):
            name = declaration.sym_name.data
            raise PassFailedException(
                f"'{op.name}' expected no use of its run-time sized destination '@{name}' "
                f"before, got a '{use.operation.name}': declare '@{name}' with its size"
            )
