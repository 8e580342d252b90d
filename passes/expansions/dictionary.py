"""`vyre.decode.dictionary` as one data-parallel arm, in which each code is looked up by itself."""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, if_, index
from vyre_dialect.ops.columns import DictionaryOp
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.host_side import invocations
from vyre_dialect.passes.rewriting.side_by_side import parts, several, together


class ExpandDictionary(RewritePattern):
    """Expand `vyre.decode.dictionary`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DictionaryOp, rewriter: PatternRewriter, /) -> None:
        source, destination, table = map(Buffer, (op.source, op.destination, op.table))
        lanes, element = op.lanes_per_vector, source.type.element_type
        size_destination(op, rewriter, lambda: source.length)
        with ImplicitBuilder(rewriter), arm("decode.dictionary", invocations(source, lanes)) as i:
            start = (i * lanes).named("start")
            loaded = source.load(start, several(element, lanes)).named("codes")
            codes = [code.to(index) for code in parts(loaded, lanes)]
            check_codes(codes, start, table, Buffer(op.errors))
            destination.store(together([table[code] for code in codes]).named("values"), start)
        rewriter.erase(op)


def check_codes(codes: list[Value], start: Value, table: Buffer, errors: Buffer) -> None:
    """Report codes, the first one at `start`, without an element in a table."""
    length = table.length.named("length")
    first, *others = codes
    highest = first
    for code in others:
        highest = highest.max(code)
    # Past the end of the source, codes of 0 are read: the first bad one is never one of those.
    with if_(highest >= length):
        for place, code in enumerate(codes):
            with if_(code >= length):
                errors.trap("invalid dictionary code", start + place)
