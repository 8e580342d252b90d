"""Where the parts are that rows name: each in the layer that asks for it."""

from __future__ import annotations

_ANALYSIS = "vyre_dialect.analysis"
_PASSES = "vyre_dialect.passes"
_INTERPRETER = "vyre_dialect.runtime.interpreter."
_OPENCL = "vyre_dialect.lowering.opencl."

HOMES = {
    "range": f"{_ANALYSIS}.range_transfers:",
    "signed_range": f"{_ANALYSIS}.signed_range_transfers:",
    "divisor": f"{_ANALYSIS}.divisor_transfers:",
    "linear": f"{_ANALYSIS}.linear_transfers:",
    "affine": f"{_ANALYSIS}.affine_ops:",
    "condition": f"{_ANALYSIS}.affine_ops:",
    "drift": f"{_ANALYSIS}.streams.transfers:",
    "bytes": f"{_ANALYSIS}.byte_origins:",
    "lanes": f"{_PASSES}.loop.vectorization.elementwise:",
    "narrow": f"{_PASSES}.scalar.narrowing.arithmetic:",
    "numpy": _INTERPRETER,
    "step": _INTERPRETER,
    "expression": _OPENCL,
    "statement": _OPENCL,
    "text_gpu_mlir": "vyre_dialect.lowering.mlir.",
}
"""How the reference to each part begins."""

SAME = "lane_by_lane"
"""The vector form of an op that does with vectors, lane by lane, what it does with scalars."""
