"""Checks a program on its input, by interpretation, and says which lines are wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, LocationAttr, ModuleOp
from xdsl.ir import Operation

from vyre_dialect.ir.interfaces import IN_BOUNDS, HasExpansionInterface
from vyre_dialect.passes.program.drop_claims import DropClaimsPass, claimed_accesses
from vyre_dialect.runtime.interpreter.arrays import Array, Bytes
from vyre_dialect.runtime.interpreter.checkers import (
    BoundsChecker,
    RaceChecker,
    UndefinedReadChecker,
)
from vyre_dialect.runtime.interpreter.observer import Observers
from vyre_dialect.runtime.interpreter.run import interpret
from vyre_dialect.runtime.program.compilation import apply_pipeline
from vyre_dialect.runtime.program.pipelines import REFERENCE


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a program, or may be."""

    is_error: bool
    """Whether the result depends on who is first or on garbage; else it is as the rules say."""
    place: str
    """The file and line, or the generator of the arm."""
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {'error' if self.is_error else 'warning'}: {self.message}"


def check_module(
    module: ModuleOp, inputs: Mapping[str, Array | Bytes], context: Context
) -> list[Finding]:
    """
    What the interpreter's checkers find in a run of the program of `module`: races and undefined
    reads, which are errors, and accesses outside of buffers, which are legal but rarely meant.

    What library ops do outside of their buffers is meant. What a program claims to be inside, and
    is not, says so. Raises a VyreError as `run_module`.
    """
    meant = {op.location for op in module.walk() if isinstance(op, HasExpansionInterface)}
    expanded = module.clone()
    claimed = claimed_accesses(expanded)
    DropClaimsPass().apply(context, expanded)
    apply_pipeline(expanded, REFERENCE, context)
    races, undefined, bounds = RaceChecker(), UndefinedReadChecker(), BoundsChecker()
    interpret(expanded, inputs, observer=Observers(races, undefined, bounds))
    found = [
        *(_finding(f"race: {race}", race.ops) for race in races.races),
        *(_finding(f"undefined read: {read}", [read.op]) for read in undefined.reads),
        *_outside(bounds, meant, claimed),
    ]
    return list(_first_of_each_place(found))


def _outside(
    bounds: BoundsChecker, meant: set[LocationAttr], claimed: Collection[Operation]
) -> Iterator[Finding]:
    for (op, _), access in bounds.outside.items():
        # Without a line, there is no source text to look at.
        if op.location not in meant or not isinstance(op.location, FileLineColLoc):
            claim = f", which claims '{IN_BOUNDS}'; drop the claim" if op in claimed else ""
            yield Finding(False, _place(op), f"{access}{claim}")


def _finding(message: str, ops: Iterable[Operation | None]) -> Finding:
    places = dict.fromkeys(_place(op) for op in ops if op is not None)
    first, *others = places
    return Finding(True, first, message + "".join(f" ({place})" for place in others))


def _place(op: Operation) -> str:
    if isinstance(location := op.location, FileLineColLoc):
        return f"{location.filename.data}:{location.line.data}"
    return f"'{op.name}'"


def _first_of_each_place(findings: Iterable[Finding]) -> Iterator[Finding]:
    """A line is wrong once, however many elements show it."""
    seen = set[tuple[bool, str, str]]()
    for finding in findings:
        key = (finding.is_error, finding.place, finding.message.partition(":")[0])
        if key not in seen:
            seen.add(key)
            yield finding
