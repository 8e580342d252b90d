"""Builds programs: tuning and passes, and all that they load."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.schedule.optimize import OptimizePass
from vyre_dialect.runtime.driver.job import BuiltProgram, Job
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import apply_pipeline, compile_module
from vyre_dialect.runtime.program.pipelines import REFERENCE
from vyre_dialect.runtime.tuning.decisions import KeptDecision
from vyre_dialect.runtime.tuning.feedback import ResizePolicy
from vyre_dialect.runtime.tuning.kept_forms import by_prediction
from vyre_dialect.runtime.tuning.live import LiveExecutor
from vyre_dialect.runtime.tuning.mode import Mode
from vyre_dialect.runtime.tuning.tuned import tuned


def expanded_program(module: ModuleOp, context: Context) -> ProgramOp:
    """
    The program of `module` as the user wrote it, so that passes do not change what it takes.

    Library ops give buffers their sizes, so they are expanded first.
    """
    expanded = module.clone()
    apply_pipeline(expanded, REFERENCE, context)
    return find_program(expanded)


def bound_inputs(
    module: ModuleOp, inputs: Mapping[str, Array | Bytes], context: Context
) -> dict[str, Array]:
    """The inputs of the program as the user wrote it. Raises what `ProgramInputs.bind` does."""
    ProgramInputs.of(find_program(module)).verify_names(inputs)
    return ProgramInputs.of(expanded_program(module, context)).bind(inputs)


def build(job: Job) -> BuiltProgram:
    """Tune and compile a program. Raises what `run_module` does before anything runs."""
    form, passes = _chosen_form(job), job.passes
    compiled = compile_module(
        form.module,
        pipeline=passes.pipeline,
        optimize=form.optimize,
        edits=passes.edits,
        observers=passes.observers,
        context=job.context,
        device=job.device.info,
    )
    return BuiltProgram(compiled, form.inputs, form.decision, form.tuning_ns)


def build_live(
    job: Job, session: Session, policy: ResizePolicy
) -> tuple[BuiltProgram, LiveExecutor]:
    """As `build`, with what runs it in workgroups whose size follows what earlier runs say."""
    form = _chosen_form(job)
    executor = LiveExecutor(
        form.module,
        session,
        policy,
        optimize=form.optimize,
        observers=job.passes.observers,
        context=job.context,
        progress=job.progress,
    )
    return BuiltProgram(executor.compiled, form.inputs, form.decision, form.tuning_ns), executor


class _Form(NamedTuple):
    """A program as it is to be compiled."""

    module: ModuleOp
    optimize: OptimizePass | None
    inputs: ProgramInputs
    decision: KeptDecision | None = None
    tuning_ns: int | None = None


def _chosen_form(job: Job) -> _Form:
    """The form of a program that was decided on, or is decided on now."""
    optimize = job.passes.optimize
    inputs = ProgramInputs.of(expanded_program(job.module, job.context))
    bound = inputs.bind(job.inputs)
    if not job.passes.are_scheduled:
        return _Form(job.module, optimize, inputs)
    chosen = tuned(
        *(job.module, job.device, bound, job.context, optimize),
        *(job.tuner, job.progress, job.timeout),
    )
    if chosen.kept is None and job.tuner != Mode.OFF and not job.is_measured:
        sizes = {name: each.nbytes for name, each in bound.items()}
        form = by_prediction(job.module, job.device.info, optimize, job.context, sizes)
        return _Form(*form, inputs)
    return _Form(chosen.module, chosen.optimize, inputs, chosen.kept, chosen.tuning_ns)
