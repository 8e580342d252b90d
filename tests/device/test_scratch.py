"""Scratch buffers share an arena on a device, from run to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.example_data import matching_text
from xdsl.dialects.builtin import ModuleOp, i8

from examples.data import example_files, load_example
from examples.encodings import base64_encoded, hex_encoded
from vyre_dialect.builder import program
from vyre_dialect.ir.types import Access, Initial
from vyre_dialect.ops.buffer import BufferOp
from vyre_dialect.ops.program import ProgramOp
from vyre_dialect.passes.memory.packing.instance import LiveRange
from vyre_dialect.passes.memory.packing.planner import Packing, Status
from vyre_dialect.passes.memory.packing.slots import Slots
from vyre_dialect.runtime.errors import VyreError
from vyre_dialect.runtime.interpreter import interpret
from vyre_dialect.runtime.opencl import arena_plan
from vyre_dialect.runtime.opencl.buffer_pool import PooledBuffer
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.opencl.executor import Executor
from vyre_dialect.runtime.opencl.session import Session
from vyre_dialect.runtime.program.compilation import (
    apply_pipeline,
    compile_module,
    make_context,
    parse_module,
)
from vyre_dialect.runtime.program.pipelines import UNFUSED

HANDOFFS = 7


def chain(count: int | None) -> ModuleOp:
    """Arms that each hand a buffer on to the next: two of the handoffs are alive at once."""
    with program("chain") as p:
        source = p.buffer("source", i8, count, access=Access.READ_ONLY)
        n = source.length
        before = source
        for k in range(HANDOFFS):
            after = p.buffer(f"h{k}", i8, n if count is None else count, initial=Initial.UNDEFINED)
            with p.arm(f"arm{k}", n) as i:
                after[i] = before[i] + (k + 1)
            before = after
        out = p.buffer("out", i8, n if count is None else count, live_out=True)
        with p.arm("last", n) as i:
            out[i] = before[i]
    return p.module


def executor(module: ModuleOp, device: Device | Session) -> Executor:
    info = device.device.info if isinstance(device, Session) else device.info
    compiled = compile_module(module, pipeline=UNFUSED, device=info)
    return Executor(compiled, device, poison_scratch=True)


@pytest.mark.parametrize("count", [4096, None])
def test_a_chain_of_handoffs_takes_the_memory_of_two(sharing: Device, count: int | None) -> None:
    source = np.arange(4096, dtype=np.uint8)
    run = executor(chain(count), sharing).run({"source": source})
    expected = source + np.uint8(sum(range(1, HANDOFFS + 1)) % 256)
    assert np.array_equal(run.outputs["out"].view(np.uint8), expected)
    assert run.scratch is not None
    assert run.scratch.apart >= HANDOFFS * 4096
    assert run.scratch.peak == run.scratch.lower_bound == 2 * 4096
    assert run.scratch.apart >= 2.5 * run.scratch.peak


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", example_files(), ids=lambda path: path.stem)
def test_examples_do_not_miss_what_is_overwritten(device: Device, path: Path) -> None:
    example = load_example(path, matching_text(100_001))
    inputs = {"encoded": example.encoded}
    found = [executor(example.module, device).run(inputs).outputs for _ in range(2)]
    planned = example.module.clone()
    apply_pipeline(planned, "vyre-expand,vyre-escape-analysis,vyre-scratch-reuse", make_context())
    found.append(dict(interpret(planned, inputs, poison_scratch=True).outputs))
    for outputs in found:
        for name, expected in example.expected.items():
            assert np.array_equal(outputs[name].view(expected.dtype), expected), name


def test_what_was_reported_is_what_was_allocated(sharing: Device) -> None:
    session = Session(sharing)
    taken = list[int]()
    take = session.pool.take

    def counted(size: int, name: str) -> PooledBuffer:
        if name == "scratch" or name.startswith("h"):
            taken.append(size)
        return take(size, name)

    session.pool.take = counted
    run = executor(chain(None), session).run({"source": np.zeros(1000, np.uint8)})
    assert run.scratch is not None
    assert run.scratch.peak == sum(taken)


def test_runs_after_the_first_allocate_nothing(sharing: Device) -> None:
    session = Session(sharing)
    chained = executor(chain(None), session)
    for size in (4096, 4096):
        chained.run({"source": np.zeros(size, np.uint8)})
    allocated = session.pool.allocations
    for _ in range(5):
        chained.run({"source": np.zeros(4096, np.uint8)})
    assert session.pool.allocations == allocated


def test_runs_in_flight_share_no_live_memory(sharing: Device) -> None:
    chained = executor(chain(None), sharing)
    sources = [np.full(4096, k, np.uint8) for k in range(6)]
    flights = [chained.start({"source": source}) for source in sources]
    offset = sum(range(1, HANDOFFS + 1))
    for k, flight in enumerate(flights):
        assert (flight.result().outputs["out"].view(np.uint8) == k + offset).all()


def test_programs_in_flight_on_several_queues_share_no_live_memory(sharing: Device) -> None:
    programs = [executor(chain(None), sharing) for _ in range(3)]
    sources = [np.full(4096, k, np.uint8) for k in range(6)]
    flights = [programs[k % 3].start({"source": each}) for k, each in enumerate(sources)]
    offset = sum(range(1, HANDOFFS + 1))
    for k, flight in enumerate(flights):
        assert (flight.result().outputs["out"].view(np.uint8) == k + offset).all()


def test_scratch_memory_is_given_back_under_pressure(sharing: Device) -> None:
    room = 64 * 1024
    info = replace(sharing.info, global_mem_bytes=room, max_alloc_bytes=room)
    session = Session(replace(sharing, info=info))
    chained = executor(chain(None), session)
    allocated = 0
    for size in range(1024, 9 * 1024, 512):
        run = chained.run({"source": np.ones(size, np.uint8)})
        assert (run.outputs["out"].view(np.uint8) == 1 + sum(range(1, HANDOFFS + 1))).all()
        assert run.scratch is not None
        allocated += run.scratch.peak
    assert allocated > 2 * room


def test_two_live_buffers_in_one_place_are_noticed(
    sharing: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mutant of both planners: everything lies at the beginning of one allocation."""

    def on_one_heap(program: ProgramOp, sizes: Mapping[BufferOp, int], alignment: int) -> Packing:
        peak = max(sizes.values())
        return Packing([0] * len(sizes), peak, peak, peak - 1, Status.LOWER_BOUND)

    def in_one_slot(live_ranges: Sequence[LiveRange]) -> Slots:
        return Slots([0] * len(live_ranges), [max(live_range.size for live_range in live_ranges)])

    monkeypatch.setattr(arena_plan, "packed", on_one_heap)
    monkeypatch.setattr(arena_plan, "share_slots", in_one_slot)
    run = executor(chain(None), sharing).run({"source": np.zeros(4096, np.uint8)})
    expected = sum(range(1, HANDOFFS + 1))
    assert (run.outputs["out"].view(np.uint8) != expected).any()


