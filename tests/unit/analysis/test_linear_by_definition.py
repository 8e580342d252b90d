"""The linear form of an op of another package, by its definition or as it says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import ring
from support.ring import LapOp
from xdsl.dialects.builtin import IndexType, UnitAttr, i32
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.analysis.forms import LINEAR, ExactOperands, LinearForm, Operands, Symbol
from vyre_dialect.analysis.symbol_keys import Intermediate, Quotient
from vyre_dialect.analysis.value_ranges import Range, full_range
from vyre_dialect.builder import Value, program
from vyre_dialect.builder.definition import defined
from vyre_dialect.ir import meaning
from vyre_dialect.ir.meaning import DEFINITION, Described, Meaning, Meanings, Registry
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.passes.memory.prove_accesses import ProveAccessesPass
from vyre_dialect.runtime.interpreter.machine import NUMPY
from vyre_dialect.runtime.program.compilation import make_context


@irdl_op_definition
class BlendOp(IRDLOperation):
    """An index of two others."""

    name = "acme.blend"
    lhs = operand_def(IndexType())
    rhs = operand_def(IndexType())
    result = result_def(IndexType())
    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[IndexType()])


@pytest.fixture(autouse=True, scope="module")
def blended() -> Iterator[list[str]]:
    """What `acme.blend` is defined as, which each example says anew."""
    definition, ops = ["lhs"], Meanings()

    @ops.describe(BlendOp)
    class Blend(Meaning):  # pyright: ignore[reportUnusedClass]
        def definition(self, op: BlendOp, lhs: Value, rhs: Value) -> Value:
            return eval(definition[0], {}, {"lhs": lhs, "rhs": rhs})

    before = meaning.OPS
    meaning.OPS = Registry(before._own)
    meaning.OPS.register(ops)
    meaning.OPS.register(ring.OPS)
    yield definition
    meaning.OPS = before


def is_proven() -> bool:
    """Whether all numbers of a lap are known to be in a buffer that has each of them."""
    with program("p", workgroup_size=[16]) as p:
        source = p.buffer("source", i32, None, access=Access.READ_ONLY)
        with p.arm("read", source.length) as i:
            _ = source[Value(LapOp(i.ssa, 16).first) + i % 16]
    ProveAccessesPass().apply(make_context(), p.module)
    (load,) = (op for op in p.module.walk() if isinstance(op, LoadOp))
    return load.in_bounds == UnitAttr()


def test_its_definition_proves_a_bound() -> None:
    assert is_proven()


def test_what_it_says_comes_before_its_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(op: LapOp, operands: Operands) -> None: ...

    parts = {"definition": DEFINITION.of(LapOp), "linear": nothing}
    monkeypatch.setitem(meaning.OPS._known, LapOp, Described(parts))
    assert not is_proven()


def test_it_may_say_it_without_a_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    def at_most_itself(op: LapOp, operands: Sequence[Range]) -> Range:
        return operands[0].join(Range(0, 0))

    def lap(op: LapOp, operands: Operands) -> LinearForm | None:
        symbol = operands.symbol()
        if symbol is None:
            return None
        rest = operands.forms[0].plus(symbol.form, -1)
        symbol.facts.extend((rest.times(-1), rest.shifted(1 - op.size.value.data)))
        return symbol.form

    with program("p", workgroup_size=[16]) as p:
        source = p.buffer("source", i32, None, access=Access.READ_ONLY)
        with p.arm("read", source.length) as i:
            _ = source[Value(LapOp(i.ssa, 16).first)]
    found = list[bool]()
    said: dict[str, Any] = {"range": at_most_itself}
    for parts in (said, said | {"linear": lap}):
        monkeypatch.setitem(meaning.OPS._known, LapOp, Described(parts))
        copy = p.module.clone()
        ProveAccessesPass().apply(make_context(), copy)
        (load,) = (op for op in copy.walk() if isinstance(op, LoadOp))
        found.append(load.in_bounds == UnitAttr())
    assert found == [False, True]


OPERATORS = ("+", "-", "*", "&", "<<", ">>", "//", "%", "minsi", "maxsi")


@st.composite
def texts(draw: st.DrawFn, depth: int = 3) -> str:
    """An expression of two values and of numbers, with an operator at least."""
    parts = [
        draw(texts(depth - 1)) if depth > 1 and draw(st.booleans()) else draw(LEAVES)
        for _ in range(2)
    ]
    operator = draw(st.sampled_from(OPERATORS))
    if draw(st.booleans()):
        parts[1] = str(draw(st.sampled_from((1, 2, 3, 7, 8, 12, 40, 255))))
    if operator in ("minsi", "maxsi"):
        return f"{parts[0]}.{operator}({parts[1]})"
    return f"({parts[0]} {operator} {parts[1]})"


LEAVES = st.sampled_from(("lhs", "rhs"))
NUMBERS = st.integers(-40, 40) | st.integers(-(2**63), 2**63 - 1)


@settings(max_examples=200)
@example("((lhs + rhs) - 1)", 2**63 - 1, 5, False)  # a sum that wraps around
@example("((lhs * rhs) + 0)", 2**40, 2**40, True)
@example("(lhs // 3)", -7, 0, False)  # which is rounded to zero
@example("(lhs % 8)", -7, 0, False)
@example("(lhs & 7)", -7, 0, False)
@given(texts(), NUMBERS, NUMBERS, st.booleans())
def test_forms_are_the_numbers_that_are_computed(
    blended: list[str], text: str, lhs: int, rhs: int, is_known: bool
) -> None:
    blended[0] = text
    op = BlendOp(create_ssa_value(IndexType()), create_ssa_value(IndexType()))
    given = {op.lhs: lhs, op.rhs: rhs}
    ranges = [Range(each, each) if is_known else _around(each) for each in (lhs, rhs)]
    forms = [Symbol(value, each).form for value, each in zip(given, ranges, strict=True)]
    transfer = LINEAR.of(BlendOp)
    assert transfer is not None
    whole = Symbol(op.result, full_range(IndexType()))
    form = transfer(op, ExactOperands(forms, lambda: ranges, lambda: whole))
    assert form is not None
    numbers = _computed(op, given)
    assert _number(form, numbers) == numbers[op.result]
    _check_facts(form, numbers, set())


def _around(number: int) -> Range:
    return Range(min(number, 0), max(number, 64))


def _computed(op: BlendOp, given: Mapping[SSAValue, int]) -> dict[object, int]:
    """The numbers that the definition computes, by the keys of their symbols."""
    definition = DEFINITION.of(BlendOp)
    assert definition is not None
    made = defined(definition, op)
    known = dict[SSAValue, Any](
        zip(made.block.args, np.array([[each] for each in given.values()], np.int64), strict=True)
    )
    numbers: dict[object, int] = {**given}
    for place, inner in enumerate(made.block.ops):
        numpy = NUMPY.of(type(inner))
        assert numpy is not None
        with np.errstate(all="ignore"):
            result = numpy(inner)(*(known[operand] for operand in inner.operands))
        known[inner.results[0]] = np.broadcast_to(np.asarray(result, np.int64), 1)
        numbers[Intermediate(op.result, place)] = int(known[inner.results[0]][0])
    numbers[op.result] = int(known[made.result][0])
    return numbers


def _number(form: LinearForm, numbers: Mapping[object, int]) -> int:
    return form.constant + sum(factor * _of(symbol, numbers) for symbol, factor in form.terms)


def _of(symbol: Symbol, numbers: Mapping[object, int]) -> int:
    if symbol.key in numbers:
        return numbers[symbol.key]
    assert isinstance(symbol.key, Quotient)
    dividend = LinearForm(tuple(symbol.key.terms), symbol.key.constant)
    return _number(dividend, numbers) // symbol.key.divisor


def _check_facts(form: LinearForm, numbers: Mapping[object, int], seen: set[Symbol]) -> None:
    """All that is said of the symbols of a form holds."""
    for symbol, _ in form.terms:
        assert symbol.bounds.low <= _of(symbol, numbers) <= symbol.bounds.high
        if symbol in seen:
            continue
        seen.add(symbol)
        for fact in symbol.facts:
            assert _number(fact, numbers) <= 0
            _check_facts(fact, numbers, seen)
