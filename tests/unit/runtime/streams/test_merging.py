"""Parts that are worked on apart come to the same together, whatever their buffers begin with."""

from __future__ import annotations

import numpy as np
import pytest
from support.piece_interpreter import PieceInterpreter

from vyre_dialect.ir.types import AtomicKind
from vyre_dialect.runtime.errors import RefusedStreamError
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.loading import make_context, parse_module

CONTEXT = make_context()
UPDATE = """
vyre.program @p {{
  %text = vyre.buffer @text : !vyre.buffer<?x{type}, read_only>
  %found = vyre.buffer @found live_out {begin} : !vyre.buffer<{count}x{type}, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?x{type}, read_only>
  vyre.region "scan" invocations [%n] {{
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %own = vyre.load %text[%i] : !vyre.buffer<?x{type}, read_only> -> {type}
    %old = vyre.atomic_rmw {kind} %own, %found[%zero]
        : {type}, !vyre.buffer<{count}x{type}, read_write>
  }}
}}
"""
KINDS = [kind for kind in AtomicKind if kind != AtomicKind.ASSIGN]


def program(kind: AtomicKind, type: str, begin: str, count: str = "1") -> PieceInterpreter:
    text = UPDATE.format(kind=kind, type=type, begin=begin, count=count)
    return PieceInterpreter(parse_module(text, CONTEXT), CONTEXT)


@pytest.mark.parametrize("begin", [5, -5])
@pytest.mark.parametrize("type", ["i32", "i64"])
@pytest.mark.parametrize("kind", KINDS)
def test_parts_combine_by_the_atomic(kind: AtomicKind, type: str, begin: int):
    ready = program(kind, type, f"fill {begin} : {type}")
    width = int(type[1:])
    random = np.random.default_rng(1)
    text = random.integers(-(1 << width - 1), (1 << width - 1) - 1, 40).astype(f"<i{width // 8}")
    module = ready.pieces.module(None)
    expected = interpret(module, {"text": text}).outputs["found"]
    got = ready.run_apart({"text": text}, [7, 9, 30])["found"]
    np.testing.assert_array_equal(got, expected)
    small = np.array([1, 2, 3, 4], f"<i{width // 8}")
    expected = interpret(module, {"text": small}).outputs["found"]
    np.testing.assert_array_equal(ready.run_apart({"text": small}, [1, 2])["found"], expected)


def test_what_the_host_supplies_counts_once():
    ready = program(AtomicKind.ADDI, "i32", "initial host")
    inputs = {"text": np.ones(9, np.int32), "found": np.array([100], np.int32)}
    assert ready.run_apart(inputs, [2, 4, 6])["found"].tolist() == [109]


def test_what_is_appended_to_is_refused_by_name():
    with pytest.raises(RefusedStreamError, match="'@rest' is kept 'in_order'"):
        _ = PieceInterpreter(parse_module(APPENDED, CONTEXT), CONTEXT).pieces.merges


APPENDED = """
vyre.program @p {
  %text = vyre.buffer @text : !vyre.buffer<?xi32, read_only>
  %rest = vyre.buffer @rest live_out : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi32, read_only>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %own = vyre.load %text[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_cas %zero_, %own, %rest[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
""".replace("%old =", "%zero_ = arith.constant 0 : i32\n    %old =")
