"""Why a workgroup does not become one invocation."""

from __future__ import annotations

from xdsl.utils.str_enum import StrEnum


class Reason(StrEnum):
    """Machine-readable reasons; stable names that tests and tools match on."""

    TOO_MANY = "too-many"
    """A workgroup has more invocations than the limit."""
    UNKNOWN_OP = "unknown-op"
    """An op does not say what it touches, or on which ids it depends."""
    OWN_ID = "own-id"
    """An op of another package knows by itself which invocation of its workgroup it is in."""
    SUBGROUPS = "subgroups"
    """One invocation has no subgroups to speak of."""
    DONE_TOGETHER = "done-together"
    """A workgroup does something together that is neither a barrier nor a copy."""
    CONTROL_FLOW = "control-flow"
    """What a workgroup does together stands in something else than a branch or an `scf.for`."""
    DIVERGENT = "divergent"
    """What a workgroup does together depends on what an invocation computes by itself."""
    ASYNC_COPY = "async-copy"
    """Another op than a wait has the token of a copy."""
    VALUE_TYPE = "value-type"
    """A value that is needed behind a barrier has a type that no buffer holds."""
    PRIVATE_MEMORY = "private-memory"
    """Private memory lives across a barrier, and an access to it may lie outside."""
