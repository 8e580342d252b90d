"""How much work something is, by a count that no machine and no load changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def function_calls(run: Callable[[], object]) -> int:
    """How many functions are called, of Python and of C, as something runs."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls
