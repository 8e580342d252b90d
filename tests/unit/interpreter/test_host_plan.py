"""The host plan, walked by a backend that only takes notes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.interpreting import parse

from vyre_dialect.ops.kernel import LaunchOp
from vyre_dialect.ops.program import RegionOp
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter.formats import UnsupportedError
from vyre_dialect.runtime.interpreter.host_plan import (
    MOST_SIZINGS,
    Declaration,
    HostPlan,
    HostRun,
    HostStep,
    PendingRead,
    RemoteStorage,
    Sizing,
    compile_extents,
)
from vyre_dialect.runtime.interpreter.machine import Compiler
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.traps import TrapError, trap_messages


class Far(RemoteStorage):
    """A buffer whose bytes are those that it was made with."""

    def __init__(self, count: int, element_size: int, contents: bytes):
        super().__init__(count, element_size)
        self.contents = np.frombuffer(contents.ljust(count * element_size, b"\0"), np.uint8)

    def fetch(self, begin: int, end: int) -> NDArray[np.uint8]:
        assert 0 <= begin < end <= self.count * self.element_size
        return self.contents[begin:end]


class Notes(HostRun[Far]):
    """What a plan asks of a backend, in order."""

    def __init__(self, sizing: Sizing, contents: Mapping[str, bytes]):
        super().__init__(sizing)
        self.contents = contents
        self.asked: list[tuple[Any, ...]] = []

    def make(self, declaration: Declaration, count: int) -> Far:
        self.asked.append(("make", declaration.name, count))
        contents = self.contents.get(declaration.name, b"")
        return Far(count, declaration.element_size, contents)

    def read(self, declaration: Declaration, begin: int, end: int) -> PendingRead:
        self.asked.append(("read", declaration.name, begin, end))
        contents = self.storages[declaration.key].contents[begin:end]
        return lambda: contents


def compile_arm(op: RegionOp | LaunchOp, compiler: Compiler, is_sized: bool) -> HostStep[Notes]:
    assert isinstance(op, RegionOp)
    generator = op.generator.data
    extents = compile_extents(op.domain, compiler)
    return lambda run, frame: run.asked.append(("arm", generator, extents(frame)[0], is_sized))


def plan(text: str) -> HostPlan[Notes]:
    program = find_program(parse(text))
    return HostPlan(program, compile_arm, trap_messages(program))


def walk(
    plan: HostPlan[Notes], supplied: Mapping[str, int], contents: Mapping[str, bytes] | None = None
) -> Notes:
    run = Notes(plan.sizing(supplied), contents or {})
    plan.walk(run)
    return run


COUNTED = """
    vyre.program @p {
      %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
      %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
      %c2 = arith.constant 2 : index
      %half = arith.floordivsi %n, %c2 : index
      %words = vyre.buffer @words[%half] : !vyre.buffer<?xi16, read_write>
      vyre.region "first" invocations [%half] {
      }
      %index = arith.constant -1 : index
      %two = vyre.load %words[%index] : !vyre.buffer<?xi16, read_write> -> i32
      %count = arith.index_cast %two : i32 to index
      %out = vyre.buffer @out[%count] live_out : !vyre.buffer<?xi8, read_write>
      %all = vyre.buf_len %out : !vyre.buffer<?xi8, read_write>
      vyre.region "second" invocations [%all] {
      }
      vyre.region "third" invocations [%half] {
      }
    }"""


def test_steps_come_in_the_order_of_the_program():
    # The run of two elements begins in front of the buffer, where it reads 0.
    notes = walk(plan(COUNTED), {"in": 9}, {"words": b"\1\0\2\0"})
    assert notes.asked == [
        ("make", "in", 9),
        ("make", "words", 4),
        ("arm", "first", 4, True),
        ("make", "out", 65536),
        ("arm", "second", 65536, False),
        ("arm", "third", 4, True),
    ]


def test_what_follows_from_sizes_is_computed_once_for_them():
    counted = plan(COUNTED)
    first = counted.sizing({"in": 9})
    assert counted.sizing({"in": 9}) is first
    other = counted.sizing({"in": 3})
    assert other is not first
    assert sorted(first.counts.values()) == [4, 9]
    assert sorted(other.counts.values()) == [1, 3]
    assert counted.sizing({"in": 9}) is first


def test_no_more_than_some_sizes_are_remembered():
    counted = plan(COUNTED)
    first = counted.sizing({"in": 0})
    for size in range(1, MOST_SIZINGS):
        counted.sizing({"in": size})
    assert counted.sizing({"in": 0}) is first
    counted.sizing({"in": MOST_SIZINGS})
    assert counted.sizing({"in": 0}) is not first


def test_runs_of_one_sizing_do_not_see_each_other():
    counted = plan(COUNTED)
    runs = [walk(counted, {"in": 9}, {"words": bytes((i, 0))}) for i in (1, 2)]
    assert [run.asked[3] for run in runs] == [("make", "out", 65536), ("make", "out", 131072)]


def test_an_input_has_the_size_that_is_computed():
    sized = plan(COUNTED)
    with pytest.raises(VyreError, match="input 'words' expected 4 elements of i16, got 5"):
        sized.sizing({"in": 9, "words": 5})
    with pytest.raises(VyreError, match="input 'out' expected 0 elements of i8, got 1"):
        walk(sized, {"in": 9, "words": 4, "out": 1})


NEGATIVE = """
    vyre.program @p {
      %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
      %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
      %c2 = arith.constant 2 : index
      %less = arith.subi %n, %c2 : index
      vyre.region "g" invocations [%less] {
      }
    }"""


def test_a_negative_count_is_none():
    for length in (0, 1, 2):
        assert walk(plan(NEGATIVE), {"in": length}).asked[-1] == ("arm", "g", 0, True)


def test_a_size_that_nobody_knows_is_an_error():
    text = """vyre.program @p {
      %a = vyre.buffer @a initial undefined : !vyre.buffer<?xi8, read_write>
    }"""
    with pytest.raises(VyreError, match=r"buffer 'a' expected a size, got none: .* '@a\[%n\]'"):
        plan(text).sizing({})


def test_the_host_knows_the_length_of_a_tile():
    text = """vyre.program @p {
      %tile = vyre.buffer @tile : !vyre.buffer<8xi32, read_write, workgroup>
      %n = vyre.buf_len %tile : !vyre.buffer<8xi32, read_write, workgroup>
      %out = vyre.buffer @out[%n] : !vyre.buffer<?xi8, read_write>
    }"""
    assert walk(plan(text), {}).asked == [("make", "out", 8)]


def test_what_has_no_meaning_is_refused_before_anything_runs():
    text = """vyre.program @p {
      %c = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
    }"""
    with pytest.raises(UnsupportedError, match=r"'complex.constant'"):
        plan(text)


RESULTS = """
    vyre.program @p {
      %errors = vyre.buffer @errors fill -1 : i64 : !vyre.buffer<1xi64, read_write>
      %words = vyre.buffer @words live_out : !vyre.buffer<2xvector<2xi16>, read_write>
      %part = vyre.buffer @part live_out output_range [1, 3] : !vyre.buffer<4xi8, read_write>
      vyre.region "g" invocations [1] {
        %i = vyre.invocation_id x
        vyre.trap "wrong" at %i, %errors : !vyre.buffer<1xi64, read_write>
      }
    }"""


def test_outputs_are_elements_or_the_bytes_of_a_range():
    fine = plan(RESULTS)
    contents = {"errors": b"\xff" * 8, "words": bytes(range(8)), "part": b"abcd"}
    run = walk(fine, {}, contents)
    outputs = fine.results(run, fine.outputs.values()).start(run.read).take()
    assert outputs["words"].tolist() == [[0x0100, 0x0302], [0x0504, 0x0706]]
    assert outputs["part"].tobytes() == b"bc"
    reads = [("read", "errors", 0, 8), ("read", "words", 0, 8), ("read", "part", 1, 3)]
    assert run.asked[-3:] == reads


def test_only_the_outputs_that_are_asked_for_are_read():
    fine = plan(RESULTS)
    run = walk(fine, {}, {"errors": b"\xff" * 8})
    assert fine.results(run, [fine.outputs["part"]]).start(run.read).take().keys() == {"part"}


def test_a_trap_is_told_when_the_results_are_taken():
    bad = plan(RESULTS)
    run = walk(bad, {}, {"errors": b"\5"})
    pending = bad.results(run, []).start(run.read)
    with pytest.raises(TrapError, match="'p': wrong at offset 5"):
        pending.take()
