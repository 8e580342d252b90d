"""`vyre explain` says of each handoff whether it fuses, into what, or why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from support.devices import small_device
from xdsl.utils.exceptions import VerifyException

from examples.data import EXAMPLES
from vyre_dialect.runtime.cli import main
from vyre_dialect.runtime.opencl.devices import Device

HISTOGRAM = str(EXAMPLES / "hex_histogram.mlir")

# The consumer reads one element more than the producer writes.
NOT_COVERED = """
vyre.program @not_covered {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [63] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}
"""
COVERED = NOT_COVERED.replace("invocations [63]", "invocations [64]")
ALONE = """
vyre.program @alone {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "write" invocations [64] {
    %i = vyre.invocation_id x
    %byte = arith.constant 1 : i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}
"""

# Two decoders write one buffer.
LIBRARY = """
vyre.program @library {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.decode.xor %text to %decoded key "a"
    : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.decode.xor %text to %decoded key "b"
    : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  vyre.scan.histogram %decoded bins %bins
    : !vyre.buffer<?xi8, read_write>, !vyre.buffer<256xi32, read_write>
}
"""

Explain = Callable[..., tuple[int, str, str]]


@pytest.fixture
def explain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Explain:
    """Runs `vyre explain` in a folder with programs; gives its status, output and errors."""
    monkeypatch.chdir(tmp_path)
    Path("covered.mlir").write_text(COVERED)
    Path("not_covered.mlir").write_text(NOT_COVERED)
    Path("alone.mlir").write_text(ALONE)
    Path("malformed.mlir").write_text("vyre.program @p {")

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["explain", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_a_fused_handoff_in_words(explain: Explain) -> None:
    status, out, err = explain("covered.mlir")
    assert (status, err) == (0, "")
    assert out.splitlines()[:3] == [
        "covered.mlir:4: '@decoded' fuses: 1 elements (1 bytes) in private memory of 'decode+scan'",
        "    %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>",
        "passes that 'not_covered' is compiled by",
    ]


def test_a_fused_handoff_in_json(explain: Explain) -> None:
    status, out, _ = explain("covered.mlir", "--json")
    assert status == 0
    explained = json.loads(out)
    assert explained["program"] == "not_covered"
    (handoff,) = explained["handoffs"]
    assert handoff["source"].startswith("%decoded = vyre.buffer @decoded")
    del handoff["source"]
    assert handoff == {
        "name": "decoded",
        "line": 4,
        "fused": True,
        "memory_space": "private",
        "elements": 1,
        "bytes": 1,
        "arm": "decode+scan",
    }


def test_a_refusal_with_its_counterexample(explain: Explain) -> None:
    status, out, _ = explain("not_covered.mlir")
    assert status == 0
    assert "not_covered.mlir:4: '@decoded' is not fused: not-covered: " in out
    assert "  producer: decode\n  consumer: scan\n" in out
    assert "  cause: not_covered.mlir:13\n    %byte = vyre.load %decoded[%i]" in out
    assert "  depends on: not_covered.mlir:9\n    vyre.store %byte, %decoded[%i]" in out
    assert "for example: invocation 63 of workgroup 0 touches element 63 of '@decoded'" in out
    (handoff,) = json.loads(explain("not_covered.mlir", "--json")[1])["handoffs"]
    assert (handoff["fused"], handoff["reason"]) == (False, "not-covered")
    assert handoff["counterexample"] == {
        "buffer": "decoded",
        "element": 63,
        "later": 63,
        "later_workgroup": 0,
        "earlier": None,
        "earlier_workgroup": None,
        "earlier_for": None,
        "sizes": {},
        "certain": True,
        "text": "invocation 63 of workgroup 0 touches element 63 of '@decoded', "
        "which no invocation writes",
    }
    assert (handoff["cause"]["line"], handoff["depends_on"]["line"]) == (13, 9)
    assert handoff["cause"]["op"].startswith("%byte = vyre.load")


def test_library_ops_are_expanded_first(explain: Explain) -> None:
    status, out, _ = explain(HISTOGRAM)
    assert status == 0
    assert "'@decoded' fuses: " in out
    assert "of 'decode.hex+scan.histogram'" in out


def test_an_op_of_an_expansion_is_shown_with_its_library_op(explain: Explain) -> None:
    Path("library.mlir").write_text(LIBRARY)
    out = explain("library.mlir")[1]
    assert "'@decoded' is not fused: several-producers: 'decode.xor' also writes" in out
    assert "  cause: library.mlir:8\n    vyre.decode.xor" in out
    assert "    in its expansion: " in out


def test_options_of_the_pass(explain: Explain) -> None:
    pipeline = "vyre-decode-scan-fuse{strategy=workgroup tile=32}"
    (handoff,) = json.loads(explain("covered.mlir", "-p", pipeline, "--json")[1])["handoffs"]
    assert (handoff["memory_space"], handoff["elements"]) == ("workgroup", 32)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("tile=-1", "'vyre-decode-scan-fuse' expected no negative tile, got -1"),
        ("budget=0", "'vyre-decode-scan-fuse' expected a positive budget, got 0"),
    ],
)
def test_options_that_make_no_sense(explain: Explain, option: str, message: str) -> None:
    status, out, err = explain("covered.mlir", "-p", f"vyre-decode-scan-fuse{{{option}}}")
    assert (status, out, err) == (1, "", f"vyre: error: {message}\n")


@pytest.mark.parametrize("pipeline", ["canonicalize", "", "vyre-expand,vyre-decode-scan-fuse"])
def test_another_pass_than_fusion(explain: Explain, pipeline: str) -> None:
    status, out, err = explain("covered.mlir", "-p", pipeline)
    assert (status, out) == (2, "")
    assert err.startswith("vyre: error: argument -p: expected the pass 'vyre-decode-scan-fuse'")
    assert err.count("\n") == 1


def test_one_program_of_several(explain: Explain) -> None:
    Path("two.mlir").write_text(COVERED + ALONE)
    status, out, err = explain("two.mlir")
    assert (status, out) == (2, "")
    assert err == (
        "vyre: error: expected a module of one program or the name of one, "
        "got 'not_covered', 'alone'\n"
    )
    status, out, _ = explain("two.mlir", "--program", "not_covered", "--json")
    assert (status, json.loads(out)["program"]) == (0, "not_covered")
    assert explain("two.mlir", "--program", "alone")[1].startswith("'two.mlir' hands no buffer ")
    status, out, err = explain("two.mlir", "--program", "other")
    assert (status, out) == (2, "")
    assert err.startswith("vyre: error: unknown program 'other'")


def _works(_: Device) -> None:
    """What `working` says of a device that works."""


@pytest.fixture
def device_memory(monkeypatch: pytest.MonkeyPatch) -> int:
    """The bytes of workgroup memory of a device called 'small', the only one there is."""
    info = small_device(16)
    device = Device(cast(Any, None), info)
    monkeypatch.setattr("vyre_dialect.runtime.opencl.devices.list_devices", lambda: [device])
    monkeypatch.setattr("vyre_dialect.runtime.opencl.devices.working", _works)
    return info.local_mem_bytes


@pytest.mark.parametrize(
    ("options", "elements"),
    [("", 64), (" budget=32", 32), (" budget=16", 16)],
)
def test_the_budget_without_a_device(explain: Explain, options: str, elements: int) -> None:
    assert _elements(explain, f"strategy=workgroup{options}") == elements


def test_the_workgroup_memory_of_a_device_is_the_budget(
    explain: Explain, device_memory: int
) -> None:
    assert _elements(explain, "strategy=workgroup", "--device", "small") == device_memory


def test_a_budget_goes_before_that_of_a_device(explain: Explain, device_memory: int) -> None:
    given = 2 * device_memory
    options = f"strategy=workgroup budget={given}"
    assert _elements(explain, options, "--device", "small") == given


def _elements(explain: Explain, options: str, *more: str) -> int:
    pipeline = f"vyre-decode-scan-fuse{{{options}}}"
    (handoff,) = json.loads(explain("covered.mlir", "-p", pipeline, "--json", *more)[1])["handoffs"]
    return handoff["elements"]


@pytest.mark.usefixtures("device_memory")
@pytest.mark.parametrize("options", ["", "{budget=16}"])
def test_an_unknown_device(explain: Explain, options: str) -> None:
    pipeline = f"vyre-decode-scan-fuse{options}"
    status, out, err = explain("covered.mlir", "-p", pipeline, "--device", "large")
    assert (status, out) == (1, "")
    assert err.startswith("vyre: error: unknown device 'large': expected a kind")
    assert err.count("\n") == 1


def test_a_program_without_handoffs(explain: Explain) -> None:
    status, out, err = explain("alone.mlir")
    assert (status, err) == (0, "")
    assert out.startswith("'alone.mlir' hands no buffer from one arm to another\npasses that ")
    explained = json.loads(explain("alone.mlir", "--json")[1])
    assert (explained["program"], explained["handoffs"]) == ("alone", [])


@pytest.mark.parametrize("error", [VerifyException("broken\nhere"), ValueError("broken\nhere")])
def test_an_error_of_fusion_is_one_line(
    explain: Explain, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("vyre_dialect.passes.fusion.decode_scan_fuse.fuse_program", fail)
    status, out, err = explain("covered.mlir")
    assert (status, out) == (1, "")
    assert err.startswith("vyre: error: pass 'vyre-decode-scan-fuse': broken")
    assert err.count("\n") == 1


def test_a_file_that_is_no_program(explain: Explain) -> None:
    status, out, err = explain("malformed.mlir")
    assert (status, out) == (1, "")
    assert err.startswith("vyre: error: malformed.mlir:1:")
    assert err.count("\n") == 1


def test_the_memory_plot_draws_what_stays_inside(tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    program = tmp_path / "program.mlir"
    program.write_text(NOT_COVERED)
    assert main(["explain", str(program), "--memory-plot", str(picture)]) == 0
    text = picture.read_text()
    assert "decoded: 64 bytes at 0" in text or "decoded: 64 bytes at 512" in text
    assert ">decode</text>" in text
    assert "out:" not in text


def rows(out: str) -> dict[str, str]:
    """The lines about passes, by name."""
    lines = [line.split(maxsplit=1) for line in out.splitlines() if line.startswith("  ")]
    return {line[0]: " ".join(line[1].split()) for line in lines if len(line) == 2}


def test_passes_in_words(explain: Explain) -> None:
    fusing = rows(explain("covered.mlir")[1])["vyre-decode-scan-fuse"]
    assert fusing.startswith("program_shape: top_level_regions 2 of 2 nodes ")
    assert "top_level_regions -1" in fusing
    idle = rows(explain("alone.mlir")[1])["vyre-decode-scan-fuse"].split()
    assert idle == ["below_threshold:", "top_level_regions", "1", "of", "2", "-", "-", "-"]


def test_passes_in_json(explain: Explain) -> None:
    passes = json.loads(explain("covered.mlir", "--json")[1])["passes"]
    (fusing,) = (row for row in passes if row["pass"] == "vyre-decode-scan-fuse")
    assert fusing.pop("runtime_ns") > 0
    assert fusing.pop("changes")["top_level_regions"] == -1
    assert fusing == {
        "pass": "vyre-decode-scan-fuse",
        "selected": True,
        "reason": "program_shape",
        "priority": 300,
        "evidence": "top_level_regions",
        "measured": 2,
        "threshold": 2,
        "runs": 1,
        "changed": 1,
        "refusals": [],
    }


def test_the_profile_decides(explain: Explain) -> None:
    idle = rows(explain("covered.mlir", "--profile", "dataflow")[1])["vyre-decode-scan-fuse"]
    assert idle.startswith("profile_rejected: dataflow ")
