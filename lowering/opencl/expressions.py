"""Expressions of OpenCL C as text, with what is needed to combine them correctly."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum

from vyre_dialect.lowering.opencl.types import CType


class Precedence(IntEnum):
    """How tightly the outermost operator of an expression binds."""

    CONDITIONAL = 1
    LOGICAL_OR = 2
    LOGICAL_AND = 3
    BIT_OR = 4
    BIT_XOR = 5
    BIT_AND = 6
    EQUALITY = 7
    RELATIONAL = 8
    SHIFT = 9
    ADDITIVE = 10
    MULTIPLICATIVE = 11
    UNARY = 12
    PRIMARY = 13


BINARY = {
    "||": Precedence.LOGICAL_OR,
    "&&": Precedence.LOGICAL_AND,
    "|": Precedence.BIT_OR,
    "^": Precedence.BIT_XOR,
    "&": Precedence.BIT_AND,
    "==": Precedence.EQUALITY,
    "!=": Precedence.EQUALITY,
    "<": Precedence.RELATIONAL,
    "<=": Precedence.RELATIONAL,
    ">": Precedence.RELATIONAL,
    ">=": Precedence.RELATIONAL,
    "<<": Precedence.SHIFT,
    ">>": Precedence.SHIFT,
    "+": Precedence.ADDITIVE,
    "-": Precedence.ADDITIVE,
    "*": Precedence.MULTIPLICATIVE,
    "/": Precedence.MULTIPLICATIVE,
    "%": Precedence.MULTIPLICATIVE,
}
"""The binary operators and how tightly they bind; all of them associate to the left."""

_BITWISE = (Precedence.BIT_OR, Precedence.BIT_XOR, Precedence.BIT_AND)


class Form(Enum):
    """How the C value of an expression relates to the type that it stands for."""

    EXACT = "exact"
    """Of that C type."""
    PROMOTED = "promoted"
    """Of another integer type, usually int, with the same value."""
    WRAPPING = "wrapping"
    """Of another integer type, usually int, with the same low bits."""


@dataclass(frozen=True, slots=True)
class Expression:
    """The text of an expression without side effects."""

    text: str
    type: CType
    precedence: Precedence = Precedence.PRIMARY
    form: Form = Form.EXACT
    reads_memory: bool = False
    variables: frozenset[str] = frozenset()
    """The variables that occur in it and that are assigned to more than once."""
    is_carried: bool = False
    """It is a variable that a loop assigns to, or did."""
    constant: int | float | None = None
    """The value of each lane, when it is known; integers as unsigned (index: signed) numbers."""
    implicit: Expression | None = field(default=None, repr=False)
    """What may stand in its place where C converts to the type by itself."""
    same_bits: Expression | None = field(default=None, repr=False)
    """What it reinterprets as another type."""
    splat: Expression | None = field(default=None, repr=False)
    """The scalar that every lane of the vector is."""
    parts: tuple[str, str, Expression] | None = field(default=None, repr=False)
    """The left operand as printed, the operator and the right operand of a binary operation."""

    @property
    def is_simple(self) -> bool:
        """Whether to write it twice costs nothing."""
        return self.precedence == Precedence.PRIMARY and self.text.replace("_", "a").isalnum()

    def at_least(self, precedence: Precedence) -> str:
        """Its text, in parentheses unless it binds at least this tightly."""
        return self.text if self.precedence >= precedence else f"({self.text})"

    @property
    def converted(self) -> str:
        """Its text for a place where C converts to its type by itself, such as an assignment."""
        return self.text if self.implicit is None else self.implicit.text


def effects_of(*operands: Expression) -> tuple[bool, frozenset[str]]:
    """Whether any of the operands reads memory, and the mutable variables in them."""
    reads = any(operand.reads_memory for operand in operands)
    return reads, frozenset[str]().union(*(operand.variables for operand in operands))


def combine(
    text: str,
    type: CType,
    precedence: Precedence,
    *operands: Expression,
    form: Form = Form.EXACT,
    implicit: Expression | None = None,
) -> Expression:
    """An expression made of `operands`."""
    reads, variables = effects_of(*operands)
    return Expression(text, type, precedence, form, reads, variables, implicit=implicit)


def binary(
    left: Expression, operator: str, right: Expression, type: CType, form: Form = Form.EXACT
) -> Expression:
    """`left operator right`, with parentheses where C or the reader needs them."""
    precedence = BINARY[operator]
    left_text = left.at_least(_left_limit(left, precedence))
    right_text = right.at_least(_right_limit(precedence))
    text = f"{left_text} {operator} {right_text}"
    made = combine(text, type, precedence, left, right, form=form)
    return replace(made, parts=(left_text, operator, right))


def _left_limit(left: Expression, precedence: Precedence) -> Precedence:
    if precedence in _BITWISE:
        return precedence if left.precedence == precedence else Precedence.UNARY
    if precedence == Precedence.LOGICAL_OR and left.precedence != precedence:
        return Precedence.BIT_OR
    if precedence == Precedence.SHIFT:
        return Precedence.UNARY
    if precedence == Precedence.EQUALITY:
        return Precedence.SHIFT
    if precedence == Precedence.RELATIONAL:
        return Precedence.SHIFT
    return precedence


def _right_limit(precedence: Precedence) -> Precedence:
    if precedence in _BITWISE or precedence == Precedence.SHIFT:
        return Precedence.UNARY
    if precedence == Precedence.LOGICAL_OR:
        return Precedence.BIT_OR
    if precedence in (Precedence.EQUALITY, Precedence.RELATIONAL):
        return Precedence.SHIFT
    return Precedence(precedence + 1)


def unary(operator: str, operand: Expression, type: CType, form: Form = Form.EXACT) -> Expression:
    """`operator operand`; two signs in a row are kept apart by parentheses."""
    text = operand.at_least(Precedence.UNARY)
    if text[0] in "+-":
        text = f"({text})"
    return combine(f"{operator}{text}", type, Precedence.UNARY, operand, form=form)


_OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negated(operand: Expression) -> Expression:
    """`!operand`; of a comparison of integers, the opposite comparison."""
    if operand.parts is not None and not operand.parts[2].type.is_float:
        left, operator, right = operand.parts
        if (opposite := _OPPOSITES.get(operator)) is not None:
            text = f"{left} {opposite} {operand.text.removeprefix(f'{left} {operator} ')}"
            return replace(
                operand, text=text, precedence=BINARY[opposite], parts=(left, opposite, right)
            )
    return unary("!", operand, operand.type, Form.PROMOTED)


def cast(operand: Expression, type: CType) -> Expression:
    """`(type)operand`, which C does by itself in an assignment."""
    inner = operand.implicit
    if inner is not None and _skips(inner, operand, type):
        operand = inner
    text = f"({type}){operand.at_least(Precedence.UNARY)}"
    return replace(combine(text, type, Precedence.UNARY, operand), implicit=operand)


def _skips(inner: Expression, between: Expression, type: CType) -> bool:
    """Whether `(type)(between)inner` has the bits of `(type)inner`."""
    source = inner.type
    if source.is_float or between.type.is_float or type.is_float:
        return False
    if inner.form == Form.WRAPPING and type.width > source.width:
        return False
    if type.width <= between.type.width:
        return True
    if source.is_signed == between.type.is_signed:
        return source.width <= between.type.width
    return between.type.is_signed and source.width < between.type.width


def call(function: str, type: CType, *arguments: Expression) -> Expression:
    """`function(arguments)`, each argument converted by its parameter's type."""
    text = f"{function}({', '.join(argument.converted for argument in arguments)})"
    return combine(text, type, Precedence.PRIMARY, *arguments)


