"""The pipelines that programs run through unless the user gives one, and how one is parsed."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.passes.schedule.options import (
    MalformedPipelineError,
    build_pass,
    parse_specs,
)
from vyre_dialect.runtime.errors import UsageError, did_you_mean
from vyre_dialect.universe import PASSES

KERNEL_PASSES = (
    "vyre-outline-kernels,vyre-split-vectors,canonicalize,vyre-cse,vyre-prove-accesses,"
    "vyre-optimize-integers,canonicalize,"
    "vyre-pack-tiles,vyre-escape-analysis,vyre-scratch-reuse"
)
"""From arms to kernels in which everything stands that is known about them, and their buffers."""


DEFAULT = "vyre-optimize"
"""What turns a program into the kernels that run: passes select themselves, by a schedule."""

UNFUSED = f"vyre-expand,{KERNEL_PASSES}"
"""A plain list of passes, for a kernel of each arm, which hands results on by global memory."""

REFERENCE = "vyre-expand"
"""What the reference interpreter needs: it runs arms as they are."""


def pipeline_with_options(pipeline: str, given: str) -> str:
    """The passes of `pipeline` with the options that `given`, written like a pipeline, has too."""
    own = {spec.name: spec.parameters for spec in _specs(given)}
    specs = _specs(pipeline)
    changed = (ArgSpec(each.name, each.parameters | own.get(each.name, {})) for each in specs)
    return ",".join(map(str, changed))


def parse_pipeline(pipeline: str) -> PassPipeline:
    """The passes that `pipeline` names, as `xdsl-opt -p` takes them.

    Raises a UsageError for a pass or an option that does not exist, or a value of the wrong type.
    """
    specs = _specs(pipeline)
    passes = [_factory(spec.name) for spec in specs]
    try:
        built = [build_pass(make(), spec) for make, spec in zip(passes, specs, strict=True)]
    except PassFailedException as error:
        raise UsageError(str(error)) from error
    return PassPipeline(tuple(built))


def _specs(pipeline: str) -> list[ArgSpec]:
    try:
        return parse_specs(pipeline)
    except MalformedPipelineError as error:
        raise UsageError(f"malformed pipeline '{pipeline}': {error}") from error


def check_pass_name(name: str, option: str) -> None:
    """Raise a UsageError where an option names a pass that is not installed."""
    try:
        _factory(name)
    except UsageError as error:
        raise UsageError(f"argument {option}: {error}") from error


def _factory(name: str) -> Callable[[], type[ModulePass]]:
    if (factory := PASSES.get(name)) is not None:
        return factory
    from vyre_dialect.plugins import installed

    passes = installed().all_passes
    if name not in passes:
        hint = did_you_mean(name, passes, "'xdsl-opt --help' lists all passes")
        raise UsageError(f"unknown pass '{name}': {hint}")
    return passes[name]
