"""The body of an arm written anew for several lanes, by recipes that say how each op is done."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IndexType, IntegerType, UnknownLoc, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from vyre_dialect.builder import Buffer, Value
from vyre_dialect.ir.effects import is_effect_free
from vyre_dialect.ir.proofs import drop_proofs
from vyre_dialect.ir.thread_local_building import current_block
from vyre_dialect.ir.traversal import ops_inside
from vyre_dialect.ir.types import BufferType, MemorySpace
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.passes.loop.vectorization.lane_values import (
    LaneValue,
    Stepped,
    Uniform,
    Wide,
    lane_type,
    wide_type,
)

MOST_AGAIN = 8
"""Ops that a lane does again: reading a lane of a vector goes through memory."""


class Recipe(ABC):
    """How lanes do an op, decided before anything is written: what LLVM's VPlan calls a recipe."""

    @abstractmethod
    def write(self, body: Body) -> None:
        """Do the op for all lanes, at the current place."""


@dataclass(frozen=True)
class BlockRecipe:
    """How lanes do what stands in a block."""

    recipes: Sequence[tuple[Operation, Recipe]] = ()
    """For each op that leaves something to do, in their order."""
    passed: Sequence[SSAValue] = ()
    """What the terminator passes on."""


@dataclass(frozen=True)
class Place:
    """What accesses of one chunk agree in."""

    buffer: SSAValue
    terms: frozenset[object]
    """The terms of an index."""
    step: int
    type: Attribute


@dataclass(frozen=True)
class Chunk:
    """Vectors that hold what neighbours load around each other's elements."""

    begin: int
    """The constant of the index that the first vector starts at."""
    vectors: tuple[SSAValue, ...]


Chunks: TypeAlias = dict[Place, list[Chunk]]


@dataclass
class Body:
    """What has been written so far: the lanes of the values of an arm."""

    lanes: int
    values: dict[SSAValue, LaneValue] = field(default_factory=dict[SSAValue, LaneValue])
    mask: SSAValue | None = None
    """Where what is computed matters, in branches of which all lanes take both."""
    chunks: Chunks = field(default_factory=Chunks)
    """What has been loaded before the current place."""
    kept: dict[BufferOp, str] = field(default_factory=dict[BufferOp, str])
    """Memory of the invocation that is to be declared in front of the arm, and what it holds."""

    def run(self, block: BlockRecipe) -> list[LaneValue]:
        """Do what a block does at the current place; what its terminator passes on."""
        outer, self.chunks = self.chunks, {place: [*seen] for place, seen in self.chunks.items()}
        for op, recipe in block.recipes:
            self._write(op, recipe)
        self.chunks = outer
        return [self.value(value) for value in block.passed]

    def _write(self, op: Operation, recipe: Recipe) -> None:
        """Do an op at the current place; what it becomes comes from where it stands."""
        block = current_block()
        last = block.last_op
        recipe.write(self)
        made = block.first_op if last is None else last.next_op
        while made is not None:
            _locate(made, op)
            made = made.next_op

    def value(self, value: SSAValue) -> LaneValue:
        """What a value of the arm, or of the host, is in the lanes."""
        return self.values.get(value) or Uniform(self.lanes, value)

    def in_lane(self, value: SSAValue, lane: Value) -> SSAValue:
        """
        What a value of the arm is in the lane of a number that the program computes. Few ops of
        numbers in equal steps are done again, as no lane of a vector says what it is made of.
        """
        ops = dict[Operation, None]()
        if not self._is_made_of_steps(value, ops) or not ops:
            return self.value(value).at_index(lane)
        leaves = (leaf for op in ops for leaf in op.operands if leaf.owner not in ops)
        copies = {leaf: self.value(leaf).at_index(lane) for leaf in dict.fromkeys(leaves)}
        for op in ops:
            self.drop_proofs(op.clone_without_regions(copies))  # notes the copies of its results
        return copies[value]

    def _is_made_of_steps(
        self, value: SSAValue, ops: dict[Operation, None], depth: int = 0
    ) -> bool:
        """Whether so few ops make a value of numbers in equal steps; adds them, in their order."""
        op = value.owner
        if isinstance(self.value(value), Uniform | Stepped) or op in ops:
            return True
        if depth == MOST_AGAIN or not isinstance(op, Operation) or not _computes_integers(op):
            return False
        if not all(self._is_made_of_steps(operand, ops, depth + 1) for operand in op.operands):
            return False
        ops[op] = None
        return len(ops) <= MOST_AGAIN

    def bind(self, value: SSAValue, lanes: LaneValue) -> None:
        """Say what a value of the arm is in the lanes."""
        self.values[value] = lanes
        for each in _made(lanes):
            each.name_hint = each.name_hint or value.name_hint

    def bind_wide(self, value: SSAValue, vector: SSAValue) -> None:
        """Say that a value of the arm is a vector."""
        self.bind(value, Wide(self.lanes, vector, value.type))

    def keep(self, value: SSAValue) -> Buffer:
        """Put what the lanes have of a number into memory, lane by lane."""
        type = BufferType(self.lanes, lane_type(value.type), memory_space=MemorySpace.PRIVATE)
        declared = BufferOp("kept", type)
        declared.detach()  # it is to stand in front of the arm
        self.kept[declared] = value.name_hint or "item"
        kept = Buffer(declared.buffer)
        kept.store(Value(self.value(value).wide()), 0, in_bounds=True)
        return kept

    def wide_type(self, type: Attribute) -> VectorType:
        """The type of the vector of all lanes' values of a type."""
        return wide_type(type, self.lanes)

    def clone_at(self, op: Operation, lane: int) -> Operation:
        """An op without regions as one lane runs it, at the current place."""
        copies = {operand: self.value(operand).at(lane) for operand in op.operands}
        made = op.clone_without_regions(copies)
        self.drop_proofs(made)
        return made

    @contextmanager
    def masked(self, mask: SSAValue) -> Generator[None]:
        """Let what is computed inside matter only in lanes of `mask`, of those of masks around."""
        outer = self.mask
        self.mask = mask if outer is None else (Value(outer) & Value(mask)).ssa
        yield
        self.mask = outer

    def drop_proofs(self, made: Operation) -> None:
        """Take from a new op what is proven only where the branch is taken that it is of."""
        if self.mask is not None:
            drop_proofs(made)


def _computes_integers(op: Operation) -> bool:
    """Whether an op is a function of single integers."""
    types = (each.type for each in (*op.operands, *op.results))
    is_function = is_effect_free(type(op)) and not op.regions
    return is_function and all(isinstance(each, IntegerType | IndexType) for each in types)


def _locate(made: Operation, of: Operation) -> None:
    """Let what an op has become stand where it stood."""
    for each in ops_inside(made):
        if isinstance(each.location, UnknownLoc):
            each.location = of.location


def _made(lanes: LaneValue) -> Sequence[SSAValue]:
    match lanes:
        case Wide():
            return (lanes.vector,)
        case Uniform():
            return (lanes.value,)
        case _:
            return ()


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