def overloaded(function: str, type: CType, *arguments: Expression) -> Expression:
    """`function(arguments)` of a function that the types of its arguments choose."""
    text = f"{function}({', '.join(exact(argument).text for argument in arguments)})"
    return combine(text, type, Precedence.PRIMARY, *arguments)


def exact(operand: Expression) -> Expression:
    """The same value in an expression of exactly the operand's type."""
    if operand.form == Form.EXACT:
        return operand
    if operand.constant is not None and not operand.type.is_small:
        return strong_literal(operand)
    return cast(operand, operand.type)


def in_range(operand: Expression) -> Expression:
    """The same value in an expression whose C value is that value."""
    return exact(operand) if operand.form == Form.WRAPPING else operand


def strong_literal(operand: Expression) -> Expression:
    """An index constant with the suffix that makes it a long."""
    negative = operand.text.startswith("-")
    precedence = Precedence.UNARY if negative else Precedence.PRIMARY
    text = operand.text if operand.text.endswith("L") else f"{operand.text}L"
    return replace(operand, text=text, form=Form.EXACT, precedence=precedence)


def conditional(
    condition: Expression, true: Expression, false: Expression, type: CType
) -> Expression:
    """`condition ? true : false`; on the right it needs no parentheses of its own."""
    if true.constant is not None and false.constant is not None and not type.is_small:
        true = exact(true)
    true, false = in_range(true), in_range(false)
    first = condition.at_least(Precedence.LOGICAL_OR)
    second = true.at_least(Precedence.LOGICAL_OR)
    text = f"{first} ? {second} : {false.text}"
    form = Form.PROMOTED if type.is_small else Form.EXACT
    return combine(text, type, Precedence.CONDITIONAL, condition, true, false, form=form)


def index_by(pointer: str, index: Expression, type: CType, *, reads: bool = True) -> Expression:
    """`pointer[index]`."""
    element = combine(f"{pointer}[{index.converted}]", type, Precedence.PRIMARY, index)
    return replace(element, reads_memory=reads or index.reads_memory)
