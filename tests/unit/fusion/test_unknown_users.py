"""Ops that are no arms count as users: library ops before expansion, launches after outlining."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from examples.data import EXAMPLES
from vyre_dialect.passes.fusion.decode_scan_fuse import fuse_program
from vyre_dialect.passes.fusion.tiling.options import Options
from vyre_dialect.passes.fusion.tiling.outcome import Outcome
from vyre_dialect.passes.fusion.tiling.refusal import Reason
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    load_module,
    make_context,
    parse_module,
)

BETWEEN = """
vyre.program @between {{
  %text = vyre.buffer @text : !vyre.buffer<64xi8, {access}>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>
  %other = vyre.buffer @other live_out : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {{
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, {access}> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }}
  vyre.decode.xor {operands} key "correct horse ba" : {types}
  vyre.region "scan" invocations [64] {{
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }}
}}
"""
READ_ONLY = "!vyre.buffer<64xi8, read_only>"
READ_WRITE = "!vyre.buffer<64xi8, read_write>"


def _fuse(module: ModuleOp) -> Outcome:
    outcome = fuse_program(find_program(module), Options())
    module.verify()
    return outcome


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.mlir")), ids=lambda path: path.stem)
@pytest.mark.parametrize("before", ["", "vyre-expand,vyre-outline-kernels"])
def test_what_no_arm_uses_stays_in_global_memory(example: Path, before: str) -> None:
    context = make_context()
    module = load_module(example, context)
    if before:
        apply_pipeline(module, before, context)
    text = str(module)
    outcome = _fuse(module)
    assert str(module) == text
    assert not outcome.promoted
    reasons = {each.handoff.sym_name.data: each.reason for each in outcome.refusals}
    assert reasons["decoded"] == Reason.UNKNOWN_USER


def _between(access: str, operands: str, types: str) -> ModuleOp:
    text = BETWEEN.format(access=access, operands=operands, types=types)
    return parse_module(text, make_context())


def test_a_library_op_between_that_writes_what_the_producer_reads() -> None:
    module = _between("read_write", "%other to %text", f"{READ_WRITE}, {READ_WRITE}")
    text = str(module)
    outcome = _fuse(module)
    assert str(module) == text
    refusals = {each.handoff.sym_name.data: each for each in outcome.refusals}
    refusal = refusals["decoded"]
    assert refusal.reason == Reason.INTERVENING_ARM
    assert refusal.cause is not None and refusal.cause.text.startswith("vyre.decode.xor")
    assert "'decode' touches" in refusal.detail


def test_a_library_op_between_that_reads_what_nobody_writes_is_in_no_way() -> None:
    outcome = _fuse(_between("read_only", "%text to %other", f"{READ_ONLY}, {READ_WRITE}"))
    assert list(outcome.promoted) == ["decoded"]


def test_a_library_op_that_reads_the_handoff() -> None:
    outcome = _fuse(_between("read_only", "%decoded to %other", f"{READ_WRITE}, {READ_WRITE}"))
    refusals = {each.handoff.sym_name.data: each for each in outcome.refusals}
    assert refusals["decoded"].reason == Reason.UNKNOWN_USER
    assert not outcome.promoted
