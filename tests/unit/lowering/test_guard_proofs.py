"""The functions by which kernels shift and divide are proven to give what is documented."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from support.c_semantics import function, quotient, remainder
from support.proofs import require_always, z3

from vyre_dialect.runtime.program.compilation import compile_module, make_context, parse_module

KERNEL = """
vyre.program @p {{
  vyre.launch @k[1]() : ()
}}
vyre.kernel @k() workgroup_size [1, 1, 1] generator "k" {{
  %o = vyre.buffer @o : !vyre.buffer<2x{type}, read_write, private>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %a = vyre.load %o[%0] : !vyre.buffer<2x{type}, read_write, private> -> {type}
  %b = vyre.load %o[%1] : !vyre.buffer<2x{type}, read_write, private> -> {type}
  %c = arith.{op} %a, %b : {type}
  vyre.store %c, %o[%0] : {type}, !vyre.buffer<2x{type}, read_write, private>
}}
"""
WIDTHS = (8, 16, 32, 64)
Rule = Callable[[Any, Any, int], Any]


def smallest(width: int) -> Any:
    return z3.BitVecVal(1 << (width - 1), width)


def signed_division(divide: Callable[[Any, Any], Any]) -> Rule:
    """Division by 0, and of the smallest number by -1, gives 0."""

    def rule(a: Any, b: Any, width: int) -> Any:
        overflows = z3.And(a == smallest(width), b == -1)
        return z3.If(z3.Or(b == 0, overflows), 0, divide(a, b))

    return rule


def rounded(is_up: bool) -> Callable[[Any, Any], Any]:
    """The quotient that is the largest not above, or the smallest not below, the exact one."""

    def divide(a: Any, b: Any) -> Any:
        whole, rest = quotient(a, b, signed=True), remainder(a, b, signed=True)
        same_sign = (rest < 0) == (b < 0)  # a remainder has the sign of `a`
        if is_up:
            return whole + z3.If(z3.And(rest != 0, same_sign), z3.BitVecVal(1, a.size()), 0)
        return whole - z3.If(z3.And(rest != 0, z3.Not(same_sign)), z3.BitVecVal(1, a.size()), 0)

    return divide


RULES: dict[str, Rule] = {
    "shli": lambda a, b, width: z3.If(z3.ULT(b, width), a << b, 0),
    "shrui": lambda a, b, width: z3.If(z3.ULT(b, width), z3.LShR(a, b), 0),
    "shrsi": lambda a, b, width: z3.If(
        z3.ULT(b, width), a >> b, z3.If(a < 0, z3.BitVecVal(-1, width), 0)
    ),
    "divui": lambda a, b, _: z3.If(b == 0, 0, quotient(a, b, signed=False)),
    "remui": lambda a, b, _: z3.If(b == 0, 0, remainder(a, b, signed=False)),
    "divsi": signed_division(partial(quotient, signed=True)),
    "remsi": signed_division(partial(remainder, signed=True)),
    "floordivsi": signed_division(rounded(is_up=False)),
    "ceildivsi": signed_division(rounded(is_up=True)),
}


def printed(op: str, width: int) -> str:
    """The function that a kernel with the op calls."""
    module = parse_module(KERNEL.format(op=op, type=f"i{width}"), make_context())
    source = compile_module(module, pipeline="").source
    found = re.search(rf"static \w+ vyre_{op}_\w+\(.*?\n}}", source, re.DOTALL)
    assert found is not None, source
    return found.group()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", ["shli", "shrui", "shrsi"])
def test_shifts_by_any_amount(op: str, width: int) -> None:
    parameters, result = function(printed(op, width))
    a, b = parameters["a"], parameters["b"]
    require_always(result == RULES[op](a, b, width))


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("op", ["divui", "remui", "divsi", "remsi", "floordivsi", "ceildivsi"])
def test_division_by_anything(op: str, width: int) -> None:
    parameters, result = function(printed(op, width))
    a, b = parameters["a"], parameters["b"]
    require_always(result == RULES[op](a, b, width))


def test_a_shift_without_its_guard_is_no_proof() -> None:
    text = "static uint f(uint a, uint b)\n{\n    return a << b;\n}"
    parameters, result = function(text)
    with pytest.raises(AssertionError):
        require_always(result == RULES["shli"](parameters["a"], parameters["b"], 32))
