"""Names of values in the text of the IR, of what people call things."""

from __future__ import annotations

from xdsl.ir import SSAValue


def value_name(wish: str) -> str | None:
    """`wish` where a value may be called that; None for what a symbol may be called alone."""
    return wish if SSAValue.is_valid_name(wish) else None
