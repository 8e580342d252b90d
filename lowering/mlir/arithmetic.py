"""
Arithmetic, where every op has one result for every input.

MLIR leaves quotients by zero, shifts by the width and floats that no integer is near undefined:
there, what vyre says is chosen, and the op itself sees operands for which it is defined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation

from vyre_dialect.ir.types import scalar_type
from vyre_dialect.lowering.mlir.writer import Rule, Writer, like, no_form, type_text

INDEX_BITS = 64


def same(writer: Writer, op: Operation) -> None:
    """The same op, without the flags by which it may give something else."""
    generic(writer, op, op.name, ())


def kept(*properties: str) -> Rule:
    """The same op, with these properties."""
    return lambda writer, op: generic(writer, op, op.name, properties)


def generic(writer: Writer, op: Operation, name: str, properties: Sequence[str]) -> None:
    """An op called `name` of the operands and results of `op`, as MLIR prints any op."""
    stated = ", ".join(f"{each} = {op.properties[each]}" for each in properties)
    taken = ", ".join(type_text(op, each) for each in op.operand_types)
    given = ", ".join(type_text(op, each) for each in op.result_types)
    text = f'"{name}"({", ".join(writer.values(op.operands))})'
    text += f" <{{{stated}}}>" if stated else ""
    names = [writer.fresh(result.name_hint) for result in op.results]
    writer.line(f"{', '.join(names)} = {text} : ({taken}) -> ({given})")
    for result, made in zip(op.results, names, strict=True):
        writer.bind(result, made)


def bits_of(type: Attribute) -> int:
    """The width of integers, or of the lanes of a vector of them."""
    scalar = scalar_type(type)
    return scalar.width.data if isinstance(scalar, IntegerType) else INDEX_BITS


def choose(writer: Writer, condition: str, chosen: str, other: str, op: Operation) -> str:
    """`chosen` where the condition holds, of the type of the result of `op`."""
    type = op.result_types[0]
    mask, text = like(type, "i1"), type_text(op, type)
    return writer.let(f"arith.select {condition}, {chosen}, {other} : {mask}, {text}")


# Quotients and remainders: of a division by 0, and of the smallest number by -1, 0.


def divide(writer: Writer, op: Any) -> None:
    """Unsigned division."""
    text = type_text(op, op.result.type)
    divisor, zero = writer.value(op.rhs), writer.zero(text)
    undefined = writer.let(f"arith.cmpi eq, {divisor}, {zero} : {text}")
    _divide_unless(writer, op, undefined, zero)


def divide_signed(writer: Writer, op: Any) -> None:
    """Signed division. Of `i1`, -1 by -1 is -1: both operands are set."""
    text = type_text(op, op.result.type)
    if bits_of(op.result.type) == 1:
        _divide_bits(writer, op, text)
        return
    left, divisor, zero = writer.value(op.lhs), writer.value(op.rhs), writer.zero(text)
    smallest = writer.constant(-(2 ** (bits_of(op.result.type) - 1)), text)
    minus_one = writer.constant(-1, text)
    mask = like(op.result.type, "i1")
    is_zero = writer.let(f"arith.cmpi eq, {divisor}, {zero} : {text}")
    is_smallest = writer.let(f"arith.cmpi eq, {left}, {smallest} : {text}")
    is_minus_one = writer.let(f"arith.cmpi eq, {divisor}, {minus_one} : {text}")
    overflows = writer.let(f"arith.andi {is_smallest}, {is_minus_one} : {mask}")
    undefined = writer.let(f"arith.ori {is_zero}, {overflows} : {mask}")
    _divide_unless(writer, op, undefined, zero)


def _divide_unless(writer: Writer, op: Any, undefined: str, zero: str) -> None:
    text = type_text(op, op.result.type)
    divisor = choose(writer, undefined, writer.constant(1, text), writer.value(op.rhs), op)
    result = writer.let(f"{op.name} {writer.value(op.lhs)}, {divisor} : {text}")
    writer.bind(op.result, choose(writer, undefined, zero, result, op))


def _divide_bits(writer: Writer, op: Any, text: str) -> None:
    if op.name == "arith.remsi":
        writer.bind(op.result, writer.zero(text))
        return
    left, right = writer.value(op.lhs), writer.value(op.rhs)
    writer.bind(op.result, writer.let(f"arith.andi {left}, {right} : {text}"))


# Shifts by the width or more: 0, or the sign in every bit.


def shift(writer: Writer, op: Any) -> None:
    """A shift that moves zeros in."""
    text = type_text(op, op.result.type)
    amount, zero = writer.value(op.rhs), writer.zero(text)
    width = writer.constant(_number(bits_of(op.result.type), op.result.type), text)
    is_less = writer.let(f"arith.cmpi ult, {amount}, {width} : {text}")
    known = choose(writer, is_less, amount, zero, op)
    shifted = writer.let(f"{op.name} {writer.value(op.lhs)}, {known} : {text}")
    writer.bind(op.result, choose(writer, is_less, shifted, zero, op))


def shift_signed(writer: Writer, op: Any) -> None:
    """A shift that moves the sign in."""
    text = type_text(op, op.result.type)
    last = writer.constant(_number(bits_of(op.result.type) - 1, op.result.type), text)
    amount = writer.let(f"arith.minui {writer.value(op.rhs)}, {last} : {text}")
    writer.bind(op.result, writer.let(f"arith.shrsi {writer.value(op.lhs)}, {amount} : {text}"))


def _number(number: int, type: Attribute) -> int:
    """An unsigned number as a constant of a type is written."""
    return -1 if bits_of(type) == 1 and number == 1 else number


# Floats.


def number_extremum(writer: Writer, op: Any) -> None:
    """The smaller or larger number; the other operand of a NaN. -0 is smaller than +0."""
    text, name = type_text(op, op.result.type), op.name.replace("numf", "imumf")
    left, right = writer.value(op.lhs), writer.value(op.rhs)
    is_left_nan = writer.let(f"arith.cmpf uno, {left}, {left} : {text}")
    is_right_nan = writer.let(f"arith.cmpf uno, {right}, {right} : {text}")
    both = writer.let(f"{name} {left}, {right} : {text}")
    unless_right = choose(writer, is_right_nan, left, both, op)
    writer.bind(op.result, choose(writer, is_left_nan, right, unless_right, op))


def to_integer(writer: Writer, op: Any) -> None:
    """Towards zero; the nearest integer of the type where there is none, and 0 of NaN."""
    name = op.name
    writer.bind(op.result, saturated(writer, op, name, writer.value(op.input), op.input.type))


def saturated(writer: Writer, op: Operation, name: str, value: str, source: Attribute) -> str:
    """What `name` makes of a float of type `source`, as the result of `op`."""
    type = op.result_types[0]
    text, floats, mask = type_text(op, type), type_text(op, source), like(type, "i1")
    bits, signed = bits_of(type), name.endswith("si")
    smallest = -(2 ** (bits - 1)) if signed else 0
    past = 2 ** (bits - 1) if signed else 2**bits
    largest = _signed_constant(past - 1, bits)
    low = writer.constant(_float_text(smallest, source), floats)
    high = writer.constant(_float_text(past, source), floats)
    is_low = writer.let(f"arith.cmpf olt, {value}, {low} : {floats}")
    is_high = writer.let(f"arith.cmpf oge, {value}, {high} : {floats}")
    is_nan = writer.let(f"arith.cmpf uno, {value}, {value} : {floats}")
    is_out = writer.let(f"arith.ori {is_low}, {is_high} : {mask}")
    is_none = writer.let(f"arith.ori {is_out}, {is_nan} : {mask}")
    zero = writer.zero(floats)
    known = writer.let(f"arith.select {is_none}, {zero}, {value} : {mask}, {floats}")
    made = writer.let(f"{name} {known} : {floats} to {text}")
    at_most = choose(writer, is_high, writer.constant(largest, text), made, op)
    return choose(writer, is_low, writer.constant(smallest, text), at_most, op)


def _signed_constant(number: int, bits: int) -> int:
    """An unsigned number of a width as a constant is written."""
    return number - 2**bits if number >= 2 ** (bits - 1) and number else number


def _float_text(number: int, type: Attribute) -> str:
    """0 or a power of two as a float; where `f16` has none so large, infinity or its smallest."""
    if str(scalar_type(type)) == "f16" and abs(number) >= 2**16:
        return "0x7C00" if number > 0 else "-65504.0"
    return repr(float(number))


# Powers.


def power(writer: Writer, op: Any) -> None:
    """
    Products by squaring, with the bits of the exponent from the lowest on. A negative exponent has
    the quotient of 1 by the product, towards zero.
    """
    type = op.result.type
    text, bits = type_text(op, type), bits_of(type)
    if bits == 1:
        raise no_form(op)
    base, exponent = writer.values((op.lhs, op.rhs))
    one, zero = writer.constant(1, text), writer.zero(text)
    result, square = one, base
    for bit in range(bits - 1):
        mask = writer.constant(1 << bit, text)
        known = writer.let(f"arith.andi {exponent}, {mask} : {text}")
        is_set = writer.let(f"arith.cmpi ne, {known}, {zero} : {text}")
        product = writer.let(f"arith.muli {result}, {square} : {text}")
        result = choose(writer, is_set, product, result, op)
        square = writer.let(f"arith.muli {square}, {square} : {text}")
    quotient = _quotient_of_one(writer, op, text, base, exponent)
    is_negative = writer.let(f"arith.cmpi slt, {exponent}, {zero} : {text}")
    writer.bind(op.result, choose(writer, is_negative, quotient, result, op))


def _quotient_of_one(writer: Writer, op: Any, text: str, base: str, exponent: str) -> str:
    """1 by a power of `base`: 1 and -1 have one, which is 1 or -1, and all others 0."""
    one, minus_one, zero = (writer.constant(each, text) for each in (1, -1, 0))
    lowest = writer.let(f"arith.andi {exponent}, {one} : {text}")
    is_even = writer.let(f"arith.cmpi eq, {lowest}, {zero} : {text}")
    is_one = writer.let(f"arith.cmpi eq, {base}, {one} : {text}")
    is_minus_one = writer.let(f"arith.cmpi eq, {base}, {minus_one} : {text}")
    of_minus_one = choose(writer, is_even, one, minus_one, op)
    otherwise = choose(writer, is_minus_one, of_minus_one, zero, op)
    return choose(writer, is_one, one, otherwise, op)
