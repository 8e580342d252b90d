"""`vyre explain`: what fuses and why, and which passes run, why, and what each of them does."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, cast

from vyre_dialect.runtime.cli.arguments import Subparsers, add_program_arguments
from vyre_dialect.runtime.cli.inputs import add_input_argument, named_inputs, read_inputs
from vyre_dialect.runtime.cli.pass_arguments import add_pass_arguments, pass_arguments
from vyre_dialect.runtime.cli.targets import add_target_argument, target_device

if TYPE_CHECKING:
    from vyre_dialect.ops.program import ProgramOp
    from vyre_dialect.passes.fusion.tiling.summary import PlanSummary
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
        type=Path,
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
    for handoff in explained.handoffs:
        _show(name, handoff)
    if not explained.handoffs:
        print(f"'{name}' hands no buffer from one arm to another")
    for plan in explained.plans:
        _show_plan(plan)
    for predicate in explained.predicates:
        _show_predicate(name, predicate)
    for arm in explained.scalar:
        where, why = _where(name, arm), f"{arm['reason']}: {arm['detail']}"
        print(f"{where}: '{arm['arm']}' is not vectorized: {why}")


def _plot(program: ProgramOp, path: Path) -> None:
    from vyre_dialect.runtime.program.output_files import check_writable, write_text
    from vyre_dialect.runtime.program.scratch_plot import scratch_plot

    check_writable(path)
    write_text(path, scratch_plot(program, PLOTTED))


def _show(name: str, handoff: Mapping[str, object]) -> None:
    if handoff["fused"]:
        user = f" of '{handoff['arm']}'" if handoff["arm"] else ", which no arm uses"
        said = (
            f"fuses: {handoff['elements']} elements "
            f"({handoff['bytes']} bytes) in {handoff['memory_space']} memory{user}"
        )
    else:
        said = f"is not fused: {handoff['reason']}: {handoff['detail']}"
    print(f"{_where(name, handoff)}: '@{handoff['name']}' {said}")
    if handoff["source"]:
        print(f"    {handoff['source']}")
    _show_arms(handoff)
    if question := handoff.get("question"):
        print(f"  asked: {question} no")
    for label in ("cause", "depends_on"):
        if isinstance(site := handoff.get(label), dict):
            _show_site(name, label.replace("_", " "), cast(dict[str, object], site))
    if isinstance(example := handoff.get("counterexample"), dict):
        print(f"  for example: {example['text']}")
    for advice in cast("list[dict[str, object]]", handoff.get("advice", [])):
        _show_advice(advice)


def _show_plan(plan: PlanSummary) -> None:
    """What a fused arm does, and the obligations that it met."""
    print(f"plan of '{plan.arm}': {plan}")
    for question, about in plan.answers.items():
        print(f"  {question} yes: {', '.join(about)}")


def _show_predicate(name: str, predicate: Mapping[str, object]) -> None:
    """Whether the tests of a column are asked of what is encoded."""
    if predicate["moved"]:
        said = f"is tested as it is encoded: {predicate['rule']}"
    else:
        said = f"is tested once it is decoded: {predicate['reason']}"
    print(f"{_where(name, predicate)}: '@{predicate['column']}' {said}: {predicate['detail']}")


def _show_arms(handoff: Mapping[str, object]) -> None:
    """The arms that hand something on, and which of the consumers a reason is about."""
    if handoff.get("producer"):
        print(f"  producer: {handoff['producer']}")
    consumers = cast("list[str]", handoff.get("consumers", []))
    if len(consumers) == 1:
        print(f"  consumer: {consumers[0]}")
    elif consumers:
        print(f"  consumers: {', '.join(consumers)}; refused for {handoff['consumer']}")


def _show_advice(advice: dict[str, object]) -> None:
    """What to type in addition, or to write into a schedule, so that a handoff fuses."""
    arguments = cast("list[str] | None", advice["arguments"])
    said = f"{advice['options']} in the schedule" if arguments is None else join(arguments)
    print(f"  fuses in {advice['memory_space']} memory ({advice['bytes']} bytes) with {said}")


def _show_site(name: str, label: str, site: dict[str, object]) -> None:
    """An op, by its line; with its own text, too, where the line is that of a library op."""
    source, op = site["source"], str(site["op"])
    print(f"  {label}: {_where(name, site)}" if source else f"  {label}: {op}")
    if not source:
        return
    print(f"    {source}")
    op_name = op.rpartition(" = ")[2].partition(" ")[0]
    if op_name not in str(source):
        print(f"    in its expansion: {op}")


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


def _where(name: str, place: Mapping[str, object]) -> str:
    return name if place["line"] is None else f"{name}:{place['line']}"
