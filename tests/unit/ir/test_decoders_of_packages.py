"""A decoder of another package says what it takes by its operands alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import i8, i32
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.builder import Buffer, program
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.library import DecodeOp


@irdl_op_definition
class KeyedOp(DecodeOp):
    """Takes a key besides the source, and may report errors in front of it."""

    name = "other.decode.keyed"

    source = operand_def(BufferType)
    destination = operand_def(BufferType)
    errors = opt_operand_def(BufferType)
    key = operand_def(BufferType)

    def __init__(self, source: Buffer, destination: Buffer, key: Buffer, errors: Buffer | None):
        super().__init__(operands=[source, destination, errors, key])

    def decoded_lengths(self, length: int) -> Sequence[int]:
        return (length,)

    def verify_(self) -> None:
        self.verify_buffers([i8], i8)

    @classmethod
    def get_expansion_patterns(cls) -> tuple[RewritePattern, ...]:
        return ()


def keyed(errors: str | None, key: str = "key") -> KeyedOp:
    with program("p") as p:
        named = {name: p.buffer(name, i8, 4) for name in ("source", "destination", "key")}
        named["errors"] = p.buffer("errors", i32, 1, fill=-1)
        of_errors = None if errors is None else named[errors]
        return KeyedOp(named["source"], named["destination"], named[key], of_errors)


def test_a_further_buffer_is_read() -> None:
    op = keyed(None)
    assert [(each.kind, each.buffer) for each in op.get_accesses()] == [
        (AccessKind.READ, op.source),
        (AccessKind.READ, op.key),
        (AccessKind.WRITE, op.destination),
    ]


def test_errors_are_no_table() -> None:
    op = keyed("errors")
    assert op.tables == (op.key,)
    assert op.errors in [
        each.buffer for each in op.get_accesses() if each.kind == AccessKind.UPDATE
    ]


@pytest.mark.parametrize("key", ["source", "destination"])
def test_a_table_is_a_buffer_of_its_own(key: str) -> None:
    with pytest.raises(VerifyException, match="expected a buffer of its own for each table"):
        keyed(None, key)


def test_errors_are_a_buffer_of_their_own() -> None:
    with pytest.raises(VerifyException, match="expected a buffer of their own for errors"):
        keyed("errors", "errors")
