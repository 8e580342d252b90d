"""Branches and loops of a piece: whether they run as they do in all of the input."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from vyre_dialect.analysis.streams.drift import ANYTHING, Drift, drift, fixed
from vyre_dialect.analysis.streams.evaluation import Evaluation
from vyre_dialect.analysis.value_ranges import Range
from vyre_dialect.ir.traversal import last_op_of

_MOST_ROUNDS = 4
"""Times that a loop is evaluated until what it carries agrees."""


def enter(ev: Evaluation, op: Operation) -> None:
    """Evaluate an op with regions; refuses one that is not known."""
    match op:
        case scf.IfOp():
            _branch(ev, op)
        case scf.ForOp():
            _count(ev, op)
        case scf.WhileOp():
            _repeat(ev, op)
        case scf.IndexSwitchOp():
            _switch(ev, op)
        case _:
            ev.refuse(op, "has regions of which nothing is known")


def _branch(ev: Evaluation, op: scf.IfOp) -> None:
    condition = ev.of(op.cond)
    blocks = [region.block for region in op.regions if region.blocks]
    if condition.cause is None and (chosen := condition.number) is not None:
        taken = blocks[:1] if chosen else blocks[1:]
        for block in taken:
            ev.run(block)
            _leave(ev, op.results, [last_op_of(block)] if op.results else [], 0)
        return
    cause = ev.as_data(op, 0)
    _run_all(ev, op, blocks, cause)


def _switch(ev: Evaluation, op: scf.IndexSwitchOp) -> None:
    cause = ev.as_data(op, 0)
    _run_all(ev, op, [region.block for region in op.regions], cause)


def _run_all(
    ev: Evaluation, op: Operation, blocks: Sequence[Block], cause: Operation | None
) -> None:
    for block in blocks:
        ev.run(block, cause)
    if op.results:
        _leave(ev, op.results, [last_op_of(block) for block in blocks], 0, cause)


def _leave(
    ev: Evaluation,
    results: Sequence[SSAValue],
    yields: Sequence[Operation],
    skipped: int,
    cause: Operation | None = None,
) -> None:
    """What an op gives that ends in one of `yields`: its operands, but for some `skipped`."""
    for number, result in enumerate(results):
        operands = [(end, number + skipped) for end in yields]
        ev.known[result] = _one_of(ev, result, operands).because(cause)


def _one_of(ev: Evaluation, result: SSAValue, operands: Sequence[tuple[Operation, int]]) -> Drift:
    """One of several operands, all as places where they drift together, or all as data."""
    numbers = [ev.of(op.operands[place]) for op, place in operands]
    for candidates in (numbers, [ev.folded(each) for each in numbers]):
        together = candidates[0]
        for each in candidates[1:]:
            both = together.joined(each)
            if both is None:
                break
            together = both
        else:
            return together
    causes = [ev.as_data(op, place) for op, place in operands]
    cause = next((each for each in causes if each is not None), None)
    return fixed(ev.range_of(result), cause)


def _carry(
    ev: Evaluation,
    arguments: Sequence[SSAValue],
    entering: Sequence[tuple[Operation, int]],
    block: Block,
    ending: Operation,
    skipped: int,
    cause: Operation | None,
) -> None:
    """Evaluate the block of a loop until what it carries is the same each time."""
    initial = [ev.of(op.operands[place]) for op, place in entering]
    carried = [_widened(ev, value, each) for value, each in zip(arguments, initial, strict=True)]
    for _ in range(_MOST_ROUNDS):
        for argument, each in zip(arguments, carried, strict=True):
            ev.known[argument] = each
        ev.forget_moves(block)
        ev.run(block, cause)
        again = [
            _carried_on(ev, argument, each, enter, (ending, number + skipped))
            for number, (argument, each, enter) in enumerate(
                zip(arguments, carried, entering, strict=True)
            )
        ]
        if again == carried:
            return
        carried = again
    ev.refuse(ending.parent_op() or ending, "carries numbers that drift apart")


def _widened(ev: Evaluation, argument: SSAValue, number: Drift) -> Drift:
    """What a loop may have made of a number that drifts as it did before."""
    if number.is_fixed:
        return Drift(0, 0, ev.range_of(argument), number.cause)
    return Drift(number.begin, number.end, ANYTHING, number.cause, wraps=True)


def _carried_on(
    ev: Evaluation,
    argument: SSAValue,
    carried: Drift,
    enter: tuple[Operation, int],
    end: tuple[Operation, int],
) -> Drift:
    """What an argument is in the next iteration."""
    following = ev.of(end[0].operands[end[1]])
    if (following.begin, following.end) == (carried.begin, carried.end) and (
        carried.is_fixed
        or (ev.of(enter[0].operands[enter[1]]).begin, following.end) == (carried.begin, carried.end)
    ):
        return carried.because(following.cause)
    cause = ev.as_data(*enter) or ev.as_data(*end)
    return Drift(0, 0, ev.range_of(argument), cause or carried.cause)


def _count(ev: Evaluation, op: scf.ForOp) -> None:
    """A loop that counts: as often as in all, or not."""
    block = op.body.block
    counter, *arguments = block.args
    number, cause = _counter(ev, op, counter)
    ev.known[counter] = number
    ending = last_op_of(block)
    entering = [(op, 3 + place) for place in range(len(arguments))]
    _carry(ev, arguments, entering, block, ending, 0, cause)
    for result, argument in zip(op.results, arguments, strict=True):
        ev.known[result] = ev.of(argument).because(cause)


def _counter(ev: Evaluation, op: scf.ForOp, counter: SSAValue) -> tuple[Drift, Operation | None]:
    """What the counter of a loop is, and what makes it run a different number of times."""
    begin, end, step = ev.of(op.lb), ev.of(op.ub), ev.of(op.step)
    length = end.plus(begin, -1)
    is_alike = length.is_same(ev.piece) and step.is_same(ev.piece)
    if begin.wraps or end.wraps or length.wraps or step.rest.low < 1:
        cause = ev.all_as_data(op, range(3))
        return fixed(ev.range_of(counter), cause), cause
    if begin.is_fixed and end.is_fixed:
        cause = ev.all_as_data(op, range(3))
        return fixed(ev.range_of(counter), cause), cause
    if not is_alike:
        cause = length.cause or step.cause or ev.source_of_end(op.ub)
        return fixed(ANYTHING, cause), cause
    first, last = begin, end.plus(fixed(Range(1, 1)), -1)
    if (begin.begin, begin.end) != (end.begin, end.end):
        first, last = ev.folded(begin), ev.folded(end).plus(fixed(Range(1, 1)), -1)
    high = max(first.rest.low, last.rest.high)
    return drift(first.begin, first.end, Range(first.rest.low, high), begin.cause), None


def _repeat(ev: Evaluation, op: scf.WhileOp) -> None:
    """A loop that ends when its data say so: all that it carries is data."""
    before, after = op.before_region.block, op.after_region.block
    cause = ev.all_as_data(op)
    for _ in range(_MOST_ROUNDS):
        for argument in (*before.args, *after.args):
            ev.known[argument] = fixed(ev.range_of(argument), cause)
        for block in (before, after):
            ev.forget_moves(block)
        ev.run(before, cause)
        ends = ev.all_as_data(last_op_of(before))
        ev.run(after, ends or cause)
        found = ends or ev.all_as_data(last_op_of(after))
        if cause is not None or found is None:
            break
        cause = found
    for result in op.results:
        ev.known[result] = fixed(ev.range_of(result), cause)
