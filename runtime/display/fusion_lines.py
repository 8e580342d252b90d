"""What fused in a program and what did not, and why, as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import join
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from vyre_dialect.passes.fusion.tiling.summary import PlanSummary


def handoff_lines(name: str, handoff: Mapping[str, object]) -> Iterator[str]:
    """What became of a handoff in a program of this name, and why."""
    if handoff["fused"]:
        user = f" of '{handoff['arm']}'" if handoff["arm"] else ", which no arm uses"
        said = (
            f"fuses: {handoff['elements']} elements "
            f"({handoff['bytes']} bytes) in {handoff['memory_space']} memory{user}"
        )
    else:
        said = f"is not fused: {handoff['reason']}: {handoff['detail']}"
    yield f"{_where(name, handoff)}: '@{handoff['name']}' {said}"
    if handoff["source"]:
        yield f"    {handoff['source']}"
    yield from _arms(handoff)
    if question := handoff.get("question"):
        yield f"  asked: {question} no"
    for label in ("cause", "depends_on"):
        if isinstance(site := handoff.get(label), dict):
            yield from _site(name, label.replace("_", " "), cast(dict[str, object], site))
    if isinstance(example := handoff.get("counterexample"), dict):
        yield f"  for example: {example['text']}"
    for advice in cast("list[dict[str, object]]", handoff.get("advice", [])):
        yield from _advice(advice)


def plan_lines(plan: PlanSummary) -> Iterator[str]:
    """What a fused arm does, and the obligations that it met."""
    yield f"plan of '{plan.arm}': {plan}"
    for question, about in plan.answers.items():
        yield f"  {question} yes: {', '.join(about)}"


def predicate_lines(name: str, predicate: Mapping[str, object]) -> Iterator[str]:
    """Whether the tests of a column are asked of what is encoded."""
    if predicate["moved"]:
        said = f"is tested as it is encoded: {predicate['rule']}"
    else:
        said = f"is tested once it is decoded: {predicate['reason']}"
    yield f"{_where(name, predicate)}: '@{predicate['column']}' {said}: {predicate['detail']}"


def _arms(handoff: Mapping[str, object]) -> Iterator[str]:
    """The arms that hand something on, and which of the consumers a reason is about."""
    if handoff.get("producer"):
        yield f"  producer: {handoff['producer']}"
    consumers = cast("list[str]", handoff.get("consumers", []))
    if len(consumers) == 1:
        yield f"  consumer: {consumers[0]}"
    elif consumers:
        yield f"  consumers: {', '.join(consumers)}; refused for {handoff['consumer']}"


def _advice(advice: dict[str, object]) -> Iterator[str]:
    """What to type in addition, or to write into a schedule, so that a handoff fuses."""
    arguments = cast("list[str] | None", advice["arguments"])
    said = f"{advice['options']} in the schedule" if arguments is None else join(arguments)
    yield f"  fuses in {advice['memory_space']} memory ({advice['bytes']} bytes) with {said}"


def _site(name: str, label: str, site: dict[str, object]) -> Iterator[str]:
    """An op, by its line; with its own text, too, where the line is that of a library op."""
    source, op = site["source"], str(site["op"])
    yield f"  {label}: {_where(name, site)}" if source else f"  {label}: {op}"
    if not source:
        return
    yield f"    {source}"
    op_name = op.rpartition(" = ")[2].partition(" ")[0]
    if op_name not in str(source):
        yield f"    in its expansion: {op}"


def scalar_line(name: str, arm: Mapping[str, object]) -> str:
    """Why an arm stays scalar where vectors are asked for."""
    why = f"{arm['reason']}: {arm['detail']}"
    return f"{_where(name, arm)}: '{arm['arm']}' is not vectorized: {why}"


def _where(name: str, place: Mapping[str, object]) -> str:
    return name if place["line"] is None else f"{name}:{place['line']}"
