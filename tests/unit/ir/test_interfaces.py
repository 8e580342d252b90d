"""What an op says of itself, and what follows from that."""

import pytest
from support.foreign_ops import (
    FenceOp,
    LaneOp,
    MeetOp,
    MixOp,
    MysteryOp,
    PairSumOp,
    SaturateOp,
    StampOp,
)
from xdsl.dialects import arith, scf, test
from xdsl.dialects.builtin import IndexType, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import EffectInstance, MemoryEffectKind, get_effects
from xdsl.utils.test_value import create_ssa_value

from vyre_dialect.ir.cooperation import is_data_parallel, unknown_op
from vyre_dialect.ir.effects import states_effects
from vyre_dialect.ir.interfaces import (
    AccessKind,
    BufferAccess,
    Id,
    accesses_of,
    arm_of,
    ids_of,
)
from vyre_dialect.ir.types import Access, AtomicKind, BufferType, MemorySpace
from vyre_dialect.ops.invocation import (
    AsyncCopyOp,
    BarrierOp,
    InvocationIdOp,
    SubgroupShuffleOp,
    TrapOp,
    WorkgroupIdOp,
)
from vyre_dialect.ops.memory import AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp
from vyre_dialect.ops.program import ProgramOp, RegionOp

WORDS = BufferType(64, i32, Access.READ_WRITE)
TILE = BufferType(64, i32, Access.READ_WRITE, MemorySpace.WORKGROUP)


def buffer(type: BufferType = WORDS) -> SSAValue:
    return create_ssa_value(type)


def index() -> SSAValue:
    return create_ssa_value(IndexType())


def word() -> SSAValue:
    return create_ssa_value(i32)


def test_an_access_is_redirected_to_other_elements():
    op = PairSumOp(buffer(), index())
    tile, place = buffer(TILE), index()
    op.redirect(op.get_accesses()[0], tile, place)
    assert (op.buffer, op.index) == (tile, place)


def test_one_of_two_accesses_is_redirected():
    source, target, count = index(), index(), index()
    op = AsyncCopyOp(buffer(), source, buffer(TILE), target, count)
    other, place = buffer(TILE), index()
    op.redirect(op.get_accesses()[1], other, place)
    assert (op.destination, op.destination_index) == (other, place)
    assert (op.source_index, op.count) == (source, count)


def test_an_operand_of_two_purposes_is_not_redirected():
    shared = index()
    op = StampOp(shared, buffer(), shared)
    with pytest.raises(ValueError, match=r"'acme.stamp' expected operands of their own"):
        op.redirect(op.get_accesses()[0], buffer(TILE), index())


def test_an_access_without_an_index_is_not_redirected():
    op = TrapOp("bad", index(), buffer())
    with pytest.raises(ValueError, match=r"'vyre.trap' expected operands of their own"):
        op.redirect(op.get_accesses()[0], buffer(), index())


def test_a_store_of_its_own_index_is_redirected():
    shared = index()
    op = StoreOp(shared, buffer(), shared)
    tile, place = buffer(TILE), index()
    op.redirect(op.get_accesses()[0], tile, place)
    assert (op.value, op.buffer, op.index) == (shared, tile, place)


def update(combiner: str | None) -> BufferAccess:
    return BufferAccess(AccessKind.UPDATE, buffer(), combiner=combiner)


@pytest.mark.parametrize(
    ("first", "second", "commute"),
    [("add", "add", True), ("add", "or", False), ("add", None, False), (None, None, False)],
)
def test_updates_that_may_be_done_in_any_order(
    first: str | None, second: str | None, commute: bool
) -> None:
    assert update(first).commutes_with(update(second)) is commute
    assert update(second).commutes_with(update(first)) is commute


def atomic(kind: AtomicKind, *, is_seen: bool = False) -> BufferAccess:
    op = AtomicRMWOp(kind, word(), buffer(), index())
    if is_seen:
        test.TestOp([op.old])
    return op.get_accesses()[0]


def test_atomics_commute_with_their_like():
    assert atomic(AtomicKind.ADDI).commutes_with(atomic(AtomicKind.ADDI))
    assert not atomic(AtomicKind.ADDI).commutes_with(atomic(AtomicKind.ORI))
    assert not atomic(AtomicKind.ASSIGN).commutes_with(atomic(AtomicKind.ASSIGN))


def test_an_atomic_whose_old_value_is_seen_does_not_commute():
    assert not atomic(AtomicKind.ADDI, is_seen=True).commutes_with(atomic(AtomicKind.ADDI))
    assert not atomic(AtomicKind.MAXU, is_seen=True).idempotent


