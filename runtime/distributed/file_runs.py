"""A program on each of many files, on the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp

from vyre_dialect.runtime.distributed.cluster import Cluster
from vyre_dialect.runtime.distributed.contents import Contents, contents_of
from vyre_dialect.runtime.distributed.decisions import broadcast
from vyre_dialect.runtime.distributed.parts import Part, Trapped
from vyre_dialect.runtime.distributed.shards import PieceText, Shard, ShardedProgram
from vyre_dialect.runtime.distributed.worker import shard_task
from vyre_dialect.runtime.errors import VyreError, first_line
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.inputs import ProgramInputs
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.opencl.results import RunResult
from vyre_dialect.runtime.program.input_files import InputFile


def run_each_on_cluster(
    module: ModuleOp,
    files: Sequence[InputFile],
    name: str,
    others: Mapping[str, Array],
    cluster: Cluster,
) -> Iterator[RunResult | VyreError]:
    """
    The run of the program of `module` on each file, as its input `name`, in their order, or why
    there is none. Raises a UsageError for an input that the program does not have.
    """
    program = find_program(module)
    inputs = ProgramInputs.of(program)
    inputs.verify_names([name, *others])
    broadcast(cluster)
    fixed = {each: contents_of(each, inputs.types[each], given) for each, given in others.items()}
    common = ShardedProgram(
        program.sym_name.data, {None: PieceText(str(module), None)}, fixed, {}, {}
    )
    found = [_contents(name, inputs, file) for file in files]
    shards = [
        Shard(number, None, {name: contents}, 0, {})
        for number, contents in enumerate(found)
        if not isinstance(contents, VyreError)
    ]
    tasks = iter(cluster.map(shard_task, shards, cluster.shared(common), cluster.plugin))
    for contents in found:
        if isinstance(contents, VyreError):
            yield contents
            continue
        try:
            yield _run_of(common.name, cluster.result(next(tasks)))
        except VyreError as error:
            yield error


def _contents(name: str, inputs: ProgramInputs, file: InputFile) -> Contents | VyreError:
    try:
        return contents_of(name, inputs.types[name], file)
    except VyreError as error:
        return error
    except Exception as error:  # whatever its contents cause, the other files are run
        return VyreError(f"cannot read '{file.name}': {first_line(error)}")


def _run_of(program: str, part: Part | Trapped) -> RunResult:
    """Raises a TrapError for bad input."""
    if isinstance(part, Trapped):
        raise part.as_error()
    total = sum(arm.kernel_ns or 0 for arm in part.arms)
    return RunResult(program, part.device, part.arms, dict(part.others), total)
