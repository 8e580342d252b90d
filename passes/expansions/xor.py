"""
`vyre.decode.xor` as one data-parallel arm, of a vector of words per invocation.

A key whose length divides that of the vector is a constant. For any other, a table holds what the
key looks like at the offsets of vectors, up to the one at which it starts anew.
"""

from __future__ import annotations

from math import lcm

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import VectorType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, constants
from vyre_dialect.ops.decode import WORD_BYTES, XorOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.host_side import invocations, program_of, table


class ExpandXor(RewritePattern):
    """Expand `vyre.decode.xor`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: XorOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        size_destination(op, rewriter, lambda: source.length)
        type = VectorType(i32, [op.lanes_per_vector])
        chunk = op.lanes_per_vector * WORD_BYTES
        words = _period(op.key_bytes, chunk)
        with ImplicitBuilder(rewriter):
            is_constant = len(words) == op.lanes_per_vector
            keys = None if is_constant else table(program_of(op), "key", i32, words)
            with arm("decode.xor", invocations(source, chunk)) as i:
                key = constants(words, type) if keys is None else _key_at(i, keys, type)
                start = (i * chunk).named("start")
                destination.store(source.load(start, type) ^ key.named("key_words"), start)
        rewriter.erase(op)


def _period(key: bytes, chunk: int) -> list[int]:
    """The words of the repeated key until it starts anew at a multiple of `chunk` bytes."""
    size = lcm(len(key), chunk)
    repeated = key * (size // len(key))
    return [
        int.from_bytes(repeated[offset : offset + WORD_BYTES], "little")
        for offset in range(0, size, WORD_BYTES)
    ]


def _key_at(i: Value, keys: Buffer, type: VectorType) -> Value:
    (lanes,) = type.get_shape()
    assert keys.type.static_count is not None
    return keys.load(i % (keys.type.static_count // lanes) * lanes, type)
