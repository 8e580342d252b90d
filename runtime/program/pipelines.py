"""The pipelines that programs run through unless the user gives one, and how one is parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.arg_spec import parse_pipeline as parse_specs
from xdsl.utils.exceptions import ArgSpecParseError

from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.universe import PASSES

KERNEL_PASSES = (
    "vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,"
    "vyre-reduce-strength,canonicalize,vyre-infer-overflow-flags"
)
"""From arms to kernels in which everything stands that is known about them."""


def default_pipeline(local_memory: int | None = None, *, is_own: bool = True) -> str:
    """
    DEFAULT, where fused tiles may take all the workgroup memory of a device, in bytes, if that
    is memory of its own.
    """
    options = [] if local_memory is None else [f"budget={local_memory}"]
    options += [] if is_own else ["local_memory=global"]
    options = f"{{{' '.join(options)}}}" if options else ""
    return f"vyre-expand,vyre-decode-scan-fuse{options},{KERNEL_PASSES}"


DEFAULT = default_pipeline()
"""What turns a program into the kernels that run, fused wherever that is proved legal."""

UNFUSED = f"vyre-expand,{KERNEL_PASSES}"
"""DEFAULT with a kernel for each arm, which hands its results on through global memory."""

REFERENCE = "vyre-expand"
"""What the reference interpreter needs: it runs arms as they are."""


def parse_pipeline(pipeline: str) -> PassPipeline:
    """The passes that `pipeline` names, as `xdsl-opt -p` takes them.

    Raises a UsageError for a pass or an option that does not exist, or a value of the wrong type.
    """
    try:
        specs = list(parse_specs(pipeline))
    except ArgSpecParseError as error:
        raise UsageError(f"malformed pipeline '{pipeline}': {_last_line(error)}") from error
    passes = [_factory(spec.name) for spec in specs]
    built = list[ModulePass]()
    for factory, spec in zip(passes, specs, strict=True):
        try:
            built.append(factory().from_pass_spec(spec))
        except Exception as error:  # xDSL and passes raise ValueError, TypeError and their own
            raise UsageError(f"pass '{spec.name}': {_last_line(error)}") from error
    return PassPipeline(tuple(built))


def _factory(name: str) -> Callable[[], type[ModulePass]]:
    if (factory := PASSES.get(name)) is not None:
        return factory
    from vyre_dialect.runtime.program.plugins import installed

    passes = installed().all_passes
    if name not in passes:
        raise UsageError(f"unknown pass '{name}'{_suggestion(name, passes)}")
    return passes[name]


def _suggestion(name: str, known: Iterable[str]) -> str:
    if close := get_close_matches(name, list(known), 1):
        return f": did you mean '{close[0]}'?"
    return ": 'xdsl-opt --help' lists all passes"


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip(" ^")]
    return lines[-1] if lines else type(error).__name__
