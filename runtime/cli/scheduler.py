"""`--scheduler`: programs, queries and scans on the workers of a Dask cluster that is there."""

from __future__ import annotations

import argparse
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.inputs import is_made, read_input
from vyre_dialect.runtime.cli.stream import InPieces
from vyre_dialect.runtime.errors import UsageError, VyreError

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.columns.query.statement import Statement
    from vyre_dialect.runtime.distributed.cluster import Cluster
    from vyre_dialect.runtime.interpreter.arrays import Array
    from vyre_dialect.runtime.opencl.results import RunResult
    from vyre_dialect.runtime.program.input_files import InputFile
    from vyre_dialect.runtime.program.passes import Passes
    from vyre_dialect.runtime.progress import Progress
    from vyre_dialect.runtime.queries import QueryResult
    from vyre_dialect.runtime.scanning.chain import Stage
    from vyre_dialect.runtime.scanning.results import Result
    from vyre_dialect.runtime.scanning.walk import Problem, Source

_OF_ONE_MACHINE = (
    *("stream", "merge", "resize", "check", "trace", "devices", "explain"),
    *("schedule", "hints", "previous", "report"),
)
"""Options that look at a run on this machine, or name files of it that are no data."""


def add_scheduler_argument(parser: argparse.ArgumentParser) -> None:
    """`--scheduler ADDRESS`."""
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the workers of a Dask cluster do it, as tcp://HOST:8786; they read the files",
    )


@contextmanager
def cluster_of(arguments: argparse.Namespace, passes: Passes | None = None) -> Generator[Cluster]:
    """
    The cluster that is asked for. Raises a UsageError for options that do not go with it, and a
    VyreError where it does not answer.
    """
    for name in _OF_ONE_MACHINE:
        if getattr(arguments, name, None):
            raise UsageError(f"argument --{name}: not allowed with argument --scheduler")
    if getattr(arguments, "repeat", 1) > 1:
        raise UsageError("argument --repeat: not allowed with argument --scheduler")
    if passes is not None and (passes.pipeline is not None or passes.edits or passes.observers):
        raise UsageError(
            "argument --scheduler: not allowed with passes that are named, left out or watched"
        )
    try:
        from vyre_dialect.runtime.distributed.cluster import connected
        from vyre_dialect.runtime.distributed.worker import Wishes
    except ModuleNotFoundError as error:
        raise UsageError(
            f"argument --scheduler needs {error.name}, which is not installed: "
            "pip install 'vyre[dask]'"
        ) from error
    optimize = None if passes is None else passes.optimize
    wishes = Wishes.of(arguments.device, optimize, getattr(arguments, "timeout", None))
    with connected(arguments.scheduler, wishes) as cluster:
        yield cluster


def run_on_scheduler(
    arguments: argparse.Namespace,
    module: ModuleOp,
    named: Mapping[str, str],
    passes: Passes,
    context: Context,
    progress: Progress,
) -> InPieces:
    """
    Run a program on shards of its largest input. Raises a RefusedStreamError where an op forbids
    that, and a UsageError for standard input.
    """
    from vyre_dialect.runtime.distributed.program_runs import run_on_cluster
    from vyre_dialect.runtime.streams.limits import DEFAULT_MEMORY, parse_memory

    memory = DEFAULT_MEMORY if arguments.memory is None else parse_memory(arguments.memory)
    given = {name: _input(name, each) for name, each in named.items()}
    with cluster_of(arguments, passes) as cluster:
        progress(f"running '{arguments.file}' on {cluster.described}", None)
        run = run_on_cluster(
            module, given, cluster, context=context, memory=memory, tune=arguments.tune
        )
    return InPieces({}, run)


def _input(name: str, given: str) -> InputFile | Array:
    """What workers read, or what is sent to them."""
    from vyre_dialect.runtime.program.input_files import InputFile

    if given == "-" or Path(given).is_fifo():
        raise UsageError(
            f"argument --input: {name}={given}: workers read no pipe of this machine; expected a "
            "file or a URL that all of them see"
        )
    return read_input(name, given) if is_made(given) else InputFile(given)


def run_files_on_scheduler(
    arguments: argparse.Namespace,
    module: ModuleOp,
    files: Sequence[InputFile],
    many: str,
    others: Mapping[str, Array],
    passes: Passes,
) -> Iterator[RunResult | VyreError]:
    """The run on each file, or why there is none."""
    from vyre_dialect.runtime.distributed.file_runs import run_each_on_cluster

    with cluster_of(arguments, passes) as cluster:
        yield from run_each_on_cluster(module, files, many, others, cluster)


def query_on_scheduler(
    arguments: argparse.Namespace,
    files: Sequence[InputFile],
    statement: Statement,
    progress: Progress,
) -> QueryResult:
    """The answer of files of Parquet. Raises a UsageError for what lies at a URL."""
    if remote := next((file for file in files if file.is_remote), None):
        raise UsageError(
            f"argument --scheduler: expected files that all workers see, got '{remote.name}'"
        )
    with cluster_of(arguments) as cluster:
        from vyre_dialect.runtime.distributed.query_runs import query_on_cluster

        progress(f"running the query on {cluster.described}", None)
        return query_on_cluster([Path(file.name) for file in files], statement, cluster)


def scan_on_scheduler(
    arguments: argparse.Namespace,
    found: Iterator[Source | Problem],
    chain: Sequence[Stage],
    literals: Sequence[bytes],
    *,
    skips_binary: bool,
) -> Iterator[Result]:
    """What is in files. Raises a UsageError for standard input."""
    if "-" in arguments.paths:
        raise UsageError("argument --scheduler: workers do not read standard input; name files")
    with cluster_of(arguments) as cluster:
        from vyre_dialect.runtime.distributed.scan_runs import Search, scan_on_cluster

        search = Search(tuple(chain), tuple(literals), skips_binary)
        yield from scan_on_cluster(found, search, cluster)
