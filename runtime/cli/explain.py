"""`vyre explain`: what fuses and why, and which passes run, why, and what each of them does."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from vyre_dialect.runtime.cli.arguments import (
    Subparsers,
    add_program_arguments,
    add_schedule_arguments,
    optimization,
)

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from vyre_dialect.ops.program import ProgramOp
    from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass, Outcome
    from vyre_dialect.passes.fusion.tiling.options import LocalMemory
    from vyre_dialect.passes.schedule.optimize import OptimizePass
    from vyre_dialect.runtime.cli.explanation import PassRow

PLOTTED = 1 << 20
"""Elements of the inputs whose size the program leaves open, in a plot."""
FUSION = "vyre-decode-scan-fuse"
"""The pass that fuses, without options."""
EXPANSION = "vyre-expand"
"""What a program is taken through before fusion is asked."""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="say what fuses and which passes run, and why",
        description=__doc__,
        allow_abbrev=False,
    )
    add_program_arguments(parser)
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="cpu, gpu or part of a device's name: tiles may take all its workgroup memory",
    )
    parser.add_argument(
        "-p",
        "--pipeline",
        default=FUSION,
        metavar="PASS",
        help="the fusion pass with its options, as xdsl-opt takes it",
    )
    parser.add_argument(
        "--memory-plot",
        metavar="OUT.svg",
        type=Path,
        help=f"draw when and where buffers lie in the arena, for inputs of {PLOTTED} elements",
    )
    add_schedule_arguments(parser)
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    from vyre_dialect.runtime.cli.explanation import Explainer, pass_rows
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.program.compilation import (
        apply_pipeline,
        make_context,
        name_of,
        optimize_module,
        parse_module,
        read_text,
    )
    from vyre_dialect.runtime.program.programs import find_program, select_program

    optimize = optimization(arguments)
    fusion = _fusion(arguments.pipeline, arguments.device)
    context = make_context()
    name, text = name_of(arguments.file), read_text(arguments.file)
    module = parse_module(text, context, name)
    find_program(module, arguments.program)
    compiled = select_program(module, arguments.program)
    apply_pipeline(module, EXPANSION, context)
    program = find_program(module, arguments.program)
    outcome = _explained(program, fusion)
    if arguments.memory_plot is not None:
        _plot(program, arguments.memory_plot)
    explainer = Explainer(name, text)
    fused = [explainer.fused(program, name) for name in outcome.promoted]
    refused = [explainer.refused(refusal) for refusal in outcome.refusals]
    passes = pass_rows(optimize_module(compiled, _optimize(optimize, fusion, compiled), context))
    if arguments.json:
        handoffs = {"program": program.sym_name.data, "handoffs": [*fused, *refused]}
        print_json(handoffs | {"passes": [row.as_json() for row in passes]})
        return 0
    for handoff in (*fused, *refused):
        _show(name, handoff)
    if not fused and not refused:
        print(f"'{name}' hands no buffer from one arm to another")
    _show_passes(program.sym_name.data, passes)
    return 0


def _optimize(
    optimize: OptimizePass | None, fusion: DecodeScanFusePass, module: ModuleOp
) -> OptimizePass:
    """What the program is compiled by, with the options of fusion unless a schedule has its own."""
    from vyre_dialect.passes.schedule.optimize import OptimizePass
    from vyre_dialect.runtime.program.compilation import has_own_schedule

    optimize = optimize or OptimizePass()
    if optimize.schedule is not None or has_own_schedule(module):
        return optimize
    return replace(optimize, options=str(fusion.spec()))


def _fusion(pipeline: str, device: str | None) -> DecodeScanFusePass:
    """
    The fusion pass that `pipeline` names. Unless it gives a budget, that is the workgroup memory
    of `device`, if one is named, as for programs that are compiled for it.
    """
    from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass
    from vyre_dialect.runtime.errors import UsageError
    from vyre_dialect.runtime.opencl.devices import choose_device
    from vyre_dialect.runtime.program.pipelines import parse_pipeline

    passes = parse_pipeline(pipeline).passes
    fusion = passes[0] if len(passes) == 1 else None
    if not isinstance(fusion, DecodeScanFusePass):
        raise UsageError(
            f"argument -p: expected the pass '{DecodeScanFusePass.name}' with its options, "
            f"got '{pipeline}'"
        )
    if device is None:
        return fusion
    info = choose_device(device).info
    memory: LocalMemory = "dedicated" if info.has_own_local_mem else "global"
    given = _given_options(pipeline)
    return replace(
        fusion,
        budget=fusion.budget if "budget" in given else info.local_mem_bytes,
        local_memory=fusion.local_memory if "local_memory" in given else memory,
    )


def _given_options(pipeline: str) -> set[str]:
    from xdsl.utils.arg_spec import parse_pipeline as parse_specs

    return {option for spec in parse_specs(pipeline) for option in spec.parameters}


def _explained(program: ProgramOp, fusion: DecodeScanFusePass) -> Outcome:
    """What fusion does to `program`, which is verified afterwards; raises VyreError."""
    import islpy as isl

    from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
    from vyre_dialect.runtime.errors import VyreError
    from vyre_dialect.runtime.program.compilation import one_line_errors

    place = f"pass '{fusion.name}'"
    with one_line_errors(place):
        try:
            outcome = fuse_program(program, fusion.options)
            program.verify()
        except (isl.Error, ValueError) as error:
            message = " ".join(str(error).split())
            raise VyreError(f"{place}: {message}") from error
    return outcome


def _plot(program: ProgramOp, path: Path) -> None:
    from vyre_dialect.runtime.program.output_files import check_writable, write_text
    from vyre_dialect.runtime.program.scratch_plot import scratch_plot

    check_writable(path)
    write_text(path, scratch_plot(program, PLOTTED))


def _show(name: str, handoff: dict[str, object]) -> None:
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
    for label in ("producer", "consumer"):
        if handoff.get(label):
            print(f"  {label}: {handoff[label]}")
    for label in ("cause", "depends_on"):
        if isinstance(site := handoff.get(label), dict):
            _show_site(name, label.replace("_", " "), cast(dict[str, object], site))
    if isinstance(example := handoff.get("counterexample"), dict):
        print(f"  for example: {example['text']}")


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


def _show_passes(program: str, passes: Sequence[PassRow]) -> None:
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
        for row in passes
    ]
    print_table(
        f"passes that '{program}' is compiled by",
        ("pass", "why", "what it did", "runs", "µs"),
        rows,
        left=3,
    )


def _where(name: str, place: dict[str, object]) -> str:
    return name if place["line"] is None else f"{name}:{place['line']}"
