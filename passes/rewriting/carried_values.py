"""
Values that the ops of a body read and update one after the other, carried through its control
flow: what would stand in memory between two ops becomes results of branches, and what loops carry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import IsTerminator

from vyre_dialect.ir.effects import is_effect_free, is_trivially_dead
from vyre_dialect.ir.interfaces import ops_around
from vyre_dialect.ir.traversal import ops_inside

_Values = dict[int, SSAValue]
"""Values by their positions."""


@dataclass(frozen=True)
class Step:
    """What an op does with the values."""

    writes: int | None
    """The position of the one that it changes, if it does."""
    apply: Callable[[Mapping[int, SSAValue]], SSAValue | None]
    """Takes the values before the op, which it replaces, and gives the one that it changes."""


def carry(
    body: Block,
    start: Sequence[SSAValue],
    steps: Mapping[Operation, Step],
    rewriter: PatternRewriter,
) -> list[SSAValue]:
    """
    Take each of `steps` with the values that get to it. They begin as `start`, which `body` sees;
    what they are at its end is returned.
    """
    values = _Carrier(steps, rewriter).run(body, dict(enumerate(start)))
    return [values[slot] for slot in range(len(start))]


class _Carrier:
    def __init__(self, steps: Mapping[Operation, Step], rewriter: PatternRewriter):
        self._steps = steps
        self._rewriter = rewriter
        self._written = dict[Operation, set[int]]()
        """What is written inside of each op that has steps inside."""
        for op, step in steps.items():
            for parent in ops_around(op):
                written = self._written.setdefault(parent, set())
                written |= set() if step.writes is None else {step.writes}

    def run(self, block: Block, values: _Values) -> _Values:
        """The values at the end of `block`, given those at its start."""
        for op in list(block.ops):
            if (step := self._steps.get(op)) is not None:
                changed = step.apply(values)
                if step.writes is not None and changed is not None:
                    values[step.writes] = changed
            elif op in self._written:
                values |= self._through(op, sorted(self._written[op]), values)
        return values

    def _through(self, op: Operation, slots: list[int], values: _Values) -> _Values:
        """What an op with regions changes; it gives way to one that passes that on."""
        if not slots:
            for region in op.regions:
                for block in region.blocks:
                    self.run(block, dict(values))
            return {}
        match op:
            case scf.ForOp():
                new = self._for(op, slots, values)
            case scf.WhileOp():
                new = self._while(op, slots, values)
            case scf.IfOp():
                new = self._if(op, slots, values)
            case _:
                assert isinstance(op, scf.IndexSwitchOp)
                new = self._switch(op, slots, values)
        new.attributes |= op.attributes
        new.location = op.location
        own = len(op.results)
        for slot, result in zip(slots, new.results[own:], strict=True):
            result.name_hint = values[slot].name_hint
        self._rewriter.replace(op, new, new.results[:own])
        return dict(zip(slots, new.results[own:], strict=True))

    def _for(self, op: scf.ForOp, slots: list[int], values: _Values) -> scf.ForOp:
        self._looped(op.body, slots, values)
        bounds, given = (op.lb, op.ub, op.step), [values[slot] for slot in slots]
        return scf.ForOp(*bounds, [*op.iter_args, *given], op.detach_region(op.body))

    def _while(self, op: scf.WhileOp, slots: list[int], values: _Values) -> scf.WhileOp:
        before, after = op.before_region, op.after_region
        self._looped(before, slots, values)
        self._looped(after, slots, values)
        arguments = [*op.arguments, *(values[slot] for slot in slots)]
        types = _results(op, slots, values)
        return scf.WhileOp(arguments, types, op.detach_region(before), op.detach_region(after))

    def _if(self, op: scf.IfOp, slots: list[int], values: _Values) -> scf.IfOp:
        if not op.false_region.blocks:
            op.false_region.add_block(Block([scf.YieldOp()]))
        then, otherwise = self._branches(op, slots, values)
        return scf.IfOp(op.cond, _results(op, slots, values), then, otherwise)

    def _switch(
        self, op: scf.IndexSwitchOp, slots: list[int], values: _Values
    ) -> scf.IndexSwitchOp:
        default, *cases = self._branches(op, slots, values)
        return scf.IndexSwitchOp(op.arg, op.cases, default, cases, _results(op, slots, values))

    def _branches(self, op: Operation, slots: list[int], values: _Values) -> list[Region]:
        regions = list(op.regions)
        for region in regions:
            self._region(region, slots, values)
        return [op.detach_region(region) for region in regions]

    def _looped(self, region: Region, slots: list[int], values: _Values) -> None:
        """Let a region that runs several times take its own results."""
        block, own = region.block, dict[int, SSAValue]()
        for slot in slots:
            argument = self._rewriter.insert_block_argument(
                block, len(block.args), values[slot].type
            )
            argument.name_hint = values[slot].name_hint
            own[slot] = argument
        self._region(region, slots, values | own)

    def _region(self, region: Region, slots: list[int], values: _Values) -> None:
        """Let a region, which `values` get to, pass on what becomes of some of them."""
        last = region.block.last_op
        assert last is not None
        passed = self.run(region.block, dict(values))
        last.operands = [*last.operands, *(passed[slot] for slot in slots)]
        self._rewriter.notify_op_modified(last)


def _results(op: Operation, slots: list[int], values: _Values) -> list[Attribute]:
    return [*op.result_types, *(values[slot].type for slot in slots)]


def drop_unused(body: Block, rewriter: PatternRewriter) -> None:
    """
    Take out what branches yield and loops carry without that anybody uses it, and the ops that
    only computed that; also of what loops only hand on to themselves.
    """
    _end_cycles(body, rewriter)
    while _drop_once(body, rewriter):
        pass


def erase_dead(body: Block, rewriter: PatternRewriter) -> None:
    """Erase the ops whose results are unused, the last ones first, and those they alone used."""
    for op in reversed(ops_inside(body)):
        if op.parent is not None and is_trivially_dead(op):
            rewriter.erase(op)


def _drop_once(body: Block, rewriter: PatternRewriter) -> bool:
    """
    Visit the last ops first, as what is dropped may have been the last use of what is computed
    earlier. What stands in an op is visited before it, and again once it yields less; whether
    anything was dropped.
    """
    is_changed, pending = False, [(op, False) for op in body.ops]
    while pending:
        op, is_inside_done = pending.pop()
        if op.regions and not is_inside_done:
            pending.append((op, True))
        elif is_trivially_dead(op):
            rewriter.erase(op)
            continue
        elif (kept := _without_unused(op, rewriter)) is None:
            continue
        else:
            op, is_changed = kept, True
            pending.append((op, True))
        pending += [(each, False) for region in op.regions for b in region.blocks for each in b.ops]
    return is_changed


def _without_unused(op: Operation, rewriter: PatternRewriter) -> Operation | None:
    """What replaces an op with unused results; None for any other."""
    if not isinstance(op, scf.IfOp | scf.ForOp):
        return None
    used = [result.first_use is not None for result in op.results]
    if isinstance(op, scf.ForOp):
        carried = enumerate(zip(used, op.body.block.args[1:], strict=True))
        used = [each or not _is_kept_only(arg, place) for place, (each, arg) in carried]
    if all(used):
        return None
    for region in op.regions:
        _drop_yielded(region, used, rewriter)
    kept = [result for result, is_used in zip(op.results, used, strict=True) if is_used]
    hints = [result.name_hint for result in kept]
    new = _without(op, used, rewriter)
    new.attributes |= op.attributes
    new.location = op.location
    for result, hint in zip(new.results, hints, strict=True):
        result.name_hint = hint
    results = iter(new.results)
    rewriter.replace(op, new, [next(results) if is_used else None for is_used in used])
    return new


def _is_kept_only(arg: BlockArgument, place: int) -> bool:
    """Whether nothing is done to what a loop carries, but to hand it on as it is."""
    last = arg.block.last_op
    return all(use.operation is last and use.index == place for use in arg.uses)


def _end_cycles(body: Block, rewriter: PatternRewriter) -> None:
    """Let loops keep what they carry as it is, where nobody needs what becomes of it."""
    loops = [op for op in ops_inside(body) if isinstance(op, scf.ForOp) and op.iter_args]
    live = _live_values(body) if loops else set[SSAValue]()
    for loop in loops:
        last = loop.body.block.last_op
        assert last is not None
        for place, arg in enumerate(loop.body.block.args[1:]):
            if arg not in live and last.operands[place] is not arg:
                last.operands[place] = arg
                rewriter.notify_op_modified(last)


def _live_values(body: Block) -> set[SSAValue]:
    """What ops with effects, conditions, bounds, and what the body hands on need in the end."""
    live = set[SSAValue]()
    pending = [value for op in ops_inside(body) for value in _needed_by(op)]
    pending += () if body.last_op is None else body.last_op.operands
    while pending:
        value = pending.pop()
        if value not in live:
            live.add(value)
            pending += _sources_of(value)
    return live


def _needed_by(op: Operation) -> Sequence[SSAValue]:
    """What an op needs, whoever needs its results."""
    match op:
        case scf.ForOp():
            return (op.lb, op.ub, op.step)
        case scf.YieldOp() if isinstance(op.parent_op(), scf.ForOp | scf.IfOp):
            return ()
        case _ if op.regions or op.has_trait(IsTerminator) or not is_effect_free(type(op)):
            return op.operands
        case _:
            return ()


def _sources_of(value: SSAValue) -> Sequence[SSAValue]:
    """What a value is made of, or may be."""
    owner = value.owner
    if isinstance(value, BlockArgument):
        loop, place = owner.parent_op(), value.index - 1
        if not isinstance(loop, scf.ForOp) or place < 0:
            return ()
        return _carried_at(loop, place)
    assert isinstance(owner, Operation) and isinstance(value, OpResult)
    match owner:
        case scf.ForOp():
            return (owner.body.block.args[1 + value.index],)
        case scf.IfOp():
            lasts = [region.block.last_op for region in owner.regions]
            return [last.operands[value.index] for last in lasts if last is not None]
        case _:
            return owner.operands


def _carried_at(loop: scf.ForOp, place: int) -> Sequence[SSAValue]:
    last = loop.body.block.last_op
    assert last is not None
    return (loop.iter_args[place], last.operands[place])


def _drop_yielded(region: Region, used: Sequence[bool], rewriter: PatternRewriter) -> None:
    if region.blocks and (last := region.block.last_op) is not None:
        last.operands = [value for value, kept in zip(last.operands, used, strict=True) if kept]
        rewriter.notify_op_modified(last)


def _without(
    op: scf.IfOp | scf.ForOp, used: Sequence[bool], rewriter: PatternRewriter
) -> scf.IfOp | scf.ForOp:
    """`op` with those results only that are used; its regions yield no others."""
    if isinstance(op, scf.IfOp):
        types = [type for type, is_used in zip(op.result_types, used, strict=True) if is_used]
        then, otherwise = [op.detach_region(region) for region in list(op.regions)]
        return scf.IfOp(op.cond, types, then, otherwise)
    block = op.body.block
    for argument, is_used in list(zip(block.args[1:], used, strict=True)):
        if not is_used:
            rewriter.erase_block_argument(argument)
    initial = [value for value, is_used in zip(op.iter_args, used, strict=True) if is_used]
    return scf.ForOp(op.lb, op.ub, op.step, initial, op.detach_region(op.body))
