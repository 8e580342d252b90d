"""Why a pass leaves an arm as it is; what the reasons are, each pass says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.str_enum import StrEnum


@dataclass(frozen=True)
class Refusal:
    """A reason, and what there is to say about it."""

    reason: StrEnum
    detail: str

    @property
    def attribute(self) -> DictionaryAttr:
        """The refusal, as an attribute of an arm."""
        return DictionaryAttr(
            {"reason": StringAttr(self.reason), "detail": StringAttr(self.detail)}
        )


def first_of(refusals: Iterable[Refusal | None]) -> Refusal | None:
    """The first refusal, if there is any; what comes after it is not looked at."""
    return next((refusal for refusal in refusals if refusal is not None), None)


def state_refusal(
    arm: Operation, name: str, refusal: Refusal | None, rewriter: PatternRewriter
) -> None:
    """Give an arm the attribute `name` for `refusal`, in its place; without one, none."""
    before = arm.attributes
    after = {key: value for key, value in before.items() if key != name or refusal is not None}
    if refusal is not None:
        after[name] = refusal.attribute
    if after != before:
        arm.attributes = after
        rewriter.notify_op_modified(arm)
