"""Generated programs compute the same before and after each pass on scalars."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.builder import Builder, ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.builtin import IndexType, ModuleOp, i8, i32, i64
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from vyre_dialect.builder import Buffer, Value, constant, for_, if_, index, program
from vyre_dialect.ir.types import Access, AtomicKind
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline, make_context
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES

CONTEXT = make_context()
INFER = "vyre-optimize-integers"
INVOCATIONS = 12
SLOTS = 64
"""Values that each invocation may write."""
DIVISORS = (1, 2, 3, 8, 12, -1, -4, 0, 2**62)
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
BINARY = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp),
)
BY_CONSTANT = (
    *(arith.DivUIOp, arith.DivSIOp, arith.RemUIOp, arith.RemSIOp),
    *(arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp),
)
SHIFTS = (arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
_FLAGGED = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.ShLIOp)
DATA = np.array([0, 1, -1, 63, 2**63 - 1, -(2**63), 2**62, 12], np.int64)


class Body:
    """Builds random index arithmetic, of which every result is written."""

    def __init__(self, draw: st.DrawFn, i: Value, words: Buffer, octets: Buffer, out: Buffer):
        self.draw, self.i, self.data, self.bytes, self.out = draw, i, words, octets, out
        self.slot = 0

    def write(self, value: Value) -> None:
        if self.slot < SLOTS:
            self.out[self.i * SLOTS + self.slot] = value.to(i64)
            self.slot += 1

    def compute(self, values: list[Value]) -> Value:
        a, b = (self.draw(st.sampled_from(values)) for _ in range(2))
        by = constant(self.draw(st.sampled_from(DIVISORS)))
        amount = constant(self.draw(st.integers(0, 63)))
        binary = self.draw(st.sampled_from(BINARY))
        division = self.draw(st.sampled_from(BY_CONSTANT))
        shift = self.draw(st.sampled_from(SHIFTS))
        choices: list[Callable[[], Value]] = [
            lambda: Value(binary(a.ssa, b.ssa).result),
            lambda: Value(division(a.ssa, by.ssa).result),
            lambda: Value(division(a.ssa, b.ssa).result),
            lambda: Value(shift(a.ssa, amount.ssa).result),
            lambda: self.condition(values).select(a, b),
            lambda: self.data[a & 7].to(index),
            lambda: self.bytes.load(a % 60, i32).to(index, signed=True),
        ]
        return self.draw(st.sampled_from(choices))()

    def condition(self, values: list[Value]) -> Value:
        a, b = (self.draw(st.sampled_from(values)) for _ in range(2))
        return a.compare(self.draw(st.sampled_from(PREDICATES)), b)

    def run(self, values: list[Value], depth: int = 0) -> None:
        values = list(values)
        for _ in range(self.draw(st.integers(1, 5))):
            values.append(self.compute(values))
            self.write(values[-1])
        match self.draw(st.integers(0, 3)) if depth < 2 else 0:
            case 1 | 2:
                with if_(self.condition(values)) as branch:
                    self.run(values, depth + 1)
                with branch.else_():
                    self.run(values, depth + 1)
            case 3:
                with for_(0, self.draw(st.integers(0, 3)), 1) as loop:
                    self.run([*values, loop.counter], depth + 1)
            case _:
                return


@st.composite
def programs(draw: st.DrawFn) -> ModuleOp:
    with program("random", workgroup_size=[4]) as p:
        data = p.buffer("data", i64, len(DATA), access=Access.READ_ONLY)
        bytes_ = p.buffer("bytes", i8)
        out = p.buffer("out", i64, INVOCATIONS * SLOTS, live_out=True)
        _ = p.buffer("overflows", i32, 1, live_out=True)
        with p.arm("random", INVOCATIONS) as i:
            values = [i, bytes_.length, data[i & 7].to(index), constant(5)]
            Body(draw, i, data, bytes_, out).run(values)
    return p.module


def outputs(module: ModuleOp) -> dict[str, object]:
    inputs = {"data": DATA, "bytes": np.arange(50, dtype=np.uint8) * 7}
    return {name: found.tolist() for name, found in interpret(module, inputs).outputs.items()}


def after(module: ModuleOp, pipeline: str) -> ModuleOp:
    changed = module.clone()
    apply_pipeline(changed, pipeline, CONTEXT)
    return changed


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "pipeline",
    [
        "vyre-cse",
        "vyre-optimize-integers",
        "canonicalize,vyre-cse,vyre-optimize-integers,canonicalize",
        "vyre-prove-accesses",
        KERNEL_PASSES,
    ],
)
@settings(max_examples=16)
@given(programs())
def test_a_pass_changes_no_result(pipeline: str, module: ModuleOp):
    assert outputs(after(module, pipeline)) == outputs(module)


@pytest.mark.slow
@settings(max_examples=20)
@given(programs())
def test_no_flag_is_false(module: ModuleOp):
    """Each op that says that it does not wrap around is followed by a check of that."""
    for pipeline in (INFER, KERNEL_PASSES.replace("vyre-outline-kernels,", "")):
        flagged = after(module, pipeline)
        check_flags(flagged)
        assert outputs(flagged)["overflows"] == [0]


def test_the_check_notices_a_false_flag():
    with program("false") as p:
        data = p.buffer("data", i64, len(DATA), access=Access.READ_ONLY)
        _ = p.buffer("bytes", i8), p.buffer("overflows", i32, 1, live_out=True)
        out = p.buffer("out", i64, 8, live_out=True)
        with p.arm("sum", 8) as i:
            value = data[i].to(index)
            out[i] = (value + value).to(i64)
    (total,) = (op for op in p.module.walk() if isinstance(op, arith.AddiOp))
    total.overflow_flags = arith.IntegerOverflowAttr([IntegerOverflowFlag.NSW])
    check_flags(p.module)
    assert outputs(p.module)["overflows"] != [0]


def check_flags(module: ModuleOp) -> None:
    """Let the program count, in @overflows, the flagged index arithmetic that overflows."""
    (counter,) = (
        Buffer(op.buffer)
        for op in module.walk()
        if isinstance(op, BufferOp) and op.sym_name.data == "overflows"
    )
    for op in list(module.walk()):
        if isinstance(op, _FLAGGED) and isinstance(op.result.type, IndexType):
            for flag in op.overflow_flags.data:
                _check(op, flag, counter)


def _check(op: Operation, flag: IntegerOverflowFlag, counter: Buffer) -> None:
    with ImplicitBuilder(Builder(InsertPoint.after(op))):
        a, b, result = (Value(value) for value in (*op.operands, op.results[0]))
        counter.atomic(AtomicKind.ADDI, OVERFLOWS[type(op)][flag](a, b, result).to(i32))


def _high(op: Callable[..., Operation], a: Value, b: Value) -> Value:
    return Value(op(a.ssa, b.ssa).results[1])


def _shifted_back(shift: type[arith.ShRSIOp] | type[arith.ShRUIOp], r: Value, b: Value) -> Value:
    return Value(shift(r.ssa, b.ssa).result)


NSW, NUW = IntegerOverflowFlag.NSW, IntegerOverflowFlag.NUW
OVERFLOWS: dict[
    type[Operation], dict[IntegerOverflowFlag, Callable[[Value, Value, Value], Value]]
] = {
    arith.AddiOp: {
        NSW: lambda a, b, r: ((a ^ r) & (b ^ r)) < 0,
        NUW: lambda a, _, r: r.compare("ult", a),
    },
    arith.SubiOp: {
        NSW: lambda a, b, r: ((a ^ b) & (a ^ r)) < 0,
        NUW: lambda a, b, _: a.compare("ult", b),
    },
    arith.MuliOp: {
        NSW: lambda a, b, r: _high(arith.MulSIExtendedOp, a, b).compare("ne", r >> 63),
        NUW: lambda a, b, _: _high(arith.MulUIExtendedOp, a, b).compare("ne", constant(0)),
    },
    arith.ShLIOp: {
        NSW: lambda a, b, r: _shifted_back(arith.ShRSIOp, r, b).compare("ne", a),
        NUW: lambda a, b, r: _shifted_back(arith.ShRUIOp, r, b).compare("ne", a),
    },
}
