"""The reference interpreter as a device: it gives the same runs as the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter_ns

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from vyre_dialect.ir.effects import buffers_touched
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import ProgramOp, RegionOp
from vyre_dialect.runtime.driver.building import bound_inputs
from vyre_dialect.runtime.errors import TimeLimitError
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.interpreter.inputs import remaining_inputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.opencl.results import (
    REFERENCE_DEVICE,
    ArmTiming,
    RunResult,
    median_run,
)
from vyre_dialect.runtime.opencl.waiting import interruptible
from vyre_dialect.runtime.program.compilation import lower_module
from vyre_dialect.runtime.program.passes import Passes
from vyre_dialect.runtime.program.pipelines import REFERENCE


def interpret_module(
    module: ModuleOp,
    inputs: Mapping[str, Array | Bytes],
    passes: Passes,
    repeat: int,
    context: Context,
    timeout: float | None = None,
) -> RunResult:
    """
    Run the program of `module` on the interpreter `repeat` times, after no passes but those that
    it needs unless there are wishes. Raises a VyreError for inputs and passes that do not fit, and
    a TimeLimitError for a run that takes longer than `timeout` seconds.
    """
    bound = bound_inputs(module, inputs, context)
    begin = perf_counter_ns()
    if passes.are_scheduled and passes.optimize is None:
        passes = replace(passes, pipeline=REFERENCE)
    lowered = lower_module(module, passes, context).module
    remaining = remaining_inputs(find_program(lowered), bound)
    compile_ns = perf_counter_ns() - begin
    interpreted = partial(interpret_program, lowered, remaining)
    try:
        runs = [interruptible(interpreted, timeout) for _ in range(repeat)]
    except TimeoutError as error:
        raise TimeLimitError(f"the interpretation took longer than {timeout:g} s") from error
    return median_run(runs, compile_ns)


def interpret_program(module: ModuleOp, inputs: Mapping[str, Array]) -> RunResult:
    """Run the program of `module`, whose library ops are expanded, on the interpreter."""
    program = find_program(module)
    start = perf_counter_ns()
    result = interpret(module, inputs)
    total = perf_counter_ns() - start
    arms = tuple(_untimed_arms(program, result.buffers))
    return RunResult(program.sym_name.data, REFERENCE_DEVICE, arms, dict(result.outputs), total)


def _untimed_arms(program: ProgramOp, buffers: Mapping[str, Array]) -> Iterator[ArmTiming]:
    for op in program.body.block.ops:
        if isinstance(op, RegionOp):
            generator, touched = op.generator.data, buffers_touched(op.body)
        elif isinstance(op, LaunchOp) and (kernel := op.callee()) is not None:
            generator = kernel.generator.data
            touched = dict(zip(op.arguments, kernel.argument_accesses(), strict=True))
        else:
            continue
        yield ArmTiming(generator, None, _bytes(touched, buffers))


def _bytes(touched: Mapping[SSAValue, frozenset[AccessKind]], buffers: Mapping[str, Array]) -> int:
    return sum(
        buffers[value.owner.sym_name.data].nbytes * len(kinds)
        for value, kinds in touched.items()
        if isinstance(value.owner, BufferOp) and value.owner.sym_name.data in buffers
    )
