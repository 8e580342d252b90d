"""The rules of `vyre-simplify-comparisons` are proven, and applied as they are proven."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from support.proofs import require_always, z3
from support.schedules import CONTEXT
from xdsl.dialects import arith

from vyre_dialect.passes.scalar.simplify_comparisons import (
    ABSORBED,
    AT_ZERO,
    BEYOND,
    COMBINED,
    DECISIVE,
    NEUTRAL,
    SimplifyComparisonsPass,
)
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.program.compilation import parse_module

WIDTHS = (16, 32, 64)
NARROW = ((8, 16), (8, 32), (16, 32), (8, 64), (16, 64), (32, 64), (1, 8))
OPERATORS: dict[type[arith.SignlessIntegerBinaryOperation], Callable[[Any, Any], Any]] = {
    arith.XOrIOp: lambda x, y: x ^ y,
    arith.AndIOp: lambda x, y: x & y,
    arith.OrIOp: lambda x, y: x | y,
    arith.AddiOp: lambda x, y: x + y,
    arith.SubiOp: lambda x, y: x - y,
    arith.MuliOp: lambda x, y: x * y,
}
UNSIGNED: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "ult": z3.ULT,
    "ule": z3.ULE,
    "ugt": z3.UGT,
    "uge": z3.UGE,
}


def bytes_by_bytes() -> tuple[Any, Any]:
    """Every number of 8 bits beside every other."""
    numbers = np.arange(256, dtype=np.uint8)
    return numbers[:, None], numbers[None, :]


def by_op(rules: dict[Any, Any]) -> Any:
    return pytest.mark.parametrize("op", rules, ids=lambda op: op.name)


@by_op(ABSORBED)
def test_absorbing_arithmetic_at_8_bits(op: type[arith.SignlessIntegerBinaryOperation]) -> None:
    x, d = bytes_by_bytes()
    for c in np.arange(256, dtype=np.uint8):
        np.testing.assert_array_equal(OPERATORS[op](x, c) == d, x == ABSORBED[op](c, d))


@by_op(ABSORBED)
@pytest.mark.parametrize("width", WIDTHS)
def test_absorbing_arithmetic(op: type[arith.SignlessIntegerBinaryOperation], width: int) -> None:
    x, c, d = z3.BitVecs("x c d", width)
    require_always((OPERATORS[op](x, c) == d) == (x == ABSORBED[op](c, d)))


@by_op(COMBINED)
def test_combining_constants_at_8_bits(op: type[arith.SignlessIntegerBinaryOperation]) -> None:
    does = OPERATORS[op]
    x, d = bytes_by_bytes()
    for c in np.arange(256, dtype=np.uint8):
        np.testing.assert_array_equal(does(does(x, c), d), does(x, COMBINED[op](c, d)))


@by_op({op: rule for op, rule in COMBINED.items() if op is not arith.MuliOp})
@pytest.mark.parametrize("width", WIDTHS)
def test_combining_constants(op: type[arith.SignlessIntegerBinaryOperation], width: int) -> None:
    x, c, d = z3.BitVecs("x c d", width)
    does = OPERATORS[op]
    require_always(does(does(x, c), d) == does(x, COMBINED[op](c, d)))


@by_op(NEUTRAL)
@pytest.mark.parametrize("width", [8, *WIDTHS])
def test_dropping_constants(op: type[arith.SignlessIntegerBinaryOperation], width: int) -> None:
    x, does = z3.BitVec("x", width), OPERATORS[op]
    require_always(does(x, z3.BitVecVal(NEUTRAL[op], width)) == x)
    if op in DECISIVE:
        decisive = z3.BitVecVal(DECISIVE[op], width)
        require_always(does(x, decisive) == decisive)


def test_products_combine_as_those_of_integers_do() -> None:
    """Modulo 2^n: z3 takes for ever at 64 bits, and multiplication is associative in any ring."""
    x, c, d = z3.Ints("x c d")
    require_always((x * c) * d == x * (c * d))


@pytest.mark.parametrize("predicate", BEYOND)
@pytest.mark.parametrize(("narrow", "wide"), NARROW)
def test_absorbing_extensions(predicate: str, narrow: int, wide: int) -> None:
    x, d = z3.BitVec("x", narrow), z3.BitVec("d", wide)
    compares = UNSIGNED[predicate]
    extended = compares(z3.ZeroExt(wide - narrow, x), d)
    fits = z3.ULT(d, 2**narrow)
    require_always(z3.Implies(fits, extended == compares(x, z3.Extract(narrow - 1, 0, d))))
    require_always(z3.Implies(z3.Not(fits), extended == BEYOND[predicate]))


@pytest.mark.parametrize("width", [8, *WIDTHS])
@pytest.mark.parametrize(("predicate", "number"), AT_ZERO)
def test_comparing_with_zero(predicate: str, number: int, width: int) -> None:
    x = z3.BitVec("x", width)
    with_zero = UNSIGNED[AT_ZERO[predicate, number]]
    require_always(UNSIGNED[predicate](x, number) == with_zero(x, 0))


SAMPLES = (0, 1, 5, 127, 128, 200, 255)


def fragments() -> Iterator[str]:
    """Bodies that turn the byte `%x` into the i1 `%y`, each a case of a rule."""
    constants = list(product(SAMPLES, SAMPLES))
    for name, (c, d) in product(("xori", "addi", "subi"), constants):
        for predicate in ("eq", "ne", "ult"):
            yield f"""%c = arith.constant {c} : i8
              %d = arith.constant {d} : i8
              %t = arith.{name} %x, %c : i8
              %y = arith.cmpi {predicate}, %t, %d : i8"""
    for name, (c, d) in product(("xori", "andi", "ori", "addi", "muli"), constants):
        yield f"""%c = arith.constant {c} : i8
          %d = arith.constant {d} : i8
          %t = arith.{name} %x, %c : i8
          %u = arith.{name} %t, %d : i8
          %y = arith.trunci %u : i8 to i1"""
    for name, c in product(("xori", "andi", "ori", "addi", "muli"), SAMPLES):
        yield f"""%c = arith.constant {c} : i8
          %t = arith.{name} %c, %x : i8
          %y = arith.trunci %t : i8 to i1"""
        for truth, flag in product(("true", "false"), ("%low, %b", "%b, %low")):
            yield f"""%low = arith.trunci %x : i8 to i1
              %b = arith.constant {truth}
              %y = arith.{name} {flag} : i1"""
    for predicate, d in product((*BEYOND, "slt", "sge"), (*SAMPLES, 256, 300, 65535)):
        yield f"""%d = arith.constant {d} : i16
          %t = arith.extui %x : i8 to i16
          %y = arith.cmpi {predicate}, %t, %d : i16"""


def program(bodies: list[str]) -> str:
    """A program that runs each body on every byte, each into a row of its own."""
    arms = list[str]()
    for row, body in enumerate(bodies):
        arms.append(f"""vyre.region "row{row}" invocations [256] {{
          %i = vyre.invocation_id x
          %start = arith.constant {256 * row} : index
          %at = arith.addi %i, %start : index
          %x = vyre.load %in[%i] : !vyre.buffer<256xi8, read_only> -> i8
          {body}
          %z = arith.extui %y : i1 to i8
          vyre.store %z, %out[%at] : i8, !vyre.buffer<{256 * len(bodies)}xi8, write_only>
        }}""")
    buffers = f"""%in = vyre.buffer @in : !vyre.buffer<256xi8, read_only>
      %out = vyre.buffer @out live_out : !vyre.buffer<{256 * len(bodies)}xi8, write_only>"""
    return "\n".join(["vyre.program @p {", buffers, *arms, "}"])


@pytest.mark.slow
def test_what_is_applied_is_what_is_proven() -> None:
    module = parse_module(program(list(fragments())), CONTEXT)
    inputs = {"in": np.arange(256, dtype=np.uint8)}
    expected = interpret(module, inputs).outputs["out"]
    simplified = module.clone()
    SimplifyComparisonsPass().apply(CONTEXT, simplified)
    simplified.verify()
    assert not simplified.is_structurally_equivalent(module)
    np.testing.assert_array_equal(interpret(simplified, inputs).outputs["out"], expected)
    again = simplified.clone()
    SimplifyComparisonsPass().apply(CONTEXT, again)
    assert again.is_structurally_equivalent(simplified)
