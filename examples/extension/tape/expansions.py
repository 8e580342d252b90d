"""How the decoders and the scanner become arms."""

from __future__ import annotations

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import i1
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tape.ops import AtOp, DropoutsOp, NrziOp, TallyOp, TrackOp
from vyre_dialect.builder import Buffer, Value, arm, constant, for_, if_
from vyre_dialect.passes.expansions.destination import size_destination


class ExpandTrack(RewritePattern):
    """An invocation for each byte of the track."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TrackOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        tracks = op.tracks.value.data
        size_destination(op, rewriter, lambda: source.length // tracks)
        with ImplicitBuilder(rewriter), arm("decode.track", source.length // tracks) as i:
            place = Value(AtOp(i.ssa, op.track, op.tracks).place)
            destination[i] = source[place]
        rewriter.erase(op)


class ExpandNrzi(RewritePattern):
    """An invocation for each byte. What is read in front of the first byte is 0."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NrziOp, rewriter: PatternRewriter, /) -> None:
        source, destination = Buffer(op.source), Buffer(op.destination)
        size_destination(op, rewriter, lambda: source.length)
        with ImplicitBuilder(rewriter), arm("decode.nrzi", source.length) as i:
            before = source[i - 1].named("before")
            here = source[i].named("here")
            destination[i] = here ^ (here << 1 | before >> 7)
        rewriter.erase(op)


class ExpandDropouts(RewritePattern):
    """An invocation for each byte, which looks at the `length` bytes from there on."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DropoutsOp, rewriter: PatternRewriter, /) -> None:
        source, length = Buffer(op.source), op.length.value.data
        with ImplicitBuilder(rewriter), arm("scan.dropouts", source.length) as i:
            # Past the end, too, zeros are read: those are no dropout.
            inside = i + length <= source.length
            with for_(0, length, carry=[constant(1, i1)]) as data:
                data.yields(data.carried[0] & (source[i + data.counter] == 0))
            with if_(data.results[0] & inside):
                TallyOp(op.count, constant(0).ssa, op.limit)
        rewriter.erase(op)
