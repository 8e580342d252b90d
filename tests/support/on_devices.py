"""Programs on devices, compared with what the interpreter says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from support.batches import batched, batched_inputs, prefixed
from support.fusion import require_equal
from support.generated.programs import Sample
from support.schedules import CONTEXT
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.program.compilation import compile_module, make_context, parse_module


def require_same_results(
    device: Device, samples: Sequence[Sample], schedule: str | None = None
) -> None:
    """Compile programs together, by the policy of the device or a schedule, and compare results."""
    programs = {f"p{n}": sample for n, sample in enumerate(samples)}
    module = batched({key: each.module for key, each in programs.items()})
    if schedule is not None:
        op = parse_module(schedule, CONTEXT).body.block.first_op
        assert op is not None
        op.detach()
        module.body.block.add_op(op)
    inputs = batched_inputs({key: each.inputs for key, each in programs.items()})
    got = run_module(module, inputs, device=device).outputs
    for key, sample in programs.items():
        expected = interpret(sample.module, sample.inputs).outputs
        require_equal({name: got[prefixed(key, name)] for name in expected}, expected)


def require_results(device: Device, program: str, inputs: Iterable[Mapping[str, Array]]) -> None:
    """Compile a program, given as text, by the policy of the device, and compare its results."""
    module = parse_module(program, make_context())
    executor = Executor(compile_module(module, device=device.info), device)
    for each in inputs:
        require_equal(executor.run(each).outputs, interpret(module, each).outputs)


def require_result(device: Device, program: str, inputs: Mapping[str, Array]) -> None:
    """Run a program, given as text, by the policy of the device, and compare the results."""
    module = parse_module(program, make_context())
    expected = interpret(module, inputs).outputs
    require_equal(run_module(module, inputs, device=device).outputs, expected)
