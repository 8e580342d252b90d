"""`vyre tune`: find the fastest form of a program on a device, and keep it for `vyre run`."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import (
    Subparsers,
    add_timeout_argument,
    positive_integer,
    seconds,
)
from vyre_dialect.runtime.cli.inputs import add_input_argument, named_inputs, read_inputs
from vyre_dialect.runtime.cli.pass_arguments import add_schedule_arguments, optimization
from vyre_dialect.runtime.errors import UsageError, VyreError
from vyre_dialect.runtime.paths import file_path

if TYPE_CHECKING:
    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.program.decision import Decision
    from vyre_dialect.runtime.tuning.decisions import DecisionFile
    from vyre_dialect.runtime.tuning.tuned import Tuning
    from vyre_dialect.runtime.tuning.tuner import Candidate, Outcome

DEFAULT_EVALUATIONS = 200
MOST_NOISE = 0.25
"""Of the default, by what it differs from itself, above which nothing is said of gains."""
_OF_KEPT = ("command", "show", "clear", "device", "json", "debug")
"""What --show and --clear go with."""
NO_CACHE = "nothing is kept: unset VYRE_NO_CACHE, and have a home folder"


def add_parser(subparsers: Subparsers) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "tune", help="find the fastest form of a program", description=__doc__, allow_abbrev=False
    )
    parser.add_argument(
        "file", type=file_path, nargs="?", metavar="FILE", help="a module with a vyre.program, or -"
    )
    parser.add_argument(
        "--program", metavar="NAME", help="which program, where the module has several"
    )
    add_input_argument(parser)
    parser.add_argument("--device", metavar="NAME", help="the device, as for 'vyre run'")
    add_schedule_arguments(parser.add_argument_group("schedule"))
    parser.add_argument(
        "--evaluations",
        type=positive_integer,
        default=DEFAULT_EVALUATIONS,
        metavar="N",
        help=f"how many candidates to measure at most; {DEFAULT_EVALUATIONS}",
    )
    parser.add_argument(
        "--seconds",
        type=seconds,
        metavar="S",
        help="begin with no other candidate after so long",
    )
    add_timeout_argument(parser)
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the search; 0")
    parser.add_argument("--again", action="store_true", help="tune what is tuned already, too")
    parser.add_argument("--plot", metavar="OUT.svg", type=file_path, help="draw what was measured")
    parser.add_argument("--show", action="store_true", help="show what was decided for the device")
    parser.add_argument("--clear", action="store_true", help="forget what was decided for it")
    parser.set_defaults(execute=partial(execute, parser))


def execute(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> int:
    """Carry the subcommand out; gives the exit status."""
    from vyre_dialect.runtime.opencl.devices import choose_device

    if [arguments.file is not None, arguments.show, arguments.clear].count(True) != 1:
        raise UsageError("expected one of FILE, --show and --clear")
    if arguments.file is not None:
        return _tune(arguments)
    _check_unused(parser, arguments)
    return _kept(choose_device(arguments.device), arguments)


def _check_unused(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> None:
    """Raise a UsageError for an argument that only tuning takes."""
    for name, value in vars(arguments).items():
        if name not in _OF_KEPT and value != parser.get_default(name):
            option = "--show" if arguments.show else "--clear"
            given = name.replace("_", "-")
            raise UsageError(f"argument --{given}: not allowed with argument {option}")


def _kept(device: Device, arguments: argparse.Namespace) -> int:
    from vyre_dialect.runtime.tuning.decisions import DecisionFile

    kept = DecisionFile.of(device.info)
    if kept is None:
        raise VyreError(NO_CACHE)
    if arguments.clear:
        kept.clear()
    else:
        _show(kept, device, as_json=arguments.json)
    return 0


def _show(kept: DecisionFile, device: Device, *, as_json: bool) -> None:
    from vyre_dialect.ir.tuning import changes_text
    from vyre_dialect.runtime.cli.terminal import print_json, print_table

    decisions = kept.all()
    if as_json:
        print_json({key: _decision_as_json(each) for key, each in decisions.items()})
        return
    columns = ("program", "when", "µs", "default µs", "noise", "choices")
    rows = [
        (
            each.program,
            f"{each.when:%Y-%m-%d %H:%M}",
            f"{each.ns / 1e3:.1f}",
            f"{each.default_ns / 1e3:.1f}",
            f"{each.noise:.1%}",
            changes_text(each.choices, each.default) or "the default",
        )
        for each in decisions.values()
    ]
    print_table(f"decisions for {device.info.label}", columns, rows)


def _decision_as_json(decision: Decision) -> dict[str, object]:
    return decision.as_toml() | {"when": decision.when.isoformat()}


def _tune(arguments: argparse.Namespace) -> int:
    from vyre_dialect.ir.tuning import changes_text
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.cli.tuning_table import tuning_table
    from vyre_dialect.runtime.driver.building import bound_inputs
    from vyre_dialect.runtime.driver.execute import load_program
    from vyre_dialect.runtime.opencl.devices import choose_device
    from vyre_dialect.runtime.program.loading import make_context
    from vyre_dialect.runtime.program.output_files import check_writable, write_text
    from vyre_dialect.runtime.tuning.plot import search_plot
    from vyre_dialect.runtime.tuning.tuned import Tuning
    from vyre_dialect.runtime.tuning.tuner import Limits

    if arguments.plot is not None:
        check_writable(arguments.plot)
    inputs = named_inputs(arguments)
    context = make_context()
    module = load_program(arguments.file, context, arguments.program)
    contents = read_inputs(inputs)
    bound = bound_inputs(module, contents, context)
    device = choose_device(arguments.device)
    tuning = Tuning.of(module, device, bound, context, optimization(arguments))
    known = None if arguments.again else tuning.cached()
    if known is not None:
        print_json(_decision_as_json(known)) if arguments.json else print(
            f"tuned already: {changes_text(known.choices, known.default) or 'the default stays'}"
        )
        return 0
    longest = float("inf") if arguments.seconds is None else arguments.seconds
    limits = Limits(arguments.evaluations, longest, arguments.seed, arguments.timeout)
    touched = sum(array.nbytes for array in bound.values())
    with tuning_table(tuning.configurations.default, touched) as table:
        outcome = tuning.tune(limits, table)
    if arguments.plot is not None:
        write_text(arguments.plot, search_plot(arguments.file.name, outcome))
    if arguments.json:
        print_json(as_json(tuning, outcome))
    else:
        _print(tuning, outcome)
    return 0


def as_json(tuning: Tuning, outcome: Outcome) -> dict[str, object]:
    """A tuning as the command prints it for machines."""
    return {
        "key": tuning.key,
        "device": tuning.device.info.label,
        "choices": dict(outcome.choices),
        "default": tuning.configurations.default,
        "ns": outcome.ns,
        "default_ns": outcome.default_ns,
        "noise": outcome.noise,
        "device_ns": outcome.device_ns,
        "candidates": [_candidate_as_json(each) for each in outcome.candidates],
        "finals": [_candidate_as_json(each) for each in outcome.finals],
    }


def _candidate_as_json(candidate: Candidate) -> dict[str, object]:
    return {
        "choices": dict(candidate.choices),
        "built": candidate.is_built,
        "checked": candidate.is_checked,
        "ns": candidate.ns,
        "ratio": candidate.ratio,
        "verdict": candidate.verdict,
    }


def why_it_stays(noise: float) -> str:
    """Why nothing is chosen, by what the default differs from itself."""
    if noise > MOST_NOISE:
        return (
            f"it differs from itself by {noise:.0%}, more than there is to gain: a larger input, "
            "or a machine that others leave alone, tells more"
        )
    return f"nothing is faster by more than {noise:.1%}"


def _print(tuning: Tuning, outcome: Outcome) -> None:
    from vyre_dialect.ir.tuning import changes_text

    changes = changes_text(outcome.choices, tuning.configurations.default)
    if not changes:
        print(f"the default stays: {why_it_stays(outcome.noise)}")
        return
    print(
        f"{outcome.ns / 1e3:.1f} µs instead of {outcome.default_ns / 1e3:.1f} µs, "
        f"{outcome.speedup:.2f} times as fast: {changes}"
    )
