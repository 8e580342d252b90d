"""
Generated programs, fused, run under the Oclgrind checker without a report, and give what the
reference interpreter says.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice

from support.batches import batched, batched_inputs
from support.fusion import FusibleProgram, fusible_programs, is_defined, require_outputs
from support.oclgrind import CheckedRun

from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.kernel_cache import KernelCache
from vyre_dialect.runtime.program.compilation import compile_module
from vyre_dialect.runtime.program.pipelines import UNFUSED

PROGRAMS = int(os.environ.get("VYRE_FUZZ_EXAMPLES", "48"))
FIRST_SEED = int(os.environ.get("VYRE_FUZZ_SEED", "7000"))
BATCH = 16


def _require_clean(run: CheckedRun, programs: list[FusibleProgram]) -> None:
    compiled = compile_module(
        batched({each.key: each.after for each in programs}),
        pipeline=UNFUSED,  # They are fused already, each with options of its own.
        device=run.device.info,
    )
    executor = Executor(compiled, run.session, cache=KernelCache(None))
    inputs = batched_inputs({each.key: each.inputs_after for each in programs})
    outputs = executor.run(inputs).outputs
    run.assert_clean()
    for each in programs:
        require_outputs(each, outputs, each.key)


def _reads_defined_words(program: FusibleProgram) -> bool:
    """
    Whether every word that is masked at the ends of a tile is defined as a whole. Oclgrind 21.10
    takes any other for undefined, whatever the mask keeps of it; the interpreter's checker, which
    tests/differential/test_fusion_interpreter.py uses, knows better.
    """
    return is_defined(program.after, program.inputs_after)


def test_fused_programs_run_clean(oclgrind: Callable[..., CheckedRun]) -> None:
    programs = fusible_programs(FIRST_SEED)
    for first in range(0, PROGRAMS, BATCH):
        batch = list(islice(programs, min(BATCH, PROGRAMS - first)))
        defined = [each for each in batch if _reads_defined_words(each)]
        _require_clean(oclgrind(), defined)
        _require_clean(oclgrind(uninitialised=False), [p for p in batch if p not in defined])
