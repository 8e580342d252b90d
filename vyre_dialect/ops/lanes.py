"""What `arith` of xDSL 0.74 says of scalars alone, in each lane of vectors, and looks into them."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType, i1
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from vyre_dialect.ir.interfaces import DependsOn


class Predicate(StrEnum):
    """What `arith.cmpi` asks of two integers, in its order."""

    EQ = "eq"
    NE = "ne"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"

    @property
    def number(self) -> int:
        """The number that `arith.cmpi` has for it."""
        return list(Predicate).index(self)


class FloatPredicate(StrEnum):
    """What `arith.cmpf` asks of two floats, in its order."""

    FALSE = "false"
    OEQ = "oeq"
    OGT = "ogt"
    OGE = "oge"
    OLT = "olt"
    OLE = "ole"
    ONE = "one"
    ORD = "ord"
    UEQ = "ueq"
    UGT = "ugt"
    UGE = "uge"
    ULT = "ult"
    ULE = "ule"
    UNE = "une"
    UNO = "uno"
    TRUE = "true"

    @property
    def number(self) -> int:
        """The number that `arith.cmpf` has for it."""
        return list(FloatPredicate).index(self)


class Conversion(StrEnum):
    """How the lanes of a vector become lanes of another type, as the op of `arith` does it."""

    EXTUI = "extui"
    EXTSI = "extsi"
    TRUNCI = "trunci"
    UITOFP = "uitofp"
    SITOFP = "sitofp"
    FPTOUI = "fptoui"
    FPTOSI = "fptosi"

    @property
    def is_of_floats(self) -> bool:
        """Whether it converts floats."""
        return self in (Conversion.FPTOUI, Conversion.FPTOSI)

    @property
    def makes_floats(self) -> bool:
        """Whether it yields floats."""
        return self in (Conversion.UITOFP, Conversion.SITOFP)


@irdl_attr_definition
class PredicateAttr(EnumAttribute[Predicate], SpacedOpaqueSyntaxAttribute):
    """A predicate, as an attribute."""

    name = "vyre.predicate"


@irdl_attr_definition
class FloatPredicateAttr(EnumAttribute[FloatPredicate], SpacedOpaqueSyntaxAttribute):
    """A predicate of floats, as an attribute."""

    name = "vyre.float_predicate"


@irdl_attr_definition
class ConversionAttr(EnumAttribute[Conversion], SpacedOpaqueSyntaxAttribute):
    """A conversion, as an attribute."""

    name = "vyre.conversion"


class _CompareOp(IRDLOperation, ABC):
    """Whether a predicate holds, of each lane of two vectors."""

    T: ClassVar = VarConstraint("T", AnyAttr())

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(VectorType)

    traits = traits_def(Pure(), DependsOn())
    assembly_format = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, predicate: Attribute, lhs: SSAValue, rhs: SSAValue):
        assert isinstance(lhs.type, VectorType)
        super().__init__(
            operands=[lhs, rhs],
            properties={"predicate": predicate},
            result_types=[VectorType(i1, lhs.type.get_shape())],
        )


@irdl_op_definition
class CompareLanesOp(_CompareOp):
    """Whether `arith.cmpi` of the same predicate holds, of each lane of two vectors of integers."""

    name = "vyre.compare_lanes"

    predicate = prop_def(PredicateAttr)

    def __init__(self, predicate: Predicate, lhs: SSAValue, rhs: SSAValue):
        super().__init__(PredicateAttr(predicate), lhs, rhs)

    def verify_(self) -> None:
        _verify_integers(self, self.lhs.type)
        _verify_mask(self, self.result.type, self.lhs.type)


@irdl_op_definition
class CompareFloatLanesOp(_CompareOp):
    """Whether `arith.cmpf` of the same predicate holds, of each lane of two vectors of floats."""

    name = "vyre.compare_float_lanes"

    predicate = prop_def(FloatPredicateAttr)

    def __init__(self, predicate: FloatPredicate, lhs: SSAValue, rhs: SSAValue):
        super().__init__(FloatPredicateAttr(predicate), lhs, rhs)

    def verify_(self) -> None:
        _verify_floats(self, self.lhs.type)
        _verify_mask(self, self.result.type, self.lhs.type)


@irdl_op_definition
class SelectLanesOp(IRDLOperation):
    """In each lane, that of `lhs` where the lane of `mask` is set, and that of `rhs` elsewhere."""

    name = "vyre.select_lanes"

    T: ClassVar = VarConstraint("T", AnyAttr())

    mask = operand_def(VectorType)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure(), DependsOn())
    assembly_format = "$mask `,` $lhs `,` $rhs attr-dict `:` type($mask) `,` type($lhs)"

    def __init__(self, mask: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[mask, lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        _verify_mask(self, self.mask.type, self.lhs.type)


@irdl_op_definition
class ConvertLanesOp(IRDLOperation):
    """
    The lanes of a vector as integers of another width, or as floats in place of integers and the
    other way round, as the op of `arith` of the same name does with scalars.
    """

    name = "vyre.convert_lanes"

    T: ClassVar = VarConstraint("T", AnyAttr())

    conversion = prop_def(ConversionAttr)
    input = operand_def(VectorType)
    value_type = prop_def(T)
    """The type of the result, without which xDSL's `cse` takes two widths for one."""
    result = result_def(T)

    traits = traits_def(Pure(), DependsOn())
    assembly_format = "$conversion $input attr-dict `:` type($input) `to` $value_type"

    def __init__(self, conversion: Conversion, input: SSAValue, type: VectorType):
        super().__init__(
            operands=[input],
            properties={"conversion": ConversionAttr(conversion), "value_type": type},
            result_types=[type],
        )

    def verify_(self) -> None:
        source, target = self.input.type, self.result.type
        conversion = self.conversion.data
        (_verify_floats if conversion.is_of_floats else _verify_integers)(self, source)
        _verify_lanes(self, target, source)
        (_verify_floats if conversion.makes_floats else _verify_integers)(self, target)
        if not conversion.is_of_floats and not conversion.makes_floats:
            self._verify_widths(source, target)

    def _verify_widths(self, source: Attribute, target: Attribute) -> None:
        widths = _width(source), _width(target)
        grows = self.conversion.data != Conversion.TRUNCI
        if (widths[0] < widths[1]) != grows or widths[0] == widths[1]:
            expected = "wider" if grows else "narrower"
            raise VerifyException(
                f"'{self.name}' expected {expected} lanes than those of {source}, got {target}"
            )


