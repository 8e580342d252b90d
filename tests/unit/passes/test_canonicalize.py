"""The form of `canonicalize` that schedules run does what xDSL's does, with fewer calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.counting import function_calls
from support.generated.drawing import for_each
from support.generated.programs import Sample, programs
from support.schedules import CONTEXT
from xdsl.dialects.builtin import ModuleOp
from xdsl.transforms.canonicalize import CanonicalizePass

from examples.data import example_files
from vyre_dialect.passes.scalar.canonicalize import ScheduledCanonicalizePass
from vyre_dialect.passes.schedule.registry import installed_passes
from vyre_dialect.runtime.program.compilation import apply_pipeline, load_module, parse_module

STAGES = (
    "vyre-expand",
    "vyre-expand,vyre-outline-kernels",
    "vyre-expand,vyre-decode-scan-fuse,vyre-coarsen{groups=4},vyre-outline-kernels,vyre-cse",
)


def both(module: ModuleOp) -> tuple[str, str]:
    """What xDSL's pass and that of schedules make of a module."""
    forms = (CanonicalizePass(), ScheduledCanonicalizePass())
    copies = tuple(module.clone() for _ in forms)
    for form, copy in zip(forms, copies, strict=True):
        form.apply(CONTEXT, copy)
    first, second = map(str, copies)
    return first, second


def test_schedules_run_it():
    assert installed_passes()["canonicalize"]() is ScheduledCanonicalizePass


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", example_files(), ids=lambda path: path.stem)
def test_examples_come_out_the_same_with_fewer_calls(path: Path):
    for pipeline in STAGES:
        module = load_module(path, CONTEXT)
        apply_pipeline(module, pipeline, CONTEXT)
        first, second = both(module)
        assert first == second
        copies = [module.clone(), module.clone()]
        forms = (CanonicalizePass(), ScheduledCanonicalizePass())
        calls = [
            function_calls(lambda form=form, copy=copy: form.apply(CONTEXT, copy))
            for form, copy in zip(forms, copies, strict=True)
        ]
        assert calls[1] < 0.7 * calls[0]


@pytest.mark.slow
def test_generated_programs_come_out_the_same():
    changed = 0

    def check(sample: Sample) -> None:
        nonlocal changed
        module = sample.module.clone()
        apply_pipeline(module, STAGES[1], CONTEXT)
        first, second = both(module)
        assert first == second
        changed += first != str(module)

    for_each(programs(), check, examples=40)
    assert changed > 20


DEAD = """
vyre.kernel @k(%out: !vyre.buffer<?xi32, read_write>, %n: index) workgroup_size [8] generator "k" {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = vyre.load %out[%c0] : !vyre.buffer<?xi32, read_write> -> i32
  %y = arith.addi %x, %x : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (i32) {
    %t = arith.muli %s, %y : i32
    scf.yield %t : i32
  }
  scf.for %i = %c0 to %n step %c1 {
    %dead = arith.muli %x, %y : i32
    %cond = arith.cmpi eq, %x, %y : i32
    scf.if %cond {
      %deeper = arith.addi %dead, %y : i32
    }
  }
  %used = arith.addi %x, %x : i32
  vyre.store %used, %out[%c0] : i32, !vyre.buffer<?xi32, read_write>
}
"""


def test_what_is_dead_goes_in_loops_and_branches():
    module = parse_module(DEAD, CONTEXT)
    first, second = both(module)
    assert first == second
    assert "muli" not in second and "scf.for" not in second and "vyre.store" in second


BLOCKS = """
"test.op"() ({
  %x = "test.op"() : () -> i32
  "test.termop"() [^last] : () -> ()
^unreached:
  %dead = arith.addi %x, %x : i32
  "test.termop"() [^last] : () -> ()
^last:
  %unused = arith.addi %x, %x : i32
  "test.termop"() : () -> ()
}) : () -> ()
"""


def test_blocks_that_nothing_reaches_go():
    from xdsl.dialects.test import Test

    context = CONTEXT.clone()
    if "test" not in context.registered_dialect_names:
        context.register_dialect("test", lambda: Test)
    module = parse_module(BLOCKS, context)
    first, second = both(module)
    assert first == second
    assert "arith.addi" not in second


@pytest.mark.parametrize(("type", "large"), [("f16", "6.0e4"), ("f32", "3.0e38")])
def test_a_product_beyond_its_type_is_left_to_the_device(type: str, large: str):
    module = parse_module(
        f"""
        vyre.program @p {{
          %out = vyre.buffer @out live_out : !vyre.buffer<1x{type}, write_only>
          vyre.region "p" invocations [1] {{
            %large = arith.constant {large} : {type}
            %product = arith.mulf %large, %large : {type}
            %first = arith.constant 0 : index
            vyre.store %product, %out[%first] : {type}, !vyre.buffer<1x{type}, write_only>
          }}
        }}
        """,
        CONTEXT,
    )
    before = str(module)
    ScheduledCanonicalizePass().apply(CONTEXT, module)
    assert str(module) == before
