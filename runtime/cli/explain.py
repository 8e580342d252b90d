"""`vyre explain`: what fuses and why, and which passes run, why, and what each of them does."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers, add_program_arguments
from vyre_dialect.runtime.cli.inputs import add_input_argument, named_inputs, read_inputs
from vyre_dialect.runtime.cli.lines import print_line
from vyre_dialect.runtime.cli.pass_arguments import add_pass_arguments, pass_arguments
from vyre_dialect.runtime.cli.targets import add_target_argument, target_device
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    from vyre_dialect.ops.program import ProgramOp
    from vyre_dialect.runtime.program.explanation import Explanation

PLOTTED = 1 << 20
"""Elements of the inputs whose size the program leaves open, in a plot."""


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "explain",
        help="say what fuses and which passes run, and why",
        description=__doc__,
        allow_abbrev=False,
    )
    add_program_arguments(parser)
    add_target_argument(parser, "explain what runs there, in its workgroup memory")
    add_input_argument(parser)
    parser.add_argument(
        "--measure",
        action="store_true",
        help="run the program on its inputs in the forms that it may have, unfused for one, by "
        "turns, and say what each takes",
    )
    parser.add_argument(
        "--memory-plot",
        metavar="OUT.svg",
        type=file_path,
        help=f"draw when and where buffers lie in the arena, for inputs of {PLOTTED} elements",
    )
    add_pass_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.runtime.cli.decided import as_decided
    from vyre_dialect.runtime.cli.decided import as_json as decision_as_json
    from vyre_dialect.runtime.cli.form_times import times_of_forms
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.interpreter.programs import select_program
    from vyre_dialect.runtime.program.compilation import (
        make_context,
        name_of,
        parse_module,
        read_text,
    )
    from vyre_dialect.runtime.program.explanation import SourceText, explain_module

    asked, inputs = pass_arguments(arguments), named_inputs(arguments)
    context = make_context()
    name, text = name_of(arguments.file), read_text(arguments.file)
    module = select_program(parse_module(text, context, name), arguments.program)
    chosen, compiled_by, decision = target_device(arguments.device), asked.passes, None
    original = module
    if chosen is not None:
        module, compiled_by, decision = as_decided(
            module, asked.passes, chosen, read_inputs(inputs), context
        )
    device = None if chosen is None else chosen.info
    explained = explain_module(module, compiled_by, device, context, SourceText(name, text))
    times = times_of_forms(
        *(original, asked.passes, chosen, read_inputs(inputs), context), measure=arguments.measure
    )
    asked.report()
    if arguments.memory_plot is not None:
        _plot(explained.fused, arguments.memory_plot)
    if arguments.json:
        shown = {"decision": decision_as_json(decision), **times.as_json()}
        print_json(explained.as_json() | shown)
        return 0
    show_fusion(name, explained)
    times.show()
    show_passes(explained)
    return 0


def show_fusion(name: str, explained: Explanation) -> None:
    """What fuses and what does not, and the plans of what does, in a program of this name."""
    for line in explained.fusion_lines(name):
        print_line(line)


def _plot(program: ProgramOp, path: Path) -> None:
    from vyre_dialect.runtime.program.output_files import check_writable, write_text
    from vyre_dialect.runtime.program.scratch_plot import scratch_plot

    check_writable(path)
    write_text(path, scratch_plot(program, PLOTTED))


def show_passes(explained: Explanation) -> None:
    """The passes that a program is compiled by, in the order in which they come to run."""
    from vyre_dialect.runtime.cli.terminal import print_table

    rows = [
        (
            row.name,
            row.why,
            row.did,
            str(len(row.runs)) if row.runs else "-",
            f"{row.runtime_ns / 1e3:.0f}" if row.runs else "-",
        )
        for row in explained.passes
    ]
    device = "" if explained.device is None else f" for {explained.device}"
    policy = "" if explained.policy is None else f", policy {explained.policy}"
    print_table(
        f"passes that '{explained.program}' is compiled by{device}{policy}",
        ("pass", "why", "what it did", "runs", "µs"),
        rows,
        left=3,
    )
