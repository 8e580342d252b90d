"""What Python asks of a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath

from distributed import Client

from vyre_dialect.runtime.compiled import Source, load_source
from vyre_dialect.runtime.distributed.cluster import connected
from vyre_dialect.runtime.distributed.program_runs import run_on_cluster
from vyre_dialect.runtime.distributed.worker import Wishes
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.input_files import InputFile
from vyre_dialect.runtime.streams.limits import DEFAULT_MEMORY


def run(
    source: Source,
    inputs: Mapping[str, str | PathLike[str] | Array | Bytes],
    *,
    scheduler: str | Client,
    device: str | None = None,
    program: str | None = None,
    along: str = "",
    memory: int = DEFAULT_MEMORY,
    timeout: float | None = None,
    tune: bool = False,
) -> RunResult:
    """
    Run a program on shards of one input, on the workers of a cluster.

    `scheduler` is an address or a client. An input is the name of a file or a URL, which workers
    read, or an array, which is sent. The input `along`, or the largest, is cut. `device` is what
    each worker is to use, `timeout` is for each shard, in seconds, and `memory` for a worker. With
    `tune`, one of them first finds the fastest form of the program for a shard.

    Raises a RefusedStreamError where an op forbids that shards run at once, which it names, and a
    VyreError for what a user can mend.
    """
    module, context, _ = load_source(source, program)
    given = {
        name: InputFile(fspath(each)) if isinstance(each, str | PathLike) else each
        for name, each in inputs.items()
    }
    with connected(scheduler, Wishes.of(device, timeout=timeout)) as cluster:
        return run_on_cluster(
            module, given, cluster, context=context, along=along, memory=memory, tune=tune
        )
