"""Every op has one result for every input, on the interpreter and on every device."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.totals import LANES, TYPES, differences, f16, f64, same_bits, sheet, special
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute

from vyre_dialect.ir.types import LANES as VECTOR_LANES
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    make_context,
    parse_module,
)
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES

CONTEXT = make_context()
PLAIN = "vyre-outline-kernels"
"""Nothing is known of any operand."""
AS_LANES = f"vyre-vectorize{{lanes=16}},{KERNEL_PASSES}"
EXTENSIONS: dict[Attribute, str] = {f16: "cl_khr_fp16", f64: "cl_khr_fp64"}
SHEETS = [
    (name, lanes)
    for name, type in TYPES.items()
    for lanes in LANES
    if lanes in (1, 4) or not isinstance(type, IndexType)
]


def missing(device: Device) -> tuple[Attribute, ...]:
    """The types that a device does not compute with."""
    return tuple(type for type, name in EXTENSIONS.items() if name not in device.info.extensions)


@cache
def executor_of(device: Device, name: str, lanes: int, pipeline: str) -> Executor:
    module, _ = sheet(TYPES[name], lanes, missing(device))
    compiled = compile_module(module, pipeline=pipeline, context=CONTEXT, device=device.info)
    return Executor(compiled, device)


def wrong_cases(
    device: Device, name: str, lanes: int, inputs: Mapping[str, Array], pipeline: str
) -> list[str]:
    """The cases of a sheet that differ between the interpreter and a device."""
    without = missing(device)
    if TYPES[name] in without:
        pytest.skip(f"the device has no {name}")
    module, _ = sheet(TYPES[name], lanes, without)
    with np.errstate(all="ignore"):
        expected = interpret(module, inputs).outputs
    got = executor_of(device, name, lanes, pipeline).run(inputs).outputs
    return differences(TYPES[name], lanes, expected, got, without)


@pytest.mark.one_in(21)
@pytest.mark.parametrize(("name", "lanes"), SHEETS)
def test_where_ops_change_what_they_do(device: Device, name: str, lanes: int) -> None:
    _, inputs = sheet(TYPES[name], lanes)
    assert not wrong_cases(device, name, lanes, inputs, KERNEL_PASSES)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "lanes"), SHEETS)
def test_without_any_pass(device: Device, name: str, lanes: int) -> None:
    _, inputs = sheet(TYPES[name], lanes)
    assert not wrong_cases(device, name, lanes, inputs, PLAIN)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", [name for name in TYPES if name not in ("i1", "index")])
def test_as_lanes(device: Device, name: str) -> None:
    module, inputs = sheet(TYPES[name], 1)
    apply_pipeline(module, "vyre-vectorize{lanes=16}", CONTEXT)
    arms = [op for op in module.walk() if isinstance(op, RegionOp)]
    assert VECTOR_LANES in arms[0].attributes
    assert not wrong_cases(device, name, 1, inputs, AS_LANES)


@pytest.mark.slow
@pytest.mark.parametrize("name", TYPES)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_of_any_bits(device: Device, name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    _, like = sheet(TYPES[name], 1)
    inputs = {each: random_numbers(random, name, len(like[each])) for each in like}
    assert not wrong_cases(device, name, 1, inputs, KERNEL_PASSES)


def random_numbers(random: np.random.Generator, name: str, count: int) -> Array:
    """Random bits, every other number one of those where ops change what they do."""
    edges = random.choice(special(TYPES[name]), count)
    bits = random.integers(0, 256, count * edges.itemsize, dtype=np.uint8)
    numbers = (bits & 1 if name == "i1" else bits).view(edges.dtype)
    return np.where(np.arange(count) % 2, numbers, edges)


REDUCTIONS = """
vyre.program @p {
  %a = vyre.buffer @a : !vyre.buffer<2704xf32, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<676xf32, read_write>
  vyre.region "r" invocations [676] {
    %i = vyre.invocation_id x
    %four = arith.constant 4 : index
    %first = arith.muli %i, %four : index
    %v = vyre.load %a[%first] : !vyre.buffer<2704xf32, read_only> -> vector<4xf32>
    %start = vector.extract %v[3] : f32 from vector<4xf32>
    %r = vector.reduction <KIND>, %v, %start : vector<4xf32> into f32
    vyre.store %r, %o[%i] : f32, !vyre.buffer<676xf32, read_write>
  }
}
"""


@pytest.mark.parametrize("kind", ["minnumf", "maxnumf", "minimumf", "maximumf", "add"])
def test_reductions(device: Device, kind: str) -> None:
    module = parse_module(REDUCTIONS.replace("KIND", kind), CONTEXT)
    numbers = np.array([0.0, -0.0, 1.5, np.nan, -np.inf, -2.0], np.float32)
    inputs = {"a": np.random.default_rng(5).choice(numbers, 2704)}
    with np.errstate(all="ignore"):
        expected = interpret(module, inputs).outputs["o"]
    got = run_module(module, inputs, device=device, context=CONTEXT).outputs["o"]
    assert same_bits(expected, np.asarray(got))
