"""
Floats that were decimals, as integers (A. Afroozeh, L. Kuffo, P. Boncz, "ALP: Adaptive Lossless
floating-Point Compression", SIGMOD 2024), for `vyre.decode.alp`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vyre_dialect.columns.layouts import Decimals, Packed
from vyre_dialect.columns.packing import Array
from vyre_dialect.ops.packed import Layout

_SAMPLE = 1 << 10
"""Values by which powers of ten are chosen."""
_MOST_EXCEPTIONS = 1 / 16
"""Share of the values above which decimals do not pay."""
_DIGITS = {np.dtype(np.float32): 10, np.dtype(np.float64): 18}
"""The largest powers of ten that the decoder takes."""
_LARGEST = 2.0**62
"""Integers stay below, far from where they wrap around."""


def decimals_of(floats: Array, layout: Layout, is_single: bool) -> Decimals | None:
    """Decimals with their exceptions, or None where floats take as few bytes as they are."""
    if not floats.size:
        return None
    sample = floats[:: max(1, floats.size // _SAMPLE)][:_SAMPLE]
    exponent, factor = min(_powers(floats.dtype), key=lambda each: _cost(sample, *each))
    digits, is_exact = _digits(floats, exponent, factor)
    (positions,) = np.nonzero(~is_exact)
    if len(positions) > _MOST_EXCEPTIONS * floats.size:
        return None
    digits[positions] = digits[is_exact].min() if is_exact.any() else 0
    packed = Packed.of(digits, 64, layout)
    if packed.bits >= (32 if is_single else 64):
        return None
    places = positions.astype(np.int32 if floats.size < 1 << 31 else np.int64)
    return Decimals(packed, exponent, factor, floats[positions], places)


def _powers(dtype: np.dtype[Any]) -> list[tuple[int, int]]:
    """Exponents and factors, those first that make the smallest integers."""
    most = _DIGITS[dtype]
    return [(e, f) for e in range(most + 1) for f in range(e + 1)]


def _cost(sample: Array, exponent: int, factor: int) -> float:
    """The bits that a sample takes."""
    digits, is_exact = _digits(sample, exponent, factor)
    exact = digits[is_exact]
    if not exact.size:
        return float("inf")
    exceptions = (sample.size - exact.size) * (sample.dtype.itemsize * 8 + 32)
    return (int(exact.max()) - int(exact.min())).bit_length() * sample.size + exceptions


def _digits(floats: Array, exponent: int, factor: int) -> tuple[Array, Array]:
    """The nearest integers, and which of them the decoder makes the same floats of, bit by bit."""
    real = floats.dtype.type
    up, down = real(10**exponent), real(float(f"1e-{exponent}"))
    with np.errstate(all="ignore"):
        scaled = np.rint(floats * up * real(float(f"1e-{factor}"))).astype(np.float64)
        fits = np.abs(scaled) < _LARGEST  # of NaN false
        digits = np.where(fits, scaled, 0).astype(np.int64)
        decoded = digits.astype(floats.dtype)
        decoded = decoded * real(10**factor) * down if factor else decoded * down
    bits = f"u{floats.dtype.itemsize}"
    return digits, fits & (decoded.view(bits) == floats.view(bits))
