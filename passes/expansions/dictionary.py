"""`vyre.decode.dictionary` as one data-parallel arm of a value per invocation."""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, arm, if_, index
from vyre_dialect.ops.columns import DictionaryOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.host_side import invocations


class ExpandDictionary(RewritePattern):
    """Expand `vyre.decode.dictionary`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DictionaryOp, rewriter: PatternRewriter, /) -> None:
        source, destination, table = map(Buffer, (op.source, op.destination, op.table))
        size_destination(op, rewriter, lambda: source.length)
        with ImplicitBuilder(rewriter), arm("decode.dictionary", invocations(source, 1)) as i:
            code = source[i].to(index).named("code")
            with if_(code >= table.length):
                Buffer(op.errors).trap("invalid dictionary code", i)
            destination[i] = table[code].named("value")
        rewriter.erase(op)
