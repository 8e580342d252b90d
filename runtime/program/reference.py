"""The reference interpreter as a device: it gives the same runs as the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter_ns

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from vyre_dialect.effects import buffers_touched
from vyre_dialect.interfaces import AccessKind
from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import BufferOp, ProgramOp, RegionOp
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.arrays import Array
from vyre_dialect.runtime.program.programs import find_program
from vyre_dialect.runtime.program.results import REFERENCE_DEVICE, ArmTiming, RunResult


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
