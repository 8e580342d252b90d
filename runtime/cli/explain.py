"""`vyre explain`: which handoffs of a program fuse, into what, and why the others do not."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from vyre_dialect.runtime.cli.arguments import Subparsers, add_program_arguments

if TYPE_CHECKING:
    from vyre_dialect.ops.program import ProgramOp
    from vyre_dialect.passes.fusion.decode_scan_fuse import DecodeScanFusePass, Outcome
    from vyre_dialect.passes.fusion.tiling.options import LocalMemory

EXPANSION = "vyre-expand"
"""What a program is taken through before fusion is asked."""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="say which handoffs fuse and why others do not",
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
        default="vyre-decode-scan-fuse",
        metavar="PASS",
        help="the fusion pass with its options, as xdsl-opt takes it",
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    from vyre_dialect.runtime.cli.explanation import Explainer
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.program.compilation import (
        apply_pipeline,
        make_context,
        name_of,
        parse_module,
        read_text,
    )
    from vyre_dialect.runtime.program.programs import find_program

    fusion = _fusion(arguments.pipeline, arguments.device)
    context = make_context()
    name, text = name_of(arguments.file), read_text(arguments.file)
    module = parse_module(text, context, name)
    apply_pipeline(module, EXPANSION, context)
    program = find_program(module, arguments.program)
    outcome = _explained(program, fusion)
    explainer = Explainer(name, text)
    fused = [explainer.fused(program, name) for name in outcome.promoted]
    refused = [explainer.refused(refusal) for refusal in outcome.refusals]
    if arguments.json:
        print_json({"program": program.sym_name.data, "handoffs": [*fused, *refused]})
        return 0
    for handoff in (*fused, *refused):
        _show(name, handoff)
    if not fused and not refused:
        print(f"'{name}' hands no buffer from one arm to another")
    return 0


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


def _where(name: str, place: dict[str, object]) -> str:
    return name if place["line"] is None else f"{name}:{place['line']}"
