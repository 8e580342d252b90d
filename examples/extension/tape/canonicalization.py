"""What is simpler and means the same."""

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tape.ops import AtOp


class FirstOfOne(RewritePattern):
    """On a tape of one track, a byte is where it is."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtOp, rewriter: PatternRewriter, /) -> None:
        if op.track.value.data == 0 and op.tracks.value.data == 1:
            rewriter.replace(op, [], [op.position])
