"""How far pieces of an input reach into each other, and which op forbids to cut a program."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp, i8, i32, i64

from vyre_dialect.analysis.manager import AnalysisManager
from vyre_dialect.analysis.streams.apart import forbids_apart
from vyre_dialect.analysis.streams.drift import MIDDLE
from vyre_dialect.analysis.streams.plan import StreamPlan, Turn
from vyre_dialect.analysis.streams.refusal import Refusal
from vyre_dialect.analysis.streams.streams import Streams
from vyre_dialect.builder import (
    Buffer,
    Program,
    Value,
    arm,
    constant,
    for_,
    if_,
    index,
    program,
    while_,
)
from vyre_dialect.ir.types import Access, AtomicKind
from vyre_dialect.runtime.interpreter.programs import find_program


def along(module: ModuleOp, name: str = "text") -> StreamPlan | Refusal:
    built = find_program(module)
    buffer = built.buffer(name)
    assert buffer is not None
    return AnalysisManager().get(Streams, built).along(buffer)


def planned(module: ModuleOp) -> StreamPlan:
    plan = along(module)
    assert isinstance(plan, StreamPlan), str(plan)
    return plan


def refused(module: ModuleOp) -> str:
    refusal = along(module)
    assert isinstance(refusal, Refusal)
    return str(refusal)


def text_of(p: Program) -> Buffer:
    return p.buffer("text", i32, access=Access.READ_ONLY)


def count_of(p: Program) -> Buffer:
    return p.buffer("count", i32, 1, live_out=True)


@pytest.mark.parametrize(("reach", "before", "after"), [(0, 0, 0), (3, 0, 3), (-2, 2, 0)])
def test_halos_are_how_far_an_invocation_reads(reach: int, before: int, after: int) -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("scan", text.length) as i:
            count.atomic(AtomicKind.ADDI, text[i + reach])
    plan = planned(p.module)
    assert (plan.unit, plan.before, plan.after) == (1, before, after)


def test_halos_of_a_chain_are_added() -> None:
    with program("p") as p:
        source = text_of(p)
        for name in ("one", "two"):
            target = p.buffer(name, i32, source.length)
            with arm(name, source.length) as i:
                target[i] = source[i + 2] - source[i - 1]
            source = target
        count = count_of(p)
        with arm("scan", source.length) as i:
            count.atomic(AtomicKind.ADDI, source[i])
    plan = planned(p.module)
    assert (plan.before, plan.after) == (2, 4)


def test_units_hold_whole_groups_of_all_arms() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        triples = p.buffer("triples", i32, text.length // 4 * 3)
        with arm("decode", text.length // 4) as i, for_(0, 3) as loop:
            triples[i * 3 + loop.counter] = text[i * 4]
        with arm("scan", triples.length.ceildiv(16)) as i:
            count.atomic(AtomicKind.ADDI, triples[i * 16])
    plan = planned(p.module)
    assert plan.unit == 64, "64 elements are 16 groups, 48 decoded ones, and 3 of those of 16"
    assert [each.rate for each in plan.arms.values()] == [16, 3]


def test_what_a_piece_writes_in_order_is_joined() -> None:
    with program("p") as p:
        text = text_of(p)
        halves = p.buffer("halves", i32, text.length // 2, live_out=True)
        with arm("scan", halves.length) as i:
            halves[i] = text[i * 2] + text[i * 2 + 1]
    plan = planned(p.module)
    assert {buffer.sym_name.data: n for buffer, n in plan.ordered.items()} == {"halves": 1}
    assert plan.unit == 2


@pytest.mark.parametrize("kind", [AtomicKind.ADDI, AtomicKind.MAXS, AtomicKind.MINU])
def test_updates_combine_by_their_atomic(kind: AtomicKind) -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("scan", text.length) as i:
            count.atomic(kind, text[i])
    assert list(planned(p.module).kept.values()) == [kind]


def test_an_append_is_taken_over_in_order() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        places = p.buffer("places", i64, 64, live_out=True)
        with arm("scan", text.length) as i, if_(text[i] > 7):
            places[count.atomic(AtomicKind.ADDI, 1).to(index)] = i.to(i64)
    plan = planned(p.module)
    kept = {buffer.sym_name.data: kind for buffer, kind in plan.kept.items()}
    assert kept == {"count": None, "places": None}
    assert sorted(len(moves) for moves in plan.moves.values()) == [0, 1, 1], "but for the first"


def test_arms_around_run_on_the_first_and_the_last_piece() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        mean = p.buffer("twice", i32, 1, live_out=True)
        with arm("begin", 1) as i:
            count[i] = i.to(i32) + 5
        with arm("scan", text.length) as i:
            count.atomic(AtomicKind.ADDI, text[i])
        with arm("end", 1) as i:
            mean[i] = count[i] * 2
    turns = [each.turn for each in planned(p.module).arms.values()]
    assert turns == [Turn.FIRST, Turn.EVERY, Turn.LAST]


def test_what_is_complete_behind_the_last_piece_is_not_read_before() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        share = p.buffer("share", i32, text.length, live_out=True)
        with arm("sum", text.length) as i:
            count.atomic(AtomicKind.ADDI, text[i])
        with arm("share", text.length) as i:
            share[i] = text[i] - count[0]
    assert "'vyre.store' of 'share' takes what 'vyre.load' makes of a piece" in refused(p.module)


def test_a_loop_as_long_as_its_data_say_is_refused_by_its_load() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("scan", text.length) as i:

            def goes_on(place: Value) -> Value:
                return text[place].ne(0)

            with while_(goes_on, [i]) as loop:
                loop.yields(loop.carried[0] + 1)
            count.atomic(AtomicKind.ADDI, 1)
    assert "'vyre.load' of 'scan' reads '@text'" in refused(p.module)


def test_what_a_loop_carries_from_where_the_input_ends_differs_in_a_piece() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("scan", text.length):
            with for_(0, 4, carry=[constant(0, index)]) as loop:
                loop.yields(text.length)
            with if_(loop.results[0] > 3):
                count.atomic(AtomicKind.ADDI, 1)
    assert "'vyre.atomic_rmw' of 'scan'" in refused(p.module)


def test_an_index_from_data_is_refused_by_its_load() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("scan", text.length) as i:
            count.atomic(AtomicKind.ADDI, text[text[i].to(index)])
    reason = refused(p.module)
    assert "'vyre.load' of 'scan' reads '@text' at an index that does not depend" in reason


WRAPPING: dict[str, Callable[[Value], Value]] = {
    "addi": lambda number: number + 100,
    "muli": lambda number: number * 100,
    "shli": lambda number: number << 1,
    "subi": lambda number: number * 0 - 100 - number,
    "extremum": lambda number: (number + 100).min(number + 101),
}


@pytest.mark.parametrize("kind", WRAPPING)
def test_what_overflows_a_narrow_type_is_not_taken_to_be_positive(kind: str) -> None:
    with program("p") as p:
        text = p.buffer("text", i8, access=Access.READ_ONLY)
        count = count_of(p)
        with arm("scan", text.length) as i:
            element = text[i + text.length % 8]  # another one in a piece than in all
            number = WRAPPING[kind](element & 127)
            with if_(number.compare("sgt" if kind == "subi" else "slt", 0)):
                count.atomic(AtomicKind.ADDI, 1)
    assert "'vyre.atomic_rmw'" in refused(p.module)


def test_places_that_wrap_around_are_not_divided() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("scan", text.length) as i, if_((i * (1 << 40) // (1 << 40)).eq(i)):
            count.atomic(AtomicKind.ADDI, 1)
    moved = {move.op.name for move in planned(p.module).moves[MIDDLE]}
    assert moved == {"arith.floordivsi", "arith.cmpi"}


def test_an_effect_that_must_happen_once_is_apart_from_what_halos_repeat() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        copy = p.buffer("copy", i32, text.length)
        with arm("both", text.length) as i:
            count.atomic(AtomicKind.ADDI, text[i])
            copy[i] = text[i]
        near = p.buffer("near", i32, 1, live_out=True)
        with arm("scan", text.length) as i:
            near.atomic(AtomicKind.ADDI, copy[i + 1])
    assert "'vyre.atomic_rmw' of 'both' must happen once" in refused(p.module)


def test_a_piece_is_no_longer_than_a_halo_may_be() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("scan", text.length) as i:
            count.atomic(AtomicKind.ADDI, text[i + (1 << 23)])
    assert "'vyre.load' of 'scan' reads '@text'" in refused(p.module)


def test_library_ops_are_to_be_arms() -> None:
    from vyre_dialect.ops.scan import HistogramOp

    with program("p") as p:
        text = p.buffer("text", i8, access=Access.READ_ONLY)
        HistogramOp(text.ssa, p.buffer("bins", i32, 256, live_out=True).ssa)
    assert "'vyre.scan.histogram' is no arm yet: 'vyre-expand' makes it one" in refused(p.module)


def apart(module: ModuleOp) -> str | None:
    refusal = forbids_apart(planned(module))
    return None if refusal is None else str(refusal)


def test_pieces_that_add_to_a_count_may_run_apart() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("scan", text.length) as i:
            count.atomic(AtomicKind.ADDI, text[i])
    assert apart(p.module) is None


def test_pieces_that_append_to_a_list_do_not_run_apart() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        places = p.buffer("places", i64, 64, live_out=True)
        with arm("scan", text.length) as i, if_(text[i] > 7):
            places[count.atomic(AtomicKind.ADDI, 1).to(index)] = i.to(i64)
    refusal = apart(p.module)
    assert refusal is not None
    assert refusal.startswith("'vyre.atomic_rmw' of 'scan' works on '@count' in an order: a piece")


def test_pieces_behind_an_arm_that_begins_a_count_do_not_run_apart() -> None:
    with program("p") as p:
        text, count = text_of(p), count_of(p)
        with arm("begin", 1) as i:
            count[i] = i.to(i32) + 5
        with arm("scan", text.length) as i:
            count.atomic(AtomicKind.ADDI, text[i])
    refusal = apart(p.module)
    assert refusal is not None
    assert refusal.startswith("'vyre.store' of 'begin' works on '@count' in an order")
