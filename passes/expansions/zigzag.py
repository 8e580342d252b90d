"""Signed numbers as unsigned ones, such that small ones stay small (zigzag)."""

from __future__ import annotations

from vyre_dialect.builder import Value


def unzigzagged(coded: Value) -> Value:
    """0, -1, 1, -2, 2 for 0, 1, 2, 3, 4."""
    return coded >> 1 ^ 0 - (coded & 1)
