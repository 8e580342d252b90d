"""`vyre.decode.byte_stream_split` as one data-parallel arm of a number per invocation."""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, if_
from vyre_dialect.ops.columns import ByteStreamSplitOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.host_side import invocations


class ExpandByteStreamSplit(RewritePattern):
    """Expand `vyre.decode.byte_stream_split`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ByteStreamSplitOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        size = op.value_bytes
        size_destination(op, rewriter, lambda: source.length // size)
        with ImplicitBuilder(rewriter):
            with arm("decode.byte_stream_split", invocations(source, size)) as i:
                length = source.length.named("length")
                with if_(i.eq(0) & (length % size).ne(0)):
                    Buffer(op.errors).trap("invalid byte stream split input", length)
                word = _word(source, i, length // size, size)
                destination[i] = word.bitcast(destination.type.element_type).named("value")
        rewriter.erase(op)


def _word(source: Buffer, i: Value, count: Value, size: int) -> Value:
    """The bytes of a number, the first stream being the lowest."""
    type = IntegerType(8 * size)
    places = [i + count * stream if stream else i for stream in range(size)]
    streams = [source[place].to(type) for place in places]
    word, *others = streams
    for stream, byte in enumerate(others, start=1):
        word = word | byte << 8 * stream
    return word.named("word")
