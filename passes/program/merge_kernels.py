"""`vyre-merge-kernels`: launches of equal kernels launch one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr

from vyre_dialect.analysis.launches import Launches
from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.ir.canonical_text import canonical_text
from vyre_dialect.ir.scheduling import Boundary, Family, PassMetadata, Phase
from vyre_dialect.ops.kernel import KernelOp
from vyre_dialect.passes.rewriting.rewrite_pass import RewritePass
from vyre_dialect.passes.rewriting.rewriters import rewriter_of


@dataclass(frozen=True)
class MergeKernelsPass(RewritePass):
    """
    Merges kernels that are the same but for names and are called alike: what the host computes for
    their launches is the same but for its buffers. So nothing that is proven of a kernel from its
    only launch is lost, and every pass that follows, and the device's compiler, has one to look at.

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
        first_of = dict[tuple[str, str], KernelOp]()
        for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
            call = launches.call_of(kernel)
            if call is None:
                continue
            first = first_of.setdefault((canonical_text(kernel, symbols=False), call.text), kernel)
            if first is kernel:
                continue
            for launch in launches.of(kernel):
                launch.kernel = SymbolRefAttr(first.sym_name)
                rewriter.notify_op_modified(launch)
            rewriter.erase(kernel)
        return rewriter.has_done_action
