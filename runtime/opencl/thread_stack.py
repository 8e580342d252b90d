"""How large the stacks of threads are, on which some drivers keep buffers."""

from __future__ import annotations

import sys
from importlib.util import find_spec

_UNLIMITED_BYTES = 2 << 20
"""What the C library gives a thread where the limit is none."""

_DARWIN_BYTES = 512 << 10
_WINDOWS_BYTES = 1 << 20


def thread_stack_bytes() -> int:
    """The stack that a thread of a driver gets unless it asks for another."""
    if sys.platform == "darwin":
        return _DARWIN_BYTES
    if find_spec("resource") is None:
        return _WINDOWS_BYTES
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_STACK)
    return _UNLIMITED_BYTES if limit == resource.RLIM_INFINITY else limit
