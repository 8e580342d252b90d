"""Ops of other packages are computed in few bits, by what these say of them or define them as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.foreign_ops import MixOp
from support.fusion import require_equal
from support.generated.definitions import mix_defined, texts
from xdsl.dialects.builtin import IntegerType, ModuleOp, i8, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from vyre_dialect.builder import Value, program
from vyre_dialect.ir import meaning
from vyre_dialect.ir.interfaces import DependsOn
from vyre_dialect.ir.meaning import Meaning, Meanings
from vyre_dialect.ir.types import Access
from vyre_dialect.passes.scalar.narrowing.arithmetic import low_bits
from vyre_dialect.passes.scalar.narrowing.forms import Form, Width
from vyre_dialect.runtime.interpreter import Array, interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

ITEMS = 64
CONTEXT = make_context()
Compute = Callable[[Value, Value], Value]


@irdl_op_definition
class AndNotOp(IRDLOperation):
    """The bits of a number that another one has not."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    name = "acme.andn"

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure(), DependsOn())

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


OPS = Meanings()


@OPS.describe(AndNotOp)
class AndNot(Meaning):
    def numpy(self, op: AndNotOp) -> Callable[[Array, Array], Array]:
        return lambda lhs, rhs: lhs & ~rhs

    narrow = staticmethod(low_bits)


class ShiftedOp(AndNotOp):
    """A number shifted by another one, of which it takes all bits."""

    name = "acme.shifted"


@OPS.describe(ShiftedOp)
class Shifted(Meaning):
    def numpy(self, op: ShiftedOp) -> Callable[[Array, Array], Array]:
        return lambda lhs, rhs: np.where(rhs < 32, lhs << rhs, 0)

    def narrow(self, width: Width, op: ShiftedOp) -> Form:
        return replace(low_bits(width, op), places=(0,))


@pytest.fixture(autouse=True)
def defined() -> Iterator[list[str]]:
    """What `acme.mix` is defined as; `acme.andn` says itself what it is."""
    with mix_defined() as definition:
        meaning.OPS.register(OPS)
        yield definition


def mix(a: Value, b: Value) -> Value:
    return Value(MixOp(a.ssa, b.ssa).result)


def and_not(a: Value, b: Value) -> Value:
    return Value(AndNotOp(a.ssa, b.ssa).result)


def computing(compute: Compute, *, result: IntegerType = i8) -> ModuleOp:
    """What an arm stores that it computes of bytes, in 32 bits."""
    with program("mixed") as p:
        a = p.buffer("a", i8, ITEMS, access=Access.READ_ONLY)
        b = p.buffer("b", i8, ITEMS, access=Access.READ_ONLY)
        out = p.buffer("out", result, ITEMS, live_out=True)
        with p.arm("mix", ITEMS) as i:
            out[i] = compute(a[i].to(i32), b[i].to(i32)).to(result)
    return p.module


def narrowed(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    apply_pipeline(copy, "vyre-narrow-integers", CONTEXT)
    copy.verify()
    return copy


def require_same(module: ModuleOp, other: ModuleOp) -> None:
    """Both compute the same of random bytes, small and large."""
    random = np.random.default_rng(5)
    given = {name: random.integers(0, 256, ITEMS).astype(np.int8) for name in "ab"}
    require_equal(interpret(other, given).outputs, interpret(module, given).outputs)


def test_an_op_is_narrowed_that_says_so() -> None:
    module = computing(lambda a, b: and_not(a + b, b))
    narrow = narrowed(module)
    assert '"acme.andn"(%' in str(narrow) and "(i8, i8) -> i8" in str(narrow)
    assert "i32" not in str(narrow)
    require_same(module, narrow)


@pytest.mark.parametrize(
    ("definition", "bits"),
    [
        ("lhs * 3 ^ rhs", 16),  # as no vector units multiply bytes
        ("(lhs & rhs) + (lhs ^ rhs)", 8),
        ("(lhs + rhs) >> 1", 16),  # of which all bits are asked
        ("(lhs - rhs).shrsi(1)", 16),
        ("(lhs > rhs).select(lhs, rhs)", 8),
        ("(lhs & 200) + rhs", 8),
    ],
)
def test_an_op_is_narrowed_as_its_definition_is(
    defined: list[str], definition: str, bits: int
) -> None:
    defined[0] = definition
    module = computing(mix)
    text = str(narrow := narrowed(module))
    assert "acme.mix" not in text and "i32" not in text
    assert bits == 8 or f": i{bits}" in text
    assert bits == 16 or "i16" not in text
    require_same(module, narrow)


def test_what_takes_all_bits_in_a_definition_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(op: MixOp, lhs: Value, rhs: Value) -> Value:
        return Value(ShiftedOp(lhs.ssa, rhs.ssa).result)

    known = meaning.OPS.find(MixOp)
    assert known is not None
    monkeypatch.setitem(known._parts, "definition", shifted)
    assert "acme.mix" in str(narrowed(computing(mix)))


@pytest.mark.parametrize(
    "definition",
    [
        "lhs",  # nothing is computed
        "(lhs * lhs * lhs * lhs) >> 4",  # large numbers
        "lhs.ctpop() + rhs",  # an op that has no form
        "lhs << (rhs & 31)",  # places beyond few bits
    ],
)
def test_what_is_defined_by_what_needs_all_bits_is_left(
    defined: list[str], definition: str
) -> None:
    defined[0] = definition
    module = computing(mix)
    assert "acme.mix" in str(narrowed(module))


def test_a_definition_is_left_where_that_saves_too_little(defined: list[str]) -> None:
    defined[0] = "lhs + rhs"
    module = computing(mix, result=i32)  # extended again at once
    assert "acme.mix" in str(narrowed(module))


def test_definitions_mean_what_they_meant(defined: list[str]) -> None:
    seen = Counter[bool]()

    @given(texts(), st.booleans(), st.sampled_from([i8, i32]))
    def check(text: str, is_followed: bool, result: IntegerType) -> None:
        defined[0] = text
        module = computing(
            lambda a, b: mix(a, mix(a, b)) & 255 if is_followed else mix(a, b), result=result
        )
        narrow = narrowed(module)
        seen["acme.mix" in str(narrow)] += 1
        require_same(module, narrow)

    check()
    assert seen[False] > 0.1 * seen.total(), seen
