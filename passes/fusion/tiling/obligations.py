"""Obligations: the questions that a plan must answer with yes, in words, and what was answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from xdsl.utils.str_enum import StrEnum

from vyre_dialect.passes.fusion.tiling.refusal import Refusal


class Question(StrEnum):
    """What is asked of plans; `vyre explain` prints it, docs/fusion.md says how it is answered."""

    IS_AFFINE = "can it be told in advance which elements are touched?"
    IS_WRITTEN_BEFORE = "is every element written before it is read?"
    IS_COVERED = "is every element that is read written?"
    IS_DONE_FOR_THE_HOST = "can probes do what the host reads?"
    IS_UNIFORM = "do barriers stay uniform?"
    IS_UNDISTURBED = "does nothing between the arms touch what they touch?"
    IS_SIZED = "is what a tile reads of constant extent?"
    FITS = "do the tiles fit?"
    IS_CHEAP = "is it cheap?"
    IS_FILLED = "does a constant number of invocations fill each tile?"
    OWNS_WORKGROUPS = "are the workgroups of a cooperative producer those of the tiles?"
    STAYS_APART = "do dropped stores stay apart?"
    IS_COMPLETE = "is no effect left out?"
    STAYS_IN_TILE = "does every other dependence stay in its tile?"
    IS_REPEATABLE = "may invocations be repeated?"


@dataclass(frozen=True)
class Obligation:
    """A question about a part of a plan that was answered with yes."""

    question: Question
    about: str
    """The arm or the handoff, in quotes."""


@dataclass(frozen=True)
class Asked:
    """A question that is answered when it is its turn: none is asked once one was refused."""

    question: Question
    about: str
    find: Callable[[], Refusal | None]
    """Looks for what stands against it."""


def prove(questions: Iterable[Asked]) -> tuple[Obligation, ...] | Refusal:
    """The obligations, if all are met; the refusal of the first that is not."""
    met = list[Obligation]()
    for asked in questions:
        if (refusal := asked.find()) is not None:
            return because(asked.question, refusal)
        met.append(Obligation(asked.question, asked.about))
    return tuple(met)


def because(question: Question, refusal: Refusal) -> Refusal:
    """The refusal with the question that it answers."""
    return replace(refusal, question=str(question))
