"""`vyre explain` says of each handoff whether it fuses, into what, or why not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support.devices import small_device
from support.explained import ALONE, COVERED, NOT_COVERED, Explain, only
from support.told import message_of
from xdsl.utils.exceptions import VerifyException

from examples.data import EXAMPLES
from vyre_dialect.runtime.cli import main

HISTOGRAM = str(EXAMPLES / "hex_histogram.mlir")

# One arm keeps what it reads again.
KEPT = """
vyre.program @kept {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %kept = vyre.buffer @kept initial undefined : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "both" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %kept[%i] : i8, !vyre.buffer<64xi8, read_write>
    %again = vyre.load %kept[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %again, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
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

# The first invocation also writes the last element.
UNEVEN = """
vyre.program @uneven {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %one = arith.constant 1 : index
  %more = arith.addi %n, %one : index
  %decoded = vyre.buffer @decoded[%more] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%more] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
    %zero = arith.constant 0 : index
    %first = arith.cmpi eq, %i, %zero : index
    scf.if %first {
      vyre.store %byte, %decoded[%n] : i8, !vyre.buffer<?xi8, read_write>
    }
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %ahead = arith.constant 1 : index
    %next = arith.addi %i, %ahead : index
    %byte = vyre.load %decoded[%next] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}
"""

# One reads forwards, the other backwards.
BYTE = "%x = vyre.load %out[%i] : !vyre.buffer<?xi8, read_write> -> i8"
SHIFT = """
vyre.program @shift {
  %data = vyre.buffer @data live_out : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<?xi8, read_write>
  %n = vyre.buf_len %data : !vyre.buffer<?xi8, read_write>
  %copy = vyre.buffer @copy[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "copy" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %data[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %v, %copy[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "shift" invocations [%n] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    %v = vyre.load %copy[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %v, %data[%next] : i8, !vyre.buffer<?xi8, read_write>
  }
}
"""
TWO_CONSUMERS = """
vyre.program @two_consumers {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>
  %a = vyre.buffer @a live_out : !vyre.buffer<64xi8, write_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "up" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %a[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
  vyre.region "down" invocations [64] {
    %i = vyre.invocation_id x
    %last = arith.constant 63 : index
    %at = arith.subi %last, %i : index
    %byte = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %b[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}
"""

FOREIGN = COVERED.replace(
    '  vyre.region "scan"',
    '  "test.op"(%decoded) : (!vyre.buffer<64xi8, read_write>) -> ()\n  vyre.region "scan"',
)

ONE_BY_ONE = ("--options", "vyre-vectorize{lanes=1}")
"""What leaves invocations as they are written."""


def test_a_fused_handoff_in_words(explain: Explain) -> None:
    status, out, err = explain("covered.mlir", *ONE_BY_ONE)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[:3] == [
        "covered.mlir:4: '@decoded' fuses: 1 elements (1 bytes) in private memory of 'decode+scan'",
        "    %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>",
        "plan of 'decode+scan': a tile of an invocation holds elements: 1 of '@decoded'; "
        "runs invocations: 1 of 'decode', 1 of 'scan'",
    ]
    end = lines.index("passes that 'not_covered' is compiled by for small (test), policy gpu")
    assert all("? yes: '" in line for line in lines[3:end])
    assert "  is every element that is read written? yes: '@decoded'" in lines[3:end]
    assert "  do the tiles fit? yes: 'decode'" in lines[3:end]


def test_a_plan_in_json(explain: Explain) -> None:
    (plan,) = json.loads(explain("covered.mlir", *ONE_BY_ONE, "--json")[1])["plans"]
    obligations = {each["question"]: each for each in plan.pop("obligations")}
    assert plan == {
        "arm": "decode+scan",
        "memory_space": "private",
        "workgroup_size": 64,
        "steps": 1,
        "bytes": 1,
        "tiles": {"decoded": 1},
        "shares": [
            {"arm": "decode", "invocations": 1, "times": 1.0, "lanes": 1},
            {"arm": "scan", "invocations": 1, "times": 1.0, "lanes": 1},
        ],
    }
    assert {each["answer"] for each in obligations.values()} == {"yes"}
    assert obligations["may invocations be repeated?"]["about"] == ["'decode'"]


def test_a_plan_inside_one_arm(explain: Explain) -> None:
    Path("alone.mlir").write_text(KEPT)
    out = explain("alone.mlir", "-p", "vyre-decode-scan-fuse")[1]
    assert "plan of 'both': a tile of an invocation holds elements: 1 of '@kept'" in out
    assert "  is every element written before it is read? yes: '@kept'" in out


def test_what_is_not_fused_has_no_plan(explain: Explain) -> None:
    status, out, _ = explain("not_covered.mlir", "--json")
    assert status == 0
    explained = json.loads(out)
    assert explained["plans"] == []
    (handoff,) = explained["handoffs"]
    assert handoff["question"] == "is every element that is read written?"


def test_a_fused_handoff_in_json(explain: Explain) -> None:
    status, out, _ = explain("covered.mlir", *ONE_BY_ONE, "--json")
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
    status, out, _ = explain("not_covered.mlir", *ONE_BY_ONE)
    assert status == 0
    assert "not_covered.mlir:4: '@decoded' is not fused: not-covered: " in out
    assert "  producer: decode\n  consumer: scan\n" in out
    assert "  asked: is every element that is read written? no\n" in out
    assert "  cause: not_covered.mlir:13\n    %byte = vyre.load %decoded[%i]" in out
    assert "  depends on: not_covered.mlir:9\n    vyre.store %byte, %decoded[%i]" in out
    assert "for example: invocation 63 of workgroup 0 touches element 63 of '@decoded'" in out
    (handoff,) = json.loads(explain("not_covered.mlir", *ONE_BY_ONE, "--json")[1])["handoffs"]
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
        "lanes": {},
        "text": "invocation 63 of workgroup 0 touches element 63 of '@decoded', "
        "which no invocation writes",
    }
    assert (handoff["cause"]["line"], handoff["depends_on"]["line"]) == (13, 9)
    assert handoff["cause"]["op"].startswith("%byte = vyre.load")


def test_what_invocations_in_lanes_stand_for_is_said(explain: Explain) -> None:
    vectorized = ("-p", "vyre-vectorize{lanes=16},vyre-decode-scan-fuse")
    Path("shift.mlir").write_text(SHIFT)
    out = explain("shift.mlir", *vectorized)[1]
    assert "; in lanes, each is 16 of 'copy' and 'shift'\n" in out
    (handoff,) = json.loads(explain("shift.mlir", *vectorized, "--json")[1])["handoffs"][:1]
    assert handoff["counterexample"]["lanes"] == {"copy": 16, "shift": 16}
    Path("ahead.mlir").write_text(SHIFT.replace("%data[%next]", "%out[%next]"))
    out = explain("ahead.mlir", *vectorized)[1]
    assert re.search(r"runs invocations: \d+ of 'copy' \(each stands for 16\), ", out)


def test_an_access_at_an_unknown_place_is_named_beside_its_cause(explain: Explain) -> None:
    Path("data.mlir").write_text(
        SHIFT.replace("%next = arith.addi %i, %one", "%next = arith.index_cast %x")
        .replace(
            ": index\n    %v = vyre.load %copy[%i]",
            ": i8 to index\n    %v = vyre.load %copy[%next]",
        )
        .replace("%one = arith.constant 1 : index", BYTE)
    )
    out = explain("data.mlir")[1]
    said = (
        "'@copy' is not fused: non-affine: 'shift' touches elements that cannot be told in advance"
    )
    assert f"{said}, in data.mlir:16\n" in out
    assert "  cause: data.mlir:14\n" in out


def test_all_consumers_are_named(explain: Explain) -> None:
    Path("two.mlir").write_text(TWO_CONSUMERS)
    out = explain("two.mlir")[1]
    assert "  producer: decode\n  consumers: up, down; refused for down\n" in out
    (handoff,) = json.loads(explain("two.mlir", "--json")[1])["handoffs"]
    assert (handoff["consumers"], handoff["consumer"]) == (["up", "down"], "down")


def test_two_tiles_show_that_no_number_of_invocations_writes_each(explain: Explain) -> None:
    Path("uneven.mlir").write_text(UNEVEN)
    out = explain("uneven.mlir", *ONE_BY_ONE)[1]
    (line,) = (line for line in out.splitlines() if "for example: " in line)
    assert line.count("when length of '@text' = ") == 2
    assert line.count("invocations 0 to ") == 2
    (handoff,) = json.loads(explain("uneven.mlir", *ONE_BY_ONE, "--json")[1])["handoffs"]
    assert len(handoff["counterexample"]["shares"]) == 2


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


def test_any_pipeline_is_explained_as_it_runs(explain: Explain) -> None:
    pipeline = "vyre-expand,canonicalize,vyre-decode-scan-fuse{strategy=workgroup},canonicalize"
    status, out, err = explain(HISTOGRAM, "-p", pipeline)
    assert (status, err) == (0, "")
    assert "'@decoded' fuses: " in out
    assert [line.split()[:3] for line in out.splitlines()[-4:]] == [
        [name, "asked_for:", "pipeline"]
        for name in ("vyre-expand", "canonicalize", "vyre-decode-scan-fuse", "canonicalize")
    ]
    passes = json.loads(explain(HISTOGRAM, "-p", pipeline, "--json")[1])["passes"]
    assert passes[2]["changes"]["top_level_regions"] == -1
    assert passes[3]["changes"].get("top_level_regions") is None


def test_a_schedule_in_a_pipeline_is_explained_by_its_passes(explain: Explain) -> None:
    out = explain("covered.mlir", "-p", "canonicalize,vyre-optimize,cse")[1]
    assert "'@decoded' fuses: " in out
    names = [line.split()[0] for line in out.splitlines() if "asked_for: pipeline" in line]
    assert (names[0], names[-1]) == ("canonicalize", "cse")
    assert "vyre-decode-scan-fuse" in names
    assert "vyre-optimize" not in names


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("-p", "vyre-expand,canonicalize"), "is not among the passes that run"),
        (("-p", ""), "is not among the passes that run"),
        (("--profile", "dataflow"), "does not run: profile_rejected: dataflow"),
        (("--no-fuse",), "does not run: left_out"),
    ],
)
def test_why_fusion_does_not_run(explain: Explain, options: tuple[str, ...], why: str) -> None:
    status, out, err = explain(HISTOGRAM, *options)
    assert (status, err) == (0, "")
    assert f"'@decoded' is not fused: not-run: 'vyre-decode-scan-fuse' {why}\n" in out
    assert "  producer: decode.hex\n  consumer: scan.histogram\n" in out


