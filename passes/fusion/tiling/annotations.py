"""Why handoffs are not promoted, or do not slide, as attributes of their buffers."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute

from vyre_dialect.ops.program import BufferOp, ProgramOp
from vyre_dialect.passes.fusion.tiling.refusal import Data, Refusal, RefusedHandoff

_ANNOTATION = "vyre.not_fused"
_RECOMPUTED = "vyre.not_sliding"
_ALL = (_ANNOTATION, _RECOMPUTED)


def drop_annotations(program: ProgramOp) -> bool:
    """Drop what an earlier run says of buffers, which may not hold of this one; whether it did."""
    buffers = [op for op in program.walk() if isinstance(op, BufferOp)]
    dropped = [each.attributes.pop(name, None) for each in buffers for name in _ALL]
    return any(each is not None for each in dropped)


def annotate(refusal: RefusedHandoff) -> None:
    """State on the buffer of a handoff why it is not promoted."""
    entries = _entries(refusal)
    if refusal.counterexample is not None:
        entries["counterexample"] = _as_attribute(refusal.counterexample.as_dict())
    refusal.handoff.attributes[_ANNOTATION] = DictionaryAttr(entries)


def annotate_recomputed(program: ProgramOp, refusals: Mapping[str, Refusal]) -> None:
    """State on the tiles of handoffs why their producers do not slide."""
    for buffer in program.buffers():
        if (refusal := refusals.get(buffer.sym_name.data)) is not None:
            buffer.attributes[_RECOMPUTED] = DictionaryAttr(_entries(refusal))


def _entries(found: RefusedHandoff | Refusal) -> dict[str, Attribute]:
    return {"reason": StringAttr(found.reason), "detail": StringAttr(found.detail)}


def _as_attribute(value: Data) -> Attribute:
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, bool):
        return BoolAttr.from_bool(value)
    if isinstance(value, int):
        return IntegerAttr(value, i64)
    if isinstance(value, Mapping):
        present = {name: each for name, each in value.items() if each is not None}
        return DictionaryAttr({name: _as_attribute(each) for name, each in present.items()})
    return ArrayAttr([_as_attribute(each) for each in value or ()])
