"""
The examples on vectors of 16 words, an invocation to a workgroup, as CPUs are fast with: fused or
not, every length means what arms of default widths mean, and bad input is found where it is.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.example_data import encoded_text, matching_text
from support.fusion import require_equal
from support.oclgrind import CheckedRun
from support.tiers import slow_if
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter import Interpreter
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.program.compilation import (
    CompiledProgram,
    apply_pipeline,
    compile_module,
    load_module,
    make_context,
)
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES, REFERENCE

CONTEXT = make_context()
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))
FUSABLE = [path for path in EXAMPLES if path.stem != "base64_patterns"]
"""A window of literals is not for private memory, if it may be asked for."""
WITH_ERRORS = [path for path in EXAMPLES if path.stem in ("base64_literal", "hex_histogram")]
CHOICES = 'vyre-expand{defaults="lanes=16","places=64","counting=bins","bytes=64"}'
FUSED = (
    f"{CHOICES},vyre-decode-scan-fuse{{strategy=private}},vyre-unroll{{limit=32}},"
    "vyre-split-index-sets,vyre-privatize-reductions,vyre-form-byte-permutes"
)
LENGTHS = (0, 1, 63, 65, 193, 1999)
"""Around the bytes of what an invocation decodes, and of what it scans."""


def unfused(path: Path, device: Device) -> CompiledProgram:
    pipeline = f"{CHOICES},vyre-split-index-sets,{KERNEL_PASSES}"
    return compile_module(by_ones(path), pipeline=pipeline, device=device.info)


def fused(path: Path, device: Device) -> CompiledProgram:
    optimize = OptimizePass(options=FUSED)
    return compile_module(by_ones(path), optimize=optimize, device=device.info)


def by_ones(path: Path) -> ModuleOp:
    """An example, with an invocation to a workgroup."""
    module = load_module(path, CONTEXT)
    find_program(module).choose("workgroup_size", 1)
    return module


def check(path: Path, executor: Executor, length: int) -> None:
    inputs, expected = by_reference(path, length)
    require_equal(executor.run(inputs).outputs, expected)


@cache
def by_reference(path: Path, length: int) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
    """What an example decodes to a text of so many bytes, and what it makes of it."""
    module, ready = reference(path)
    inputs = {"encoded": encoded_text(module, matching_text(length))}
    return inputs, ready.run(inputs).outputs


@cache
def reference(path: Path) -> tuple[ModuleOp, Interpreter]:
    """An example as it stands, and what interprets it."""
    module = load_module(path, CONTEXT)
    arms = module.clone()
    apply_pipeline(arms, REFERENCE, CONTEXT)
    return module, Interpreter(arms)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "compiled"),
    [
        *((path, fused) for path in FUSABLE),
        *((path, unfused) for path in EXAMPLES if path not in FUSABLE),
        *(pytest.param(path, unfused, marks=pytest.mark.slow) for path in FUSABLE),
    ],
    ids=lambda value: value.stem if isinstance(value, Path) else value.__name__,
)
def test_every_length(
    path: Path, compiled: Callable[[Path, Device], CompiledProgram], device: Device
):
    executor = Executor(compiled(path, device), device)
    for length in LENGTHS:
        check(path, executor, length)


@pytest.mark.slow
@pytest.mark.parametrize("path", slow_if(WITH_ERRORS, WITH_ERRORS[:1]), ids=lambda path: path.stem)
def test_the_first_bad_character(path: Path, device: Device):
    executor = Executor(fused(path, device), device)
    text = encoded_text(load_module(path, CONTEXT), matching_text(600))
    for offset in (0, 1, 62, 63, 64, 255, 256, 257, 700, text.size - 5, text.size - 1):
        bad = text.copy()
        bad[[offset, min(offset + 70, text.size - 1)]] = 0xFF
        with pytest.raises(VyreError, match=rf" at offset {offset}$"):
            executor.run({"encoded": bad})
    with pytest.raises(VyreError, match=r" at offset 257$"):
        executor.run({"encoded": np.full(257, ord("A"), np.uint8)})


@pytest.mark.slow
@pytest.mark.parametrize("path", FUSABLE, ids=lambda path: path.stem)
def test_runs_clean(path: Path, oclgrind: Callable[..., CheckedRun]):
    run = oclgrind()
    executor = Executor(fused(path, run.device), run.session, cache=KernelCache(None))
    for length in (1, 513):
        check(path, executor, length)