def test_an_op_that_nobody_expands_is_an_unknown_user(explain: Explain) -> None:
    Path("foreign.mlir").write_text(FOREIGN)
    (handoff,) = json.loads(explain("foreign.mlir", "--json")[1])["handoffs"]
    assert (handoff["name"], handoff["reason"]) == ("decoded", "unknown-user")
    assert handoff["detail"].startswith("'test.op' uses it, which is no arm")
    assert handoff["cause"]["line"] == 11
    (handoff,) = json.loads(explain("foreign.mlir", "--no-fuse", "--json")[1])["handoffs"]
    assert handoff["reason"] == "unknown-user"


def test_one_program_of_several(explain: Explain) -> None:
    Path("two.mlir").write_text(COVERED + ALONE)
    status, out, err = explain("two.mlir")
    assert (status, out) == (2, "")
    assert err == (
        "vyre: error: expected a module of one program or the name of one (--program), "
        "got 'not_covered', 'alone'\n"
    )
    status, out, _ = explain("two.mlir", "--program", "not_covered", "--json")
    assert (status, json.loads(out)["program"]) == (0, "not_covered")
    assert explain("two.mlir", "--program", "alone")[1].startswith("'two.mlir' hands no buffer ")
    status, out, err = explain("two.mlir", "--program", "other")
    assert (status, out) == (2, "")
    assert err.startswith("vyre: error: unknown program 'other'")


