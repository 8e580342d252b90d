"""
Workgroups that become single invocations mean the same: by the reference interpreter, on every
device, and under the Oclgrind checker without a report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from support.batches import batched, batched_inputs, prefixed
from support.example_data import encoded_text, matching_text
from support.fusion import require_equal, run_with_any_garbage
from support.generated.bound_program import BoundProgram
from support.generated.cooperative_arms import cooperative_arms
from support.generated.drawing import Draws, for_each, in_batches
from support.oclgrind import CheckedRun
from support.tiers import slow_if
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.form_work_item_loops import NO_WORK_ITEM_LOOPS
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import Interpreter, Observers, RaceChecker, interpret
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    load_module,
    make_context,
    parse_module,
)
from vyre_dialect.runtime.program.pipelines import REFERENCE, UNFUSED

CONTEXT = make_context()
EXAMPLES = Path(__file__).parents[2] / "examples"
WORK_ITEM_LOOPS = "vyre-form-work-item-loops{annotate=true}"
FUSE = "vyre-decode-scan-fuse{strategy=workgroup budget=65536}"
NAMES = ("base64_literal", "base64_patterns", "delta_filter", "hex_histogram", "xor_literal")
SHARDS = 2
PROGRAMS = 40
ON_DEVICE = 24
CHECKED = 12
BATCH = 12
FORMS = (
    *(WORK_ITEM_LOOPS,) * 4,
    f"vyre-coarsen{{groups=2}},{WORK_ITEM_LOOPS}",
    f"vyre-coarsen{{items=2}},{WORK_ITEM_LOOPS}",
    f"{WORK_ITEM_LOOPS},vyre-coarsen{{items=3 order=blocked}}",
    f"{WORK_ITEM_LOOPS},vyre-coarsen{{groups=2}},vyre-privatize-reductions",
    f"vyre-privatize-reductions{{scope=workgroup copies=2}},{WORK_ITEM_LOOPS}",
    f"canonicalize,vyre-cse,{WORK_ITEM_LOOPS},vyre-unroll{{loops=all limit=16}},vyre-sroa",
)
"""The pass alone, and what may come in front or behind."""


def looped(module: ModuleOp, form: str = WORK_ITEM_LOOPS) -> ModuleOp:
    """A verified copy of a module that went through passes."""
    copy = module.clone()
    apply_pipeline(copy, form, CONTEXT)
    copy.verify()
    return copy


def require_same(after: ModuleOp, program: BoundProgram) -> None:
    """Fail unless a program means the same as before, races with nobody and is defined."""
    expected = interpret(program.module, program.inputs).outputs
    races = RaceChecker()
    found = run_with_any_garbage(Interpreter(after), program.inputs, observer=Observers(races))
    races.verify()
    require_equal(found.outputs, expected)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_loops_over_lanes_mean_what_workgroups_mean(shard: int, draws: Draws) -> None:
    outcomes = Counter[str]()

    def check(drawn: tuple[BoundProgram, str]) -> None:
        program, form = drawn
        after = looped(program.module, form)
        require_same(after, program)
        (arm,) = (op for op in after.walk() if isinstance(op, RegionOp))
        assert arm.is_data_parallel != (NO_WORK_ITEM_LOOPS in arm.attributes)
        if arm.is_data_parallel:
            assert looped(after).is_structurally_equivalent(after)
        outcomes["done" if arm.is_data_parallel else "left"] += 1

    drawn = st.tuples(cooperative_arms(), st.sampled_from(FORMS))
    for_each(drawn, check, examples=draws(PROGRAMS), seed=shard)
    assert outcomes["done"] > 0.9 * outcomes.total(), outcomes


WRITTEN = """
vyre.program @p {
  %n = vyre.buffer @n : !vyre.buffer<4xi32, read_only>
  %x = vyre.buffer @x live_out : !vyre.buffer<4xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<16xi32, read_write>
  %t = vyre.buffer @t : !vyre.buffer<4xi32, read_write, workgroup>
  vyre.region "p" invocations [16] workgroup_size [4] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %g = vyre.workgroup_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    vyre.store %seven, %t[%l] : i32, !vyre.buffer<4xi32, read_write, workgroup>
    vyre.barrier
    %first = arith.cmpi eq, %l, %c0 : index
    scf.if %first {
      vyre.store %seven, %x[%g] : i32, !vyre.buffer<4xi32, read_write>
    }
    %c3 = arith.constant 3 : index
    %count = arith.select %first, %c3, %c0 : index
    %sum = scf.for %k = %c0 to %count step %c1 iter_args(%s = %zero) -> (i32) {
      %v = vyre.load %x[%g] : !vyre.buffer<4xi32, read_write> -> i32
      %s1 = arith.addi %s, %v : i32
      scf.yield %s1 : i32
    }
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<16xi32, read_write>
  }
}
"""


@pytest.mark.parametrize("form", [WORK_ITEM_LOOPS, f"vyre-hoist-loads,{WORK_ITEM_LOOPS}"])
def test_what_one_lane_has_written_is_not_loaded_for_all_before(form: str) -> None:
    module = parse_module(WRITTEN, CONTEXT)
    inputs = {"n": np.zeros(4, np.int32)}
    found = interpret(looped(module, form), inputs).outputs
    require_equal(found, interpret(module, inputs).outputs)


def require_outputs(programs: Sequence[BoundProgram], outputs: Mapping[str, Array]) -> None:
    for number, program in enumerate(programs):
        expected = interpret(program.module, program.inputs).outputs
        require_equal({name: outputs[prefixed(f"p{number}", name)] for name in expected}, expected)


@pytest.mark.slow
@pytest.mark.xdist_group("looped workgroups on devices")
def test_devices_agree(device: Device, draws: Draws) -> None:
    def check(batch: Sequence[BoundProgram]) -> None:
        modules = {f"p{n}": looped(program.module) for n, program in enumerate(batch)}
        inputs = {f"p{n}": program.inputs for n, program in enumerate(batch)}
        run = run_module(batched(modules), batched_inputs(inputs), device=device, pipeline=UNFUSED)
        require_outputs(batch, run.outputs)

    count = in_batches(cooperative_arms(), check, examples=draws(ON_DEVICE), batch=BATCH, seed=5000)
    assert count == draws(ON_DEVICE)


@pytest.mark.slow
def test_the_checker_reports_nothing(oclgrind: Callable[..., CheckedRun], draws: Draws) -> None:
    def check(batch: Sequence[BoundProgram]) -> None:
        run = oclgrind()
        modules = {f"p{n}": looped(program.module) for n, program in enumerate(batch)}
        inputs = {f"p{n}": program.inputs for n, program in enumerate(batch)}
        compiled = compile_module(batched(modules), pipeline=UNFUSED, device=run.device.info)
        executor = Executor(compiled, run.session, cache=KernelCache(None))
        outputs = executor.run(batched_inputs(inputs)).outputs
        run.assert_clean()
        require_outputs(batch, outputs)

    count = in_batches(cooperative_arms(), check, examples=draws(CHECKED), batch=BATCH, seed=7000)
    assert count == draws(CHECKED)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", slow_if(NAMES, ("base64_patterns", "hex_histogram")))
def test_pairs_that_share_a_tile_keep_it_as_one_invocation_s(name: str) -> None:
    module = load_module(EXAMPLES / f"{name}.mlir", CONTEXT)
    arms = looped(module, REFERENCE)
    after = looped(arms, f"{FUSE},{WORK_ITEM_LOOPS}")
    assert "workgroup>" not in str(after) and "private>" in str(after)
    assert NO_WORK_ITEM_LOOPS not in str(after)
    reference, ready = Interpreter(arms), Interpreter(after)
    for length in (0, 1, 700, 9000):
        inputs = {"encoded": encoded_text(module, matching_text(length, 3))}
        races = RaceChecker()
        found = run_with_any_garbage(ready, inputs, observer=Observers(races))
        races.verify()
        require_equal(found.outputs, reference.run(inputs).outputs)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", slow_if(NAMES, ("base64_patterns", "hex_histogram")))
def test_devices_run_examples_as_schedules_shape_them(name: str, device: Device) -> None:
    module = load_module(EXAMPLES / f"{name}.mlir", CONTEXT)
    inputs = {"encoded": encoded_text(module, matching_text(30_000, 5))}
    options = "vyre-decode-scan-fuse{strategy=workgroup steps=1},vyre-form-work-item-loops"
    run = run_module(module, inputs, device=device, optimize=OptimizePass(options=options))
    arms = looped(module, REFERENCE)
    require_equal(run.outputs, interpret(arms, inputs).outputs)
