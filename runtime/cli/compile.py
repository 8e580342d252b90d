"""`vyre compile`: turn a program into OpenCL C."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import (
    Subparsers,
    add_pipeline_argument,
    add_program_arguments,
    add_schedule_arguments,
    optimization,
)

if TYPE_CHECKING:
    from vyre_dialect.runtime.program.compilation import CompiledProgram


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "compile", help="print a program's kernels", description=__doc__, allow_abbrev=False
    )
    add_program_arguments(parser)
    add_pipeline_argument(parser)
    add_schedule_arguments(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="OUT.cl", help="where to write (standard output)"
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    from vyre_dialect.runtime.cli.terminal import print_json, print_source, progress_bar
    from vyre_dialect.runtime.program.compilation import (
        compile_module,
        load_module,
        make_context,
    )
    from vyre_dialect.runtime.program.output_files import (
        check_writable,
        is_standard_output,
        write_files,
    )
    from vyre_dialect.runtime.program.programs import select_program

    optimize = optimization(arguments, pipeline=arguments.pipeline)
    path: Path | None = arguments.output
    if path is not None and is_standard_output(path):
        path = None
    if path is not None:
        check_writable(path)
    with progress_bar() as progress:
        progress(f"compiling '{arguments.file}'", None)
        context = make_context()
        module = select_program(load_module(arguments.file, context), arguments.program)
        compiled = compile_module(
            module, pipeline=arguments.pipeline, optimize=optimize, context=context
        )
    if path is not None:
        write_files({path: lambda file: file.write(compiled.source.encode())})
    if arguments.json:
        print_json(_as_json(compiled, path))
    elif path is None:
        print_source(compiled.source)
    return 0


def _as_json(compiled: CompiledProgram, path: Path | None) -> dict[str, object]:
    from vyre_dialect.runtime.program.description import describe

    if path is None:
        return describe(compiled) | {"source": compiled.source}
    return describe(compiled) | {"output": str(path)}
