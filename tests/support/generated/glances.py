"""Drawn programs in which the host reads what arms hand on."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from support.generated import several
from support.generated.arms import Effect, Glance, SideEffect
from support.generated.cases import Case
from support.generated.drawing import any_of, sometimes
from support.generated.pairs import MAX_BYTES, covered_pairs
from support.generated.places import Index
from vyre_dialect.ir.types import Initial


@st.composite
def glanced_at(draw: st.DrawFn) -> Case:
    """A pair or a chain, and up to three loads by the host: at the ends, inside, and outside."""
    case = draw(_cases())
    glances = [draw(_glances(case)) for _ in range(draw(any_of(1, 2, 2, 3)))]
    return replace(case, glances=tuple(glances))


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    kind = draw(any_of("pair", "pair", "chain", "between", "logs"))
    if kind == "chain":
        return _filled(draw(several.chains()))
    if kind == "between":
        return draw(several.arms_between())
    case = draw(covered_pairs())
    if kind == "logs":
        kinds = [kind for kind in Effect if kind != Effect.READ_LOG]
        producer = replace(case.arms[0], effect=SideEffect(draw(any_of(*kinds)), Index()))
        return replace(case, arms=(producer, *case.arms[1:]))
    return case


def _filled(case: Case) -> Case:
    """The case with handoffs that hold something before: no checker sees what the host reads."""
    handoffs = (replace(handoff, initial=Initial.HOST) for handoff in case.handoffs)
    return replace(case, handoffs=tuple(handoffs))


@st.composite
def _glances(draw: st.DrawFn, case: Case) -> Glance:
    handoff = draw(st.sampled_from(case.handoffs))
    widths = [width for width in (1, 1, 1, 2, 4) if width * handoff.bytes <= MAX_BYTES]
    return Glance(
        handoff.name,
        draw(any_of(1, 1, 1, 1, len(case.arms), 0)),
        Index(
            offset=draw(any_of(0, 0, 1, 2, 5, -1, -2)),
            from_end=draw(sometimes(70)),
            to_edges=draw(sometimes(20)),
        ),
        draw(st.sampled_from(widths)),
        draw(any_of(0, 0, 0, 1)),
    )
