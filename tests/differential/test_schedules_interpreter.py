"""Whatever runs over a program, in whatever order, it means the same, by the interpreter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support.fusion import require_same_meaning
from support.generated.drawing import Draws, for_each
from support.generated.programs import Sample, programs
from support.generated.schedules import Scheduled, scheduled
from support.optimized_examples import without_timings
from support.schedules import CONTEXT
from support.tiers import first_quick

from examples.data import EXAMPLES
from vyre_dialect.ir.scheduling import Profile
from vyre_dialect.ops.schedule import PassOp, ScheduleOp
from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass
from vyre_dialect.passes.schedule.materialize_schedule import materialize
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.passes.schedule.options import parse_options
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    emit_opencl,
    load_module,
    optimize_module,
)
from vyre_dialect.runtime.program.pipelines import KERNEL_PASSES

SHARDS = 8
PROGRAMS = 4
"""In each shard."""
SETTLED = 12


@pytest.mark.slow
@pytest.mark.parametrize("shard", first_quick(range(SHARDS)))
def test_no_schedule_changes_a_meaning(shard: int) -> None:
    seen = compared = changed = 0

    def check(drawn: Scheduled) -> None:
        nonlocal seen, compared, changed
        before, after = drawn.sample.module, drawn.after
        seen += 1
        changed += not before.is_structurally_equivalent(after)
        compared += require_same_meaning(before, after, drawn.sample.inputs) is not None

    for_each(scheduled(programs()), check, examples=PROGRAMS, seed=7000 + shard)
    assert compared > seen / 4
    assert changed > seen / 2


@pytest.mark.slow
def test_optimizing_twice_makes_the_same_and_again_changes_nothing(draws: Draws) -> None:
    compared = 0

    def check(sample: Sample) -> None:
        nonlocal compared
        module, twin = sample.module.clone(), sample.module.clone()
        once, twice = (optimize_module(each, OptimizePass(), CONTEXT) for each in (module, twin))
        assert str(module) == str(twin)
        assert without_timings(once) == without_timings(twice)
        meaning = require_same_meaning(sample.module, module, sample.inputs)
        compared += meaning is not None
        text = str(module)
        again = optimize_module(module, OptimizePass(), CONTEXT)
        assert [run.name for run in again.report.runs if run.changed] == []
        assert str(module) == text

    for_each(programs(), check, examples=draws(SETTLED), seed=7100)
    assert compared > draws(SETTLED) / 4


@pytest.mark.one_in(10)
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.mlir")), ids=lambda path: path.stem)
@pytest.mark.parametrize("options", ["{strategy=auto}", "{strategy=workgroup}"])
def test_the_examples_compile_to_what_a_list_of_passes_makes(path: Path, options: str) -> None:
    listed, selected = load_module(path, CONTEXT), load_module(path, CONTEXT)
    fusion = f"vyre-decode-scan-fuse{options}"
    apply_pipeline(listed, f"vyre-expand,{fusion},{KERNEL_PASSES}", CONTEXT)
    names = ("vyre-expand", DecodeScanFusePass.name, *KERNEL_PASSES.split(","))
    schedule = ScheduleOp("listed", Profile.RELEASE)
    for op in materialize(Profile.RELEASE, parse_options(fusion)).passes():
        if op.sym_name.data in names:
            known = tuple(name for name in op.metadata.requires if name in names)
            metadata = replace(op.metadata, requires=known)
            schedule.body.block.add_op(PassOp(op.sym_name.data, metadata, op.spec.parameters))
    selected.body.block.add_op(schedule)
    optimize_module(selected, OptimizePass(), CONTEXT)
    assert emit_opencl(selected).text == emit_opencl(listed).text
