"""The types of elements, by the names that NumPy has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, IntegerType, i1
from xdsl.ir import Attribute

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

_FLOATS = {2: Float16Type, 4: Float32Type, 8: Float64Type}


def element_type_of(given: Attribute | DTypeLike | None) -> Attribute:
    """
    The type of elements that an MLIR type or a type of NumPy names; signs are of no account.

    Raises TypeError for a text, of which `i8` has eight bits in MLIR and eight bytes in NumPy.
    """
    import numpy as np

    if isinstance(given, Attribute):
        return given
    if given is None or isinstance(given, str):
        raise TypeError(
            f"expected a type of elements, as i8 of xdsl.dialects.builtin or np.uint8, "
            f"got {given!r}"
        )
    dtype = np.dtype(given)
    if dtype.kind == "b":
        return i1
    if dtype.kind in "iu":
        return IntegerType(dtype.itemsize * 8)
    if dtype.kind == "f" and dtype.itemsize in _FLOATS:
        return _FLOATS[dtype.itemsize]()
    raise TypeError(f"expected integers or floats of up to 64 bits, got {dtype}")
