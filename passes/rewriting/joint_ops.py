"""Ops that hand on to each other, for what passes do with all of them or with none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet


def joint_ops(
    ops: Sequence[Operation], taken: Callable[[Operation], Iterable[SSAValue]]
) -> list[set[Operation]]:
    """Some ops, those together of which one takes the result of another."""
    sets = DisjointSet(ops)
    known = set(ops)
    for op in ops:
        for value in taken(op):
            if isinstance(value.owner, Operation) and value.owner in known:
                sets.union(op, value.owner)
    joint = dict[Operation, set[Operation]]()
    for op in ops:
        joint.setdefault(sets.find(op), set()).add(op)
    return list(joint.values())