@pytest.mark.parametrize(
    ("options", "elements"),
    [("", 64), (" budget=32", 32), (" budget=16", 16)],
)
def test_the_budget_of_a_pipeline_is_its_own(explain: Explain, options: str, elements: int) -> None:
    pipeline = f"vyre-decode-scan-fuse{{strategy=workgroup{options}}}"
    assert _elements(explain, "-p", pipeline, "--device", "small") == elements


@pytest.mark.parametrize("named", [(), ("--device", "small")])
def test_the_workgroup_memory_of_the_device_that_runs_is_the_budget(
    explain: Explain, monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...]
) -> None:
    only(monkeypatch, small_device(16, has_own_local_mem=True))
    options = "vyre-decode-scan-fuse{strategy=workgroup}"
    assert _elements(explain, "--options", options, *named) == 16


def test_a_budget_goes_before_that_of_a_device(
    explain: Explain, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, small_device(16, has_own_local_mem=True))
    options = "vyre-decode-scan-fuse{strategy=workgroup budget=32}"
    assert _elements(explain, "--options", options) == 32


def _elements(explain: Explain, *options: str) -> int:
    (handoff,) = json.loads(explain("covered.mlir", "--json", *options)[1])["handoffs"]
    return handoff["elements"]


def test_an_unknown_device(explain: Explain) -> None:
    status, out, err = explain("covered.mlir", "--device", "large")
    assert (status, out) == (1, "")
    assert err.startswith("vyre: error: unknown device 'large': expected a kind")
    assert err.count("\n") == 1


