"""`tape-lower-at`: says `tape.at` in arithmetic, for those who know no tapes."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from tape.ops import AtOp
from vyre_dialect.ir.scheduling import Family, PassMetadata, Phase


class LowerAt(RewritePattern):
    """A product and a sum."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AtOp, rewriter: PatternRewriter, /) -> None:
        tracks = arith.ConstantOp(IntegerAttr(op.tracks.value.data, IndexType()))
        track = arith.ConstantOp(IntegerAttr(op.track.value.data, IndexType()))
        frame = arith.MuliOp(op.position, tracks.result)
        rewriter.replace(op, [tracks, track, frame, arith.AddiOp(frame.result, track.result)])


@dataclass(frozen=True)
class LowerAtPass(ModulePass):
    """Replaces each `tape.at` by `arith` ops."""

    name = "tape-lower-at"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.KERNELS, Family.UNKNOWN, invalidates=("canonicalize", "vyre-cse")
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(LowerAt()).rewrite_module(op)
