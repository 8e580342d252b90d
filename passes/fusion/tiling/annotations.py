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
from xdsl.pattern_rewriter import PatternRewriter

from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.fusion.tiling.outcome import Outcome
from vyre_dialect.passes.fusion.tiling.refusal import Data, Refusal, RefusedHandoff

_ANNOTATION = "vyre.not_fused"
_RECOMPUTED = "vyre.not_sliding"


def annotate(program: ProgramOp, outcome: Outcome | None, rewriter: PatternRewriter) -> None:
    """
    State on each buffer why it is not promoted, or, if it is, why its producers do not slide; where
    there is no outcome to state, nothing. What an earlier run says of it may not hold any more.
    """
    refused = {each.handoff: each for each in outcome.refusals} if outcome else {}
    recomputed = outcome.recomputed if outcome else {}
    for buffer in [each for each in program.walk() if isinstance(each, BufferOp)]:
        stated = dict[str, Attribute]()
        if (refusal := refused.get(buffer)) is not None:
            stated[_ANNOTATION] = _of_refused(refusal)
        if (reason := recomputed.get(buffer.sym_name.data)) is not None:
            stated[_RECOMPUTED] = DictionaryAttr(_entries(reason))
        _state(buffer, stated, rewriter)


def _state(buffer: BufferOp, stated: dict[str, Attribute], rewriter: PatternRewriter) -> None:
    """Let annotations of a buffer be `stated`, and no others."""
    others = {k: v for k, v in buffer.attributes.items() if k not in (_ANNOTATION, _RECOMPUTED)}
    if buffer.attributes != others | stated:
        buffer.attributes = others | stated
        rewriter.notify_op_modified(buffer)


def _of_refused(refusal: RefusedHandoff) -> DictionaryAttr:
    entries = _entries(refusal)
    if refusal.counterexample is not None:
        entries["counterexample"] = _as_attribute(refusal.counterexample.as_dict())
    return DictionaryAttr(entries)


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
