"""Names of values in the text of the IR, of what people call things."""

from __future__ import annotations

import re
from itertools import chain

from xdsl.ir import Operation, SSAValue

_COUNT = re.compile(r"(?:_\d+)+")
"""What xDSL leaves out of the names of values that are copied, over and over."""


def value_name(wish: str) -> str | None:
    """`wish` where a value may be called that; None for what a symbol may be called alone."""
    is_valid = SSAValue.is_valid_name(wish) and not _COUNT.fullmatch(wish)
    return wish if is_valid else None


def drop_empty_names(root: Operation, text: str) -> None:
    """Forget names of which xDSL keeps nothing, as of `%_1`, in what was read from a text."""
    if not _COUNTED.search(text):
        return
    for op in root.walk():
        blocks = (block for region in op.regions for block in region.blocks)
        for value in chain(op.results, *(block.args for block in blocks)):
            if value.name_hint is not None:
                value.name_hint = value_name(value.name_hint)


_COUNTED = re.compile(r"%_\d")
