"""What is known of the buffers of a program is the same of its arms and of their kernels."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path

import pytest
from support.generated.drawing import Draws, for_each
from support.generated.programs import Sample, programs
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from examples.data import EXAMPLES
from vyre_dialect.analysis.escape import Escapes
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.builder import Value, index, program
from vyre_dialect.ir.types import Escape, MemorySpace
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.memory.escape_analysis import EscapeAnalysisPass
from vyre_dialect.passes.memory.scratch_reuse import ScratchReusePass, ScratchReusePlan
from vyre_dialect.passes.program.expand import ExpandPass
from vyre_dialect.passes.program.outline_kernels import OutlineKernelsPass
from vyre_dialect.runtime.program.compilation import load_module, make_context, parse_module

CONTEXT = make_context()
NAMES = ("base64_literal", "base64_patterns", "delta_filter", "hex_histogram", "xor_literal")
FILES = Path(__file__).parents[2] / "filecheck" / "passes"
PROGRAMS = 48


def _outlined(module: ModuleOp) -> ModuleOp:
    return _after(module, OutlineKernelsPass())


def _after(module: ModuleOp, *passes: ModulePass) -> ModuleOp:
    """What passes make of a copy of a module."""
    copy = module.clone()
    for each in passes:
        each.apply(CONTEXT, copy)
    copy.verify()
    return copy


Known = tuple[dict[str, Escape | None], Mapping[str, Set[str]], int]


def _known(module: ModuleOp) -> list[Known]:
    """The causes by which buffers of each program escape, and what its arms may recycle."""
    return [
        (_causes(each), plan.by_arm, plan.pair_count)
        for each in module.walk()
        if isinstance(each, ProgramOp)
        for plan in [AnalysisManager().get(ScratchReusePlan, each)]
    ]


def _causes(program: ProgramOp) -> dict[str, Escape | None]:
    escapes = Escapes(program)
    return {
        each.sym_name.data: escapes.cause(each)
        for each in program.buffers()
        if each.type.space == MemorySpace.GLOBAL
    }


def _check(module: ModuleOp) -> list[Known]:
    """Fail unless all of it is the same in either order; what is known of the arms."""
    known = _known(module)
    assert _known(_outlined(module)) == known
    outline, mark, place = OutlineKernelsPass(), EscapeAnalysisPass(), ScratchReusePass()
    before = _after(module, mark, place, outline)
    after = _after(module, outline, mark, place)
    assert str(before) == str(after)
    assert _known(before) == known
    return known


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str) -> None:
    expanded = _after(load_module(EXAMPLES / f"{name}.mlir", CONTEXT), ExpandPass())
    ((_, by_arm, pairs),) = _check(expanded)
    assert by_arm
    assert pairs


@pytest.mark.slow
def test_generated_programs(draws: Draws) -> None:
    recycling = 0

    def check(sample: Sample) -> None:
        nonlocal recycling
        ((_, _, pairs),) = _check(_after(sample.module, ExpandPass()))
        recycling += bool(pairs)

    examples = draws(PROGRAMS)
    for_each(programs(), check, examples=examples)
    assert recycling >= examples // 2


@pytest.mark.parametrize("name", ["escape_analysis", "scratch_reuse"])
def test_the_programs_that_show_what_the_passes_do(name: str) -> None:
    checked, texts = 0, (FILES / f"{name}.mlir").read_text().split("// -----")
    for text in texts:
        module = parse_module(text, CONTEXT)
        try:
            _outlined(module)
        except DiagnosticException:
            continue  # of an op that does not say what it does, no kernel is made
        _check(module)
        checked += 1
    assert checked >= len(texts) - 1


def _reading_host(*, as_count: bool) -> ModuleOp:
    """The host reads an element that an arm computes with, or has as many invocations as."""
    with program("p", workgroup_size=[4]) as p:
        read = p.buffer("read", i64, 4)
        out = p.buffer("out", i64, 4, live_out=True)
        with p.arm("first", 4) as i:
            read[i] = i.to(i64)
        value: Value = read[0]
        with p.arm("second", value.to(index) if as_count else 4) as i:
            out[i] = i.to(i64) if as_count else value
    return p.module


@pytest.mark.parametrize(
    ("as_count", "cause"), [(False, Escape.HOST_READ), (True, Escape.DISPATCH_COUNT)]
)
def test_only_what_a_grid_is_computed_from_is_a_count(as_count: bool, cause: Escape) -> None:
    for module in (_reading_host(as_count=as_count), _outlined(_reading_host(as_count=as_count))):
        (found,) = (each for each in module.walk() if isinstance(each, ProgramOp))
        assert _causes(found)["read"] == cause
