"""
Generated programs mean the same whatever passes shape their kernels: by the reference
interpreter, on every device, and under the Oclgrind checker without a report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from support.batches import batched, batched_inputs
from support.fusion import is_defined
from support.generated.bound_program import BoundProgram
from support.generated.drawing import Draws, for_each, in_batches
from support.generated.programs import Sample
from support.oclgrind import CheckedRun
from support.shaping import (
    PERMUTE,
    SHAPING,
    STAGE,
    Seen,
    Shaped,
    require_outputs,
    shape,
    shaped,
    to_shape,
)

from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

SHARDS = 4
PROGRAMS = 24
"""In each shard."""
REPEATED = 12
ON_DEVICE = 32
CHECKED = 32
BATCH = 16
SHAPED = shaped()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_passes_in_any_order_keep_the_meaning(shard: int, draws: Draws) -> None:
    seen = Seen()
    for_each(shaped(), seen.check, examples=draws(PROGRAMS), seed=shard)
    assert seen.changed > 0.4 * seen.programs, seen


@pytest.mark.one_in(9)
@pytest.mark.parametrize("forms", SHAPING, ids=lambda forms: forms[0].removeprefix("vyre-"))
def test_a_pass_run_again_changes_nothing(forms: Sequence[str], draws: Draws) -> None:
    changed = 0

    def check(program: Sample | BoundProgram) -> None:
        nonlocal changed
        for form in forms:
            once = shape(program.module, form)
            changed += not once.is_structurally_equivalent(program.module)
            assert shape(once, form).is_structurally_equivalent(once)

    # What looks things up in tables, and puts words together.
    kind = "library" if forms in (STAGE, PERMUTE) else None
    for_each(to_shape(kind), check, examples=draws(REPEATED), seed=900)
    assert changed


@pytest.mark.slow
@pytest.mark.xdist_group("shaped kernels on devices")
def test_devices_agree(device: Device, draws: Draws) -> None:
    def check(batch: Sequence[Shaped]) -> None:
        modules = {f"p{n}": each.after for n, each in enumerate(batch)}
        inputs = {f"p{n}": each.inputs_after for n, each in enumerate(batch)}
        run = run_module(batched(modules), batched_inputs(inputs), device=device, pipeline=UNFUSED)
        for n, each in enumerate(batch):
            require_outputs(each, run.outputs, f"p{n}")

    count = in_batches(SHAPED, check, examples=draws(ON_DEVICE), batch=BATCH, seed=5000)
    assert count == draws(ON_DEVICE)


@pytest.mark.slow
def test_the_checker_reports_nothing(oclgrind: Callable[..., CheckedRun], draws: Draws) -> None:
    def require_clean(run: CheckedRun, batch: Sequence[Shaped]) -> None:
        module = batched({f"p{n}": each.after for n, each in enumerate(batch)})
        compiled = compile_module(module, pipeline=UNFUSED, device=run.device.info)
        executor = Executor(compiled, run.session, cache=KernelCache(None))
        inputs = {f"p{n}": each.inputs_after for n, each in enumerate(batch)}
        outputs = executor.run(batched_inputs(inputs)).outputs
        run.assert_clean()
        for n, each in enumerate(batch):
            require_outputs(each, outputs, f"p{n}")

    def check(batch: Sequence[Shaped]) -> None:
        # Of a word that is masked at the end of a tile the checker asks for all bytes.
        defined = [each for each in batch if is_defined(each.after, each.inputs_after)]
        require_clean(oclgrind(), defined)
        require_clean(oclgrind(uninitialised=False), [p for p in batch if p not in defined])

    count = in_batches(shaped(), check, examples=draws(CHECKED), batch=BATCH, seed=7000)
    assert count == draws(CHECKED)
