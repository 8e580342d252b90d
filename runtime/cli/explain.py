"""`vyre explain`: which handoffs of a program fuse, into what, and why the others do not."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from vyre_dialect.runtime.cli.arguments import Subparsers

if TYPE_CHECKING:
    from vyre_dialect.ops.program import BufferOp, ProgramOp
    from vyre_dialect.passes.decode_scan_fuse import DecodeScanFusePass, Outcome
    from vyre_dialect.passes.fusion.refusal import Counterexample, Refusal

EXPANSION = "vyre-expand"
"""What a program is taken through before fusion is asked."""
LONGEST_OP = 100
"""Characters of an op that are shown."""


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "explain",
        help="say which handoffs fuse and why others do not",
        description=__doc__,
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a module with one vyre.program")
    parser.add_argument(
        "-p",
        "--pipeline",
        default="vyre-decode-scan-fuse",
        metavar="PASS",
        help="the fusion pass with its options, as xdsl-opt takes it",
    )
    parser.set_defaults(execute=execute)


def execute(arguments: argparse.Namespace) -> int:
    from vyre_dialect.passes.decode_scan_fuse import DecodeScanFusePass
    from vyre_dialect.runtime.cli.terminal import print_json
    from vyre_dialect.runtime.compilation import (
        apply_pipeline,
        find_program,
        load_module,
        make_context,
    )
    from vyre_dialect.runtime.errors import UsageError
    from vyre_dialect.runtime.pipelines import parse_pipeline

    passes = parse_pipeline(arguments.pipeline).passes
    fusion = passes[0] if len(passes) == 1 else None
    if not isinstance(fusion, DecodeScanFusePass):
        raise UsageError(
            f"argument -p: expected the pass '{DecodeScanFusePass.name}' with its options, "
            f"got '{arguments.pipeline}'"
        )
    context = make_context()
    module = load_module(arguments.file, context)
    apply_pipeline(module, EXPANSION, context)
    program = find_program(module)
    outcome = _explained(program, fusion)
    lines = _declarations(arguments.file)
    fused = [_fused(program, name, lines) for name in outcome.promoted]
    refused = [_refused(refusal, lines) for refusal in outcome.refusals]
    if arguments.json:
        print_json({"program": program.sym_name.data, "handoffs": [*fused, *refused]})
        return 0
    for handoff in (*fused, *refused):
        _show(arguments.file, handoff)
    if not fused and not refused:
        print(f"'{arguments.file}' hands no buffer from one arm to another")
    return 0


def _explained(program: ProgramOp, fusion: DecodeScanFusePass) -> Outcome:
    """What fusion does to `program`, which is verified afterwards; raises VyreError."""
    import islpy as isl

    from vyre_dialect.passes.decode_scan_fuse import fuse_program
    from vyre_dialect.runtime.compilation import one_line_errors
    from vyre_dialect.runtime.errors import VyreError

    place = f"pass '{fusion.name}'"
    with one_line_errors(place):
        try:
            outcome = fuse_program(program, fusion.options)
            program.verify()
        except (isl.Error, ValueError) as error:
            message = " ".join(str(error).split())
            raise VyreError(f"{place}: {message}") from error
    return outcome


def _declarations(path: Path) -> dict[str, tuple[int, str]]:
    """The line number and text of each buffer declaration of a source file, by name."""
    found = dict[str, tuple[int, str]]()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := re.search(r"vyre\.buffer\s+@([\w$.-]+)", line):
            found.setdefault(match[1], (number, line.strip()))
    return found


def _place(name: str, lines: dict[str, tuple[int, str]]) -> dict[str, object]:
    number, text = lines.get(name, (None, None))
    return {"name": name, "line": number, "source": text}


def _fused(program: ProgramOp, name: str, lines: dict[str, tuple[int, str]]) -> dict[str, object]:
    tile = program.buffer(name)
    assert tile is not None
    return _place(name, lines) | {
        "fused": True,
        "memory_space": str(tile.type.space),
        "elements": tile.type.static_count,
        "bytes": tile.type.static_bytes,
        "arm": _arm_of(program, tile),
    }


def _arm_of(program: ProgramOp, tile: BufferOp) -> str | None:
    for arm in program.arms():
        if any(buffer is tile for _, buffer in arm.accesses()):
            return arm.generator.data
    return None


def _refused(refusal: Refusal, lines: dict[str, tuple[int, str]]) -> dict[str, object]:
    cause = None if refusal.cause is None else str(refusal.cause).splitlines()[0]
    return _place(refusal.handoff.sym_name.data, lines) | {
        "fused": False,
        "reason": str(refusal.reason),
        "detail": refusal.detail,
        "producer": None if refusal.producer is None else refusal.producer.generator.data,
        "consumer": None if refusal.consumer is None else refusal.consumer.generator.data,
        "cause": cause and cause[:LONGEST_OP],
        "counterexample": _example(refusal.counterexample),
    }


def _example(example: Counterexample | None) -> dict[str, object] | None:
    if example is None:
        return None
    return {
        "element": example.element,
        "reader": example.reader,
        "reader_workgroup": example.reader_tile,
        "writer": example.writer,
        "writer_workgroup": example.writer_tile,
        "sizes": dict(example.sizes),
        "text": str(example),
    }


def _show(path: Path, handoff: dict[str, object]) -> None:
    place = str(path) if handoff["line"] is None else f"{path}:{handoff['line']}"
    if handoff["fused"]:
        user = f" of '{handoff['arm']}'" if handoff["arm"] else ", which no arm uses"
        print(
            f"{place}: '@{handoff['name']}' fuses: {handoff['elements']} elements "
            f"({handoff['bytes']} bytes) in {handoff['memory_space']} memory{user}"
        )
    else:
        print(
            f"{place}: '@{handoff['name']}' is not fused: {handoff['reason']}: {handoff['detail']}"
        )
    if handoff["source"]:
        print(f"    {handoff['source']}")
    for label in ("producer", "consumer", "cause"):
        if handoff.get(label):
            print(f"  {label}: {handoff[label]}")
    if isinstance(example := handoff.get("counterexample"), dict):
        print(f"  for example: {example['text']}")