@irdl_op_definition
class LookUpLanesOp(IRDLOperation):
    """
    In each lane, a lane of `table`: that whose number is in the lowest bits of the lane of
    `positions`.

    `table` has 2^n lanes, and the n lowest bits of a position count, whatever stands above them.
    CPUs have an instruction for it where a table has as many lanes as there are positions, 16 of
    32 bits with AVX-512 (`vpermd`).
    """

    name = "vyre.look_up_lanes"

    T: ClassVar = VarConstraint("T", AnyAttr())

    table = operand_def(VectorType)
    positions = operand_def(VectorType)
    value_type = prop_def(T)
    """The type of the result."""
    result = result_def(T)

    traits = traits_def(Pure(), DependsOn())
    assembly_format = (
        "$table `[` $positions `]` attr-dict `:` type($table) `,` type($positions) `->` $value_type"
    )

    def __init__(self, table: SSAValue, positions: SSAValue):
        assert isinstance(table.type, VectorType) and isinstance(positions.type, VectorType)
        type = VectorType(table.type.element_type, positions.type.get_shape())
        super().__init__(
            operands=[table, positions], properties={"value_type": type}, result_types=[type]
        )

    def verify_(self) -> None:
        table, positions, result = self.table.type, self.positions.type, self.result.type
        _verify_integers(self, positions)
        _verify_lanes(self, result, positions)
        assert isinstance(table, VectorType) and isinstance(result, VectorType)
        if len(result.get_shape()) != 1:
            raise VerifyException(
                f"'{self.name}' expected positions along one axis, got {positions}"
            )
        shape = table.get_shape()
        if len(shape) != 1 or shape[0] < 2 or shape[0] & (shape[0] - 1):
            raise VerifyException(
                f"'{self.name}' expected a table of 2, 4, 8, 16, … lanes, got {table}"
            )
        if result.element_type != table.element_type:
            raise VerifyException(
                f"'{self.name}' expected lanes of {table.element_type}, got {result}"
            )


def _width(type: Attribute) -> int:
    assert isinstance(type, VectorType) and isinstance(type.element_type, IntegerType)
    return type.element_type.width.data


def _verify_integers(op: IRDLOperation, type: Attribute) -> None:
    if not isinstance(type, VectorType) or not isinstance(type.element_type, IntegerType):
        raise VerifyException(f"'{op.name}' expected a vector of integers, got {type}")


def _verify_floats(op: IRDLOperation, type: Attribute) -> None:
    if not isinstance(type, VectorType) or not isinstance(type.element_type, AnyFloat):
        raise VerifyException(f"'{op.name}' expected a vector of floats, got {type}")


def _verify_lanes(op: IRDLOperation, type: Attribute, like: Attribute) -> None:
    shapes = [each.get_shape() if isinstance(each, VectorType) else None for each in (type, like)]
    if None in shapes or shapes[0] != shapes[1]:
        raise VerifyException(f"'{op.name}' expected as many lanes as in {like}, got {type}")


def _verify_mask(op: IRDLOperation, mask: Attribute, like: Attribute) -> None:
    _verify_lanes(op, mask, like)
    assert isinstance(mask, VectorType)
    if mask.element_type != i1:
        raise VerifyException(f"'{op.name}' expected a mask of i1 lanes, got {mask}")
