"""
Generated programs, fused, run under the Oclgrind checker without a report, and give what the
reference interpreter says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from support.batches import batched, batched_inputs
from support.fusion import FusibleProgram, fusible, is_defined, require_outputs
from support.generated.drawing import Draws, in_batches
from support.generated.programs import programs
from support.oclgrind import CheckedRun

from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

PROGRAMS = 32
BATCH = 16
SEED = 7000


def _require_clean(run: CheckedRun, programs: Sequence[FusibleProgram]) -> None:
    compiled = compile_module(
        batched({f"p{n}": each.after for n, each in enumerate(programs)}),
        pipeline=UNFUSED,  # They are fused already, each with options of its own.
        device=run.device.info,
    )
    executor = Executor(compiled, run.session, cache=KernelCache(None))
    inputs = {f"p{n}": each.inputs_after for n, each in enumerate(programs)}
    outputs = executor.run(batched_inputs(inputs)).outputs
    run.assert_clean()
    for n, each in enumerate(programs):
        require_outputs(each, outputs, f"p{n}")


def _reads_defined_words(program: FusibleProgram) -> bool:
    """
    Whether every word that is masked at the ends of a tile is defined as a whole. Oclgrind 21.10
    takes any other for undefined, whatever the mask keeps of it; the interpreter's checks, which
    tests/differential/test_fusion_interpreter.py uses, know better.
    """
    return is_defined(program.after, program.inputs_after)


@pytest.mark.slow
def test_fused_programs_run_clean(oclgrind: Callable[..., CheckedRun], draws: Draws) -> None:
    wholly_defined = 0

    def check(batch: Sequence[FusibleProgram]) -> None:
        nonlocal wholly_defined
        defined = [each for each in batch if _reads_defined_words(each)]
        wholly_defined += len(defined)
        _require_clean(oclgrind(), defined)
        _require_clean(oclgrind(uninitialised=False), [p for p in batch if p not in defined])

    count = in_batches(fusible(programs()), check, examples=draws(PROGRAMS), batch=BATCH, seed=SEED)
    assert count == draws(PROGRAMS)
    assert wholly_defined > 0.5 * count
