"""`--stream`: runs on pieces of an input, also by itself where that comes from a pipe."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from vyre_dialect.runtime.cli.arguments import PLACE
from vyre_dialect.runtime.cli.described import Description, Summary
from vyre_dialect.runtime.cli.inputs import is_made, read_inputs
from vyre_dialect.runtime.errors import OutOfMemoryError, RefusedStreamError, UsageError

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.runtime.interpreter.arrays import Array
    from vyre_dialect.runtime.opencl.results import RunResult
    from vyre_dialect.runtime.program.passes import Passes
    from vyre_dialect.runtime.progress import Progress
    from vyre_dialect.runtime.streams.joining import Sink
    from vyre_dialect.runtime.streams.sources import Source

HEAD_BYTES = 64 << 20
"""What is read of a pipe before its program is cut: most end before."""
_APART = ("tune", "resize", "check")
"""Options that look at a whole run."""


def add_stream_arguments(parser: argparse.ArgumentParser) -> None:
    """`--stream` and `--memory SIZE`."""
    parser.add_argument(
        "--stream",
        action="store_true",
        help="run on pieces of the largest input, one after the other, as is done by itself where "
        "an input is a long pipe or larger than --memory",
    )
    parser.add_argument(
        "--memory",
        metavar="SIZE",
        help="about how much memory a run on pieces may take, as 512MiB or 4GB (default: 512MiB)",
    )


class InPieces(NamedTuple):
    """What has come of the wish to run on pieces."""

    contents: dict[str, Array]
    """The inputs, of a run that is still to be done."""
    run: RunResult | None = None
    descriptions: Mapping[str, Description] = {}
    """Of outputs that went where they belong as they came."""
    task: _Task | None = None
    """How to run on pieces all the same."""

    def where_larger(self, error: OutOfMemoryError) -> InPieces:
        """
        Run on pieces after all, as a device has no room for all of the input. Raises `error` where
        that cannot be.
        """
        if self.task is None:
            raise error
        try:
            return self.task.run(self.contents)
        except RefusedStreamError:
            raise error from None


def streamed(
    arguments: argparse.Namespace,
    module: ModuleOp,
    named: Mapping[str, str],
    outputs: Mapping[str, Path],
    passes: Passes,
    context: Context,
    progress: Progress,
) -> InPieces:
    """
    Run a program on pieces of its input where that is asked for, or better; else read its inputs.

    Raises a UsageError for options that do not go together, and a RefusedStreamError where an op
    forbids to cut the program and pieces are asked for.
    """
    obstacle = _obstacle(arguments, passes)
    wanted = _wanted(arguments)
    if wanted is not None and obstacle:
        raise UsageError(f"argument {wanted}: not allowed with {obstacle}")
    memory = _memory(arguments)
    pipes = [name for name, given in named.items() if _is_pipe(given)]
    if wanted is not None and len(pipes) > 1:
        raise UsageError(f"argument {wanted}: expected one input from a pipe, got {len(pipes)}")
    if obstacle or len(pipes) > 1:
        return InPieces(read_inputs(named))
    task = _Task(arguments, module, outputs, passes, context, progress, memory)
    return _from_pipes(task, named, pipes, is_asked=wanted is not None)


def _from_pipes(
    task: _Task, named: Mapping[str, str], pipes: Sequence[str], *, is_asked: bool
) -> InPieces:
    """Run on pieces where that is asked for, or an input is long; else what the inputs are."""
    from vyre_dialect.runtime.streams.sources import PipeSource

    with ExitStack() as stack:
        files = {name: stack.enter_context(_opened(named[name])) for name in pipes}
        heads = {name: _head(file) for name, file in files.items()}
        contents = read_inputs({name: given for name, given in named.items() if name not in pipes})
        ended = {name: head for name, head in heads.items() if len(head) < HEAD_BYTES}
        is_wanted = is_asked or task.is_short_of_memory(contents)
        if not is_wanted and len(ended) == len(pipes):
            return InPieces(contents | _as_arrays(ended), task=task)
        sources = {name: PipeSource(name, files[name], heads[name]) for name in pipes}
        try:
            return task.run(contents, sources)
        except RefusedStreamError:
            if is_wanted:
                raise
        rest = {name: heads[name] + files[name].read() for name in pipes}
        return InPieces(contents | _as_arrays(rest))


def _wanted(arguments: argparse.Namespace) -> str | None:
    """The argument that asks for pieces, if one does."""
    if arguments.devices is not None:
        return "--devices"
    return "--stream" if arguments.stream else None


def merged(
    arguments: argparse.Namespace,
    module: ModuleOp,
    named: Mapping[str, str],
    outputs: Mapping[str, Path],
    passes: Passes,
    context: Context,
    progress: Progress,
    many: str,
) -> InPieces:
    """
    Run a program on the files that its input `many` stands for, as on one file with all of them.

    Raises a UsageError for options that do not go together, and a RefusedStreamError where an op
    forbids to cut the program.
    """
    from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
    from vyre_dialect.runtime.interpreter.programs import find_program
    from vyre_dialect.runtime.program.input_files import files_of
    from vyre_dialect.runtime.streams.sources import FilesSource

    if arguments.scheduler is not None:
        raise UsageError("argument --merge: not allowed with argument --scheduler")
    if obstacle := _obstacle(arguments, passes):
        raise UsageError(f"argument --merge: not allowed with {obstacle}")
    for name, path in outputs.items():
        if PLACE in path.name:
            raise UsageError(
                f"argument --output: {name}={path}: '{PLACE}' stands for one of many files, and "
                "--merge has one result"
            )
    inputs = ProgramInputs.of(find_program(module))
    inputs.verify_names(named)
    source = FilesSource(many, inputs.types[many], files_of(named[many]))
    contents = read_inputs({name: given for name, given in named.items() if name != many})
    task = _Task(arguments, module, outputs, passes, context, progress, _memory(arguments))
    return task.run(contents, {many: source})


def _memory(arguments: argparse.Namespace) -> int:
    from vyre_dialect.runtime.streams.limits import DEFAULT_MEMORY, parse_memory

    return DEFAULT_MEMORY if arguments.memory is None else parse_memory(arguments.memory)


def _obstacle(arguments: argparse.Namespace, passes: Passes) -> str | None:
    """What keeps a run from pieces, apart from its program."""
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE

    for option in _APART:
        if getattr(arguments, option):
            return f"argument --{option}"
    if arguments.repeat > 1:
        return "argument --repeat"
    if arguments.device == REFERENCE_DEVICE:
        return "the interpreter, which has all of its input in memory"
    if passes.pipeline is not None or passes.edits or passes.observers:
        return "passes that are named, left out or watched"
    return None


def _is_pipe(given: str) -> bool:
    if is_made(given):
        return False
    try:
        return given == "-" or Path(given).is_fifo()
    except (OSError, ValueError):  # a name that is too long, or no name
        return False


def _opened(given: str) -> IO[bytes]:
    return sys.stdin.buffer if given == "-" else Path(given).open("rb")


def _head(file: IO[bytes]) -> bytes:
    """The first bytes of a pipe; all of a short one."""
    return file.read(HEAD_BYTES)


def _as_arrays(contents: Mapping[str, bytes]) -> dict[str, Array]:
    import numpy as np

    return {name: np.frombuffer(data, np.uint8) for name, data in contents.items()}


class _Task(NamedTuple):
    """A run on pieces that is to be done."""

    arguments: argparse.Namespace
    module: ModuleOp
    outputs: Mapping[str, Path]
    passes: Passes
    context: Context
    progress: Progress
    memory: int

    def is_short_of_memory(self, contents: Mapping[str, Array]) -> bool:
        """Whether an input is larger than the memory that the user has named, if they have."""
        largest = max((array.nbytes for array in contents.values()), default=0)
        return self.arguments.memory is not None and largest > self.memory

    def run(
        self, contents: dict[str, Array], sources: Mapping[str, Source] | None = None
    ) -> InPieces:
        """Run, where what is not `contents` comes from `sources`."""
        from vyre_dialect.runtime.driver.program_cache import ProgramCache

        summaries, written = dict[str, Summary](), ExitStack()

        def sink_of(name: str) -> Sink | None:
            return self._sink(name, summaries, written)

        with written:
            run = self._runner()(
                self.module,
                contents | dict(sources or {}),
                passes=self.passes,
                memory=self.memory,
                timeout=self.arguments.timeout,
                sink_of=sink_of,
                context=self.context,
                programs=ProgramCache.default(),
                progress=self.progress,
            )
        found = {name: summary.result() for name, summary in summaries.items()}
        return InPieces(contents, run, found)

    def _runner(self) -> Callable[..., RunResult]:
        """What runs on pieces: one device, or those that share them."""
        if self.arguments.devices is None:
            from vyre_dialect.runtime.streams.stream_run import run_stream

            return partial(run_stream, device=self.arguments.device)
        from vyre_dialect.runtime.opencl.devices import choose_devices
        from vyre_dialect.runtime.streams.shared_run import run_shared

        return partial(run_shared, devices=choose_devices(self.arguments.devices))

    def _sink(self, name: str, summaries: dict[str, Summary], written: ExitStack) -> Sink | None:
        """Where parts of an output go; None for a file of NumPy, in which the size comes first."""
        from vyre_dialect.runtime.program.output_files import written_in_parts

        path = self.outputs.get(name)
        if path is not None and path.suffix == ".npy":
            return None
        summary = summaries[name] = Summary()
        if path is None:
            return summary.add
        file = written.enter_context(written_in_parts(path))

        def sink(part: Array) -> None:
            summary.add(part)
            file.write(part.tobytes())

        return sink
