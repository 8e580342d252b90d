"""
Arms whose invocations become lanes mean the same: by the reference interpreter, on every device,
and under the Oclgrind checker without a report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import strategies as st
from support.batches import batched, batched_inputs, prefixed
from support.fusion import require_equal
from support.generated.bound_program import BoundProgram
from support.generated.drawing import Draws, for_each, in_batches, requested
from support.generated.scalar_arms import scalar_arms
from support.oclgrind import CheckedRun
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.vectorization.refusal import NOT_VECTORIZED
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import RaceChecker, interpret
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.program.compilation import apply_pipeline, compile_module, make_context
from vyre_dialect.runtime.program.pipelines import UNFUSED

CONTEXT = make_context()
PROGRAMS = 24
ON_DEVICE = 8
CHECKED = 8
BATCH = 4
BEFORE = ("", "", "vyre-prove-accesses,vyre-optimize-integers,", "canonicalize,vyre-cse,")
"""What may come in front."""
AFTER = (
    "",
    ",canonicalize,vyre-cse",
    ",vyre-coarsen{items=3 order=blocked}",
    ",vyre-coarsen{items=2},vyre-privatize-reductions{scope=workgroup}",
    ",vyre-unroll{loops=all limit=16},canonicalize,vyre-prove-accesses,vyre-split-index-sets",
    ",vyre-privatize-reductions,canonicalize,vyre-sroa,vyre-form-byte-permutes",
    ",canonicalize,vyre-cse,vyre-merge-branches,vyre-pack-bytes",
)
"""What may come behind."""
TAILS = ("loop", "each")
"""What does the items that are left."""


def vectorized(
    module: ModuleOp, lanes: int, before: str = "", after: str = "", tail: str = "loop"
) -> ModuleOp:
    copy, options = module.clone(), f"lanes={lanes} tail={tail} annotate=true"
    apply_pipeline(copy, f"{before}vyre-vectorize{{{options}}}{after}", CONTEXT)
    copy.verify()
    return copy


def meaning(
    module: ModuleOp, inputs: Mapping[str, Array], observer: RaceChecker | None = None
) -> Mapping[str, Array] | str:
    """What a program computes, or the bad input that it reports."""
    try:
        return interpret(module, inputs, observer=observer).outputs
    except TrapError as error:
        return str(error)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_lanes_compute_what_invocations_compute(lanes: int, draws: Draws) -> None:
    outcomes = Counter[str]()

    def check(drawn: tuple[BoundProgram, str, str, str]) -> None:
        program, before, after, tail = drawn
        module = vectorized(program.module, lanes, before, after, tail)
        races = RaceChecker()
        expected, got = (
            meaning(program.module, program.inputs),
            meaning(module, program.inputs, races),
        )
        races.verify()
        if isinstance(expected, str) or isinstance(got, str):
            assert got == expected
        else:
            require_equal(got, expected)
        (arm,) = (op for op in module.walk() if isinstance(op, RegionOp))
        outcomes[str(arm.attributes.get(NOT_VECTORIZED, "vectorized"))[:40]] += 1

    options = map(st.sampled_from, (BEFORE, AFTER, TAILS))
    drawn = st.tuples(scalar_arms(traps=True), *options)
    for_each(drawn, check, examples=draws(PROGRAMS), seed=lanes)
    assert outcomes["vectorized"] > 0.4 * outcomes.total(), outcomes


def test_lanes_again_change_nothing() -> None:
    def check(program: BoundProgram) -> None:
        once = vectorized(program.module, 16)
        text = str(once)
        assert str(vectorized(once, 16)) == text
        assert str(vectorized(program.module, 1)) == str(program.module)

    for_each(scalar_arms(), check, examples=PROGRAMS // 4, seed=100)


def require_outputs(
    programs: Sequence[BoundProgram], outputs: dict[str, object], lanes: Sequence[int]
) -> None:
    for number, program in enumerate(programs):
        expected = interpret(program.module, program.inputs).outputs
        for each in lanes:
            got = {name: outputs[prefixed(f"p{number}_{each}", name)] for name in expected}
            require_equal(got, expected)  # pyright: ignore[reportArgumentType]


@pytest.mark.slow
def test_devices_agree(device: Device) -> None:
    lanes = (4, 8, 16)

    def check(batch: Sequence[BoundProgram]) -> None:
        modules = {
            f"p{n}_{each}": vectorized(program.module, each)
            for n, program in enumerate(batch)
            for each in lanes
        }
        inputs = {
            f"p{n}_{each}": program.inputs for n, program in enumerate(batch) for each in lanes
        }
        run = run_module(batched(modules), batched_inputs(inputs), device=device, pipeline=UNFUSED)
        require_outputs(batch, dict(run.outputs), lanes)

    count = in_batches(scalar_arms(), check, examples=ON_DEVICE, batch=BATCH, seed=5000)
    assert count == requested(ON_DEVICE)


@pytest.mark.slow
def test_the_checker_reports_nothing(oclgrind: Callable[..., CheckedRun]) -> None:
    def check(batch: Sequence[BoundProgram]) -> None:
        run = oclgrind(uninitialised=False)
        modules = {f"p{n}_16": vectorized(program.module, 16) for n, program in enumerate(batch)}
        inputs = {f"p{n}_16": program.inputs for n, program in enumerate(batch)}
        compiled = compile_module(batched(modules), pipeline=UNFUSED, device=run.device.info)
        executor = Executor(compiled, run.session, cache=KernelCache(None))
        outputs = executor.run(batched_inputs(inputs)).outputs
        run.assert_clean()
        require_outputs(batch, dict(outputs), (16,))

    count = in_batches(scalar_arms(), check, examples=CHECKED, batch=BATCH, seed=7000)
    assert count == requested(CHECKED)
