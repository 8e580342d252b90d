"""`vyre report`: what became of a program, as one page to look at."""

from __future__ import annotations

import argparse

from vyre_dialect.runtime.cli.arguments import Subparsers, add_program_arguments
from vyre_dialect.runtime.cli.explain import PLOTTED
from vyre_dialect.runtime.cli.inputs import add_input_argument, named_inputs, read_inputs
from vyre_dialect.runtime.cli.pass_arguments import add_pass_arguments, pass_arguments
from vyre_dialect.runtime.cli.targets import add_target_argument, target_device
from vyre_dialect.runtime.paths import file_path


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "report",
        help="write a page that shows stages, verdicts, memory and times",
        description=__doc__,
        allow_abbrev=False,
    )
    add_program_arguments(parser)
    add_target_argument(parser, "report on what runs there")
    add_input_argument(parser)
    parser.add_argument(
        *("-o", "--output"),
        metavar="OUT.html",
        type=file_path,
        required=True,
        help="where to write the page, which needs no network and no other file",
    )
    add_pass_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.runtime.cli.decided import as_decided
    from vyre_dialect.runtime.cli.decided import as_json as decision_as_json
    from vyre_dialect.runtime.cli.form_times import times_of_forms
    from vyre_dialect.runtime.driver.execute import run_module
    from vyre_dialect.runtime.interpreter.programs import select_program
    from vyre_dialect.runtime.opencl.results import REFERENCE_DEVICE
    from vyre_dialect.runtime.program.compilation import compile_module, make_context
    from vyre_dialect.runtime.program.explanation import SourceText, explain_module
    from vyre_dialect.runtime.program.loading import name_of, parse_module, read_text
    from vyre_dialect.runtime.program.output_files import check_writable, write_text
    from vyre_dialect.runtime.program.scratch_plot import scratch_plot
    from vyre_dialect.runtime.report.page import Report
    from vyre_dialect.runtime.report.stages import StageRecorder

    check_writable(arguments.output)
    asked, context = pass_arguments(arguments), make_context()
    name, text = name_of(arguments.file), read_text(arguments.file)
    original = select_program(parse_module(text, context, name), arguments.program)
    contents, chosen = read_inputs(named_inputs(arguments)), target_device(arguments.device)
    module, passes, decision = original, asked.passes, None
    if chosen is not None:
        module, passes, decision = as_decided(original, passes, chosen, contents, context)
    device, recorder = None if chosen is None else chosen.info, StageRecorder()
    explained = explain_module(module, passes, device, context, SourceText(name, text))
    compile_module(
        module,
        pipeline=passes.pipeline,
        optimize=passes.optimize,
        edits=passes.edits,
        observers=[recorder],
        context=context,
        device=device,
    )
    run = None
    if contents:
        run = run_module(
            *(original, contents),
            device=REFERENCE_DEVICE if chosen is None else chosen,
            pipeline=asked.passes.pipeline,
            optimize=asked.passes.optimize,
            edits=asked.passes.edits,
            context=context,
        )
    times = times_of_forms(original, asked.passes, chosen, contents, context, measure=False)
    report = Report(
        *(name, text, explained, recorder),
        memory=scratch_plot(explained.fused, PLOTTED),
        run=run,
        predictions=times.predicted,
        decision=decision_as_json(decision),
    )
    write_text(arguments.output, report.html())
    asked.report()
    return 0
