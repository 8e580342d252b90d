"""Words of four bytes, and what becomes of their bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, VectorType, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from vyre_dialect.ir.interfaces import DependsOn

WORD_BYTES = 4
BYTE_BITS = 8


@irdl_op_definition
class PermuteBytesOp(IRDLOperation):
    """
    A word of any four bytes of two words, in each lane.

    Byte `k`, the lowest being byte 0, is byte `positions[k]` of `first`, or from 4 on byte
    `positions[k] - 4` of `second`. GPUs have an instruction for it (`prmt` in NVIDIA's PTX,
    `v_perm_b32` of AMD's).
    """

    name = "vyre.permute_bytes"

    T: ClassVar = VarConstraint("T", AnyAttr())

    first = operand_def(T)
    second = operand_def(T)
    positions = prop_def(DenseArrayBase.constr(i64))
    result = result_def(T)

    traits = traits_def(Pure(), DependsOn())
    assembly_format = "$first `,` $second $positions attr-dict `:` type($first)"

    def __init__(self, first: SSAValue, second: SSAValue, positions: Sequence[int]):
        super().__init__(
            operands=[first, second],
            properties={"positions": DenseArrayBase.from_list(i64, positions)},
            result_types=[first.type],
        )

    def verify_(self) -> None:
        type = self.first.type
        if type != i32 and not (isinstance(type, VectorType) and type.element_type == i32):
            raise VerifyException(f"'{self.name}' expected i32 or a vector of i32, got {type}")
        positions = self.positions.get_values()
        if len(positions) != WORD_BYTES:
            raise VerifyException(
                f"'{self.name}' expected {WORD_BYTES} positions, got {len(positions)}"
            )
        for position in positions:
            if not 0 <= position < 2 * WORD_BYTES:
                raise VerifyException(
                    f"'{self.name}' expected positions from 0 to {2 * WORD_BYTES - 1}, "
                    f"got {position}"
                )
