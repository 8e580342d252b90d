"""What is known of the body of an arm while its invocations become lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from xdsl.builder import ImplicitBuilder
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vyre_dialect.analysis.divergence import DivergenceAnalysis
from vyre_dialect.analysis.linear_forms import LinearForms
from vyre_dialect.ir.effects import buffers_touched
from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.ir.proofs import drop_proofs
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.passes.loop.refusal import RefusedError
from vyre_dialect.passes.loop.vectorization.lane_values import LaneValue, Uniform, Wide, wide_type
from vyre_dialect.passes.loop.vectorization.refusal import Reason
from vyre_dialect.passes.loop.vectorization.steps import Steps

Run = Callable[[Block], list[LaneValue]]
"""Vectorizes the ops of a block at the current place; gives what its terminator passes on."""


@dataclass
class Body:
    """The lanes of the values of an arm so far, and what it takes to compute more."""

    arm: RegionOp
    lanes: int
    run: Run
    forms: LinearForms
    divergence: DivergenceAnalysis
    written: AbstractSet[SSAValue] = field(init=False)
    """The buffers that the arm writes: what is loaded from them depends on the moment."""
    steps: Steps = field(init=False)
    values: dict[SSAValue, LaneValue] = field(default_factory=dict[SSAValue, LaneValue])
    mask: SSAValue | None = None
    """Where what is computed matters, in branches of which all lanes take both."""
    wide_ops: int = 0
    """Accesses and ops that serve all lanes at once."""
    scalar_ops: int = 0
    """Accesses and ops that are done for each lane."""

    def __post_init__(self) -> None:
        touched = buffers_touched(self.arm.body)
        self.written = {buffer for buffer, kinds in touched.items() if AccessKind.WRITE in kinds}
        self.steps = Steps(self.forms, self.divergence)

    def value(self, value: SSAValue) -> LaneValue:
        """What a value of the arm, or of the host, is in the lanes."""
        return self.values.get(value) or Uniform(self.lanes, value)

    def varies(self, value: SSAValue) -> bool:
        """Whether lanes may differ in a value."""
        return self.divergence.differs_along_x(value)

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether a value has become the same for all lanes."""
        return isinstance(self.value(value), Uniform)

    def bind(self, value: SSAValue, lanes: LaneValue) -> None:
        """Say what a value of the arm is in the lanes."""
        self.values[value] = lanes
        for each in _made(lanes):
            each.name_hint = each.name_hint or value.name_hint

    def bind_wide(self, value: SSAValue, vector: SSAValue) -> None:
        """Say that a value of the arm is a vector."""
        self.bind(value, Wide(self.lanes, vector, value.type))

    def wide_type(self, type: Attribute) -> Attribute:
        """The type of the vector of all lanes' values of a type."""
        return wide_type(type, self.lanes)

    def clone_at(self, op: Operation, lane: int) -> Operation:
        """An op without regions as one lane runs it, at the current place."""
        return self.copy(op, {operand: self.value(operand).at(lane) for operand in op.operands})

    def copy(self, op: Operation, copies: dict[SSAValue, SSAValue]) -> Operation:
        """An op without regions that computes with `copies`, at the current place."""
        made = op.clone_without_regions(copies)
        self.drop_proofs(made)
        return made

    def drop_proofs(self, made: Operation) -> None:
        """Take from a new op what is proven only where the branch is taken that it is of."""
        if self.mask is not None:
            drop_proofs(made)


def _made(lanes: LaneValue) -> Sequence[SSAValue]:
    match lanes:
        case Wide():
            return (lanes.vector,)
        case Uniform():
            return (lanes.value,)
        case _:
            return ()


def refuse_form(op: Operation) -> RefusedError:
    """The refusal of an op that has no vector form."""
    types = ", ".join(str(value.type) for value in (*op.operands, *op.results))
    detail = f"'{op.name}' of values that differ between lanes has no vector form: {types}"
    return RefusedError(Reason.NO_VECTOR_FORM, detail)


def copy_ops(ops: Iterable[Operation], copies: dict[SSAValue, SSAValue]) -> None:
    """Copy ops and what stands in them to the current place, with `copies` for what they use."""
    for op in ops:
        if not op.regions:
            op.clone_without_regions(copies)
            continue
        regions = [_copied(region, copies) for region in op.regions]
        made = type(op).create(
            operands=[copies.get(operand, operand) for operand in op.operands],
            result_types=op.result_types,
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            regions=regions,
        )
        copies.update(zip(op.results, made.results, strict=True))


def _copied(region: Region, copies: dict[SSAValue, SSAValue]) -> Region:
    made = Region()
    for block in region.blocks:
        inner = Block(arg_types=[argument.type for argument in block.args])
        copies.update(zip(block.args, inner.args, strict=True))
        with ImplicitBuilder(inner):
            copy_ops(block.ops, copies)
        made.add_block(inner)
    return made


def mapped(values: Sequence[SSAValue], copies: Mapping[SSAValue, SSAValue]) -> list[SSAValue]:
    """What stands for each of some values."""
    return [copies.get(value, value) for value in values]


def passed_on(lanes: Sequence[LaneValue], varies: Sequence[bool]) -> list[SSAValue]:
    """Vectors of what varies, and the values of what does not."""
    return [
        each.wide() if is_wide else each.at(0) for each, is_wide in zip(lanes, varies, strict=True)
    ]


def bind_each(
    body: Body, values: Sequence[SSAValue], made: Sequence[SSAValue], varies: Sequence[bool]
) -> None:
    """Say what values of the arm are: vectors of what varies, and one number of what does not."""
    for value, new, is_wide in zip(values, made, varies, strict=True):
        if is_wide:
            body.bind_wide(value, new)
        else:
            body.bind(value, Uniform(body.lanes, new))
