"""The size of what a library op writes to, computed on the host."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.builder import Value
from vyre_dialect.ir.python_lines import place_of
from vyre_dialect.ir.types import Initial, InitialAttr
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.library import DecodeOp, LibraryOp
from vyre_dialect.passes.rewriting.moving import move
from vyre_dialect.passes.rewriting.rewriters import building


def size_destination(
    op: DecodeOp, rewriter: PatternRewriter, decoded_length: Callable[[], Value]
) -> None:
    """Give the destination of `op` its size, as `size_buffer` does."""
    size_buffer(op, op.decoded, rewriter, decoded_length)


def size_buffer(
    op: LibraryOp, buffer: SSAValue, rewriter: PatternRewriter, length: Callable[[], Value]
) -> None:
    """
    Give a buffer that `op` writes to its size, unless it has one: what `length` computes.

    The declaration moves to the place of `op`, where the contents of its sources are known. All of
    the buffer is written, so it starts undefined. Raises PassFailedException when something before
    `op` uses it.
    """
    declaration = buffer.owner
    if not isinstance(declaration, BufferOp) or not declaration.is_sized_by_host:
        return
    _verify_unused_before(op, declaration)
    with building(rewriter, InsertPoint.before(op)):
        size = length()
        if size.ssa.name_hint is None:
            size.named(f"{declaration.sym_name.data}_length")
    declaration.operands = [size.ssa]
    if declaration.initial is None and declaration.fill is None:
        declaration.initial = InitialAttr(Initial.UNDEFINED)
    rewriter.notify_op_modified(declaration)
    move([declaration], InsertPoint.before(op), rewriter)


def _verify_unused_before(op: LibraryOp, declaration: BufferOp) -> None:
    block = op.parent_block()
    for use in declaration.buffer.uses:
        user: Operation | None = use.operation
        while user is not None and user.parent_block() is not block:
            user = user.parent_op()
        if user is not None and user.is_before_in_block(op):
            name, place = declaration.sym_name.data, place_of(user.location)
            used = "is used before" if place is None else f"{place} uses before"
            raise PassFailedException(
                f"'{op.name}' says how long '@{name}' is, which {used}: move that behind it, or "
                f"declare '@{name}' with its size"
            )
