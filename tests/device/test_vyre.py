"""`import vyre`: compile once, call often, and ask what became of the program."""

import re

import numpy as np
import pytest
from support.documents import ROOT, blocks_of
from support.example_data import matching_text
from xdsl.dialects.builtin import i8, i32

import vyre
from examples.data import EXAMPLES, load_example
from vyre_dialect.ops.decode import XorOp
from vyre_dialect.ops.literals import LiteralOp
from vyre_dialect.runtime.program.pipelines import parse_pipeline

PAGE = ROOT / "docs" / "python.md"
XOR = EXAMPLES / "xor_literal.mlir"
EXAMPLE = load_example(XOR, matching_text(5000))


def secret_words() -> vyre.Program:
    with vyre.program("secret_words") as p:
        encoded = p.buffer("encoded", i8, access=vyre.Access.READ_ONLY)
        decoded = p.buffer("decoded", i8, encoded.length, initial=vyre.Initial.UNDEFINED)
        count = p.buffer("count", i32, 1, live_out=True)
        XorOp(encoded, decoded, b"key")
        LiteralOp(b"self", decoded, count)
    return p


@pytest.mark.slow
def test_a_file_is_compiled_once_and_called_often(device: vyre.Device) -> None:
    count = vyre.compile(XOR, device=device)
    assert count.timings == ()
    for _ in range(2):
        outputs = count(encoded=EXAMPLE.encoded)
        assert outputs["count"].tolist() == EXAMPLE.expected["count"].tolist()
    (timing,) = count.timings
    assert timing.generator == "decode.xor+scan.literal"
    assert timing.kernel_ns is not None and timing.kernel_ns > 0
    assert (count.name, count.device) == ("xor_literal", device.info)


def test_what_runs_can_be_read(device: vyre.Device) -> None:
    count = vyre.compile(XOR, device=device)
    assert "__kernel" in count.source
    assert "vyre.kernel @xor_literal_0_decode_xor_scan_literal" in count.ir
    assert "vyre.launch" in count.ir


@pytest.mark.slow
def test_what_became_of_a_program_is_data(device: vyre.Device) -> None:
    explained = vyre.compile(XOR, device=device).explain()
    (handoff,) = explained.handoffs
    assert (handoff["name"], handoff["fused"], handoff["line"]) == ("decoded", True, 7)
    assert "vyre-decode-scan-fuse" in [row.name for row in explained.passes]
    assert explained.as_json()["device"] == device.info.label


def test_an_explanation_prints_what_the_command_line_says_of_fusion() -> None:
    lines = str(vyre.explain(XOR)).splitlines()
    assert lines[0].startswith(f"{XOR}:7: '@decoded' fuses: ")
    assert any(line.startswith("plan of 'decode.xor+scan.literal': ") for line in lines)
    assert str(vyre.explain(secret_words())).startswith("secret_words: '@decoded' fuses: ")


@pytest.mark.slow
def test_programs_of_the_builder_run(device: vyre.Device) -> None:
    text = np.frombuffer(b"himself, herself, itself", np.uint8)
    data = text ^ np.resize(np.frombuffer(b"key", np.uint8), text.size)
    assert vyre.compile(secret_words(), device=device)(encoded=data)["count"].tolist() == [3]
    assert vyre.run(secret_words(), {"encoded": data}, device=device).outputs["count"] == [3]


def test_options_are_those_of_the_command_line(device: vyre.Device) -> None:
    fused = vyre.compile(XOR, device=device)
    apart = vyre.compile(XOR, device=device, profile="dataflow")
    assert fused.source.count("__kernel ") < apart.source.count("__kernel ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"profile": "relaese"}, "unknown profile 'relaese': did you mean 'release'?"),
        ({"pipeline": "canonicalize", "options": "vyre-unroll"}, "give no profile, options"),
        ({"device": "reference"}, "the interpreter compiles nothing"),
        ({"program": "other"}, "unknown program 'other'"),
    ],
)
def test_what_makes_no_sense_is_one_line(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(vyre.UsageError, match=message):
        vyre.compile(XOR, **arguments)  # pyright: ignore[reportArgumentType]


def test_the_interpreter_runs_without_a_device() -> None:
    run = vyre.run(XOR, {"encoded": EXAMPLE.encoded}, device="reference")
    assert run.outputs["count"].tolist() == EXAMPLE.expected["count"].tolist()


def test_inputs_are_checked_by_name(device: vyre.Device) -> None:
    with pytest.raises(vyre.UsageError, match="unknown input 'encodde'"):
        vyre.compile(XOR, device=device)(encodde=EXAMPLE.encoded)


def test_inputs_that_are_no_arrays_are_named(device: vyre.Device) -> None:
    count = vyre.compile(XOR, device=device)
    assert repr(count) == f"<'xor_literal', compiled for {device.info.label}>"
    with pytest.raises(
        vyre.VyreError, match="'encoded' expected bytes or an array of NumPy, got list"
    ):
        count(encoded=[1, 2])  # pyright: ignore[reportArgumentType]
    with pytest.raises(vyre.VyreError, match=r"a binary file, got str: open it, as open\(name"):
        count.stream({"encoded": "data.xor"})  # pyright: ignore[reportArgumentType]


def test_the_text_of_a_program_is_no_name_of_a_file() -> None:
    with pytest.raises(vyre.UsageError, match="expected the name of a file, got several lines"):
        vyre.explain(XOR.read_text())


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "code", [block for language, block in blocks_of(PAGE) if language == "python"]
)
def test_the_page_shows_what_python_prints(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(code, {})
    assert f"# {capsys.readouterr().out.strip()}" in code


def test_the_pipelines_of_the_page_of_passes_exist() -> None:
    pipelines = re.findall(r"-p (?:'(.+?)'|(\S+))", (ROOT / "docs" / "passes.md").read_text())
    assert pipelines
    for quoted, plain in pipelines:
        assert parse_pipeline(quoted or plain).passes


@pytest.mark.slow
def test_a_program_is_explained_for_any_device_or_for_one() -> None:
    path = ROOT / "examples" / "xor_literal.mlir"
    for device in (None, "reference"):
        explained = vyre.explain(path, device=device)
        assert explained.device is None
        assert [each["fused"] for each in explained.handoffs] == [True]
    assert vyre.explain(path, device=vyre.devices()[0]).device == vyre.devices()[0].info.label
    unfused = vyre.explain(path, pipeline="vyre-expand")
    assert [each["reason"] for each in unfused.handoffs] == ["not-run"]


def test_what_cannot_be_explained_is_an_error_of_one_line() -> None:
    path = ROOT / "examples" / "xor_literal.mlir"
    with pytest.raises(vyre.VyreError, match="no such"):
        vyre.explain(path, program="no such")
    with pytest.raises(vyre.VyreError, match="no such"):
        vyre.explain(path, device="no such")
