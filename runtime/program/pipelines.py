"""The pipelines that programs run through unless the user gives one, and how one is parsed."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import PassFailedException

from vyre_dialect.passes.schedule.options import (
    MalformedPipelineError,
    build_pass,
    options_text,
    parse_options,
    parse_specs,
)
from vyre_dialect.runtime.errors import UsageError, did_you_mean
from vyre_dialect.runtime.opencl.devices import DeviceInfo
from vyre_dialect.universe import PASSES

KERNEL_PASSES = (
    "vyre-outline-kernels,vyre-split-vectors,canonicalize,vyre-cse,vyre-prove-accesses,"
    "vyre-reduce-strength,canonicalize,vyre-infer-overflow-flags,"
    "vyre-pack-tiles,vyre-escape-analysis,vyre-scratch-reuse"
)
"""From arms to kernels in which everything stands that is known about them, and their buffers."""


DEFAULT = "vyre-optimize"
"""What turns a program into the kernels that run: passes select themselves, by a schedule."""

UNFUSED = f"vyre-expand,{KERNEL_PASSES}"
"""A plain list of passes, for a kernel of each arm, which hands results on by global memory."""

ON_OWN_MEMORY = (
    'vyre-expand{{defaults="values=8","counters=state","chunk=80","counting=bins","bytes=16"}},'
    "vyre-decode-scan-fuse{{budget={bytes} local_memory=dedicated}},"
    "vyre-coarsen{{groups={groups}}},"
    "vyre-aggregate-atomics{{scope=workgroup budget={bytes}}},"
    "vyre-stage-tables{{budget={bytes}}},vyre-unroll{{limit=32}},vyre-split-tail,"
    "vyre-form-byte-permutes"
)
"""
Where workgroup memory is memory of its own, `bytes` of it: arms of independent invocations, fused
over values, on a persistent grid of `groups` workgroups, each of which flushes its sums once. On an
NVIDIA H200, against tiles and sums of four items, in GB/s where little is found / in text:

    base64      1452 to 2012 / 1461 to 1933
    32 literals  757 to 1210 /  444 to 1018
    hex         2208 to 3266 / 2236 to 3585
    xor         3488 to 4281 / 3497 to 4106
    delta       1371 to 3791 / 1359 to 3719

With `vyre-peel-tail`, xor is at 4058 / 3723, and hex with workgroups of 256 and eight `copies` at
3545 / 3790: for the tuner to choose (`peel-nvidia-h200.json`).
Without `vyre-form-byte-permutes`, base64 is at 1758, and hex of 32 `bytes` an invocation at 2742.
`values=8` is delta's; `chunk`, counted states and staged tables are the literals'. Copies of each
sum took from text (`benchmarks/results/{shapes,peel,parameters}-nvidia-h200*.json`).
"""
GROUPS_PER_UNIT = 32
"""
Workgroups of a persistent grid for each compute unit. With 128 invocations each, 64 gave up to 5 %
more, but to hex, whose speed then depends on where the bins lie that it flushes its counts into
(`benchmarks/results/groups-nvidia-h200.json`, `benchmarks/README.md`).
"""
ON_GLOBAL_MEMORY = (
    'vyre-expand{{defaults="lanes=16","places=64","vyre.scan.filter.values=64",'
    '"counting=bins","vyre.scan.literal.counting=places","bytes=64","counters=visit","streams=4",'
    '"chunk=1024","prefilter=windows"}},'
    "vyre-decode-scan-fuse{{budget={bytes} local_memory=global steps=64}},"
    "vyre-coarsen{{groups={groups} order=blocked workgroup=1}},"
    "vyre-aggregate-atomics{{scope=invocation budget=16384 copies=4 lanes=true}},"
    "vyre-unroll{{limit=128}},vyre-split-tail,vyre-peel-tail,vyre-pipeline-loops"
)
"""
Where it is ordinary memory, as on CPUs: barriers and trees cost more there than they save. An
invocation is a workgroup of its own that does a share of all items, in vectors as wide as
registers, and slides over 64 tiles at a time. On two cores of an AMD EPYC with AVX-512, against one
item per invocation and tiles in private memory alone, in GB/s of decoded text by wall time, on
Intel's runtime / PoCL (`benchmarks/results/cpu.json`):

    base64       2.0 to 10.0 / 1.7 to  9.4
    32 literals  0.4 to  1.9 / 0.5 to  2.2
    hex          2.4 to  6.5 / 0.3 to  6.3
    xor          9.1 to 26.5 / 7.3 to 28.8
    delta        2.8 to 23.3 / 2.9 to 23.3

Four copies of bins and counters let equal bytes follow each other; visits and places are counted,
as a branch on what is found would be guessed wrong: literals by matches are at 0.6 of that in text,
and at up to 1.08 where there are hardly any. Without `vyre-pipeline-loops`, hex is at 0.75 in text
and at 0.85 elsewhere. The prefilter makes literals four to five times as fast where little is
found, twice as fast as `prefilter=pairs`, and costs nothing worth mention in text. Without
`vyre-peel-tail`, xor is a tenth slower in text and a fifth or more elsewhere, and delta 5 to 10 %.
"""
SHARES_PER_UNIT = 16
"""Shares for each compute unit: enough that units which others use, too, end together."""

REFERENCE = "vyre-expand"
"""What the reference interpreter needs: it runs arms as they are."""


def device_options(device: DeviceInfo) -> str:
    """The options of passes for a device: one row for each kind, with what was measured."""
    if device.has_own_local_mem:
        row, groups_per_unit = ON_OWN_MEMORY, GROUPS_PER_UNIT
    else:
        row, groups_per_unit = ON_GLOBAL_MEMORY, SHARES_PER_UNIT
    groups = groups_per_unit * device.compute_units
    return row.format(bytes=device.local_mem_bytes, groups=groups)


def joined_options(defaults: str, given: str | None) -> str:
    """The options of passes in `defaults`, but for those that `given` has; both like pipelines."""
    joined = dict(parse_options(defaults))
    for spec in _specs(given or ""):
        joined[spec.name] = {**joined.get(spec.name, {}), **spec.parameters}
    return options_text(joined)


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
