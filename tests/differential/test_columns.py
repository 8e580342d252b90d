"""Decoders of columns, fused with each other and with a scanner, run clean and answer as NumPy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.gate import assert_answers
from support.oclgrind import CheckedRun

from benchmarks.gate.programs import PROGRAMS
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module, load_module, make_context


@pytest.mark.one_in(9)
@pytest.mark.parametrize("strategy", ["auto", "private", "workgroup"])
@pytest.mark.parametrize("name", ["dictionary_of_frames", "decimals_of_frames", "q6_interleaved"])
def test_fused_columns_run_clean(
    name: str, strategy: str, oclgrind: Callable[..., CheckedRun]
) -> None:
    run, context = oclgrind(), make_context()
    choices = f'strategy="{strategy}" local_memory="dedicated"'
    expand = 'vyre-expand{defaults="lanes=1","vyre.decode.bitunpack.values=32"}'
    optimize = OptimizePass(options=f"{expand},vyre-decode-scan-fuse{{{choices}}}")
    module = load_module(PROGRAMS[name].path, context)
    compiled = compile_module(module, optimize=optimize, context=context)
    executor = Executor(compiled, run.session)
    for size in (1, 300, 1100):
        inputs = PROGRAMS[name].inputs(size)
        assert_answers(name, inputs, executor.run(inputs).outputs)
