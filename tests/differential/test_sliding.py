"""
Private tiles that slide over the steps of an invocation: whatever the length, examples and chains
mean what their arms mean, in memory and as values, for the interpreter and on devices.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from support.example_data import encoded_text, matching_text
from support.fusion import UnmaskedReads, require_equal, run_with_any_garbage
from support.tiers import slow_if
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from examples.encodings import Array, as_bytes
from vyre_dialect.ir.types import ITEMS, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.library import DecodeOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.interpreter import Interpreter, Observers, RaceChecker
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    load_module,
    make_context,
)
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES, REFERENCE

CONTEXT = make_context()
EXAMPLES = Path(__file__).parents[2] / "examples"
CHAINS = Path(__file__).parent / "fusion"
SLIDING = (
    EXAMPLES / "base64_literal.mlir",
    EXAMPLES / "base64_patterns.mlir",
    EXAMPLES / "xor_literal.mlir",
    CHAINS / "hex_base64_literal.mlir",
    CHAINS / "xor_hex_literals.mlir",
    CHAINS / "clamp_in_chain.mlir",
    CHAINS / "clamp_to_first.mlir",
    CHAINS / "clamp_to_last.mlir",
    CHAINS / "wide_vectors.mlir",
)
"""Those whose tiles share what their producers do."""
OTHERS = (
    EXAMPLES / "delta_filter.mlir",
    EXAMPLES / "hex_histogram.mlir",
)
AS_VALUES = (SLIDING[0], SLIDING[2], SLIDING[3], *SLIDING[-4:])
LONG = [path for path in AS_VALUES if path.stem == "hex_base64_literal"]
"""Compilers take long for two decoders, one in the other."""
ON_DEVICES = [path for path in AS_VALUES if path not in LONG]
STEPS = 4
FUSE = f"vyre-expand,vyre-decode-scan-fuse{{strategy=private steps={STEPS}}}"
VALUES = (
    f"{FUSE},vyre-coarsen{{items={STEPS} order=blocked workgroup=1}},"
    "vyre-privatize-reductions{scope=invocation},vyre-unroll{limit=32},canonicalize,vyre-cse,"
    "vyre-reassociate,vyre-sroa,canonicalize,vyre-cse,vyre-split-index-sets,canonicalize,"
    "vyre-cse"
)
LENGTHS = (0, 1, 12, 33, 95, 97, 128, 129, 383, 385, 900)
"""Around the bytes of tiles (32, 96), of steps of them (128, 384), and of what they share (12)."""


@cache
def compiled(path: Path, pipeline: str) -> ModuleOp:
    module = load_module(path, CONTEXT)
    apply_pipeline(module, pipeline, CONTEXT)
    module.verify()
    return module


def inputs(path: Path, length: int) -> dict[str, Array]:
    """What a program decodes to a text of so many bytes."""
    program, text = compiled(path, ""), matching_text(length, seed=length)
    name = next(op for op in program.walk() if isinstance(op, BufferOp)).sym_name.data
    decodes = any(isinstance(op, DecodeOp) for op in program.walk())
    return {name: encoded_text(program, text) if decodes else as_bytes(text)}


def steps(module: ModuleOp) -> list[int]:
    """Of the arms that slide."""
    arms = (op for op in module.walk() if isinstance(op, RegionOp))
    return [int(str(arm.attributes[ITEMS]).split()[0]) for arm in arms if ITEMS in arm.attributes]


@pytest.mark.parametrize("path", [*SLIDING, *OTHERS], ids=lambda path: path.stem)
def test_tiles_slide_that_share_what_producers_do(path: Path) -> None:
    assert steps(compiled(path, FUSE)) == ([STEPS] if path in SLIDING else [])


@pytest.mark.one_in(9)
@pytest.mark.parametrize("path", SLIDING, ids=lambda path: path.stem)
def test_steps_mean_what_arms_mean(path: Path) -> None:
    require_same(path, FUSE)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("path", slow_if(AS_VALUES, LONG), ids=lambda path: path.stem)
def test_steps_over_values_mean_what_arms_mean(path: Path) -> None:
    require_same(path, VALUES)


def require_same(path: Path, pipeline: str) -> None:
    arms = Interpreter(compiled(path, REFERENCE))
    slid = Interpreter(compiled(path, pipeline))
    for length in LENGTHS:
        given, races, undefined = inputs(path, length), RaceChecker(), UnmaskedReads()
        found = run_with_any_garbage(slid, given, observer=Observers(races, undefined))
        races.verify()
        undefined.verify()
        require_equal(found.outputs, arms.run(given).outputs)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", slow_if(ON_DEVICES, SLIDING[:1]), ids=lambda path: path.stem)
def test_steps_mean_what_arms_mean_on_a_device(device: Device, path: Path) -> None:
    arms = Interpreter(compiled(path, REFERENCE))
    slid = compile_module(compiled(path, VALUES), pipeline=KERNEL_PASSES, device=device.info)
    executor = Executor(slid, device)
    for length in LENGTHS[::3]:
        given = inputs(path, length)
        require_equal(executor.run(given).outputs, arms.run(given).outputs)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("path", "types"),
    [
        (EXAMPLES / "base64_literal.mlir", ["i32"] * 3),
        (EXAMPLES / "xor_literal.mlir", ["vector<4xi32>"]),
        (CHAINS / "wide_vectors.mlir", ["vector<16xi32>"] * 5),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_the_loop_carries_what_tiles_share(path: Path, types: list[str]) -> None:
    module = compiled(path, VALUES)
    buffers = (op for op in module.walk() if isinstance(op, BufferOp))
    assert all(buffer.type.space != MemorySpace.PRIVATE for buffer in buffers)
    (arm,) = (op for op in module.walk() if isinstance(op, RegionOp))
    (loop,) = (op for op in arm.body.block.ops if isinstance(op, scf.ForOp))
    counts = ["i32"] if "count" in str(module) else []
    assert [str(each.type) for each in loop.results] == [*counts, *types]
