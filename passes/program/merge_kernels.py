"""`vyre-merge-kernels`: launches of equal kernels launch one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.analysis.launches import Launches, computation_of
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.canonical_text import canonical_text
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of


@dataclass(frozen=True)
class MergeKernelsPass(RewritePass):
    """
    Merges kernels that are the same but for names and are launched alike: what the host computes
    for their launches is the same but for its buffers. So nothing is lost that is proven of a
    kernel from its launches, and what follows, the device's compiler too, has one to look at.

    As `mergefunc` of LLVM and `-duplicate-function-elimination` of MLIR.
    """

    name = "vyre-merge-kernels"
    metadata: ClassVar[PassMetadata] = PassMetadata(
        Phase.OUTLINE,
        Family.UNKNOWN,
        requires=("vyre-outline-kernels",),
        boundary=Boundary.MODULE,
    )

    def rewrite(self, ctx: Context, module: ModuleOp, facts: AnalysisManager) -> bool:
        launches, rewriter = facts.get(Launches, module), rewriter_of(module, facts)
        by_generator = defaultdict[str, list[KernelOp]](list)
        for op in module.ops:
            if isinstance(op, KernelOp) and launches.typical_of(op) is not None:
                by_generator[op.generator.data].append(op)
        for kernels in by_generator.values():
            if len(kernels) > 1:
                _merge(kernels, launches, rewriter)
        return rewriter.has_done_action


def _merge(kernels: Sequence[KernelOp], launches: Launches, rewriter: PatternRewriter) -> None:
    """Let the launches of each kernel launch the first that is equal to it."""
    first_of = dict[tuple[str, str], KernelOp]()
    for kernel in kernels:
        computed = computation_of(launches.of(kernel)[0])
        first = first_of.setdefault((canonical_text(kernel, symbols=False), computed), kernel)
        if first is kernel:
            continue
        for launch in launches.of(kernel):
            launch.kernel = SymbolRefAttr(first.sym_name)
            rewriter.notify_op_modified(launch)
        rewriter.erase(kernel)
