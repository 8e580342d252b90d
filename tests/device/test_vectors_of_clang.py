"""Vectors of more lanes than OpenCL has, where Clang compiles them: what the interpreter says."""

from __future__ import annotations

import numpy as np
import pytest
from support.fusion import require_equal
from xdsl.dialects import vector
from xdsl.dialects.builtin import IntegerType, ModuleOp, VectorType, i8, i16, i32, i64

from vyre_dialect.builder import for_, program
from vyre_dialect.builder.values import Value, constants
from vyre_dialect.ir.types import CLANG_LANES, Access
from vyre_dialect.ops.lanes import CompareLanesOp, Predicate, SelectLanesOp
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED, pipeline_with_options

ROWS = 6
PIPELINE = pipeline_with_options(UNFUSED, "vyre-split-vectors{lanes=64}")
WIDTHS = (i8, i16, i32, i64)


def computed(a: Value, b: Value) -> list[Value]:
    """What ops on lanes give of two vectors."""
    masks = [Value(CompareLanesOp(each, a.ssa, b.ssa).result) for each in Predicate]
    chosen = [Value(SelectLanesOp(mask.ssa, a.ssa, b.ssa).result) for mask in masks]
    few = b & 7
    sums = [a + b, a - b, a * b, a & b, a | b, a ^ b, a << few, a >> few, a.shrsi(few), a << b]
    ordered = [a.min(b), a.max(b), a.minsi(b), a.maxsi(b), a.ctpop()]
    return [*chosen, *sums, *ordered]


def every_op(lanes: int, type: IntegerType) -> ModuleOp:
    """Ops on lanes, conversions, lanes apart and loops, of accesses that leave their buffers."""
    wide, length = VectorType(type, [lanes]), 48 * lanes
    with program("wide") as p:
        source = p.buffer("source", type, 2 * ROWS * lanes - 3, access=Access.READ_ONLY)
        out = p.buffer("out", type, ROWS * length - 5, live_out=True)
        others = {
            each: p.buffer(f"as_{each}", each, ROWS * lanes, live_out=True) for each in WIDTHS
        }
        with p.arm("wide", ROWS) as row:
            a, b = (source.load((row * 2 + n) * lanes, wide) for n in range(2))
            results = computed(a, b)
            halves = a.shuffle(b, range(1, 2 * lanes, 2))
            lane = Value(halves.ssa).lane(lanes - 1)
            some = Value(vector.ExtractOp(b.ssa, [row.ssa], type).result)
            put = Value(vector.InsertOp(some.ssa, a.ssa, [row.ssa]).result)
            results += [halves, lane.broadcast(lanes), a.bitcast(wide), put]
            results.append(some.broadcast(lanes) ^ constants([*range(lanes)], wide))
            with for_(0, row, carry=[a]) as loop:
                loop.yields(loop.carried[0] + b)
            results += loop.results
            for number, result in enumerate(results):
                out.store(result, row * length + number * lanes)
            bits = Value(CompareLanesOp(Predicate.ULT, a.ssa, b.ssa).result)
            for each, buffer in others.items():
                converted = VectorType(each, [lanes])
                total = a.to(converted, signed=True) + bits.to(converted)
                buffer.store(total, row * lanes)
    return p.module


@pytest.mark.parametrize("lanes", CLANG_LANES)
@pytest.mark.parametrize("type", WIDTHS, ids=str)
def test_every_op(device: Device, lanes: int, type: IntegerType) -> None:
    if device.info.vector_lanes < lanes:
        pytest.skip(f"vectors have at most {device.info.vector_lanes} lanes")
    module, rng = every_op(lanes, type), np.random.default_rng(lanes)
    name = f"uint{type.width.data}"
    numbers = rng.integers(0, 1 << 64, 2 * ROWS * lanes - 3, np.uint64, endpoint=False)
    few = rng.integers(0, 3, numbers.size)
    source = np.where(few == 0, few, numbers).astype(np.uint64).astype(name)
    source[lanes : lanes + 8] = source[:8]
    compiled = compile_module(module, pipeline=PIPELINE, device=device.info)
    assert f"vyre_u{type.width.data}x{lanes}" in compiled.source
    found = run_module(module, {"source": source}, device=device, pipeline=PIPELINE).outputs
    require_equal(found, interpret(module, {"source": source}).outputs)
