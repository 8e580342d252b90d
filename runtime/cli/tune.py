"""`vyre tune`: find the fastest form of a program on a device, and keep it for `vyre run`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers, named_values, positive_integer
from vyre_dialect.runtime.cli.inputs import HELP as INPUT_HELP
from vyre_dialect.runtime.cli.inputs import read_input
from vyre_dialect.runtime.cli.pass_arguments import add_schedule_arguments, optimization
from vyre_dialect.runtime.errors import UsageError, VyreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vyre_dialect.runtime.opencl.devices import Device
    from vyre_dialect.runtime.tuning.decisions import Decision, DecisionFile
    from vyre_dialect.runtime.tuning.tuned import Tuning
    from vyre_dialect.runtime.tuning.tuner import Candidate, Outcome
    from vyre_dialect.tuning import Choice

DEFAULT_EVALUATIONS = 200
NO_CACHE = "nothing is kept: unset VYRE_NO_CACHE, and have a home folder"


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "tune", help="find the fastest form of a program", description=__doc__, allow_abbrev=False
    )
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="FILE", help="a module with a vyre.program, or -"
    )
    parser.add_argument(
        "--program", metavar="NAME", help="which program, where the module has several"
    )
    parser.add_argument(
        "--input", action="append", default=[], metavar="NAME=PATH", help=INPUT_HELP
    )
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
        type=positive_integer,
        metavar="S",
        help="begin with no other candidate after so long",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the search; 0")
    parser.add_argument("--again", action="store_true", help="tune what is tuned already, too")
    parser.add_argument("--plot", metavar="OUT.svg", type=Path, help="draw what was measured")
    parser.add_argument("--show", action="store_true", help="show what was decided for the device")
    parser.add_argument("--clear", action="store_true", help="forget what was decided for it")
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    from vyre_dialect.runtime.opencl.devices import choose_device

    if arguments.show or arguments.clear:
        if arguments.file is not None or (arguments.show and arguments.clear):
            raise UsageError("expected one of FILE, --show and --clear")
        return _kept(choose_device(arguments.device), arguments)
    if arguments.file is None:
        raise UsageError("expected one of FILE, --show and --clear")
    return _tune(arguments)


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
            _changes(each.choices, each.default) or "the default",
        )
        for each in decisions.values()
    ]
    print_table(f"decisions for {device.info.label}", columns, rows)


def _decision_as_json(decision: Decision) -> dict[str, object]:
    return decision.as_toml() | {"when": decision.when.isoformat()}


def _tune(arguments: argparse.Namespace) -> int:
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.cli.tuning_table import tuning_table
    from vyre_dialect.runtime.opencl.devices import choose_device
    from vyre_dialect.runtime.program.compilation import make_context
    from vyre_dialect.runtime.program.execute import bound_inputs, load_program
    from vyre_dialect.runtime.program.output_files import check_writable, write_text
    from vyre_dialect.runtime.tuning.plot import search_plot
    from vyre_dialect.runtime.tuning.tuned import Tuning
    from vyre_dialect.runtime.tuning.tuner import Limits

    if arguments.plot is not None:
        check_writable(arguments.plot)
    inputs = named_values("--input", arguments.input)
    context = make_context()
    module = load_program(arguments.file, context, arguments.program)
    contents = {name: read_input(name, given) for name, given in inputs.items()}
    bound = bound_inputs(module, contents, context)
    device = choose_device(arguments.device)
    tuning = Tuning.of(module, device, bound, context, optimization(arguments))
    known = None if arguments.again else tuning.cached()
    if known is not None:
        print_json(_decision_as_json(known)) if arguments.json else print(
            f"tuned already: {_changes(known.choices, known.default) or 'the default stays'}"
        )
        return 0
    seconds = float("inf") if arguments.seconds is None else arguments.seconds
    limits = Limits(arguments.evaluations, seconds, arguments.seed)
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


def _print(tuning: Tuning, outcome: Outcome) -> None:
    changes = _changes(outcome.choices, tuning.configurations.default)
    if not changes:
        print(f"the default stays: nothing is faster by more than {outcome.noise:.1%}")
        return
    print(
        f"{outcome.ns / 1e3:.1f} µs instead of {outcome.default_ns / 1e3:.1f} µs, "
        f"{outcome.speedup:.2f} times as fast: {changes}"
    )


def _changes(choices: Mapping[str, Choice], default: Mapping[str, Choice]) -> str:
    """What is chosen other than by default."""
    from vyre_dialect.tuning import changed

    return " ".join(f"{name}={choice}" for name, choice in changed(choices, default).items())
