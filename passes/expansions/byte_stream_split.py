"""`vyre.decode.byte_stream_split` as one data-parallel arm."""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerType, i8
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, if_
from vyre_dialect.ops.columns import ByteStreamSplitOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.host_side import invocations
from vyre_dialect.passes.rewriting.side_by_side import several


class ExpandByteStreamSplit(RewritePattern):
    """Expand `vyre.decode.byte_stream_split`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ByteStreamSplitOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        size, lanes = op.value_bytes, op.lanes_per_vector
        size_destination(op, rewriter, lambda: source.length // size)
        with ImplicitBuilder(rewriter):
            # The bytes of a number that is not whole belong to an invocation that reports them.
            with arm("decode.byte_stream_split", invocations(source, size * lanes)) as i:
                length = source.length.named("length")
                with if_(i.eq(0) & (length % size).ne(0)):
                    Buffer(op.errors).trap("invalid byte stream split input", length)
                start = (i * lanes).named("start")
                words = _words(op, start, length // size)
                type = several(destination.type.element_type, lanes)
                destination.store(words.bitcast(type).named("values"), start)
        rewriter.erase(op)


def _words(op: ByteStreamSplitOp, start: Value, count: Value) -> Value:
    """The bytes of numbers, the first stream being the lowest."""
    lanes, type = op.lanes_per_vector, IntegerType(8 * op.value_bytes)
    places = [start + count * stream if stream else start for stream in range(op.value_bytes)]
    loaded = [Buffer(op.source).load(place, several(i8, lanes)) for place in places]
    words, *others = [each.to(several(type, lanes)) for each in loaded]
    for stream, each in enumerate(others, start=1):
        words = words | each << 8 * stream
    return words.named("words")