def test_reference_is_any_device(explain: Explain) -> None:
    status, out, err = explain("covered.mlir", "--device", "reference")
    assert (status, err) == (0, "")
    assert "passes that 'not_covered' is compiled by\n" in out
    assert (
        json.loads(explain("covered.mlir", "--device", "reference", "--json")[1])["device"] is None
    )


def test_where_no_device_works(explain: Explain, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    status, out, err = explain("covered.mlir")
    assert status == 0
    assert err.startswith("vyre: warning: no device works here")
    assert "passes that 'not_covered' is compiled by\n" in out


def test_a_program_without_handoffs(explain: Explain) -> None:
    status, out, err = explain("alone.mlir")
    assert (status, err) == (0, "")
    assert out.startswith("'alone.mlir' hands no buffer from one arm to another\npasses that ")
    explained = json.loads(explain("alone.mlir", "--json")[1])
    assert (explained["program"], explained["handoffs"]) == ("alone", [])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (VerifyException("broken\nhere"), "broken"),
        (ValueError("broken\nhere"), "ValueError: broken ("),
    ],
)
def test_an_error_of_fusion_is_one_line(
    explain: Explain, error: Exception, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("vyre_dialect.passes.fusion.decode_scan_fuse.fuse_program", fail)
    status, out, err = explain("covered.mlir")
    assert (status, out) == (1, "")
    assert err.startswith(f"vyre: error: pass 'vyre-decode-scan-fuse': {said}")
    assert err.count("\n") == 1


def test_a_file_that_is_no_program(explain: Explain) -> None:
    status, out, err = explain("malformed.mlir")
    assert (status, out) == (1, "")
    assert message_of(err).startswith("vyre: error: malformed.mlir:1:")


def test_the_memory_plot_draws_what_stays_inside(tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    program = tmp_path / "program.mlir"
    program.write_text(NOT_COVERED)
    assert main(["explain", str(program), "--memory-plot", str(picture)]) == 0
    text = picture.read_text()
    assert "decoded: 64 bytes at 0" in text or "decoded: 64 bytes at 512" in text
    assert ">decode</text>" in text
    assert "out:" not in text
