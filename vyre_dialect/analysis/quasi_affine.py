"""What isl's quasi-affine functions are built and asked with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from vyre_dialect.analysis.isl import isl


def is_bool(value: SSAValue) -> bool:
    """Whether a value is an i1."""
    return isinstance(value.type, IntegerType) and value.type.width.data == 1


def modulo(function: isl.PwAff, modulus: int) -> isl.PwAff:
    """The remainder of a division by `modulus`, which is positive: it is never negative."""
    return function.mod_val(isl.Val.read_from_str(function.get_ctx(), str(modulus)))


def floordiv(function: isl.PwAff, divisor: int) -> isl.PwAff:
    """A function divided by `divisor`, which is positive, rounded down."""
    val = isl.Val.read_from_str(function.get_ctx(), str(divisor))
    return function.scale_down_val(val).floor()


def constant_of(function: isl.PwAff | None) -> int | None:
    """The value of a constant function, or None."""
    if function is None or not function.is_cst() or function.n_piece() != 1:
        return None
    return int(function.get_pieces()[0][1].get_constant_val().to_python())


@dataclass(frozen=True)
class Magnitudes:
    """Bounds on the absolute values of what functions are made of."""

    dimensions: list[int]
    """Of ids, then of loop counters."""
    parameter: Callable[[str], int]
    """Of parameters, by name."""

    def of(self, function: isl.PwAff) -> int:
        """A bound on the absolute value of a function."""
        return max(self._of(aff) for _, aff in function.get_pieces())

    def _of(self, aff: isl.Aff) -> int:
        total = _scaled(aff.get_constant_val(), 1)
        for kind in (isl.dim_type.in_, isl.dim_type.param, isl.dim_type.div):
            for position in range(aff.dim(kind)):
                weight = aff.get_coefficient_val(kind, position)
                if not weight.is_zero():
                    total += _scaled(weight, self._of_dimension(aff, kind, position))
        return total

    def _of_dimension(self, aff: isl.Aff, kind: isl.dim_type, position: int) -> int:
        if kind == isl.dim_type.div:
            return self._of(aff.get_div(position))
        if kind == isl.dim_type.param:
            return self.parameter(aff.get_dim_name(kind, position) or "")
        return self.dimensions[position]


def _scaled(weight: isl.Val, times: int) -> int:
    """The absolute value of `weight * times`, rounded up."""
    weight = weight.abs()
    if weight.is_int():
        return int(weight.to_python()) * times
    exact = fraction(weight)
    return ceil(exact * times)


def fraction(value: isl.Val) -> Fraction:
    """A rational number of isl."""
    return Fraction(int(value.get_num_si()), int(value.get_den_val().to_python()))
