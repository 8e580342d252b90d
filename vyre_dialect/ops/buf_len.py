"""`vyre.buf_len`: how many elements a buffer has, for the host and for arms alike."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from vyre_dialect.ir.interfaces import DependsOn
from vyre_dialect.ir.types import BufferType
from vyre_dialect.ops.buffer import BufferOp, verify_known_buffer


@irdl_op_definition
class BufLenOp(IRDLOperation, HasFolderInterface):
    """The element count of a buffer, an `index`: static, or what it has at run time."""

    name = "vyre.buf_len"

    buffer = operand_def(BufferType)
    length = result_def(IndexType())

    traits = traits_def(Pure(), DependsOn())
    assembly_format = "$buffer attr-dict `:` type($buffer)"

    def __init__(self, buffer: SSAValue):
        super().__init__(operands=[buffer], result_types=[IndexType()])

    def fold(self) -> tuple[IntegerAttr] | None:
        """The element count, where it is static."""
        assert isinstance(self.buffer.type, BufferType)
        count = self.buffer.type.static_count
        return None if count is None else (IntegerAttr(count, IndexType()),)

    @property
    def declared(self) -> SSAValue | None:
        """The value that the declaration of the buffer gives as its element count, if it does."""
        declaration = self.buffer.owner
        return declaration.size if isinstance(declaration, BufferOp) else None

    def verify_(self) -> None:
        verify_known_buffer(self, self.buffer)
