"""What observers hear, and what the checkers make of it."""

import numpy as np
import pytest
from support.interpreting import outputs

from vyre_dialect.ir.interfaces import AccessKind
from vyre_dialect.runtime.interpreter import (
    ObservedAccess,
    Observers,
    RaceChecker,
    RaceError,
    UndefinedReadChecker,
    UndefinedReadError,
)
from vyre_dialect.runtime.interpreter.checkers import REPORTED_PER_BUFFER

GLOBAL = "!vyre.buffer<16xi32, read_write>"
TILE = "!vyre.buffer<8xi32, read_write, workgroup>"


def program(body: str, *, initial: str = "") -> str:
    """An arm of two workgroups of four; `%at` is the position read backwards in the workgroup."""
    return f"""
    vyre.program @p {{
      %data = vyre.buffer @data {initial} : {GLOBAL}
      %tile = vyre.buffer @tile : {TILE}
      %out = vyre.buffer @out : {GLOBAL}
      vyre.region "arm" invocations [8] workgroup_size [4] {{
        %i = vyre.invocation_id x
        %local = vyre.local_id x
        %group = vyre.workgroup_id x
        %c0 = arith.constant 0 : index
        %c3 = arith.constant 3 : index
        %one = arith.constant 1 : i32
        %at = arith.subi %c3, %local : index
        %word = arith.index_cast %i : index to i32
        {body}
      }}
    }}"""


def races(body: str) -> RaceChecker:
    checker = RaceChecker()
    outputs(program(body), observer=checker)
    return checker


EXCHANGE = f"""
        vyre.store %word, %tile[%local] : i32, {TILE}
        %%s
        %found = vyre.load %tile[%at] : {TILE} -> i32
        vyre.store %found, %out[%i] : i32, {GLOBAL}""".replace("%%s", "{barrier}")


def test_an_exchange_across_a_barrier_is_no_race():
    checker = races(EXCHANGE.format(barrier="vyre.barrier"))
    checker.verify()
    assert checker.races == []


@pytest.mark.parametrize(("memory", "is_race"), [("workgroup", False), ("global", True)])
def test_a_barrier_orders_the_memory_that_it_names(memory: str, is_race: bool) -> None:
    checker = races(EXCHANGE.format(barrier=f"vyre.barrier memfence {memory}"))
    assert bool(checker.races) == is_race


def test_an_exchange_without_a_barrier_is_a_race():
    checker = races(EXCHANGE.format(barrier=""))
    assert {race.buffer for race in checker.races} == {"tile"}
    assert {race.kinds for race in checker.races} == {(AccessKind.WRITE, AccessKind.READ)}
    for race in checker.races:
        writer, reader = race.invocations
        assert race.workgroups == (writer // 4, writer // 4) == (reader // 4, reader // 4)
        assert race.element == writer % 4 == 3 - reader % 4
    message = (
        "arm 0: element 0 of 'tile': write by invocation 0 of workgroup 0, "
        "read by invocation 3 of workgroup 0"
    )
    with pytest.raises(RaceError, match=f"^{message}$"):
        checker.verify()


def test_a_barrier_does_not_order_workgroups():
    body = f"""
        %own = arith.index_cast %group : index to i32
        vyre.store %own, %data[%local] : i32, {GLOBAL}
        vyre.barrier
        """
    race = races(body).races[0]
    assert race.kinds == (AccessKind.WRITE, AccessKind.WRITE)
    assert race.workgroups == (0, 1)


@pytest.mark.parametrize(
    "body",
    [
        f"vyre.store %one, %data[%c0] : i32, {GLOBAL}",
        f"%old = vyre.atomic_rmw addi %word, %data[%c0] : i32, {GLOBAL}",
        f"%found = vyre.load %data[%c0] : {GLOBAL} -> i32",
        f"vyre.store %word, %data[%i] : i32, {GLOBAL}\n%v = vyre.load %data[%i] : {GLOBAL} -> i32",
    ],
    ids=["writers of one value", "atomics", "readers", "each its own element"],
)
def test_what_is_no_race(body: str):
    assert races(body).races == []


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (f"vyre.store %word, %data[%c0] : i32, {GLOBAL}", {"write"}),
        (
            f"""%old = vyre.atomic_rmw addi %one, %data[%c0] : i32, {GLOBAL}
            %found = vyre.load %data[%c0] : {GLOBAL} -> i32""",
            {"update", "read"},
        ),
        (
            f"""%old = vyre.atomic_rmw addi %one, %data[%c0] : i32, {GLOBAL}
            vyre.store %one, %data[%c0] : i32, {GLOBAL}""",
            {"update", "write"},
        ),
        (
            f"""%run = vyre.load %data[%i] : {GLOBAL} -> vector<2xi32>
            vyre.store %word, %data[%i] : i32, {GLOBAL}""",
            {"read", "write"},
        ),
    ],
    ids=["writers of many values", "atomic and read", "atomic and write", "runs that overlap"],
)
def test_what_is_a_race(body: str, kinds: set[str]):
    found = races(body).races
    assert found and {str(kind) for race in found for kind in race.kinds} == kinds


