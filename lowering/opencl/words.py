"""Ops on the bytes of words: a table from op to expression."""

from __future__ import annotations

from collections.abc import Sequence

from vyre_dialect.lowering.opencl.expressions import Expression, overloaded
from vyre_dialect.lowering.opencl.helpers import NVIDIA, Helpers
from vyre_dialect.lowering.opencl.scope import Scope
from vyre_dialect.lowering.opencl.types import CType
from vyre_dialect.ops.words import PermuteBytesOp


def permute_bytes(scope: Scope, op: PermuteBytesOp) -> Expression:
    """Some bytes of two words, as a word."""
    type = scope.type_of(op.result)
    name = _permutation(scope.helpers, op.positions.get_values())
    if type.is_vector:
        name = _by_lane(scope.helpers, name, type)
    return overloaded(name, type, scope.value(op.first), scope.value(op.second))


def _permutation(helpers: Helpers, positions: Sequence[int]) -> str:
    """
    A function of two words. NVIDIA's compiler makes a dozen instructions of the lanes of a vector,
    and has one instruction, which its OpenCL C takes as assembly.
    """
    lanes = "".join(map(str, positions))
    name = f"vyre_permute_bytes_{lanes}"
    text = (
        f"static uint {name}(uint a, uint b)\n{{\n"
        f"#ifdef {NVIDIA}\n"
        "    uint permuted;\n"
        f'    asm("prmt.b32 %0, %1, %2, 0x{lanes[::-1]};" : "=r"(permuted) : "r"(a), "r"(b));\n'
        "    return permuted;\n"
        "#else\n"
        f"    return as_uint(as_uchar8((uint2)(a, b)).s{lanes});\n"
        "#endif\n}"
    )
    return helpers.function(name, lambda: text)


def _by_lane(helpers: Helpers, permutation: str, type: CType) -> str:
    """A function of two vectors that calls another of their lanes."""
    name = f"{permutation}_{type.short_name}"
    lanes = [f"{permutation}(a.s{lane:x}, b.s{lane:x})" for lane in range(type.lanes)]
    text = (
        f"static {type} {name}({type} a, {type} b)\n{{\n"
        f"    return ({type})({', '.join(lanes)});\n}}"
    )
    return helpers.function(name, lambda: text)
