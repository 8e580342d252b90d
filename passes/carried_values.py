"""
Values that the ops of a body update one after the other, carried through its control flow: what
would stand in memory between two ops becomes results of branches, and what loops carry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from vyre_dialect.interfaces import ops_around

LOOPS = (scf.ForOp, scf.WhileOp)
_STRUCTURES = (*LOOPS, scf.IfOp, scf.IndexSwitchOp)


@dataclass(frozen=True)
class Step:
    """What an op does with one of the values."""

    slot: int
    """The position of the value."""
    update: Callable[[SSAValue], SSAValue]
    """Takes the value before the op, puts what computes the one after it in place of the op."""


def can_carry_to(op: Operation) -> bool:
    """Whether values can be carried from the start of an arm to `op`, and on to its end."""
    return all(isinstance(parent, _STRUCTURES) for parent in ops_around(op))


def is_in_loop(op: Operation) -> bool:
    """Whether an invocation may run `op` several times."""
    return any(isinstance(parent, LOOPS) for parent in ops_around(op))


def carry(
    body: Block, start: Sequence[SSAValue], steps: Mapping[Operation, Step]
) -> list[SSAValue]:
    """
    Take each of `steps` with the values that get to it. They begin as `start`, which `body` sees;
    what they are at its end is returned.
    """
    values = _Carrier(steps).run(body, dict(enumerate(start)))
    return [values[slot] for slot in range(len(start))]


class _Carrier:
    def __init__(self, steps: Mapping[Operation, Step]):
        self._steps = steps
        self._inside = dict[Operation, set[int]]()
        for op, step in steps.items():
            for parent in ops_around(op):
                self._inside.setdefault(parent, set()).add(step.slot)

    def run(self, block: Block, values: dict[int, SSAValue]) -> dict[int, SSAValue]:
        """The values at the end of `block`, given those at its start."""
        for op in list(block.ops):
            if (step := self._steps.get(op)) is not None:
                values[step.slot] = step.update(values[step.slot])
            elif slots := sorted(self._inside.get(op, ())):
                values |= self._through(op, slots, {slot: values[slot] for slot in slots})
        return values

    def _through(
        self, op: Operation, slots: list[int], values: dict[int, SSAValue]
    ) -> dict[int, SSAValue]:
        """The values behind an op with regions, which gives way to one that passes them on."""
        match op:
            case scf.ForOp():
                new = self._for(op, values)
            case scf.WhileOp():
                new = self._while(op, values)
            case scf.IfOp():
                new = self._if(op, values)
            case _:
                assert isinstance(op, scf.IndexSwitchOp)
                new = self._switch(op, values)
        new.attributes |= op.attributes
        new.location = op.location
        own = len(op.results)
        for slot, result in zip(slots, new.results[own:], strict=True):
            result.name_hint = values[slot].name_hint
        Rewriter.replace_op(op, new, new.results[:own])
        return dict(zip(slots, new.results[own:], strict=True))

    def _for(self, op: scf.ForOp, values: dict[int, SSAValue]) -> scf.ForOp:
        self._region(op.body, _arguments(op.body.block, values))
        bounds = op.lb, op.ub, op.step
        return scf.ForOp(*bounds, [*op.iter_args, *values.values()], op.detach_region(op.body))

    def _while(self, op: scf.WhileOp, values: dict[int, SSAValue]) -> scf.WhileOp:
        before, after = op.before_region, op.after_region
        self._region(before, _arguments(before.block, values))
        self._region(after, _arguments(after.block, values))
        arguments, results = [*op.arguments, *values.values()], _results(op, values)
        return scf.WhileOp(arguments, results, op.detach_region(before), op.detach_region(after))

    def _if(self, op: scf.IfOp, values: dict[int, SSAValue]) -> scf.IfOp:
        if not op.false_region.blocks:
            op.false_region.add_block(Block([scf.YieldOp()]))
        then, otherwise = self._branches(op, values)
        return scf.IfOp(op.cond, _results(op, values), then, otherwise)

    def _switch(self, op: scf.IndexSwitchOp, values: dict[int, SSAValue]) -> scf.IndexSwitchOp:
        default, *cases = self._branches(op, values)
        return scf.IndexSwitchOp(op.arg, op.cases, default, cases, _results(op, values))

    def _branches(self, op: Operation, values: dict[int, SSAValue]) -> list[Region]:
        regions = list(op.regions)
        for region in regions:
            self._region(region, values)
        return [op.detach_region(region) for region in regions]

    def _region(self, region: Region, values: dict[int, SSAValue]) -> None:
        """Let a region, which `values` get to, pass on what becomes of them."""
        last = region.block.last_op
        assert last is not None
        passed = self.run(region.block, dict(values))
        last.operands = [*last.operands, *passed.values()]


def _results(op: Operation, values: dict[int, SSAValue]) -> list[Attribute]:
    return [*op.result_types, *(value.type for value in values.values())]


def _arguments(block: Block, values: dict[int, SSAValue]) -> dict[int, SSAValue]:
    """New arguments of `block` in the place of `values`."""
    arguments = dict[int, SSAValue]()
    for slot, value in values.items():
        argument = arguments[slot] = block.insert_arg(value.type, len(block.args))
        argument.name_hint = value.name_hint
    return arguments
