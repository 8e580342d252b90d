"""Comparisons, choices and conversions of lanes on devices: what the interpreter says."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from support.fusion import require_equal
from xdsl.dialects.builtin import IntegerType, ModuleOp, VectorType, i1, i8, i16, i32, i64

from vyre_dialect.builder import program
from vyre_dialect.builder.values import Value
from vyre_dialect.ir.types import Access
from vyre_dialect.ops.lanes import (
    CompareLanesOp,
    Conversion,
    ConvertLanesOp,
    Predicate,
    SelectLanesOp,
)
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.pipelines import UNFUSED

LANES = 4
ROWS = 16
WIDTHS = (i8, i16, i32, i64)


def vector(type: IntegerType) -> VectorType:
    return VectorType(type, [LANES])


def converted(value: Value, type: IntegerType, *, signed: bool = False) -> Value:
    source = value.type
    assert isinstance(source, VectorType) and isinstance(source.element_type, IntegerType)
    widths = source.element_type.width.data, type.width.data
    if widths[0] == widths[1]:
        return value
    growing = Conversion.EXTSI if signed else Conversion.EXTUI
    conversion = Conversion.TRUNCI if widths[0] > widths[1] else growing
    return Value(ConvertLanesOp(conversion, value.ssa, vector(type)).result)


def every_lane_op() -> ModuleOp:
    """All predicates, choices and conversions, of lanes of all widths."""
    with program("lanes") as p:
        source = p.buffer("source", i64, 2 * ROWS * LANES, access=Access.READ_ONLY)
        out = {
            type: p.buffer(f"out{type}", type, 40 * ROWS * LANES, live_out=True) for type in WIDTHS
        }
        with p.arm("lanes", ROWS) as row:
            one, other = (source.load((row * 2 + n) * LANES, vector(i64)) for n in range(2))
            for type in WIDTHS:
                a, b = converted(one, type), converted(other, type)
                place = row * (40 * LANES)
                masks = [Value(CompareLanesOp(each, a.ssa, b.ssa).result) for each in Predicate]
                low = converted(a, i1)
                masks += [
                    Value(CompareLanesOp(each, low.ssa, masks[0].ssa).result) for each in Predicate
                ]
                for number, mask in enumerate(masks):
                    chosen = SelectLanesOp(mask.ssa, a.ssa, b.ssa).result
                    out[type].store(chosen, place + number * LANES)
                for number, wider in enumerate(WIDTHS[WIDTHS.index(type) :]):
                    at = place + (20 + number) * LANES
                    out[wider].store(converted(a, wider, signed=True), at)
                    out[wider].store(converted(low, wider, signed=True), at + 10 * LANES)
    return p.module


def test_lanes(device: Device):
    numbers = np.random.default_rng(0)
    few = numbers.integers(0, 3, 2 * ROWS * LANES, dtype=np.uint64)
    source = np.where(
        few == 0, numbers.integers(0, 1 << 63, len(few), dtype=np.uint64) * 2 + few, few
    )
    inputs = {"source": source}
    module = every_lane_op()
    found = run_module(module, inputs, device=device, pipeline=UNFUSED).outputs
    require_equal(found, interpret(module, inputs).outputs)


def left_over(lanes: int) -> ModuleOp:
    """Conversions between all widths, single bits included, of numbers of lanes that leave one."""
    types = (i1, *WIDTHS)
    with program("left_over") as p:
        source = p.buffer("source", i64, ROWS * lanes, access=Access.READ_ONLY)
        out = p.buffer("out", i64, ROWS * lanes * len(types) ** 2, live_out=True)
        with p.arm("left_over", ROWS) as row:
            given = source.load(row * lanes, VectorType(i64, [lanes]))
            for number, (first, second) in enumerate(product(types, types)):
                value = given
                for type in (first, second, i64):
                    value = value.to(VectorType(type, [lanes]))
                out.store(value, (row * len(types) ** 2 + number) * lanes)
    return p.module


@pytest.mark.one_in(2)
@pytest.mark.parametrize("lanes", [1, 5, 17, 33])
def test_conversions_of_what_vectors_leave_over(device: Device, lanes: int):
    numbers = np.random.default_rng(lanes).integers(0, 1 << 63, ROWS * lanes, dtype=np.uint64)
    module, inputs = left_over(lanes), {"source": numbers * 2 + numbers // 3 % 2}
    found = run_module(module, inputs, device=device, pipeline=UNFUSED).outputs
    require_equal(found, interpret(module, inputs).outputs)


def every_look_up() -> ModuleOp:
    """Looks into vectors of 2 to 16 lanes of all widths, by vectors of other sizes and widths."""
    with program("look_up") as p:
        source = p.buffer("source", i64, ROWS * 16, access=Access.READ_ONLY)
        numbers = p.buffer("numbers", i8, ROWS * 16, access=Access.READ_ONLY)
        out = {
            (type, size, count): p.buffer(f"o{type}_{size}_{count}", type, ROWS * 16, live_out=True)
            for type in WIDTHS
            for size in (2, 8, 16)
            for count in (4, 16)
        }
        with p.arm("look_up", ROWS) as row:
            for (type, size, count), results in out.items():
                table = source.load(row * 16, VectorType(i64, [size]))
                positions = numbers.load(row * 16, VectorType(i8, [count]))
                found = table.to(VectorType(type, [size])).look_up(
                    positions.to(VectorType(type, [count]))
                )
                results.store(found, row * 16)
    return p.module


def test_look_up(device: Device):
    random = np.random.default_rng(1)
    inputs = {
        "source": random.integers(0, 1 << 63, ROWS * 16, dtype=np.uint64),
        "numbers": random.integers(0, 256, ROWS * 16, dtype=np.uint8),
    }
    module = every_look_up()
    found = run_module(module, inputs, device=device, pipeline=UNFUSED).outputs
    require_equal(found, interpret(module, inputs).outputs)
