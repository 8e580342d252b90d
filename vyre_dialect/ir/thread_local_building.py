"""
Lets threads build at the same time.

xDSL's `ImplicitBuilder` knows its block per thread, but puts ops there by replacing
`Operation.__post_init__` for the whole process while it is open. Of two threads that open and leave
one in turns, one loses ops, and the other leaves the process with what was to be taken back. Here
the replacement is made once, stays, and asks for the builder of the thread that makes the op: that
is as good for passes of other packages, and for those that xDSL's own tools run.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl import builder
from xdsl.ir import Block, Operation

_plain = Operation.__post_init__


def build_per_thread() -> None:
    """Let each op go where its own thread builds, for the rest of the process."""
    builder._override_operation_post_init = _replace  # pyright: ignore[reportPrivateUsage]


def current_block() -> Block:
    """The block that this thread builds in."""
    current = builder._current_builder.builder  # pyright: ignore[reportPrivateUsage]
    assert current is not None
    return current.insertion_point.block


def _replace() -> Callable[[Operation], None]:
    """What a builder calls that is opened; gives what it puts back when it is left."""
    Operation.__post_init__ = _insert
    return _insert


def _insert(self: Operation) -> None:
    """Put a new op where its thread builds, if it builds implicitly."""
    _plain(self)
    current = builder._current_builder.builder  # pyright: ignore[reportPrivateUsage]
    if current is not None and self.parent is None:
        current.insert(self)
