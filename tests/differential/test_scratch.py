"""
Generated programs mean the same when scratch buffers share an arena, and when each is overwritten
as soon as its live range is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from support.batches import batched, batched_inputs
from support.fusion import is_defined
from support.generated.drawing import Draws, for_each, in_batches
from support.generated.programs import Sample, programs, programs_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from vyre_dialect.analysis.live_ranges import BufferLiveRange, live_range_of
from vyre_dialect.ops import program as program_ops
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    make_context,
)
from vyre_dialect.runtime.program.pipelines import UNFUSED

CONTEXT = make_context()
PROGRAMS = 96
ON_A_DEVICE = 16
BATCH = 16
DEFINED = programs().filter(lambda sample: is_defined(sample.module, sample.inputs))
CHAINS = programs_of("chain").filter(lambda sample: is_defined(sample.module, sample.inputs))


def _marked(module: ModuleOp) -> ModuleOp:
    copy = module.clone()
    apply_pipeline(copy, "vyre-expand,vyre-escape-analysis,vyre-scratch-reuse", CONTEXT)
    return copy


def _recyclable(module: ModuleOp) -> int:
    return sum(isinstance(op, BufferOp) and op.non_escaping is not None for op in module.walk())


def _require_equal(found: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert found[name].tobytes() == array.tobytes(), name


@pytest.mark.slow
def test_what_is_overwritten_after_its_life_is_not_missed(draws: Draws) -> None:
    recyclable = 0

    def check(sample: Sample) -> None:
        nonlocal recyclable
        module = _marked(sample.module)
        recyclable += _recyclable(module)
        expected = interpret(sample.module, sample.inputs).outputs
        found = interpret(module, sample.inputs, poison_scratch=True).outputs
        _require_equal(found, expected)

    for_each(DEFINED, check, examples=draws(PROGRAMS), seed=9000)
    assert recyclable > draws(PROGRAMS)


def test_a_life_that_ends_too_early_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def shortened(
        buffer: SSAValue, points: Mapping[Operation, int], *, is_given: bool
    ) -> BufferLiveRange:
        live_range = live_range_of(buffer, points, is_given=is_given)
        return replace(
            live_range, last=None if live_range.last is None else live_range.last.prev_op
        )

    noticed = 0

    def check(sample: Sample) -> None:
        nonlocal noticed
        module = _marked(sample.module)
        expected = interpret(sample.module, sample.inputs).outputs
        with monkeypatch.context() as patch:
            patch.setattr(program_ops, "live_range_of", shortened)
            found = interpret(module, sample.inputs, poison_scratch=True).outputs
        noticed += any(found[name].tobytes() != each.tobytes() for name, each in expected.items())

    for_each(CHAINS, check, examples=6, seed=9100)
    assert noticed


def _require_same(device: Device, samples: Sequence[Sample]) -> None:
    module = batched({f"p{n}": each.module for n, each in enumerate(samples)})
    inputs = batched_inputs({f"p{n}": each.inputs for n, each in enumerate(samples)})
    expected = interpret(module, inputs).outputs
    compiled = compile_module(module, pipeline=UNFUSED, context=CONTEXT, device=device.info)
    run = Executor(compiled, device, poison_scratch=True).run(inputs)
    _require_equal(run.outputs, expected)
    assert run.scratch is not None
    assert run.scratch.peak <= run.scratch.apart


@pytest.mark.one_in(2)
def test_programs_mean_the_same_in_shared_memory(sharing: Device, draws: Draws) -> None:
    count = in_batches(
        DEFINED,
        lambda batch: _require_same(sharing, batch),
        examples=draws(ON_A_DEVICE),
        batch=BATCH,
        seed=9200,
    )
    assert count == draws(ON_A_DEVICE)
