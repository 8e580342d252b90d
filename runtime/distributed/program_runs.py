"""A program on shards of its input, on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter_ns

from distributed import Future
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.distributed.cluster import Cluster
from vyre_dialect.runtime.distributed.contents import contents_of
from vyre_dialect.runtime.distributed.decisions import broadcast, tune_task
from vyre_dialect.runtime.distributed.parts import Part, Trapped, merged
from vyre_dialect.runtime.distributed.shards import Shard, ShardedProgram, ShardPlan
from vyre_dialect.runtime.distributed.worker import shard_task
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.input_files import InputFile
from vyre_dialect.runtime.streams.limits import DEFAULT_MEMORY
from vyre_dialect.runtime.streams.piece_executors import arms_of
from vyre_dialect.runtime.streams.pieces import Pieces
from vyre_dialect.runtime.tuning.decisions import KeptDecision, byte_count


def run_on_cluster(
    module: ModuleOp,
    inputs: Mapping[str, InputFile | Array | Bytes],
    cluster: Cluster,
    *,
    context: Context,
    along: str = "",
    memory: int = DEFAULT_MEMORY,
    tune: bool = False,
) -> RunResult:
    """
    Run the program of `module` on shards of the input `along`, or of the largest, each in about
    `memory` bytes; workers read the files. With `tune`, one of them first finds the fastest form of
    the program for a shard, and all take that.

    Raises a RefusedStreamError where an op forbids that shards run at once, and what `run_module`
    does.
    """
    begin = perf_counter_ns()
    arms = arms_of(module, cluster.wishes.passes, context, cluster.device)
    pieces = Pieces(arms, context, along or _largest(inputs))
    pieces.check_names(inputs)
    types = pieces.inputs.types
    plan = ShardPlan(
        pieces, {name: contents_of(name, types[name], given) for name, given in inputs.items()}
    )
    windows = plan.windows(cluster.slots, memory)
    program, shards = plan.program(windows), list(plan.shards(windows))
    tuned = _tuned(cluster, program, shards) if tune else ()
    broadcast(cluster, tuned)
    planned = perf_counter_ns()
    whole = cluster.result(_submitted(cluster, plan, program, shards))
    if isinstance(whole, Trapped):
        raise whole.as_error()
    return _as_run(whole, pieces, cluster, planned - begin, perf_counter_ns() - planned)


def _largest(inputs: Mapping[str, InputFile | Array | Bytes]) -> str:
    """The input of the most bytes."""
    sizes = {
        name: given.size() if isinstance(given, InputFile) else byte_count(given)
        for name, given in inputs.items()
    }
    return max(sizes, key=lambda name: sizes[name]) if sizes else ""


def _tuned(
    cluster: Cluster, program: ShardedProgram, shards: Sequence[Shard]
) -> list[KeptDecision]:
    """What tuning decides on the kind of shard of which there are the most."""
    typical = shards[len(shards) // 2]
    task = cluster.submit(tune_task, typical, cluster.shared(program), cluster.plugin)
    return cluster.result(task)


def _submitted(
    cluster: Cluster, plan: ShardPlan, program: ShardedProgram, shards: Sequence[Shard]
) -> Future[Part | Trapped]:
    """The tasks: shards at once, their parts by a tree, and what works on all of them behind."""
    common, plugin = cluster.shared(program), cluster.plugin
    waits = plan.needs_all_others and len(shards) > 1
    at_once = shards[:-1] if waits else shards
    parts = cluster.map(shard_task, at_once, common, plugin)
    whole = cluster.reduced(merged, parts, program.kept)
    if not waits:
        return whole
    last = cluster.submit(shard_task, shards[-1], common, plugin, whole)
    return cluster.submit(merged, {}, whole, last)


def _as_run(
    whole: Part, pieces: Pieces, cluster: Cluster, planning_ns: int, total_ns: int
) -> RunResult:
    found = {**whole.others, **whole.joined, **whole.kept}
    outputs = {name: found[name] for name in pieces.outputs}
    device = f"{cluster.described} with {whole.device}"
    return RunResult(pieces.name, device, whole.arms, outputs, total_ns, compile_ns=planning_ns)
