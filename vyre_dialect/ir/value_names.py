"""Names of values in the text of the IR, of what people call things."""

from __future__ import annotations

import re

from xdsl.ir import SSAValue

_COUNT = re.compile(r"(?:_\d+)+")
"""What xDSL leaves out of the names of values that are copied, over and over."""


def value_name(wish: str) -> str | None:
    """`wish` where a value may be called that; None for what a symbol may be called alone."""
    is_valid = SSAValue.is_valid_name(wish) and not _COUNT.fullmatch(wish)
    return wish if is_valid else None
