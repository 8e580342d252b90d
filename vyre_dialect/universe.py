"""What plain `xdsl-opt` finds of vyre. Nothing heavy is imported before it is asked for."""

from collections.abc import Callable
from importlib import import_module

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target


def _vyre() -> Dialect:
    from vyre_dialect.dialect import Vyre

    return Vyre


def _pass(file: str, name: str) -> Callable[[], type[ModulePass]]:
    """A factory of the pass `name`, defined in `vyre_dialect.passes.<file>`."""
    return lambda: getattr(import_module(f"vyre_dialect.passes.{file}"), name)


def _opencl() -> type[Target]:
    from vyre_dialect.lowering.opencl.target import OpenCLTarget

    return OpenCLTarget


def _gpu_mlir() -> type[Target]:
    from vyre_dialect.lowering.mlir.target import GPUTarget

    return GPUTarget


PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "vyre-join-programs": _pass("program.join_programs", "JoinProgramsPass"),
    "vyre-privatize-reductions": _pass("memory.privatize_reductions", "PrivatizeReductionsPass"),
    "vyre-coarsen": _pass("loop.coarsen", "CoarsenPass"),
    "vyre-reassociate": _pass("scalar.reassociate", "ReassociatePass"),
    "vyre-cse": _pass("scalar.cse", "CommonSubexpressionEliminationPass"),
    "vyre-decode-scan-fuse": _pass("fusion.decode_scan_fuse", "DecodeScanFusePass"),
    "vyre-transpose-handoffs": _pass("fusion.transpose_handoffs", "TransposeHandoffsPass"),
    "vyre-escape-analysis": _pass("memory.escape_analysis", "EscapeAnalysisPass"),
    "vyre-drop-claims": _pass("program.drop_claims", "DropClaimsPass"),
    "vyre-drop-dead-arms": _pass("memory.drop_dead_arms", "DropDeadArmsPass"),
    "vyre-forward-stores": _pass("memory.forward_stores", "ForwardStoresPass"),
    "vyre-push-down-predicates": _pass("program.push_down_predicates", "PushDownPredicatesPass"),
    "vyre-expand": _pass("program.expand", "ExpandPass"),
    "vyre-expand-counts": _pass("memory.expand_counts", "ExpandCountsPass"),
    "vyre-flatten-domains": _pass("loop.flatten_domains", "FlattenDomainsPass"),
    "vyre-fuse-horizontally": _pass("fusion.fuse_horizontally", "FuseHorizontallyPass"),
    "vyre-form-byte-permutes": _pass("scalar.form_byte_permutes", "FormBytePermutesPass"),
    "vyre-hoist-loads": _pass("loop.hoist_loads", "HoistLoadsPass"),
    "vyre-simplify-comparisons": _pass("scalar.simplify_comparisons", "SimplifyComparisonsPass"),
    "vyre-merge-barriers": _pass("memory.merge_barriers", "MergeBarriersPass"),
    "vyre-merge-branches": _pass("scalar.merge_branches", "MergeBranchesPass"),
    "vyre-merge-kernels": _pass("program.merge_kernels", "MergeKernelsPass"),
    "vyre-narrow-integers": _pass("scalar.narrow_integers", "NarrowIntegersPass"),
    "vyre-narrow-sums": _pass("loop.narrow_sums", "NarrowSumsPass"),
    "vyre-outline-kernels": _pass("program.outline_kernels", "OutlineKernelsPass"),
    "vyre-pack-bytes": _pass("scalar.pack_bytes", "PackBytesPass"),
    "vyre-pack-tiles": _pass("memory.pack_tiles", "PackTilesPass"),
    "vyre-pipeline-loops": _pass("loop.pipeline_loops", "PipelineLoopsPass"),
    "vyre-sroa": _pass("memory.sroa", "SROAPass"),
    "vyre-prove-accesses": _pass("memory.prove_accesses", "ProveAccessesPass"),
    "vyre-close-requirements": _pass("schedule.close_requirements", "CloseRequirementsPass"),
    "vyre-materialize-schedule": _pass("schedule.materialize_schedule", "MaterializeSchedulePass"),
    "vyre-optimize": _pass("schedule.optimize", "OptimizePass"),
    "vyre-optimize-integers": _pass("scalar.optimize_integers", "OptimizeIntegersPass"),
    "vyre-select-passes": _pass("schedule.select_passes", "SelectPassesPass"),
    "vyre-scratch-reuse": _pass("memory.scratch_reuse", "ScratchReusePass"),
    "vyre-form-work-item-loops": _pass("loop.form_work_item_loops", "FormWorkItemLoopsPass"),
    "vyre-split-vectors": _pass("scalar.split_vectors", "SplitVectorsPass"),
    "vyre-split-index-sets": _pass("loop.split_index_sets", "SplitIndexSetsPass"),
    "vyre-stage-tables": _pass("memory.stage_tables", "StageTablesPass"),
    "vyre-stream": _pass("program.stream", "StreamPass"),
    "vyre-cut-stream": _pass("program.cut_stream", "CutStreamPass"),
    "vyre-tighten-bounds": _pass("loop.tighten_bounds", "TightenBoundsPass"),
    "vyre-vectorize": _pass("loop.vectorize", "VectorizePass"),
    "vyre-unroll": _pass("loop.unroll", "UnrollPass"),
}
TARGETS: dict[str, Callable[[], type[Target]]] = {
    "vyre-opencl": _opencl,
    "vyre-gpu-mlir": _gpu_mlir,
}

VYRE_UNIVERSE = Universe(
    all_dialects={"vyre": _vyre},
    all_passes=PASSES,
    all_targets=TARGETS,
)
