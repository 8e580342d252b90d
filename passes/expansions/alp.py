"""
`vyre.decode.alp` as one data-parallel arm.

Without exceptions, an invocation makes one float. With them, it looks for the first exception that
is not in front of its floats, and then goes through both side by side.
"""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from vyre_dialect.builder import Buffer, Value, arm, for_, if_, index
from vyre_dialect.ops.columns import AlpOp
from vyre_dialect.passes.expansions.binary_search import first_above
from vyre_dialect.passes.expansions.destination import size_destination
from vyre_dialect.passes.rewriting.host_side import invocations


class ExpandAlp(RewritePattern):
    """Expand `vyre.decode.alp`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AlpOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        size_destination(op, rewriter, lambda: source.length)
        count = invocations
        with (
            ImplicitBuilder(rewriter),
            arm("decode.alp", count(source, op.values_per_invocation)) as i,
        ):
            if op.exceptions is None or op.positions is None:
                destination[i] = _float(op, i)
            else:
                _patched(op, i, Buffer(op.exceptions), Buffer(op.positions))
        rewriter.erase(op)


def _float(op: AlpOp, place: Value) -> Value:
    """What the integer in a place stands for."""
    type = Buffer(op.destination).type.element_type
    value = Buffer(op.source)[place].to(type, signed=True)
    if op.factor is not None:
        value = value * float(10**op.factor.value.data)
    return (value * float(f"1e-{op.exponent.value.data}")).named("value")


def _patched(op: AlpOp, i: Value, exceptions: Buffer, positions: Buffer) -> None:
    values = op.values_per_invocation
    start = (i * values).named("start")
    with for_(0, values, carry=[first_above(positions, start - 1)]) as floats:
        (exception,) = floats.named("exception")
        place = (start + floats.counter).named("place")
        is_patched = positions[exception].to(index, signed=True).eq(place)
        with if_(is_patched & (exception < positions.length)) as patch:
            patch.yields(exceptions[exception], exception + 1)
        with patch.else_():
            patch.yields(_float(op, place), exception)
        value, following = patch.results
        Buffer(op.destination)[place] = value
        floats.yields(following)
