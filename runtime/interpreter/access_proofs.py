"""What passes have proven of accesses, verified whenever these run."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from vyre_dialect.ir.interfaces import IN_BOUNDS
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.elements import Elements
from vyre_dialect.runtime.interpreter.formats import Array
from vyre_dialect.runtime.interpreter.machine import Frame, Step
from vyre_dialect.runtime.interpreter.storage import Run, Storage


def with_proofs(op: Operation, elements: Elements, step: Step) -> Step:
    """
    `step`, after what is proven of the access of `op` has been verified. That step raises VyreError
    where it does not hold.
    """
    alignment = op.properties.get("alignment")
    if IN_BOUNDS not in op.properties and alignment is None:
        return step

    def verified(frame: Frame) -> None:
        storage, index = elements.storage(frame), elements.index(frame)
        if IN_BOUNDS in op.properties:
            _verify_bounds(op, elements.run, storage, index)
        if isinstance(alignment, IntegerAttr):
            _verify_alignment(op, alignment.value.data, index * storage.element_size)
        step(frame)

    return verified


def _verify_bounds(op: Operation, run: Run, storage: Storage, index: Array) -> None:
    if storage.holds(run, index):
        return
    outside = index[(index < 0) | (index > storage.count - run.elements)]
    raise VyreError(
        f"'{op.name}' of {run.elements} elements is marked in_bounds, but accesses element "
        f"{outside[0]} of a buffer of {storage.count}"
    )


def _verify_alignment(op: Operation, alignment: int, data: Array) -> None:
    misaligned = data[data % alignment != 0]
    if len(misaligned):
        raise VyreError(
            f"'{op.name}' is marked aligned {alignment}, but accesses byte {misaligned[0]}"
        )
