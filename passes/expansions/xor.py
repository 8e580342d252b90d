"""
`vyre.decode.xor` as one data-parallel arm of 16 bytes per invocation.

A key whose length divides 16 is a constant. For any other, a table holds what the key looks
like at the offsets of 16 bytes, up to the one at which it starts anew.
"""

from __future__ import annotations

from math import lcm

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm
from vyre_dialect.ops.decode import XorOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.expansions.host_side import invocations, program_of, table

CHUNK = 16
WORD = 4
WORDS = VectorType(i32, [CHUNK // WORD])


class ExpandXor(RewritePattern):
    """Expand `vyre.decode.xor`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: XorOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        size_destination(op, rewriter, lambda: source.length)
        words = _period(op.key_bytes)
        with ImplicitBuilder(rewriter):
            is_constant = len(words) * WORD == CHUNK
            keys = None if is_constant else table(program_of(op), "key", i32, words)
            with arm("decode.xor", invocations(source, CHUNK)) as i:
                key = _constant(words) if keys is None else _key_at(i, keys)
                start = (i * CHUNK).named("start")
                destination.store(source.load(start, WORDS) ^ key.named("key_words"), start)
        rewriter.erase(op)


def _period(key: bytes) -> list[int]:
    """The words of the repeated key until it starts anew at a multiple of 16 bytes."""
    size = lcm(len(key), CHUNK)
    repeated = key * (size // len(key))
    return [
        int.from_bytes(repeated[offset : offset + WORD], "little", signed=True)
        for offset in range(0, size, WORD)
    ]


def _constant(words: list[int]) -> Value:
    return Value(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(WORDS, words)).result)


def _key_at(i: Value, keys: Buffer) -> Value:
    assert keys.type.static_count is not None
    chunks = keys.type.static_count * WORD // CHUNK
    return keys.load(i % chunks * (CHUNK // WORD), WORDS)