def test_what_may_be_done_again():
    assert atomic(AtomicKind.MAXU).idempotent and atomic(AtomicKind.ORI).idempotent
    assert not atomic(AtomicKind.ADDI).idempotent and not atomic(AtomicKind.XORI).idempotent
    assert TrapOp("bad", index(), buffer()).get_accesses()[0].idempotent


@pytest.mark.parametrize(
    ("kind", "reads", "writes"),
    [
        (AccessKind.READ, True, False),
        (AccessKind.WRITE, False, True),
        (AccessKind.UPDATE, True, True),
    ],
)
def test_what_accesses_see_and_change(kind: AccessKind, reads: bool, writes: bool):
    access = BufferAccess(kind, buffer())
    assert (access.reads, access.writes) == (reads, writes)


R, W = MemoryEffectKind.READ, MemoryEffectKind.WRITE


@pytest.mark.parametrize(
    ("op", "kinds"),
    [
        (PairSumOp(buffer(), index()), {R}),
        (StampOp(index(), buffer(), index()), {W}),
        (SaturateOp(word(), buffer(), index()), {R, W}),
    ],
    ids=lambda value: value.name if isinstance(value, Operation) else "",
)
def test_effects_follow_from_accesses(op: Operation, kinds: set[MemoryEffectKind]):
    (touched,) = {access.buffer for access in accesses_of(op)}
    assert get_effects(op) == {EffectInstance(kind, touched) for kind in kinds}


@pytest.mark.parametrize(
    ("op", "ids"),
    [
        (InvocationIdOp(), {Id.INVOCATION}),
        (WorkgroupIdOp(), {Id.WORKGROUP}),
        (LaneOp(result_types=[IndexType()]), {Id.LOCAL}),
        (SubgroupShuffleOp(word(), index()), {Id.SUBGROUP, Id.LANE}),
        (MixOp(word(), word()), set[Id]()),
        (LoadOp(buffer(), index()), set[Id]()),
        (arith.AddiOp(word(), word()), set[Id]()),
        (BarrierOp(), set[Id]()),
        (MysteryOp(result_types=[IndexType()]), None),
        (test.TestOp(), None),
        (test.TestPureOp(), None),
    ],
    ids=lambda value: value.name if isinstance(value, Operation) else "",
)
def test_the_ids_that_results_depend_on(op: Operation, ids: set[Id] | None):
    assert ids_of(op) == ids


def test_ops_that_touch_nothing_have_no_accesses():
    assert accesses_of(MixOp(word(), word())) == ()
    assert accesses_of(test.TestOp([buffer()])) == ()


@pytest.mark.parametrize(
    ("op", "stated"),
    [
        (PairSumOp(buffer(), index()), True),
        (AtomicCASOp(word(), word(), buffer(), index()), True),
        (FenceOp(), True),
        (MixOp(word(), word()), True),
        (arith.ExtSIOp(word(), i32), True),
        (scf.IfOp(create_ssa_value(i32), (), [scf.YieldOp()]), True),
        (test.TestOp(), False),
        (test.TestOp(regions=[Region(Block())]), False),
        (test.TestReadOp(), False),
        (test.TestWriteOp(), False),
    ],
    ids=lambda value: value.name if isinstance(value, Operation) else "",
)
def test_whether_all_that_an_op_does_is_known(op: Operation, stated: bool):
    assert states_effects(op) is stated


@pytest.mark.parametrize(
    ("op", "parallel"),
    [
        (MixOp(word(), word()), True),
        (PairSumOp(buffer(), index()), True),
        (PairSumOp(buffer(TILE), index()), False),
        (LaneOp(result_types=[IndexType()]), False),
        (MeetOp(), False),
        (FenceOp(), False),
        (MysteryOp(result_types=[IndexType()]), False),
    ],
    ids=lambda value: value.name if isinstance(value, Operation) else "",
)
def test_arms_that_do_not_depend_on_their_workgroups(op: Operation, parallel: bool):
    assert is_data_parallel(Region(Block([op.clone()]))) is parallel


def test_an_op_that_does_not_say_is_found():
    mystery = MysteryOp(result_types=[IndexType()])
    assert unknown_op(Region(Block([LaneOp(result_types=[IndexType()]), mystery]))) is mystery


def test_the_arm_that_an_op_stands_in():
    inner = MeetOp()
    condition = arith.ConstantOp.from_int_and_width(1, 1)
    arm = RegionOp("a", [64], Region(Block([condition, scf.IfOp(condition, (), [inner])])))
    program = ProgramOp("p", Region(Block([arm])))
    assert arm_of(inner) is arm
    assert arm_of(arm) is None and arm_of(program) is None
