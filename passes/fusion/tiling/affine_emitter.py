"""Quasi-affine functions of isl as `arith` ops, built at the current place."""

from __future__ import annotations

from xdsl.dialects.builtin import i1

from vyre_dialect.analysis.isl import isl
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.builder import Buffer, Value, constant, index
from vyre_dialect.ops.buffer import BufferOp


class AffineEmitter:
    """Emits functions over `T[w]` for one value of `w`; on the host, where none has a `w`."""

    def __init__(self, symbols: Symbols, tile: Value | None = None):
        self._symbols = symbols
        self._tile = tile
        self._parameters: dict[str, Value] = {}

    def emit(self, function: isl.PwAff) -> Value:
        """The value of `function`; where it is not defined, any of its pieces."""
        pieces = function.coalesce().get_pieces()
        result = self._aff(pieces[-1][1])
        for domain, aff in pieces[:-1]:
            result = self._inside(domain).select(self._aff(aff), result)
        return result

    def _aff(self, aff: isl.Aff) -> Value:
        """The value of `aff`, rounded down."""
        denominator = int(aff.get_denominator_val().to_python())
        if aff.is_cst():
            return constant(_floor(aff))
        total = self._sum(aff, denominator)
        return total if denominator == 1 else total // denominator

    def _sum(self, aff: isl.Aff, scale: int) -> Value:
        """`scale * aff`, a sum with integer coefficients."""
        terms = [
            (_integer(aff.get_coefficient_val(kind, position), scale), kind, position)
            for kind in (isl.dim_type.in_, isl.dim_type.param, isl.dim_type.div)
            for position in range(aff.dim(kind))
        ]
        total: Value | None = None
        offset = _integer(aff.get_constant_val(), scale)
        for factor, kind, position in terms:
            if not factor:
                continue
            if kind == isl.dim_type.div and aff.get_div(position).is_cst():
                offset += factor * _floor(aff.get_div(position))
                continue
            term = self._dimension(aff, kind, position)
            if abs(factor) != 1:
                term = term * abs(factor)
            total = _accumulated(total, term, factor < 0)
        if total is None:
            return constant(offset)
        return total + offset if offset > 0 else total - -offset if offset else total

    def _dimension(self, aff: isl.Aff, kind: isl.dim_type, position: int) -> Value:
        if kind == isl.dim_type.div:
            return self._aff(aff.get_div(position))
        if kind == isl.dim_type.in_:
            assert self._tile is not None
            return self._tile
        return self._parameter(aff.get_dim_name(isl.dim_type.param, position) or "")

    def _parameter(self, name: str) -> Value:
        if name not in self._parameters:
            value = self._symbols.value(name)
            is_buffer = isinstance(value.owner, BufferOp)
            self._parameters[name] = Buffer(value).length if is_buffer else _as_index(Value(value))
        return self._parameters[name]

    def _inside(self, domain: isl.Set) -> Value:
        """Whether the point lies in `domain`."""
        inside: Value | None = None
        for basic in domain.compute_divs().get_basic_sets():
            every: Value | None = None
            for constraint in basic.get_constraints():
                aff = constraint.get_aff()
                value = self._sum(aff, int(aff.get_denominator_val().to_python()))
                holds = value.eq(0) if constraint.is_equality() else value >= 0
                every = holds if every is None else every & holds
            if every is None:
                continue
            inside = every if inside is None else inside | every
        assert inside is not None
        return inside


def _as_index(value: Value) -> Value:
    """A parameter stands for the signed value of its integer; of an i1, for 0 or 1."""
    return value.to(index, signed=value.type != i1)


def _accumulated(total: Value | None, term: Value, negative: bool) -> Value:
    if total is None:
        return constant(0) - term if negative else term
    return total - term if negative else total + term


def _floor(aff: isl.Aff) -> int:
    """The value of a constant function, rounded down."""
    return int(aff.get_constant_val().floor().to_python())


def _integer(value: isl.Val, scale: int) -> int:
    scaled = value.mul(isl.Val.int_from_si(value.get_ctx(), scale))
    assert scaled.is_int()
    return int(scaled.to_python())
