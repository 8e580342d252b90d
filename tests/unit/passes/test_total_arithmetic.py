"""What passes make of ops with constant operands is what the interpreter says of these ops."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from support.totals import (
    INTEGERS,
    TYPES,
    differences,
    sheet,
    special,
    stored,
)
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, ModuleOp
from xdsl.rewriter import Rewriter

from vyre_dialect.ops.memory import LoadOp
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context

CONTEXT = make_context()
FOLDING = (
    "vyre-outline-kernels,canonicalize,vyre-cse,vyre-simplify-comparisons,canonicalize,"
    "vyre-reassociate,vyre-optimize-integers,canonicalize"
)


def constants(name: str) -> list[int]:
    """Numbers on which ops have a special answer: their places among all special numbers."""
    count = len(special(TYPES[name]))
    return sorted({0, 1, count // 2, count // 2 + 1, count - 1} & set(range(count)))


def constant_of(name: str, place: int) -> arith.ConstantOp:
    """The special number at a place, as buffers hold it."""
    type, number = stored(TYPES[name]), special(TYPES[name])[place]
    if isinstance(type, AnyFloat):
        return arith.ConstantOp(FloatAttr(float(number), type))
    assert isinstance(type, IntegerType)
    return arith.ConstantOp(IntegerAttr(int(number), type, truncate_bits=True))


def with_constants(name: str, places: dict[str, int]) -> ModuleOp:
    """The sheet of a type, some of whose inputs are constants."""
    module, _ = sheet(TYPES[name], 1)
    for load in [op for op in module.walk() if isinstance(op, LoadOp)]:
        if (place := places.get(load.buffer.name_hint or "")) is not None:
            Rewriter.replace_op(load, constant_of(name, place))
    return module


def check(name: str, places: dict[str, int]) -> None:
    module = with_constants(name, places)
    inputs = {"a": special(TYPES[name]), "b": special(TYPES[name])}
    _, like = sheet(TYPES[name], 1)
    inputs = {each: np.resize(values, len(like[each])) for each, values in inputs.items()}
    with np.errstate(all="ignore"):
        expected = interpret(module, inputs).outputs
        apply_pipeline(module, FOLDING, CONTEXT)
        got = interpret(module, inputs).outputs
    assert not differences(TYPES[name], 1, expected, got), places


@pytest.mark.slow
@pytest.mark.parametrize("name", TYPES)
def test_a_constant_on_the_right(name: str) -> None:
    for place in constants(name):
        check(name, {"b": place})


@pytest.mark.slow
@pytest.mark.parametrize("name", TYPES)
def test_a_constant_on_the_left(name: str) -> None:
    for place in constants(name):
        check(name, {"a": place})


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", INTEGERS)
def test_two_constants(name: str) -> None:
    some = constants(name)
    for left, right in list(product(some, some))[::3]:
        check(name, {"a": left, "b": right})