@pytest.mark.parametrize(
    ("offsets", "arena_bytes"),
    [((0, 8192, 0), 12288), ((4, 5000, 10000), 14096), ((0, 1 << 40, 1 << 41), 1 << 42)],
    ids=["wasteful", "unaligned", "huge"],
)
def test_a_plan_by_hand_that_the_verifier_takes_runs(
    sharing: Device, offsets: tuple[int, ...], arena_bytes: int
) -> None:
    info = sharing.info
    compiled = compile_module(hand_planned(offsets, arena_bytes), pipeline=KEPT, device=info)
    run = Executor(compiled, sharing, poison_scratch=True).run({})
    assert (run.outputs["out"] == 3).all()
    assert run.scratch is not None
    assert run.scratch.peak <= run.scratch.apart


@pytest.mark.parametrize("offset", ["4095", "-1", "8192"], ids=["overlap", "negative", "outside"])
def test_a_plan_by_hand_that_is_wrong_is_refused(device: Device, offset: str) -> None:
    with pytest.raises(VyreError, match=r"apart|non-negative|an arena of at least"):
        compile_module(hand_planned((0, int(offset), 0), 8192), pipeline=KEPT, device=device.info)


KEPT = "vyre-outline-kernels,canonicalize"
"""Passes that leave a plan as it is."""


