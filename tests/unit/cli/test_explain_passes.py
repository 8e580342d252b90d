"""`vyre explain` says which passes ran, what they did, and which tests of rows moved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.explained import Explain


def rows(out: str) -> dict[str, str]:
    """The lines about passes, by name."""
    lines = [line.split(maxsplit=1) for line in out.splitlines() if line.startswith("  ")]
    return {line[0]: " ".join(line[1].split()) for line in lines if len(line) == 2}


def test_passes_in_words(explain: Explain) -> None:
    fusing = rows(explain("covered.mlir")[1])["vyre-decode-scan-fuse"]
    assert fusing.startswith("program_shape: top_level_regions 2, threshold 2 nodes ")
    assert "top_level_regions -1" in fusing
    idle = rows(explain("alone.mlir")[1])["vyre-decode-scan-fuse"].split()
    assert idle == ["below_threshold:", "top_level_regions", "1,", "threshold", "2", "-", "-", "-"]


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


ENCODED = """vyre.program @encoded {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain : !vyre.buffer<?xi32, read_only>
  %days = vyre.buffer @days : !vyre.buffer<?xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %days bits 9 base 70 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.scan.aggregate (%day = %days : !vyre.buffer<?xi32, read_write>, %other = %plain : !vyre.buffer<?xi32, read_only>) into count %count : !vyre.buffer<1xi32, read_write> {
    %limit = arith.constant 100 : i32
    %is_early = arith.cmpi ult, %day, %limit : i32
    %is_few = arith.cmpi ult, %other, %limit : i32
    %both = arith.andi %is_early, %is_few : i1
    vyre.scan.yield where %both
  }
}
"""  # noqa: E501


@pytest.mark.slow
def test_tests_of_encoded_columns(explain: Explain) -> None:
    Path("encoded.mlir").write_text(ENCODED)
    lines = [line for line in explain("encoded.mlir")[1].splitlines() if " is tested " in line]
    assert lines == [
        "encoded.mlir:7: '@days' is tested as it is encoded: frame-of-reference: tests what is "
        "packed",
        "encoded.mlir:7: '@plain' is tested once it is decoded: not-encoded: nothing decodes "
        "'@plain'",
    ]
    moved, kept = json.loads(explain("encoded.mlir", "--json")[1])["predicates"]
    assert moved["source"].startswith("vyre.scan.aggregate (%day = %days")
    del moved["source"], kept["source"]
    assert moved == {
        "column": "days",
        "line": 7,
        "moved": True,
        "rule": "frame-of-reference",
        "detail": "tests what is packed",
    }
    assert kept == {
        "column": "plain",
        "line": 7,
        "moved": False,
        "reason": "not-encoded",
        "detail": "nothing decodes '@plain'",
    }


def test_tests_that_no_pass_moves_are_not_told(explain: Explain) -> None:
    Path("encoded.mlir").write_text(ENCODED)
    out = explain("encoded.mlir", "--skip", "vyre-push-down-predicates", "--json")[1]
    assert json.loads(out)["predicates"] == []


SCALAR = """\
vyre.program @scalar {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "strided" invocations [%n] {
    %i = vyre.invocation_id x
    %stride = arith.constant 33 : index
    %at = arith.muli %i, %stride : index
    %byte = vyre.load %text[%at] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "next_to_each_other" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
"""
VECTORIZE = "vyre-expand,vyre-vectorize{lanes=16}"


def test_an_arm_that_stays_scalar_says_why(explain: Explain) -> None:
    Path("scalar.mlir").write_text(SCALAR)
    status, out, _ = explain("scalar.mlir", "-p", VECTORIZE)
    said = [line for line in out.splitlines() if "vectorized" in line]
    detail = "1 of 2 accesses and ops would be done one lane after the other"
    assert status == 0
    assert said == [f"scalar.mlir:5: 'strided' is not vectorized: mostly-scalar: {detail}"]
    (arm,) = json.loads(explain("scalar.mlir", "-p", VECTORIZE, "--json")[1])["not_vectorized"]
    assert (arm["arm"], arm["line"], arm["reason"], arm["detail"]) == (
        *("strided", 5, "mostly-scalar"),
        detail,
    )


def test_where_no_vectors_are_asked_for_nothing_is_missing(explain: Explain) -> None:
    Path("scalar.mlir").write_text(SCALAR)
    for pipeline in ("vyre-expand", "vyre-expand,vyre-vectorize"):
        assert "vectorized" not in explain("scalar.mlir", "-p", pipeline)[1]
