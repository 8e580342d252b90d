"""What the functions in front of kernels compute, as formulas of z3: scalars of OpenCL C."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from support.c_parser import Tree, parse
from support.proofs import z3

WIDTHS = {"bool": 1, "char": 8, "short": 16, "int": 32, "long": 64}
_LIMITS = {"CHAR_MIN": ("int", 8), "SHRT_MIN": ("int", 16), "INT_MIN": ("int", 32)}
_STATEMENT = re.compile(r"^\s*(?:(?P<type>\w+) )?(?P<name>\w+) = (?P<value>.+);$")
_HEAD = re.compile(r"static (?P<type>\w+) \w+\((?P<parameters>[^)]*)\)")


@dataclass(frozen=True)
class Number:
    """A number of a C type."""

    bits: Any
    type: str

    @property
    def is_signed(self) -> bool:
        """Whether its first bit is a sign."""
        return self.type in WIDTHS and self.type != "bool"

    def to(self, type: str) -> Number:
        """The number converted to another type."""
        if type == "bool":
            return Number(z3.If(self.bits == 0, _bits(0, 1), _bits(1, 1)), type)
        more = width_of(type) - self.bits.size()
        if more <= 0:
            return Number(z3.Extract(width_of(type) - 1, 0, self.bits), type)
        extend = z3.SignExt if self.is_signed else z3.ZeroExt
        return Number(extend(more, self.bits), type)

    @property
    def promoted(self) -> Number:
        """The number as operators take it."""
        return self.to("int") if width_of(self.type) < 32 else self


def width_of(type: str) -> int:
    """The bits of a C type."""
    return WIDTHS[type.removeprefix("u")]


def _bits(number: int, width: int) -> Any:
    return z3.BitVecVal(number, width)


def _boolean(holds: Any) -> Number:
    return Number(z3.If(holds, _bits(1, 32), _bits(0, 32)), "int")


def quotient(a: Any, b: Any, *, signed: bool) -> Any:
    """`a / b`."""
    return _divided("/", a, b, signed)


def remainder(a: Any, b: Any, *, signed: bool) -> Any:
    """`a % b`."""
    return _divided("%", a, b, signed)


def _divided(operator: str, a: Any, b: Any, signed: bool) -> Any:
    """
    What z3 divides for hours. It is told only that equal operands have equal results, which is
    enough to prove what a guard does around a division.
    """
    numbers = z3.BitVecSort(a.size())
    return z3.Function(f"{operator} {signed} {a.size()}", numbers, numbers, numbers)(a, b)


def function(text: str) -> tuple[dict[str, Any], Any]:
    """The parameters of a function, free numbers, and the bits that it returns."""
    head, *lines = text.splitlines()
    found = _HEAD.search(head)
    assert found is not None
    known, types = dict[str, Number](), dict[str, str]()
    for parameter in found["parameters"].split(", "):
        type, name = parameter.split()
        known[name], types[name] = Number(z3.BitVec(name, width_of(type)), type), type
    parameters = {name: number.bits for name, number in known.items()}
    for line in lines:
        if (statement := _STATEMENT.match(line)) is not None:
            name = statement["name"]
            types[name] = statement["type"] or types[name]
            known[name] = evaluated(parse(statement["value"]), known).to(types[name])
        elif line.strip().startswith("return "):
            value = parse(line.strip().removeprefix("return ").removesuffix(";"))
            return parameters, evaluated(value, known).to(found["type"]).bits
    raise ValueError(f"expected a function that returns a number, got {text}")


def evaluated(tree: Tree, known: Mapping[str, Number]) -> Number:
    """The number that an expression is."""
    if isinstance(tree, str):
        return _leaf(tree, known)
    operator, *parts = tree
    operands = [evaluated(part, known) for part in parts]
    if operator == "?":
        condition, *cases = operands
        left, right = _common(*(case.promoted for case in cases))
        return Number(z3.If(condition.bits != 0, left.bits, right.bits), left.type)
    if operator == "unary-":
        return Number(-operands[0].promoted.bits, operands[0].promoted.type)
    assert isinstance(operator, str)
    left, right = (operand.promoted for operand in operands)
    if operator in ("<<", ">>"):
        return _shifted(operator, left, right)
    return _computed(operator, *_common(left, right))


def _leaf(text: str, known: Mapping[str, Number]) -> Number:
    if text in known:
        return known[text]
    if text == "LONG_MIN":
        return Number(_bits(-(2**63), 64), "long")
    if text in _LIMITS:
        return Number(_bits(-(2 ** (_LIMITS[text][1] - 1)), 32), "int")
    return Number(_bits(int(text), 32), "int")


def _common(left: Number, right: Number) -> tuple[Number, Number]:
    """Both operands in the wider type, of two of one width the unsigned one."""
    types = sorted((left.type, right.type), key=lambda type: (width_of(type), type[0] == "u"))
    return left.to(types[-1]), right.to(types[-1])


def _shifted(operator: str, left: Number, right: Number) -> Number:
    """OpenCL C takes amounts modulo the width."""
    width = left.bits.size()
    amount = right.to(left.type).bits & _bits(width - 1, width)
    if operator == "<<":
        return Number(left.bits << amount, left.type)
    shifted = left.bits >> amount if left.is_signed else z3.LShR(left.bits, amount)
    return Number(shifted, left.type)


def _computed(operator: str, left: Number, right: Number) -> Number:
    a, b = left.bits, right.bits
    comparisons: dict[str, Callable[[], Any]] = {
        "==": lambda: a == b,
        "!=": lambda: a != b,
        "<": lambda: a < b if left.is_signed else z3.ULT(a, b),
        "&&": lambda: z3.And(a != 0, b != 0),
        "||": lambda: z3.Or(a != 0, b != 0),
    }
    if operator in comparisons:
        return _boolean(comparisons[operator]())
    numbers: dict[str, Callable[[], Any]] = {
        "+": lambda: a + b,
        "-": lambda: a - b,
        "/": lambda: quotient(a, b, signed=left.is_signed),
        "%": lambda: remainder(a, b, signed=left.is_signed),
    }
    return Number(numbers[operator](), left.type)
