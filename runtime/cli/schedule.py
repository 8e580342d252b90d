"""`vyre schedule`: print the schedule that `vyre run` compiles a program by, to be edited."""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers, add_program_arguments
from vyre_dialect.runtime.cli.pass_arguments import add_materializing_arguments, optimization
from vyre_dialect.runtime.cli.targets import add_target_argument, target_device

if TYPE_CHECKING:
    from vyre_dialect.passes.schedule.optimize import OptimizePass


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "schedule",
        help="print the passes that a program is compiled by",
        description=__doc__,
        allow_abbrev=False,
    )
    add_program_arguments(parser)
    add_target_argument(parser, "with the options that its kernels are fastest with")
    add_materializing_arguments(parser.add_argument_group("schedule"))
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.passes.schedule.optimize import OptimizePass
    from vyre_dialect.runtime.cli.terminal import print_json, print_source
    from vyre_dialect.runtime.program.compilation import load_module, make_context, schedule_for
    from vyre_dialect.runtime.program.programs import select_program

    optimize = optimization(arguments) or OptimizePass()
    context = make_context()
    module = select_program(load_module(arguments.file, context), arguments.program)
    device = target_device(arguments.device)
    info = None if device is None else device.info
    schedule = schedule_for(module, optimize, context, info)
    _warn_of_trusted(optimize)
    if arguments.json:
        passes = {op.sym_name.data: op.spec.parameters for op in schedule.passes()}
        label = None if info is None else info.label
        policy = None if schedule.policy is None else schedule.policy.data
        shown = {"device": label, "policy": policy, "profile": str(schedule.profile.data)}
        print_json(shown | {"passes": passes, "schedule": str(schedule)})
    else:
        print_source(f"{schedule!s}\n", "text")
    return 0


def _warn_of_trusted(optimize: OptimizePass) -> None:
    """Say which options are not printed, since a schedule cannot give them."""
    from vyre_dialect.passes.schedule.admission import trusted_options
    from vyre_dialect.passes.schedule.options import options_text, parse_options

    if left := options_text(trusted_options(parse_options(optimize.options))):
        message = f"no schedule gives {left}: give that beside --schedule, by --options"
        warnings.warn(message, stacklevel=2)
