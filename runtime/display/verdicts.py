"""What became of handoffs, as HTML: what fuses drawn, and why the others do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import cast

from vyre_dialect.passes.fusion.tiling.summary import PlanSummary
from vyre_dialect.runtime.display.drawings import collision, footprint, whose


def verdict(handoff: Mapping[str, object]) -> str:
    """What became of a handoff, and why."""
    name = f"<code>@{escape(str(handoff['name']))}</code>"
    if handoff["fused"]:
        place = escape(f"{handoff['bytes']} bytes in {handoff['memory_space']} memory")
        return f"<p>{name} fuses: {place} of <code>{escape(str(handoff['arm']))}</code></p>"
    return f"<p>{name} is not fused: {''.join(refused(handoff))}"


def refused(handoff: Mapping[str, object]) -> Iterator[str]:
    """Why a handoff does not fuse: the reason, what it is about, and an example."""
    reason, detail = escape(str(handoff["reason"])), escape(str(handoff["detail"]))
    yield f"<span class=bad>{reason}</span>: {detail}</p>"
    if handoff.get("question"):
        yield f"<p class=soft>asked: {escape(str(handoff['question']))} no</p>"
    example = _mapping(handoff.get("counterexample"))
    sites = {label: _mapping(handoff.get(label)) for label in ("depends_on", "cause")}
    if example is None or "shares" in example or None in sites.values():
        yield from (site_of(label, site) for label, site in sites.items() if site is not None)
    if example is None:
        return
    yield f"<figure>{collision(example)}</figure>"
    if "shares" not in example and None not in sites.values():
        yield f"<ol>{step(example, 'earlier', sites['depends_on'])}"
        yield f"{step(example, 'later', sites['cause'])}</ol>"
    yield f"<p>For example: {escape(str(example['text']))}.</p>"


def step(example: Mapping[str, object], role: str, site: Mapping[str, object] | None) -> str:
    """What one of the invocations that collide does, and which op that is."""
    assert site is not None
    who = escape(", ".join(whose(example, role)))
    return f"<li>{who}{_line(site)}:<pre>{escape(str(site['op']))}</pre></li>"


def site_of(label: str, site: Mapping[str, object]) -> str:
    """An op that a refusal is about."""
    said = f"<p class=soft>{label.replace('_', ' ')}{_line(site)}:</p>"
    return f"{said}<pre>{escape(str(site['op']))}</pre>"


def _line(site: Mapping[str, object]) -> str:
    return "" if site["line"] is None else f", line {site['line']}"


def _mapping(found: object) -> Mapping[str, object] | None:
    return cast("dict[str, object]", found) if isinstance(found, dict) else None


def drawn_plan(plan: PlanSummary) -> str:
    """A fusion that was carried out, with the questions that were answered with yes."""
    answers = "".join(f"<li>{escape(question)} yes</li>" for question in plan.answers)
    return (
        f"<figure>{footprint(plan)}</figure><p>{escape(str(plan))}</p>"
        f"<details><summary>what was proved</summary><ul>{answers}</ul></details>"
    )