def hand_planned(offsets: Sequence[int], arena_bytes: int) -> ModuleOp:
    """Three handoffs of 4096 bytes at these offsets, of which two are alive at once."""
    one, two, three = offsets
    buffer = "!vyre.buffer<1024xi32, read_write>"
    text = f"""
    vyre.program @planned arena_bytes {arena_bytes} {{
      %a = vyre.buffer @a initial undefined non_escaping arena_offset {one} : {buffer}
      %b = vyre.buffer @b initial undefined non_escaping arena_offset {two} : {buffer}
      %c = vyre.buffer @c initial undefined non_escaping arena_offset {three} : {buffer}
      %out = vyre.buffer @out live_out : {buffer}
      vyre.region "zero" invocations [1024] {{
        %i = vyre.invocation_id x
        %x = arith.constant 3 : i32
        vyre.store %x, %a[%i] : i32, {buffer}
      }}
      vyre.region "one" invocations [1024] {{
        %i = vyre.invocation_id x
        %x = vyre.load %a[%i] : {buffer} -> i32
        vyre.store %x, %b[%i] : i32, {buffer}
      }}
      vyre.region "two" invocations [1024] {{
        %i = vyre.invocation_id x
        %x = vyre.load %b[%i] : {buffer} -> i32
        vyre.store %x, %c[%i] : i32, {buffer}
      }}
      vyre.region "three" invocations [1024] {{
        %i = vyre.invocation_id x
        %x = vyre.load %c[%i] : {buffer} -> i32
        vyre.store %x, %out[%i] : i32, {buffer}
      }}
    }}
    """
    return parse_module(text, make_context())


BYTES, ERRORS = "!vyre.buffer<?xi8, read_write>", "!vyre.buffer<1xi32, read_write>"
PADDED = f"""
vyre.program @padded {{
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %not_hex = vyre.buffer @not_hex fill -1 : i32 : {ERRORS}
  %not_base64 = vyre.buffer @not_base64 fill -1 : i32 : {ERRORS}
  %text = vyre.buffer @text : {BYTES}
  %bytes = vyre.buffer @bytes : {BYTES}
  %one = vyre.buffer @one : {BYTES}
  %two = vyre.buffer @two : {BYTES}
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.decode.hex %encoded to %text errors %not_hex
      : !vyre.buffer<?xi8, read_only>, {BYTES}, {ERRORS}
  vyre.decode.base64 %text to %bytes errors %not_base64 : {BYTES}, {BYTES}, {ERRORS}
  vyre.decode.xor %bytes to %one key "key" : {BYTES}, {BYTES}
  vyre.decode.xor %one to %two key "key" : {BYTES}, {BYTES}
  vyre.scan.histogram %two bins %bins : {BYTES}, !vyre.buffer<256xi32, read_write>
}}
"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("padding", [0, 1, 2])
def test_padding_in_the_middle_of_a_chain_costs_no_memory_of_its_own(
    sharing: Device, padding: int
) -> None:
    data = np.random.default_rng(padding).integers(0, 256, 3000 - padding).astype(np.uint8)
    encoded = hex_encoded(base64_encoded(data))
    run = executor(parse_module(PADDED, make_context()), sharing).run({"encoded": encoded})
    assert np.array_equal(run.outputs["bins"], np.bincount(data, minlength=256))
    assert run.scratch is not None
    # Where the device cannot work on the input as it lies, that has memory there, too.
    copied = run.scratch.apart - 3 * len(data)
    assert copied in (0, len(encoded))
    assert run.scratch.lower_bound <= max(2 * 3000, copied)
    assert run.scratch.lower_bound <= run.scratch.peak
    assert run.scratch.peak <= max(2 * 3000, copied + 3000) + 512


def test_a_mark_that_is_no_longer_true_is_an_error() -> None:
    text = """
    vyre.program @stale {
      %a = vyre.buffer @a non_escaping : !vyre.buffer<4xi32, read_write>
      %c0 = arith.constant 0 : index
      vyre.region "one" invocations [4] {
      }
      %x = vyre.load %a[%c0] : !vyre.buffer<4xi32, read_write> -> i32
    }
    """
    context = make_context()
    module = parse_module(text, context)
    with pytest.raises(VyreError, match="'a' is marked 'non_escaping', but escapes: host_read"):
        compile_module(module, pipeline="vyre-outline-kernels", context=context)
