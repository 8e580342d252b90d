"""Which invocation touches which element: exactly, as a superset, or unknown; and what is sure."""

from __future__ import annotations

from collections.abc import Callable

import islpy as isl
from xdsl.dialects.builtin import IndexType, ModuleOp, i8
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def

from vyre_dialect.analysis.access_relations import ArmAccesses
from vyre_dialect.analysis.symbols import Symbols
from vyre_dialect.builder import Buffer, Program, Value, for_, if_, program
from vyre_dialect.ir.interfaces import AccessKind, BufferAccess, HasAccessesInterface
from vyre_dialect.ir.types import Access, BufferType
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp

COUNT = 16


@irdl_op_definition
class FillOp(IRDLOperation, HasAccessesInterface):
    """Writes as many elements as it is told."""

    name = "test.fill"

    buffer = operand_def(BufferType)
    index = operand_def(IndexType())
    count = operand_def(IndexType())

    def __init__(self, buffer: SSAValue, index: SSAValue, count: SSAValue):
        super().__init__(operands=[buffer, index, count])

    def get_accesses(self) -> tuple[BufferAccess, ...]:
        return (BufferAccess(AccessKind.WRITE, self.buffer, self.index, self.count),)


class Arm:
    """A program of one arm under construction, and what is found out of it."""

    def __init__(self) -> None:
        self._program = program("p")

    def __enter__(self) -> Arm:
        self.p: Program = self._program.__enter__()
        self.source = self.p.buffer("source", i8, COUNT, access=Access.READ_ONLY)
        self.out = self.p.buffer("out", i8, COUNT)
        self._arm = self.p.arm("arm", COUNT)
        self.i: Value = self._arm.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._arm.__exit__(None, None, None)
        self._program.__exit__(None, None, None)

    def analysed(self) -> ArmAccesses:
        """The accesses of the arm."""
        module: ModuleOp = self.p.module
        op = module.body.block.first_op
        assert isinstance(op, ProgramOp)
        return ArmAccesses(next(op.arms()), Symbols(isl.Context()))

    def sure(self) -> set[tuple[int, int]]:
        """The pairs of invocation and element that are surely written."""
        return pairs(self.analysed().surely_written(declaration(self.out)))


def declaration(buffer: Buffer) -> BufferOp:
    owner = buffer.ssa.owner
    assert isinstance(owner, BufferOp)
    return owner


def pairs(relation: isl.Map) -> set[tuple[int, int]]:
    found = set[tuple[int, int]]()

    def note(point: isl.Point) -> None:
        at = [
            int(point.get_coordinate_val(isl.dim_type.set, place).to_python()) for place in (0, 3)
        ]
        found.add((at[0], at[1]))

    relation.wrap().foreach_point(note)
    return found


def test_a_store_in_both_branches_is_sure() -> None:
    with Arm() as arm:
        value = arm.source[arm.i]
        with if_(value < 5) as branch:
            arm.out[arm.i] = 1
        with branch.else_():
            arm.out[arm.i] = 2
    assert arm.sure() == {(i, i) for i in range(COUNT)}


def test_a_store_in_one_branch_is_not() -> None:
    with Arm() as arm, if_(arm.source[arm.i] < 5):
        arm.out[arm.i] = 1
    assert not arm.sure()
    (write,) = arm.analysed().writes_to(declaration(arm.out))
    assert not write.exact
    assert write.touched is not None
    assert pairs(write.touched) == {(i, i) for i in range(COUNT)}


def test_only_what_both_branches_store_is_sure() -> None:
    with Arm() as arm:
        with if_(arm.source[arm.i] < 5) as branch:
            arm.out[arm.i] = 1
            arm.out[arm.i + 1] = 1
        with branch.else_():
            arm.out[arm.i + 1] = 2
    assert arm.sure() == {(i, i + 1) for i in range(COUNT - 1)}


def test_loops_in_both_branches_meet_in_what_they_store() -> None:
    with Arm() as arm:
        first = arm.i * 2
        with if_(arm.source[arm.i] < 5) as branch, for_(0, 2) as loop:
            arm.out[first + loop.counter] = 1
        with branch.else_(), for_(0, 4) as loop:
            arm.out[first + loop.counter] = 2
    assert arm.sure() == {(i, 2 * i + k) for i in range(COUNT // 2) for k in range(2)}


def test_a_loop_of_unknown_length_stores_nothing_for_sure() -> None:
    with Arm() as arm:
        many = arm.source[arm.i].to(IndexType())
        with for_(0, many) as loop:
            arm.out[loop.counter] = 1
    assert not arm.sure()


def test_as_many_elements_as_an_operand_says() -> None:
    with Arm() as arm:
        FillOp(arm.out.ssa, arm.i.ssa, (arm.i % 3).ssa)
    (write,) = arm.analysed().writes_to(declaration(arm.out))
    assert write.exact
    assert write.touched is not None
    expected = {(i, i + k) for i in range(COUNT) for k in range(i % 3) if i + k < COUNT}
    assert pairs(write.touched) == expected


def test_a_number_of_elements_that_depends_on_data() -> None:
    with Arm() as arm:
        count = arm.source[arm.i].to(IndexType())
        FillOp(arm.out.ssa, arm.i.ssa, count.ssa)
    (write,) = arm.analysed().writes_to(declaration(arm.out))
    assert write.reach is None
    assert write.cause is not None


def test_an_index_at_the_end_of_a_long_chain_is_followed() -> None:
    with Arm() as arm:
        index = arm.i
        for _ in range(400):
            index = index + 1
        arm.out[index - 400] = arm.source[arm.i]
    assert arm.sure() == {(i, i) for i in range(COUNT)}


def pieces_of_the_read(at: Callable[[Value], Value]) -> set[str]:
    """What the index of a load is, in each part of the invocations that is not empty."""
    with Arm() as arm:
        arm.out[arm.i] = arm.source[at(arm.i)]
    (read,) = (each for each in arm.analysed().accesses if not each.writes)
    return {str(piece) for piece in read.pieces}


def test_an_index_has_the_pieces_that_invocations_meet() -> None:
    whole = pieces_of_the_read(lambda i: i)
    end = pieces_of_the_read(lambda i: i * 0 + COUNT // 2)
    assert len(whole) == len(end) == 1
    assert pieces_of_the_read(lambda i: i.min(COUNT // 2)) == whole | end
    assert pieces_of_the_read(lambda i: i.max(0)) == whole