def test_accesses_outside_a_buffer_do_not_race():
    body = f"""
        %far = arith.constant 99 : index
        vyre.store %word, %data[%far] : i32, {GLOBAL}"""
    assert races(body).races == []


def test_races_of_one_kind_are_not_reported_without_end():
    body = f"""
        %half = arith.divui %i, %c2 : index
        vyre.store %word, %data[%half] : i32, {GLOBAL}"""
    text = program("%c2 = arith.constant 2 : index\n" + body).replace("[8] work", "[80] work")
    text = text.replace("16xi32", "40xi32")
    checker = RaceChecker()
    outputs(text, observer=checker)
    assert len(checker.races) == REPORTED_PER_BUFFER


def test_an_async_copy_races_with_those_who_do_not_wait():
    copy = f"""
        %c4 = arith.constant 4 : index
        %token = vyre.async_copy %data[%c0], %tile[%c0], %c4 : {GLOBAL}, {TILE}
        {{first}}
        {{second}}"""
    wait, load = "vyre.async_wait %token", f"%v = vyre.load %tile[%local] : {TILE} -> i32"
    assert races(copy.format(first=wait, second=load)).races == []
    race = races(copy.format(first=load, second=wait)).races[0]
    assert race.buffer == "tile" and race.invocations[0] == -1


def undefined(body: str, initial: str = "") -> UndefinedReadChecker:
    checker = UndefinedReadChecker()
    outputs(program(body, initial=initial), observer=checker)
    return checker


def test_a_tile_that_is_written_before_it_is_read_is_defined():
    checker = undefined(EXCHANGE.format(barrier="vyre.barrier"))
    checker.verify()
    assert checker.reads == []


def test_reads_of_elements_that_nobody_wrote_are_found():
    body = f"""
        vyre.store %word, %tile[%local] : i32, {TILE}
        vyre.barrier
        %run = vyre.load %tile[%local] : {TILE} -> vector<2xi32>"""
    checker = undefined(body)
    assert [(r.buffer, r.element, r.invocation, r.workgroup) for r in checker.reads] == [
        ("tile", 4, 3, 0),
        ("tile", 4, 7, 1),
    ]
    with pytest.raises(UndefinedReadError, match="element 4 of 'tile' is read by invocation 3"):
        checker.verify()


def test_only_buffers_that_start_undefined_are_checked():
    body = f"%v = vyre.load %data[%i] : {GLOBAL} -> i32"
    assert undefined(body).reads == []
    assert len(undefined(body, "initial undefined").reads) == 8


class Recorder:
    """Keeps everything it hears."""

    def __init__(self) -> None:
        self.arms: list[tuple[int, str]] = []
        self.accesses: list[ObservedAccess] = []
        self.ended = False

    def begin_arm(self, arm: int, op: object) -> None:
        self.arms.append((arm, op.name))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]

    def access(self, access: ObservedAccess) -> None:
        self.accesses.append(access)

    def end_run(self) -> None:
        self.ended = True


def test_an_observer_hears_of_each_element_of_each_access():
    body = f"""
        %odd = arith.trunci %word : i32 to i1
        scf.if %odd {{
          %run = vyre.load %data[%i] : {GLOBAL} -> vector<2xi32>
        }}
        vyre.barrier
        vyre.store %one, %out[%c0] : i32, {GLOBAL}"""
    recorder, twin = Recorder(), Recorder()
    outputs(program(body).replace("<16xi32", "<7xi32"), observer=Observers(recorder, twin))
    assert recorder.arms == twin.arms == [(0, "vyre.region")]
    assert recorder.ended and twin.ended
    load, store = recorder.accesses
    assert (load.name, load.kind, load.arm) == ("data", AccessKind.READ, 0)
    assert load.elements.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert load.in_bounds.tolist() == [True] * 6 + [False] * 2
    assert load.invocations.tolist() == [1, 1, 3, 3, 5, 5, 7, 7]
    assert load.workgroups.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert load.phases.tolist() == [0] * 8
    assert load.values is None
    assert (store.name, store.kind) == ("out", AccessKind.WRITE)
    assert store.elements.tolist() == [0] * 8
    assert store.invocations.tolist() == list(range(8))
    assert store.phases.tolist() == [1] * 8
    assert store.values is not None
    assert store.values.view(np.int32).ravel().tolist() == [1] * 8
