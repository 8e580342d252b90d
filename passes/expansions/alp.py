"""
`vyre.decode.alp` as one data-parallel arm.

Without exceptions, an invocation makes floats side by side. With them, it looks for the first
exception that is not in front of its floats, and then goes through both at once.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, for_, if_, index
from vyre_dialect.ops.columns import AlpOp
from vyre_dialect.passes.expansions.binary_search import first_above
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.host_side import invocations
from vyre_dialect.passes.rewriting.side_by_side import parts, several, together


class ExpandAlp(RewritePattern):
    """Expand `vyre.decode.alp`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AlpOp, rewriter: PatternRewriter, /) -> None:
        source, values = Buffer(op.source), op.values_per_invocation
        size_destination(op, rewriter, lambda: source.length)
        with ImplicitBuilder(rewriter), arm("decode.alp", invocations(source, values)) as i:
            start = (i * values).named("start")
            if op.exceptions is None or op.positions is None:
                _plain(op, start, values)
            else:
                _patched(op, start, Buffer(op.exceptions), Buffer(op.positions))
        rewriter.erase(op)


def _plain(op: AlpOp, start: Value, lanes: int) -> None:
    source = Buffer(op.source)
    digits = source.load(start, several(source.type.element_type, lanes)).named("digits")
    floats = [_float(op, each) for each in parts(digits, lanes)]
    Buffer(op.destination).store(together(floats).named("values"), start)


def _float(op: AlpOp, digits: Value) -> Value:
    """What an integer stands for."""
    value = digits.to(Buffer(op.destination).type.element_type, signed=True)
    if op.factor is not None:
        value = value * float(10**op.factor.value.data)
    return value * float(f"1e-{op.exponent.value.data}")


def _patched(op: AlpOp, start: Value, exceptions: Buffer, positions: Buffer) -> None:
    values = op.values_per_invocation
    with for_(0, values, carry=[first_above(positions, start - 1)]) as floats:
        (exception,) = floats.named("exception")
        place = (start + floats.counter).named("place")
        is_patched = positions[exception].to(index, signed=True).eq(place)
        with if_(is_patched & (exception < positions.length)) as patch:
            patch.yields(exceptions[exception], exception + 1)
        with patch.else_():
            patch.yields(_float(op, Buffer(op.source)[place]), exception)
        value, following = patch.results
        Buffer(op.destination)[place] = value
        floats.yields(following)
