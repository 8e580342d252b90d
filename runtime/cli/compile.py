"""`vyre compile`: turn a program into OpenCL C."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers, add_program_arguments
from vyre_dialect.runtime.cli.inputs import add_input_argument, named_inputs, read_inputs
from vyre_dialect.runtime.cli.pass_arguments import add_pass_arguments, pass_arguments
from vyre_dialect.runtime.errors import UsageError
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.runtime.program.compiled_program import CompiledProgram
    from vyre_dialect.runtime.program.decision import Decision
    from vyre_dialect.runtime.program.device_info import DeviceInfo
    from vyre_dialect.runtime.program.passes import Passes


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "compile", help="print a program's kernels", description=__doc__, allow_abbrev=False
    )
    add_program_arguments(parser)
    parser.add_argument(
        "-o", "--output", type=file_path, metavar="OUT.cl", help="where to write (standard output)"
    )
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="compile for a device, as 'vyre run' does, in place of any device of OpenCL 1.2",
    )
    add_input_argument(parser)
    add_pass_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.runtime.cli.decided import as_decided
    from vyre_dialect.runtime.cli.terminal import progress_bar
    from vyre_dialect.runtime.interpreter.programs import select_program
    from vyre_dialect.runtime.opencl.devices import choose_device
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE
    from vyre_dialect.runtime.program.compilation import load_module, make_context
    from vyre_dialect.runtime.program.output_files import check_writable, is_standard_output

    path: Path | None = arguments.output
    if path is not None and is_standard_output(path):
        path = None
    if path is not None:
        check_writable(path)
    if arguments.device == REFERENCE_DEVICE:
        message = "the interpreter has no kernels, leave it out for those of any device"
        raise UsageError(f"argument --device: {message}")
    asked, inputs = pass_arguments(arguments), named_inputs(arguments)
    passes, device, decision = asked.passes, None, None
    with progress_bar() as progress:
        progress(f"compiling '{arguments.file}'", None)
        context = make_context()
        module = select_program(load_module(arguments.file, context), arguments.program)
        if arguments.device is not None or inputs:
            chosen = choose_device(arguments.device)
            device, contents = chosen.info, read_inputs(inputs)
            module, passes, decision = as_decided(module, passes, chosen, contents, context)
        compiled = _compile(module, passes, context, device)
    asked.report()
    _put(compiled, path, decision, as_json=arguments.json)
    return 0


def _compile(
    module: ModuleOp, passes: Passes, context: Context, device: DeviceInfo | None
) -> CompiledProgram | ModuleOp:
    """The kernels, or the module where the passes are stopped before there are any."""
    from vyre_dialect.runtime.program.compilation import compile_module, lower_module

    edits = passes.edits
    if edits.stop_before is not None or edits.stop_after is not None:
        return lower_module(module, passes, context, device).module
    return compile_module(
        module,
        pipeline=passes.pipeline,
        optimize=passes.optimize,
        edits=edits,
        observers=passes.observers,
        context=context,
        device=device,
    )


def _put(
    compiled: CompiledProgram | ModuleOp,
    path: Path | None,
    decision: Decision | None,
    *,
    as_json: bool,
) -> None:
    """Write what was made of a program to `path`, or to standard output."""
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.runtime.cli.decided import as_json as decision_as_json
    from vyre_dialect.runtime.cli.terminal import print_json, print_source
    from vyre_dialect.runtime.program.description import describe
    from vyre_dialect.runtime.program.observers import module_text
    from vyre_dialect.runtime.program.output_files import write_text

    if is_module := isinstance(compiled, ModuleOp):
        text, described = module_text(compiled), dict[str, object]()
    else:
        text, described = compiled.source, describe(compiled)
    if path is not None:
        write_text(path, text)
    if as_json:
        described["decision"] = decision_as_json(decision)
        print_json(described | ({"source": text} if path is None else {"output": str(path)}))
    elif path is None:
        print_source(text, "c" if not is_module else "text")
