"""Programs on pieces of their input on devices: the same as on all of it, in little memory."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vyre
from examples.data import EXAMPLES as FOLDER
from examples.encodings import encode
from vyre_dialect.ops.decode import DecodeOp
from vyre_dialect.runtime.driver.execute import run_module
from vyre_dialect.runtime.errors import RefusedStreamError, VyreError
from vyre_dialect.runtime.interpreter.arrays import Array
from vyre_dialect.runtime.interpreter.programs import find_program
from vyre_dialect.runtime.interpreter.traps import TrapError
from vyre_dialect.runtime.opencl.devices import Device
from vyre_dialect.runtime.program.compilation import load_module, make_context, parse_module
from vyre_dialect.runtime.streams.sources import PipeSource
from vyre_dialect.runtime.streams.stream_run import run_stream

EXAMPLES = sorted(FOLDER.glob("*.mlir"))
LITTLE = 4 << 20
"""Of this memory, pieces get a quarter."""
CASES = [
    pytest.param(path, id=path.stem, marks=[] if path.stem == "xor_literal" else pytest.mark.slow)
    for path in EXAMPLES
]
ENDS = """
vyre.program @ends {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %words = vyre.buffer @words[%n] live_out : !vyre.buffer<?xi8, read_write>
  %last = vyre.buffer @last live_out fill -1 : i64 : !vyre.buffer<1xi64, read_write>
  vyre.region "ends" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %before = arith.subi %i, %one : index
    %own = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %left = vyre.load %text[%before] : !vyre.buffer<?xi8, read_only> -> i8
    %blank = arith.constant 32 : i8
    %is_blank = arith.cmpi eq, %own, %blank : i8
    %was_letter = arith.cmpi ugt, %left, %blank : i8
    %ends = arith.andi %is_blank, %was_letter : i1
    scf.if %ends {
      vyre.store %left, %words[%i] : i8, !vyre.buffer<?xi8, read_write>
      %place = arith.index_cast %i : index to i64
      %old = vyre.atomic_rmw maxs %place, %last[%zero] : i64, !vyre.buffer<1xi64, read_write>
    }
  }
}
"""


def encoded_text(path: Path, elements: int) -> dict[str, Array]:
    """Input for an example: letters, or words of the frames that it decodes."""
    program = find_program(load_module(path, make_context()))
    data: Array = np.frombuffer(b"self returns None of itself ", np.uint8)
    data = np.resize(data, elements)
    decoders = [op for op in program.body.block.ops if isinstance(op, DecodeOp)]
    if "delta" in path.name:
        data = np.random.default_rng(3).integers(0, 2000, elements // 4).astype(np.int32)
    for op in reversed(decoders):
        data = encode(op, data)
    return {"encoded": data}


@pytest.mark.slow
@pytest.mark.parametrize("path", CASES)
def test_examples_in_pieces_give_what_they_give_at_once(path: Path, device: Device) -> None:
    context = make_context()
    module, inputs = load_module(path, context), encoded_text(path, 3_000_000)
    whole = run_module(module, inputs, device=device, context=context)
    sources = (inputs["encoded"], PipeSource("encoded", io.BytesIO(inputs["encoded"].tobytes())))
    for source in sources:
        run = run_stream(module, {"encoded": source}, device=device, memory=LITTLE, context=context)
        assert run.outputs.keys() == whole.outputs.keys()
        for name, array in whole.outputs.items():
            np.testing.assert_array_equal(run.outputs[name], array)


def test_parts_in_order_go_to_a_sink_and_places_are_those_in_all(device: Device) -> None:
    context = make_context()
    module = parse_module(ENDS, context, "ends.mlir")
    text = np.resize(np.frombuffer(b"some words of a text ", np.uint8), 4_000_003)
    whole = run_module(module, {"text": text}, device=device, context=context)
    parts = list[Array]()
    run = run_stream(
        *(module, {"text": text}),
        device=device,
        memory=LITTLE,
        sink_of={"words": parts.append}.get,
        context=context,
    )
    assert len(parts) > 3
    assert "words" not in run.outputs
    np.testing.assert_array_equal(np.concatenate(parts), whole.outputs["words"])
    np.testing.assert_array_equal(run.outputs["last"], whole.outputs["last"])


@pytest.mark.slow
def test_a_device_with_memory_of_its_own_is_sent_pieces(device: Device) -> None:
    apart = replace(device, info=replace(device.info, kind="gpu"))
    context = make_context()
    module = parse_module(ENDS, context, "ends.mlir")
    text = np.resize(np.frombuffer(b"some words of a text ", np.uint8), 2_000_003)
    whole = run_module(module, {"text": text}, device=device, context=context)
    for source in (text, PipeSource("text", io.BytesIO(text.tobytes()))):
        run = run_stream(module, {"text": source}, device=apart, memory=LITTLE, context=context)
        for name, array in whole.outputs.items():
            np.testing.assert_array_equal(run.outputs[name], array)


@pytest.mark.slow
def test_bad_input_is_reported_at_its_offset_in_all(device: Device) -> None:
    context = make_context()
    path = next(each for each in EXAMPLES if each.stem == "hex_histogram")
    module, text = load_module(path, context), np.full(3_000_000, ord("a"), np.uint8)
    text[2_700_123] = ord("?")
    with pytest.raises(TrapError) as error:
        run_stream(module, {"encoded": text}, device=device, memory=LITTLE, context=context)
    assert error.value.offset == 2_700_123


def test_what_cannot_be_cut_is_refused_with_the_op(device: Device) -> None:
    context = make_context()
    module = parse_module(ENDS.replace("%before = arith.subi %i, %one", REVERSED), context, "r")
    with pytest.raises(
        RefusedStreamError, match=r"'vyre\.load' of 'ends' reads '@text' from its end"
    ):
        run_stream(module, {"text": np.zeros(9, np.uint8)}, device=device, context=context)


REVERSED = "%before = arith.subi %n, %i"


def test_memory_that_no_piece_fits_is_an_error(device: Device) -> None:
    context = make_context()
    path = next(each for each in EXAMPLES if each.stem == "hex_histogram")
    module = load_module(path, context)
    with pytest.raises(VyreError, match="for its smallest pieces, got 1024: allow more"):
        run_stream(
            module,
            {"encoded": np.zeros(99, np.uint8)},
            device=device,
            memory=1024,
            context=context,
        )


@pytest.mark.slow
def test_a_compiled_program_reads_a_pipe(device: Device) -> None:
    path = next(each for each in EXAMPLES if each.stem == "xor_literal")
    inputs = encoded_text(path, 3_000_000)
    compiled = vyre.compile(path, device=device, measure=False)
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as file, os.fdopen(reading, "rb") as pipe:
        from threading import Thread

        raw = inputs["encoded"].tobytes()
        thread = Thread(target=lambda: (file.write(raw), file.close()))
        thread.start()
        run = compiled.stream({"encoded": pipe}, memory=LITTLE)
        thread.join()
    np.testing.assert_array_equal(run.outputs["count"], compiled(**inputs)["count"])


def test_what_a_program_says_of_pieces_stops_no_run(device: Device) -> None:
    cut = "{\n  vyre.stream @text multiple 1 before 1 after 0 least 1"
    given = {"text": np.frombuffer(b"one two  three ", np.uint8)}
    found, expected = (
        run_module(parse_module(text, make_context()), given, device=device).outputs
        for text in (ENDS.replace("{", cut, 1), ENDS)
    )
    assert found["last"].tolist() == expected["last"].tolist() == [14]
    assert found["words"].tolist() == expected["words"].tolist()
