"""What became of handoffs, as HTML: what fuses drawn, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import cast

from vyre_dialect.passes.fusion.tiling.summary import PlanSummary
from vyre_dialect.runtime.display.drawings import collision, footprint


def verdict(handoff: Mapping[str, object]) -> str:
    """What became of a handoff, and why."""
    name = f"<code>@{escape(str(handoff['name']))}</code>"
    if handoff["fused"]:
        place = escape(f"{handoff['bytes']} bytes in {handoff['memory_space']} memory")
        return f"<p>{name} fuses: {place} of <code>{escape(str(handoff['arm']))}</code></p>"
    reason, detail = escape(str(handoff["reason"])), escape(str(handoff["detail"]))
    parts = [f"<p>{name} is not fused: <span class=bad>{reason}</span>: {detail}</p>"]
    if handoff.get("question"):
        parts.append(f"<p class=soft>asked: {escape(str(handoff['question']))} no</p>")
    for label in ("cause", "depends_on"):
        if isinstance(found := handoff.get(label), dict):
            site = cast("dict[str, object]", found)
            line = "" if site["line"] is None else f", line {site['line']}"
            parts.append(f"<p class=soft>{label.replace('_', ' ')}{line}:</p>")
            parts.append(f"<pre>{escape(str(site['op']))}</pre>")
    if isinstance(found := handoff.get("counterexample"), dict):
        example = cast("dict[str, object]", found)
        said = escape(str(example["text"]))
        parts.append(f"<figure>{collision(example)}</figure><p>For example: {said}.</p>")
    return "".join(parts)


def drawn_plan(plan: PlanSummary) -> str:
    """A fusion that was carried out, with the questions that were answered with yes."""
    answers = "".join(f"<li>{escape(question)} yes</li>" for question in plan.answers)
    return (
        f"<figure>{footprint(plan)}</figure><p>{escape(str(plan))}</p>"
        f"<details><summary>what was proved</summary><ul>{answers}</ul></details>"
    )
